# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rig shows of a result: controls moved until feet and hands are where the result has them.

A technique takes along what a rig made of its controls in the take. What it makes of them in the result may be another
thing, as of a heel that is rolled farther or hips that are turned: that is measured, and the control of the foot, or the leg
that is turned, makes up for what is missing.
"""

from ..body.body import Body
from ..ik.hinge import hinges_of, within_stretches
from ..ik.reach import moved
from ..numeric.matrix import turns_to
from ..numeric.vectors import length


def brought_back(result, measured, skeleton, free):
    """A result whose feet and hands are where they were to be, and how far they were from there at most, in metres.

    `measured` is the clip of what the rig shows of it, `free` are the names of controls that may be moved. Hands that are
    turned are carried by the body and stay as they are.
    """
    shown = result.without(measured).with_clip(measured)
    goal, body = Body(result, skeleton), Body(shown, skeleton)
    changes = {}
    for end in ends(body, free):
        (joint, axes), (place, before) = body.tip(end), goal.tip(end)
        changes[end] = place - joint, turns_to(axes, before)
    away = max((length(move).max() for move, _ in changes.values()), default=0.0)
    return (moved(body, changes, hinges=hinges_of(goal, within_stretches(goal))) if changes else shown), away


def ends(body, free):
    """Feet and hands whose control may be moved, and feet on legs that may be turned and have no limits of their own."""
    bones, names = body.skeleton.bones, {}
    for end, index in body.controls.items():
        if index in body.handles and bones[index].turned:
            names[end] = {bones[body.handles[index]].name}
    for end, limb in body.limbs.items():
        if end.endswith("foot") and not any(bones[index].measured or bones[index].limits for index in limb):
            names[end] = {bones[index].name for index in limb}
    return [end for end, own in names.items() if own <= free]
