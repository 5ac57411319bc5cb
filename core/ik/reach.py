# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach: limbs and controls brought where feet and hands are to be, and the clip that does so."""

import numpy as np

from ..motion.skeleton import FULL
from ..numeric import rotation
from ..numeric.vectors import length
from .two_bone import hinges, two_bone

SLACK = 0.004  # of the leg: how far a planted foot may be off for its knee not to be faster than any in the take


def moved(body, holds, shift=None, stretch=0.0, calm=True):
    """The clip with limbs and controls brought where they are to be and the pelvis shifted."""
    turns, stretches, moves = {}, {}, {}
    shift = np.zeros((3, body.clip.frames)) if shift is None else shift
    for end, these in holds.items():
        if end in body.controls:
            place = body.controls[end]
            turns[place] = inside(rotation.exp(these.turns), body.axes_of(end)[0])
            moves[place] = these.moves - (shift if body.mover in body.skeleton.chain(place) else 0.0)
            continue
        more, missing = reached(body, end, these, shift, calm)
        turns |= more
        if stretch and end.endswith("foot"):
            stretches |= stretched(body, end, missing, stretch)
    return body.clip_of(turns, shift, stretches, moves)


def reached(body, end, these, shift, calm=True):
    """The turns, in the bones' own spaces, that bring a limb where it is to be from a root that is shifted, and how far it
    then is from there, (frames,). A `calm` knee rather misses by a little than being faster than any in the take."""
    joints, axes = body.joints(end), body.axes_of(end)
    goal = joints[2] + these.moves
    slack = np.where(these.weights < 1.0, np.inf, SLACK * body.leg)
    upper, lower, place = two_bone(
        joints, hinges(joints, axes[0]), joints[0] + shift, goal, body.stretches if calm and end.endswith("foot") else (), slack
    )
    turns = upper, lower, rotation.exp(these.turns)
    before = np.eye(4)[0][:, None], upper, lower
    return {
        bone: inside(rotation.multiply(rotation.conjugate(carried), turn), basis)
        for bone, turn, carried, basis in zip(body.limbs[end], turns, before, axes)
    }, length(goal - place)


def stretched(body, end, missing, most):
    """By how much a limb's upper bone must be longer, (frames,), for the whole of it to reach what it misses."""
    upper, lower, _ = body.limbs[end]
    root, middle, _ = body.joints(end)
    carried = body.skeleton.bones[lower].inherit_scale == FULL
    longest = body.lengths(end)
    return {upper: 1.0 + np.minimum(missing, most * longest) / (longest if carried else length(middle - root))}


def inside(turn, axes):
    """Turns (4, frames) of the armature as turns in a bone's own space, which has these axes (3, 3, frames)."""
    return np.concatenate([turn[:1], np.einsum("ijf,if->jf", axes, turn[1:])])
