# SPDX-License-Identifier: GPL-3.0-or-later
"""Lock: planted feet and hands stay where they are (Gleicher 2001, section 5; per-frame IK with easing, 5.1).

Plants say where feet and hands are to be. The pelvis is lowered, smoothly, where a leg would not reach; then legs and arms
reach by two-bone IK, and controls go there themselves. Everything else of the figure stays as it is in the take, unless it
is to be kept where it was in the take that this one was made from.
"""

import json
from dataclasses import dataclass
from functools import cache

import numpy as np

from .body import Body
from .clip import ROTATION_SIZES
from .contacts import LEG, check_contacts
from .ik import dot
from .keep import Kept, listed
from .params import choice, flag, number, tree, words
from .plants import Ease, Tip, above, hold
from .reach import moved, reached
from .technique import Technique

__all__ = ["LOCK", "LockParams", "held", "lock", "lowered", "reached"]
STRAIGHT = 0.003  # of a planted leg's length that it is kept from being straight, so that its knee does not pop


@dataclass(frozen=True)
class LockParams:
    """How firmly, where and how gently."""

    amount: float = number(1.0, "How firmly what is planted is held; 0 leaves it sliding, 1 holds it still", 0.0, 1.0)
    instant: str = choice("MIDDLE", "Moment of a plant at which the foot is where it should be", (
        ("START", "Start", "Where it is when it comes down"), ("MIDDLE", "Middle", "Where it is halfway"),
        ("END", "End", "Where it is before it leaves")), label="Place From")
    ease: float = number(0.25, "How long before and after a plant the change comes and goes", 0.0, 5.0, "s", reach=(0.0, 1.0))
    lowering: float = number(0.1, "How far the pelvis may be lowered for a leg of 82 cm to reach; it grows and shrinks with "
                                  "the figure", 0.0, 10.0, "m", reach=(0.0, 0.3))
    stretch: float = number(0.0, "How much longer than it is a leg may become where it still does not reach", 0.0, 0.2)
    flat: bool = flag(False, "Keep a foot flat as long as heel and toe are planted, even where the take lifts the heel",
                      label="Keep Flat")
    level: bool = flag(False, "Put all plants at one height; otherwise each keeps its own", label="Level Ground")
    hands: bool = flag(True, "Hold planted hands too")
    keep: str = words("", "Bones, with commas between them, that stay on the path which they have in the take that this one "
                          "was made from, whatever else has changed", label="Keep on Path")
    contacts: dict = tree("Planted frames, first and last, as JSON such as {'left_heel': [[10, 30]], 'left_toe': [[12, 38]]}; "
                          "none takes those kept with the action, or finds them")
    roles: dict = tree("Bones that are not found by themselves as JSON such as {'left_foot': 'Foot.L'}", label="Body Parts")


def lock(clip, surroundings):
    """Hold planted feet and hands in place and bend the limbs to reach."""
    skeleton, beside = surroundings.skeleton, surroundings.beside
    body_of = cache(lambda roles: Body(clip.with_clip(beside), skeleton.corrected(json.loads(roles)) if skeleton else None))

    def process(params):
        names = listed(params.keep)
        if params.amount == 0.0 and not names:
            return clip
        body = body_of(json.dumps(params.roles))
        kept = Kept(names, surroundings.original, body, params.ease) if names else None
        body = kept.below(body) if kept else body
        if params.amount > 0.0:
            contacts = check_contacts(params.contacts or surroundings.contacts(), clip) or body.contacts
            ends, lowering = free(body, beside)
            holds = held(body, contacts, params, ends)
            down = lowered(body, holds, params) if lowering else np.zeros(clip.frames)
            result = moved(body, holds, -body.up[:, None] * down, params.stretch)
        else:
            result = body.clip
        return (kept.above(body.again(result)).clip if kept else result).without(beside)

    return process


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


LOCK = Technique("lock", "Foot Lock", LockParams, lock, needs=frozenset({"skeleton", "contacts"}),
                 waits="raise Amount, or name bones to be kept on their paths")
