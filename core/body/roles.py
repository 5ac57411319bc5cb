# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is who: which bones of an armature are its legs, arms, pelvis, spine and head.

Limbs are told by their names in the common schemes (Rigify, Mixamo, CMU, Rokoko, Unreal, Daz, Auto-Rig Pro, Biped, SMPL, MMD
and others that call bones by their joints). Names count for a limb as a whole: where they leave a part of it open, or tell of
one that the tree of bones contradicts, the shape at rest decides: legs end lowest, arms widest, both in mirrored pairs. What
remains follows from the tree: the pelvis is where the legs meet, the spine leads from there to the head.
"""

import dataclasses
import re
import weakref
from dataclasses import replace

import numpy as np

from ..declare.lists import split_names
from ..motion.skeleton import Skeleton
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from .roles_by_shape import ARM, LEG, SIDES, Shape, as_it_stands

# What the schemes call the parts of a limb, side and punctuation taken off; what stands first is preferred, and a bone that
# has a role has no other: a leg is the lower one unless there is a knee, a foot below an ankle holds the toes.
NAMES = {
    "lower_leg": ("legstretch", "shin", "calf", "lowerleg", "lowleg", "lowerleg01", "tibia", "knee", "leg", "ひざ"),
    "upper_leg": ("thighbend", "thighstretch", "thigh", "upleg", "upperleg", "upperleg01", "femur", "leg", "hip", "足"),
    "foot": ("ankle", "foot", "足首"),
    "toe": ("toebase", "toe", "toes01", "toes1", "toes", "toe0", "ball", "foot", "つま先"),
    "lower_arm": (
        "forearmbend",
        "forearmstretch",
        "forearm",
        "lowerarm",
        "lowarm",
        "farm",
        "lowerarm01",
        "radius",
        "elbow",
        "ひじ",
    ),
    "upper_arm": (
        "shldrbend",
        "armstretch",
        "upperarm",
        "uparm",
        "uarm",
        "upperarm01",
        "humerus",
        "shldr",
        "arm",
        "shoulder",
        "腕",
    ),
    "hand": ("wrist", "hand", "手首"),
}
JOINTS = ("hip", "shoulder")  # joints where a limb begins, or the bone before it
HEADS = ("head", "headx", "headm", "spine006", "頭")  # Rigify's head is the end of its spine
WORDS = re.compile(r"(?<![^_. :-])[^_. :-]|(?<=[a-z0-9])[A-Z]")  # where words begin: mixamorig Left Up Leg, Bip01 L Thigh
WHOSE = (
    r"(?P<left>left|l[_. -]?|左)(?P<segment>.+)|(?P<right>right|r[_. -]?|右)(?P<same>.+)",
    r"(?P<segment>.+?)[_. -]*(?:(?P<left>left|l)|(?P<right>right|r))",
)
MORE = "more_feet"
FAMILIES = ("", "DEF-", "ORG-")  # what bones of a generated Rigify rig begin with, the first preferred


@frozen
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
    more_feet: str = ""  # the feet of further legs, between commas

    def table(self) -> dict[str, str]:
        """The roles as plain data: role to bone, those that one bone has."""
        return {role: getattr(self, role) for role in ROLES}

    @property
    def further(self) -> tuple[str, ...]:
        """The names of the feet of further legs."""
        return split_names(self.more_feet)


ROLES = tuple(field.name for field in dataclasses.fields(Roles) if field.name != MORE)
# The roles of skeletons that are in use: everybody asks.
_found: weakref.WeakKeyDictionary[Skeleton, Roles] = weakref.WeakKeyDictionary()


def find_roles(skeleton: Skeleton) -> Roles:
    """Find out which bones are feet, legs, hands, arms, pelvis, spine and head: as the animator says, else as they look."""
    if skeleton not in _found:
        _found[skeleton] = corrected(looked_up(skeleton), skeleton.corrections, skeleton)
    return _found[skeleton]


def same_roles(skeleton: Skeleton, other: Skeleton) -> None:
    """Let a skeleton have the roles of another that has the same bones, so that nobody looks for them again."""
    _found[skeleton] = find_roles(other)


def looked_up(skeleton):
    """The roles that bones have by themselves, by their names and by their shape."""
    if not skeleton.bones:
        return Roles()
    named = by_name(skeleton)
    shape = Shape(skeleton) if any(role.endswith("leg") for role in named) else as_it_stands(skeleton)
    legs = whole(named, LEG, skeleton, shape.legs)
    arms = whole(named, ARM, skeleton, lambda hands: shape.arms(legs, hands))
    found = {
        f"{side}_{segment}": limbs.get(f"{side}_{segment}", -1)
        for limbs, segments in ((legs, LEG), (arms, ARM))
        for side in SIDES
        for segment in segments
    }
    found |= shape.trunk(found, named.get("head", -1))
    if arms and not any(f"{side}_hand" in named for side in SIDES) and shape.stands_on(found, "lower_arm"):
        found |= {f"{side}_{segment}": -1 for side in SIDES for segment in ARM}  # it walks on them: they are legs
    more = ", ".join(skeleton.bones[foot].name for foot in shape.more_legs(found))
    return Roles(**{role: skeleton.bones[index].name for role, index in found.items() if index >= 0}, more_feet=more)


def corrected(roles, corrections, skeleton):
    """Roles with the animator's own choices, {role: bone name or nothing}, in place of what was found."""
    names = {bone.name for bone in skeleton.bones}
    for role, name in corrections.items():
        if role != MORE and role not in roles.table():
            raise Refusal(f"roles: there is no {role!r}; there are {', '.join((*roles.table(), MORE))}")
        if not isinstance(name, str):
            raise Refusal(f"roles {role}: the armature has no bone {name!r}")
        for one in Roles(more_feet=name).further if role == MORE else filter(None, (name,)):
            if one not in names:
                raise Refusal(f"roles {role}: the armature has no bone {one!r}")
    result = dataclasses.replace(roles, **corrections)
    owners = {}
    for role, name in (*result.table().items(), *((MORE, foot) for foot in result.further)):
        if name and owners.setdefault(name, role) != role:
            raise Refusal(f"roles: {name!r} cannot be {owners[name]} and {role} at once; correct one of them")
    return result


