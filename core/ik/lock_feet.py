# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted feet and hands stay where they are (Gleicher 2001, section 5; per-frame IK with easing, 5.1).

Plants say where feet and hands are to be. The pelvis is lowered, smoothly, where a leg would not reach; then legs and arms
reach by two-bone IK, and controls go there themselves.
"""

from dataclasses import dataclass

import numpy as np

from ..body.body import Body
from ..body.contacts import LEG
from ..numeric.rotation import ROTATION_SIZES
from ..numeric.smoothing import above
from ..numeric.vectors import dot
from .plants import Ease, Tip, hold
from .reach import moved

STRAIGHT = 0.003  # of a planted leg's length that it is kept from being straight, so that its knee does not pop


@dataclass(frozen=True)
class Grip:
    """How planted feet and hands are held: how firmly, where, and how gently."""

    amount: float = 1.0
    instant: str = "MIDDLE"
    ease: float = 0.25  # seconds
    lowering: float = 0.1  # metres, of a leg of 82 cm
    stretch: float = 0.0
    flat: bool = False
    level: bool = False
    hands: bool = True


def lock_feet(clip, skeleton, contacts=None, amount=1.0, beside=None):
    """A clip whose planted feet and hands stay in place; contacts are found unless they are given.

    `beside` is a clip of what else the figure does and will go on doing.
    """
    body = Body(clip.with_clip(beside), skeleton)
    return locked(body, contacts or body.contacts, Grip(amount), beside).without(beside)


def locked(body, contacts, grip, beside=None):
    """The clip of a body whose feet and hands are held as a Grip, or what has the same fields, says."""
    ends, lowering = free(body, beside)
    holds = held(body, contacts, grip, ends)
    down = lowered(body, holds, grip) if lowering else np.zeros(body.clip.frames)
    return moved(body, holds, -body.up[:, None] * down, grip.stretch)


def free(body, beside):
    """Feet and hands whose limbs may be bent, and whether the pelvis may be lowered: what is beside the clip stays."""
    channels = beside.channels if beside else ()
    turning = {channel.owner for channel in channels if channel.kind in ROTATION_SIZES}
    moving = {channel.owner for channel in channels if channel.kind == "LOCATION"}
    names = {end: {body.skeleton.bones[place].name for place in body.bones(end)} for end in body.ends}
    ends = [end for end, own in names.items() if not own & turning and not (end in body.controls and own & moving)]
    return ends, body.skeleton.bones[body.mover].name not in moving


def held(body, contacts, grip, ends=None):
    """What planting changes of every foot, and of every hand that is planted; of limbs alone unless `ends` are named."""
    ease = Ease(body.stretches, grip.ease * body.clip.fps)
    downs = {end: body.downs(end, contacts) for end in (body.limbs if ends is None else ends)}
    ends = [end for end in downs if end.endswith("foot") or grip.hands and downs[end].any()]
    level = body.level(downs) if grip.level else None
    holds = {}
    for end in ends:
        tip = Tip(*body.tip(end), body.points(end), body.root(end), body.lengths(end))
        holds[end] = hold(tip, downs[end], body.up, ease, grip.instant, grip.flat, level)
        for part in (holds[end].moves, holds[end].turns, holds[end].weights):
            part *= grip.amount
    return holds


def lowered(body, holds, grip):
    """How far the pelvis is lowered (frames,) for the feet to be reached, smooth in time and nowhere too little."""
    need = np.zeros(body.clip.frames)
    for end, these in holds.items():
        if end.endswith("foot"):
            away = body.root(end) - body.tip(end)[0] - these.moves
            high = dot(body.up[:, None], away)
            longest = body.lengths(end) * (1.0 - STRAIGHT * these.weights)
            lacking = high - np.sqrt(np.maximum(longest**2 - dot(away, away) + high**2, 0.0))
            need = np.maximum(need, np.where(these.weights > 0.0, lacking, 0.0))  # a control may be out of reach in the take
    need = np.minimum(need, grip.lowering * body.leg / LEG)
    return np.concatenate([above(need[rows], round(0.5 * grip.ease * body.clip.fps)) for rows in body.stretches])
