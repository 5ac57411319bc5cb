# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is who: which bones of an armature are its legs, arms, pelvis, spine and head.

Limbs are told by their names in the common schemes (Rigify, Mixamo, CMU, Rokoko, Unreal, Daz, Auto-Rig Pro). Where names
say nothing the shape at rest does: legs end lowest, arms widest, both in mirrored pairs. What remains follows from the
tree: the pelvis is where the legs meet, the spine leads from there to the head.
"""

import dataclasses
import re
from dataclasses import dataclass

from .limbs import ARM, LEG, SIDES, Shape
from .refusal import Refusal

# What the schemes call the parts of a limb, side and punctuation taken off; what stands first is preferred.
NAMES = {
    "upper_leg": ("thighbend", "thighstretch", "thigh", "upleg", "upperleg", "femur"),
    "lower_leg": ("legstretch", "shin", "calf", "lowerleg", "tibia", "leg"),
    "foot": ("foot", "ankle"),
    "toe": ("toebase", "toe", "toes01", "toes1", "toes", "ball"),
    "upper_arm": ("shldrbend", "armstretch", "upperarm", "humerus", "shldr", "arm"),
    "lower_arm": ("forearmbend", "forearmstretch", "forearm", "lowerarm", "radius"),
    "hand": ("hand", "wrist"),
}
HEADS = ("head", "headx", "spine006")  # Rigify's head is the end of its spine
WHOSE = (r"(?P<left>left|l[_. -]?)(?P<part>.+)|(?P<right>right|r[_. -]?)(?P<same>.+)",
         r"(?P<part>.+?)[_. -]*(?:(?P<left>left|l)|(?P<right>right|r))")
FAMILIES = ("", "DEF-", "ORG-")  # a generated Rigify rig holds every limb several times


@dataclass(frozen=True)
class Roles:
    """The name of the bone in each role, empty where there is none."""

    pelvis: str = ""
    spine: str = ""
    head: str = ""
    left_upper_leg: str = ""
    left_lower_leg: str = ""
    left_foot: str = ""
    left_toe: str = ""
    right_upper_leg: str = ""
    right_lower_leg: str = ""
    right_foot: str = ""
    right_toe: str = ""
    left_upper_arm: str = ""
    left_lower_arm: str = ""
    left_hand: str = ""
    right_upper_arm: str = ""
    right_lower_arm: str = ""
    right_hand: str = ""

    def table(self):
        """The roles as plain data: role to bone."""
        return dataclasses.asdict(self)


def find_roles(skeleton):
    """Find out which bones are feet, legs, hands, arms, pelvis, spine and head: as the animator says, else as they look."""
    return corrected(looked_up(skeleton), skeleton.corrections, skeleton)


def looked_up(skeleton):
    """The roles that bones have by themselves, by their names and by their shape."""
    if not skeleton.bones:
        return Roles()
    shape = Shape(skeleton)
    named = by_name(skeleton)
    legs = named if {"left_foot", "right_foot"} <= set(named) else shape.legs()
    arms = named if {"left_hand", "right_hand"} <= set(named) else shape.arms(legs)
    found = {f"{side}_{part}": limbs.get(f"{side}_{part}", -1) for limbs, parts in ((legs, LEG), (arms, ARM))
             for side in SIDES for part in parts}
    found |= shape.trunk(found, named.get("head", -1))
    return Roles(**{role: skeleton.bones[place].name for role, place in found.items() if place >= 0})


def corrected(roles, corrections, skeleton):
    """Roles with the animator's own choices, {role: bone name or nothing}, in place of what was found."""
    names = {bone.name for bone in skeleton.bones}
    for role, name in corrections.items():
        if role not in roles.table():
            raise Refusal(f"roles: there is no {role!r}; there are {', '.join(roles.table())}")
        if not isinstance(name, str) or name and name not in names:
            raise Refusal(f"roles {role}: the armature has no bone {name!r}")
    result = dataclasses.replace(roles, **corrections)
    owners = {}
    for role, name in result.table().items():
        if name and owners.setdefault(name, role) != role:
            raise Refusal(f"roles: {name!r} cannot be {owners[name]} and {role} at once; correct one of them")
    return result


def by_name(skeleton):
    """Places of limbs and head by role in the family of names that tells most."""
    families = []
    for prefix in FAMILIES:
        places = {bone.name.rsplit(":", 1)[-1].removeprefix(prefix): place for place, bone in enumerate(skeleton.bones)
                  if bone.name.startswith(prefix)}
        found = {}
        for name, place in places.items():
            for role, rank in meanings(name):
                found.setdefault(role, []).append((rank, place))
        families.append({role: min(ranked)[1] for role, ranked in found.items()})
    return max(families, key=len)


def meanings(name):
    """Roles that a name may stand for, each with how good a name it is for the role."""
    lower = name.lower()
    if plain(lower) in HEADS:
        yield "head", HEADS.index(plain(lower))
    for pattern in WHOSE:
        match = re.fullmatch(pattern, lower)
        if match:
            parts = match.groupdict()
            part, side = plain(parts["part"] or parts["same"]), SIDES[0] if parts["left"] else SIDES[1]
            yield from ((f"{side}_{role}", names.index(part)) for role, names in NAMES.items() if part in names)


def plain(name):
    return re.sub(r"[^a-z0-9]", "", name)
