# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rig shows of a result: controls moved until feet and hands are where the result has them.

A technique takes along what a rig made of its controls in the take. What it makes of them in the result may be another
thing, as of a heel that is rolled farther: that is measured, and the control of the foot makes up for what is missing.
"""

import numpy as np

from ..body.body import Body
from ..numeric.matrix import turns_to
from .plants import Hold
from .reach import moved


def brought_back(result, measured, skeleton, free):
    """A result whose feet and hands are where they were to be, and how far they were from there at most, in metres.

    `measured` is the clip of what the rig shows of it, `free` are the names of controls that may be moved.
    """
    shown = result.without(measured).with_clip(measured)
    goal, body = Body(result, skeleton), Body(shown, skeleton)
    ends = {
        end: index
        for end, index in body.controls.items()
        if index in body.handles and body.skeleton.bones[body.handles[index]].name in free
    }
    holds = {end: hold(body, goal, end) for end in ends}
    away = [np.linalg.norm(own.moves, axis=0).max() for own in holds.values()]
    return (moved(body, holds) if holds else shown), max(away, default=0.0)


def hold(body, goal, end):
    (joint, axes), (place, before) = body.tip(end), goal.tip(end)
    return Hold(place - joint, turns_to(axes, before), np.ones(body.clip.frames))
