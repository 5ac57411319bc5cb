# SPDX-License-Identifier: GPL-3.0-or-later
"""More feet: limbs that stand on the ground beside the two legs and two arms that the table of body parts has room for."""

from .roles import find_roles
from .roles_by_shape import Shape

LIMBS = ("upper_leg", "foot", "upper_arm", "hand")


def more_feet(skeleton):
    """Names of the bones that stand on the ground at rest and belong to no leg or arm that is known."""
    if skeleton is None or not skeleton.bones or any(bone.handle for bone in skeleton.bones):  # controls stand there too
        return ()
    table = find_roles(skeleton).table()
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
        f"{', '.join(names)} {stand} on the ground too: switch Keep Ends on and name them in Held to keep them where they stand"
    )
