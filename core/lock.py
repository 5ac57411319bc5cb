# SPDX-License-Identifier: GPL-3.0-or-later
"""Lock: planted feet and hands stay where they are (Gleicher 2001, section 5; per-frame IK with easing, 5.1).

Plants say where feet and hands are to be. The pelvis is lowered, smoothly, where a leg would not reach; then legs and arms
reach by two-bone IK. Everything else of the figure stays as it is in the take.
"""

import json
from dataclasses import dataclass
from functools import cache

import numpy as np

from . import rotation
from .body import Body
from .contacts import LEG, check_contacts
from .ik import dot, hinges, length, two_bone
from .params import choice, flag, number, tree
from .plants import Ease, Tip, above, hold
from .skeleton import FULL
from .technique import Technique

STRAIGHT = 0.003  # of a planted leg's length that it is kept from being straight, so that its knee does not pop
SLACK = 0.004  # of the leg: how far a planted foot may be off for its knee not to be faster than any in the take


@dataclass(frozen=True)
class LockParams:
    """How firmly, where and how gently."""

    amount: float = number(0.0, "How firmly what is planted is held; 0 leaves it sliding, 1 holds it still", 0.0, 1.0)
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
    contacts: dict = tree("Planted frames, first and last, as JSON such as {'left_heel': [[10, 30]], 'left_toe': [[12, 38]]}; "
                          "none takes those kept with the action, or finds them")
    roles: dict = tree("Bones that are not found by themselves as JSON such as {'left_foot': 'Foot.L'}", label="Body Parts")


def lock(clip, surroundings):
    """Hold planted feet and hands in place and bend the limbs to reach."""
    body_of = cache(lambda roles: Body(clip, surroundings.skeleton, json.loads(roles)))

    def process(params):
        if params.amount == 0.0:
            return clip
        body = body_of(json.dumps({**surroundings.roles, **params.roles}))
        contacts = check_contacts(params.contacts or surroundings.contacts(), clip) or body.contacts
        holds = held(body, contacts, params)
        shift = -body.up[:, None] * lowered(body, holds, params)
        turns, stretches = {}, {}
        for end, these in holds.items():
            more, missing = reached(body, end, these, shift)
            turns |= more
            if params.stretch and end.endswith("foot"):
                stretches |= stretched(body, end, missing, params.stretch)
        return body.clip_of(turns, shift, stretches)

    return process


def held(body, contacts, params):
    """What planting changes of every foot, and of every hand that is planted."""
    ease = Ease(body.stretches, params.ease * body.clip.fps)
    downs = {end: body.downs(end, contacts) for end in body.limbs}
    ends = [end for end in body.limbs if end.endswith("foot") or params.hands and downs[end].any()]
    level = body.level(downs) if params.level else None
    holds = {}
    for end in ends:
        tip = Tip(*body.tip(end), body.points(end), body.joints(end)[0], body.lengths(end))
        holds[end] = hold(tip, downs[end], body.up, ease, params.instant, params.flat, level)
        for part in (holds[end].moves, holds[end].turns, holds[end].weights):
            part *= params.amount
    return holds


def lowered(body, holds, params):
    """How far the pelvis is lowered (frames,) for the feet to be reached, smooth in time and nowhere too little."""
    need = np.zeros(body.clip.frames)
    for end, these in holds.items():
        if end.endswith("foot"):
            root, _, ankle = body.joints(end)
            away = root - ankle - these.moves
            high = dot(body.up[:, None], away)
            longest = body.lengths(end) * (1.0 - STRAIGHT * these.weights)
            need = np.maximum(need, high - np.sqrt(np.maximum(longest ** 2 - dot(away, away) + high ** 2, 0.0)))
    need = np.minimum(need, params.lowering * body.leg / LEG)
    return np.concatenate([above(need[rows], round(0.5 * params.ease * body.clip.fps)) for rows in body.stretches])


def reached(body, end, these, shift):
    """The turns, in the bones' own spaces, that bring a limb where it is to be from a root that is shifted, and how far it
    then is from there, (frames,)."""
    joints, axes = body.joints(end), body.axes_of(end)
    goal = joints[2] + these.moves
    slack = np.where(these.weights < 1.0, np.inf, SLACK * body.leg)
    upper, lower, place = two_bone(joints, hinges(joints, axes[0]), joints[0] + shift, goal,
                                   body.stretches if end.endswith("foot") else (), slack)
    turns = upper, lower, rotation.exp(these.turns)
    before = np.eye(4)[0][:, None], upper, lower
    return {bone: inside(rotation.multiply(rotation.conjugate(carried), turn), basis)
            for bone, turn, carried, basis in zip(body.limbs[end], turns, before, axes)}, length(goal - place)


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


LOCK = Technique("lock", "Foot Lock", LockParams, lock, needs=frozenset({"skeleton", "contacts"}))
