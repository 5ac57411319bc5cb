# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rig shows of a result: controls moved until feet and hands are where the result has them.

A technique takes along what a rig made of its controls in the take. What it makes of them in the result may be another
thing, as of a heel that is rolled farther: that is measured, and the control of the foot makes up for what is missing.
"""

import numpy as np

from ..body.body import Body
from ..ik.hinge import inside, plain
from ..numeric import rotation
from ..numeric.matrix import turns_to
from ..numeric.vectors import length


def brought_back(result, measured, skeleton, free):
    """A result whose feet and hands are where they were to be, and how far they were from there at most, in metres.

    `measured` is the clip of what the rig shows of it, `free` are the names of controls that may be moved.
    """
    shown = result.without(measured).with_clip(measured)
    goal, body = Body(result, skeleton), Body(shown, skeleton)
    ends = {
        end: index
        for end, index in body.controls.items()
        if index in body.handles and body.skeleton.bones[index].turned and body.skeleton.bones[body.handles[index]].name in free
    }
    turns, moves = {}, {}
    for end, index in ends.items():
        (joint, axes), (place, before) = body.tip(end), goal.tip(end)
        turns[index] = inside(rotation.exp(turns_to(axes, before)), plain(axes))
        moves[index] = place - joint
    away = max((length(move).max() for move in moves.values()), default=0.0)
    return (body.clip_of(turns, np.zeros((3, shown.frames)), {}, moves) if ends else shown), away
