# SPDX-License-Identifier: GPL-3.0-or-later
"""Cartoon: anticipation, follow-through, squash and stretch out of the motion itself (Kenwright, equation 8; Wang et al. 2006).

Before a bone moves it swings back, and where it stops it swings beyond: so far as its acceleration, smoothed over a time,
says. On joint positions instead of rotations the same makes limbs stretch and squash.
"""

from functools import lru_cache

import numpy as np

from ...body.body import Body, planted_points
from ...body.targets import DOMAINS
from ...declare.params import choice, flag, number
from ...declare.technique import Technique
from ...ik.joint_limits import within_room
from ...ik.plants import Ease
from ...numeric.acceleration import Accelerations
from ...numeric.bands import comes_round
from ...numeric.frozen import frozen

EASE = 0.25  # seconds over which planted feet let go


@frozen
class CartoonParams:
    """How much, over which time, and what it must respect."""

    strength: float = number(
        0.0,
        "How far the motion swings back before it begins and beyond where it ends; 0 leaves it as "
        "it is, 1 is lively, below 0 dampens",
        -4.0,
        10.0,
        slider_range=(0.0, 4.0),
    )
    time: float = number(
        0.0,
        "How long before and after a move it swings farthest; 0 finds it from how fast the motion accelerates",
        0.0,
        2.0,
        "s",
        slider_range=(0.0, 0.5),
    )
    delay: float = number(
        0.0,
        "How much later each bone swings than the one that it hangs on, so that hands trail shoulders",
        0.0,
        0.5,
        "s",
        label="Delay per Bone",
        slider_range=(0.0, 0.1),
    )
    target: str = choice(
        "ROTATIONS",
        "What swings",
        (
            ("ROTATIONS", "Rotations", "Bone rotations and whatever else is keyed: limbs keep their length"),
            ("POSITIONS", "Squash & Stretch", "Joint positions: limbs stretch and squash like rubber"),
        ),
        label="Act On",
    )
    softness: float = number(
        10.0,
        "How long before a limit of the rig's joints the swing gives way, in degrees",
        0.0,
        90.0,
        "degrees",
        label="Softness (°)",
        slider_range=(0.0, 45.0),
    )
    limits: bool = flag(True, "Swing no farther than the joints of the rig allow", label="Joint Limits")
    contacts: bool = flag(True, "Keep feet and hands where they are planted, if the figure has feet", label="Keep Contacts")
    loop: bool = flag(False, "The last frame of the take is its first again, and so it shall be; found if it is so")


def cartoon(clip, surroundings):
    """Make a motion swing back before it begins and beyond where it ends, as cartoons do.

    Charts and spectra are kept, so that strength, time and delay can be dragged.
    """

    @lru_cache(maxsize=2)
    def opened(target, loop):
        domain = DOMAINS[target](clip, surroundings)
        return domain, Accelerations(domain.signals, clip.fps, loop or comes_round(domain.signals))

    depths = lru_cache(maxsize=2)(lambda owners: depths_of(owners, surroundings.skeleton))
    planted = lru_cache(maxsize=1)(lambda: planted_points(clip, surroundings))

    def process(params):
        if params.strength == 0.0:
            return clip
        domain, accelerations = opened(params.target, params.loop or surroundings.loop)
        change = params.strength * accelerations.swung(
            params.time or accelerations.time(telling(domain)), params.delay * depths(domain.owners)
        )
        if params.target == "POSITIONS":
            return domain.clip_of(domain.signals + (standing(change, domain, planted(), clip) if params.contacts else change))
        result = domain.clip_of(domain.signals + change)
        if params.limits and surroundings.skeleton is not None:
            result = within_room(clip, result, surroundings.skeleton, params.softness)
        return result

    return process


def automatic_time(clip, surroundings):
    """The time in seconds that the cartoon filter finds for a take."""
    domain = DOMAINS["ROTATIONS"](clip, surroundings)
    loop = surroundings.loop or comes_round(domain.signals)
    return Accelerations(domain.signals, clip.fps, loop).time(telling(domain))


def telling(domain):
    """The signals that tell how fast a motion is: what turns, if anything does, else all."""
    kinds = domain.chart.kinds if hasattr(domain, "chart") else ()
    turning = [column for column, kind in enumerate(kinds) if kind in ("ROTATION", "ANGLE")]
    return turning or slice(None)


def depths_of(owners, skeleton):
    """How many bones each signal's owner hangs on, (signals,)."""
    if skeleton is None:
        return np.zeros(len(owners))
    depth = {bone.name: len(skeleton.chain(index)) - 1 for index, bone in enumerate(skeleton.bones)}
    return np.array([depth.get(owner, 0) for owner in owners], dtype=np.float64)


def standing(change, domain, contacts, clip):
    """A change of joint positions without what it does to planted feet and hands, eased in time."""
    if not contacts:
        return change
    body, change = Body(clip, domain.skeleton), change.copy()
    ease = Ease(body.stretches, EASE * clip.fps)
    for end, bone in body.ends.items():
        down = body.downs(end, contacts).any(axis=0)
        if down.any():
            planted = ease(down[None].astype(float), down)[0].clip(0.0, 1.0)
            change[:, carried(domain, body.skeleton.bones[bone].name)] *= 1.0 - planted[:, None]
    return change


def carried(domain, name):
    """The columns of the joints of a bone and all below it, and of the end of the bone that it hangs on, which leads there."""
    skeleton = domain.skeleton
    limb, parent = skeleton.below(name), skeleton.bones[skeleton.index(name)].parent
    columns = [column for column, owner in enumerate(domain.owners) if owner in limb]
    return columns + [
        column
        for column, owner in enumerate(domain.owners)
        if parent >= 0 and owner == skeleton.bones[parent].name and column % 6 >= 3
    ]


CARTOON = Technique(
    "cartoon",
    "Cartoon",
    CartoonParams,
    cartoon,
    filters=True,
    plants=True,
    planting=lambda params: params.contacts and params.target == "ROTATIONS",
    needs=frozenset({"skeleton", "contacts"}),
    waits="raise Strength",
    principal="strength",
)
