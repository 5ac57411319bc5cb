# SPDX-License-Identifier: GPL-3.0-or-later
"""More feet: the legs of a body that stands on more than two, beside those that the table of body parts has names for.

Each is a leg of its own, leg3, leg4 and so on, with the same parts as the left and the right one: leg3_upper_leg,
leg3_lower_leg, leg3_foot, leg3_toe. A body is told its feet; which bones bear them follows from the tree.
"""

import weakref

from ..motion.skeleton import Skeleton
from ..numeric.refusal import Refusal
from .roles import MORE, Roles, find_roles
from .roles_by_shape import SIDES, Shape

LIMBS = ("upper_leg", "foot", "upper_arm", "hand")
FIRST = 3  # the number of the first leg that is neither the left nor the right one
_legs: weakref.WeakKeyDictionary[Skeleton, dict] = weakref.WeakKeyDictionary()  # of skeletons in use, by their feet


def whole_table(skeleton: Skeleton, roles: Roles) -> dict[str, str]:
    """The table of body parts with all legs, {role: bone}."""
    if not roles.further:
        return roles.table()
    if skeleton.legs:
        return {**roles.table(), **skeleton.legs}
    known = _legs.setdefault(skeleton, {})
    if roles not in known:
        known[roles] = {**roles.table(), **further_legs(skeleton, roles)}
    return known[roles]


def further_legs(skeleton, roles):
    """The parts of further legs, {leg3_foot: bone, ...}."""
    shape, found = Shape(skeleton), {}
    limbs = [skeleton.index(name) for role, name in roles.table().items() if name and role.startswith(SIDES)]
    for number, name in enumerate(roles.further, FIRST):
        leg = shape.leg_above(skeleton.index(name), limbs)
        if leg is None:
            raise Refusal(f"roles {MORE}: {name} has no leg of two bones above it")
        found |= {f"leg{number}_{segment}": skeleton.bones[index].name for segment, index in leg.items()}
    return found


def sides_in(table):
    """Which legs a table has: left, right, leg3, ..."""
    return (*SIDES, *(role.removesuffix("_foot") for role in table if role.endswith("_foot") and not role.startswith(SIDES)))


def more_feet(skeleton):
    """Names of the bones that stand on the ground at rest and belong to no leg or arm that is known."""
    if skeleton is None or not skeleton.bones or any(bone.handle for bone in skeleton.bones):  # controls stand there too
        return ()
    table = whole_table(skeleton, find_roles(skeleton))
    known = {name for role, name in table.items() if name and role.endswith(LIMBS)}
    shape = Shape(skeleton)
    paths = {index: {skeleton.bones[step].name for step in shape.path(index)} for index in shape.on_ground()}
    return tuple(skeleton.bones[index].name for index, path in paths.items() if not path & known)


def more_feet_words(skeleton):
    """What to fill in, and where, for feet that are not planted as they are; nothing where all are."""
    names = more_feet(skeleton)
    if not names:
        return ""
    stand = "stands" if len(names) == 1 else "stand"
    return (
        f"{', '.join(names)} {stand} on the ground too: name those that are feet in the table of body parts, More Feet, "
        "to have them planted, or switch Keep Ends on and name them in Held"
    )