def whole(named, segments, skeleton, by_shape):
    """Indices of the limbs of both sides by role: as named, or by shape where names leave parts open or cannot be.

    `by_shape(ends)` finds limbs that end in a pair of feet or hands, if such are given.
    """
    own = {
        f"{side}_{segment}": named[f"{side}_{segment}"]
        for side in SIDES
        for segment in segments
        if f"{side}_{segment}" in named
    }
    ends = {side: own.get(f"{side}_{segments[2]}", -1) for side in SIDES}
    known = tuple(index for index in ends.values() if index >= 0)
    if not all(is_limb([own.get(f"{side}_{segment}", -1) for segment in segments[:3]], skeleton) for side in SIDES):
        return sided(by_shape(known) or by_shape(()), skeleton) or own
    shown = sided(by_shape(known), skeleton) if len(own) < 2 * len(segments) else {}  # toes may be called anything
    return {
        role: index
        for role, index in shown.items()
        for side in SIDES
        if role.startswith(side) and shown[f"{side}_{segments[2]}"] == ends[side]
    } | own


def is_limb(indices, skeleton):
    """Whether upper bone, lower bone and foot or hand can be a limb, or a foot that is a control of its own."""
    upper, lower, end = indices
    if min(indices) < 0 or upper not in skeleton.chain(lower)[:-1] or end in skeleton.chain(lower):
        return False
    heads = [skeleton.bones[index].rest[:3, 3] for index in indices]
    vague = skeleton.bones[lower].parent != upper and any(
        segment in JOINTS for _, segment in readings(skeleton.bones[upper].name)
    )
    return not vague and not any(np.array_equal(*pair) for pair in zip(heads, heads[1:]))


