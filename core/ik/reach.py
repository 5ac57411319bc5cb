# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach: limbs and controls brought where feet and hands are to be, frame by frame, and the clip that does so."""

import numpy as np

from ..motion.skeleton import FULL
from ..numeric import rotation
from ..numeric.matrix import inside
from ..numeric.vectors import length
from .hinge import hinges_of, within_stretches
from .limb_reach import Span, own_turns


def moved(body, changes, shift=None, hinges=None):
    """The clip with limbs and controls moved and turned, {end: (moves (3, frames), turns (3, frames))}, the pelvis shifted.

    Limbs bend about these hinges, or those that they have in the body's own clip.
    """
    turns, moves, hinges = {}, {}, hinges or hinges_of(body, within_stretches(body))
    shift = np.zeros((3, body.clip.frames)) if shift is None else shift
    for end, (move, turn) in changes.items():
        if end in body.controls:
            control = body.controls[end]
            turns[control] = inside(rotation.exp(turn), next(body.axes_of(end)))
            moves[control] = move - (shift if body.mover in body.skeleton.chain(control) else 0.0)
        else:
            turns |= reached(body, end, hinges[end], move, turn, shift)[0]
    return body.clip_of(turns, shift, {}, moves)


def reached(body, end, hinge, move, turn, shift):
    """The turns, in the bones' own spaces, that bring a limb where it is to be from a root that is shifted, and how far it
    then is from there, (frames,)."""
    found = Span(hinge, hinge.bend(body)).reached(body.root(end) + shift, body.tip(end)[0] + move)
    return own_turns(body, end, found.upper, found.lower, rotation.exp(turn)), found.missing


def stretched(body, end, missing, most):
    """By how much a limb's upper bone must be longer, (frames,), for the whole of it to reach what it misses."""
    upper, lower, _ = body.limbs[end]
    root, middle, _ = body.joints(end)
    carried = body.skeleton.bones[lower].inherit_scale == FULL
    longest = body.lengths(end)
    return {upper: 1.0 + np.minimum(missing, most * longest) / (longest if carried else length(middle - root))}
