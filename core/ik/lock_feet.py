# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted feet and hands stay where they are (Gleicher 2001, section 5; per-frame IK with easing, 5.1)."""

import numpy as np

from ..body.contacts import LEG
from ..numeric.rotation import ROTATION_SIZES
from ..numeric.smoothing import above
from ..numeric.vectors import dot
from .plants import Ease, Tip, hold

STRAIGHT = 0.003  # of a planted leg's length that it is kept from being straight, so that its knee does not pop


def free(body, beside):
    """Feet and hands whose limbs may be bent, and whether the pelvis may be lowered: what is beside the clip stays."""
    channels = beside.channels if beside else ()
    turning = {channel.owner for channel in channels if channel.kind in ROTATION_SIZES}
    moving = {channel.owner for channel in channels if channel.kind == "LOCATION"}
    names = {end: {body.skeleton.bones[place].name for place in body.bones(end)} for end in body.ends}
    ends = [end for end, own in names.items() if not own & turning and not (end in body.controls and own & moving)]
    return ends, body.skeleton.bones[body.mover].name not in moving


def held(body, contacts, params, ends=None):
    """What planting changes of every foot, and of every hand that is planted; of limbs alone unless `ends` are named."""
    ease = Ease(body.stretches, params.ease * body.clip.fps)
    downs = {end: body.downs(end, contacts) for end in (body.limbs if ends is None else ends)}
    ends = [end for end in downs if end.endswith("foot") or params.hands and downs[end].any()]
    level = body.level(downs) if params.level else None
    holds = {}
    for end in ends:
        tip = Tip(*body.tip(end), body.points(end), body.root(end), body.lengths(end))
        holds[end] = hold(tip, downs[end], body.up, ease, params.instant, params.flat, level)
        for part in (holds[end].moves, holds[end].turns, holds[end].weights):
            part *= params.amount
    return holds


def lowered(body, holds, params):
    """How far the pelvis is lowered (frames,) for the feet to be reached, smooth in time and nowhere too little."""
    need = np.zeros(body.clip.frames)
    for end, these in holds.items():
        if end.endswith("foot"):
            away = body.root(end) - body.tip(end)[0] - these.moves
            high = dot(body.up[:, None], away)
            longest = body.lengths(end) * (1.0 - STRAIGHT * these.weights)
            lacking = high - np.sqrt(np.maximum(longest ** 2 - dot(away, away) + high ** 2, 0.0))
            need = np.maximum(need, np.where(these.weights > 0.0, lacking, 0.0))  # a control may be out of reach in the take
    need = np.minimum(need, params.lowering * body.leg / LEG)
    return np.concatenate([above(need[rows], round(0.5 * params.ease * body.clip.fps)) for rows in body.stretches])