def sided(limbs, skeleton):
    """Limbs on the sides that their names tell, or else on those that they are on."""
    other = {
        f"{side}_{segment}": f"{opposite}_{segment}" for side, opposite in zip(SIDES, SIDES[::-1]) for segment in LEG + ARM
    }
    names = {role: readings(skeleton.bones[index].name) for role, index in limbs.items()}
    crossed = any(
        ("right", segment) in names[role] and ("left", segment) in names.get(other[role], ())
        for role in names
        if role.startswith("left")
        for _, segment in names[role]
    )
    return {other[role]: index for role, index in limbs.items()} if crossed else limbs


def readings(name):
    """Sides and parts that a name may tell, whatever it begins with."""
    return [reading for word in WORDS.finditer(name) for reading in sides_of(name[word.start() :])]


def by_name(skeleton):
    """Indices of limbs and head by role in the family of names, those that begin alike, that tells most."""
    families = {}
    for index, bone in enumerate(skeleton.bones):
        for word in WORDS.finditer(bone.name):
            for role, rank in meanings(bone.name[word.start() :]):
                families.setdefault(bone.name[: word.start()], {}).setdefault(role, []).append((rank, index))
    found = [chosen(families[prefix]) for prefix in sorted(families, key=preference)]
    return max(found, key=len, default={})


def preference(prefix):
    """A generated Rigify rig holds every limb several times."""
    own = prefix.rsplit(":", 1)[-1]
    return FAMILIES.index(own) if own in FAMILIES else len(FAMILIES), len(prefix), prefix


def chosen(candidates):
    """The best bone for each role, {role: index}, from those that are named for it, with ranks; none for two roles."""
    found = {}
    for role in ("head", *(f"{side}_{segment}" for segment in NAMES for side in SIDES)):
        ranked = [entry for entry in candidates.get(role, ()) if entry[1] not in found.values()]
        if ranked:
            found[role] = min(ranked)[1]
    return found


def meanings(name):
    """Roles that a name may stand for, each with how good a name it is for the role."""
    if plain(name) in HEADS:
        yield "head", HEADS.index(plain(name))
    for side, segment in sides_of(name):
        yield from ((f"{side}_{role}", names.index(segment)) for role, names in NAMES.items() if segment in names)


def sides_of(name):
    """The sides that a name may tell, each with what it calls the part: [(left, foot)]."""
    matches = [re.fullmatch(pattern, name.lower()) for pattern in WHOSE]
    groups = [match.groupdict() for match in matches if match]
    return [(SIDES[0] if found["left"] else SIDES[1], plain(found["segment"] or found["same"])) for found in groups]


def plain(name):
    return re.sub(r"[\W_]", "", name.lower())


def without_led_hands(roles, skeleton):
    """Roles without hands whose place only Blender can tell, as constraints or drivers move them; a Refusal if such are
    the feet or the pelvis, which are needed."""
    table = roles.table()
    for role in ("left_foot", "right_foot", "pelvis"):
        bone = led(skeleton, table[role]) if table[role] else ""
        if bone:
            raise Refusal(
                f"bone {bone} is moved by constraints or drivers: bake the motion to its bones, or say in the "
                f"table of body parts which bone controls the {role.replace('_', ' ')}"
            )
    unknown = [hand for hand in ("left_hand", "right_hand") if table[hand] and led(skeleton, table[hand])]
    further = ", ".join(foot for foot in roles.further if not led(skeleton, foot))
    return replace(roles, **dict.fromkeys(unknown, ""), more_feet=further)


def led(skeleton, name):
    """The first of a bone and what it hangs on that constraints or drivers move, or nothing."""
    chain = (skeleton.bones[index] for index in reversed(skeleton.chain(skeleton.index(name))))
    return next((bone.name for bone in chain if bone.led), "")


def hangs_on(skeleton, upper, lower, tip):
    """Whether a foot or hand is the end of a limb, not a control."""
    chain = [skeleton.bones[index].name for index in skeleton.chain(skeleton.index(tip))]
    return upper in chain and lower in chain
