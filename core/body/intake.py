# SPDX-License-Identifier: GPL-3.0-or-later
"""What one would want to know of a take before working on it: how large its figure is, whether it lies in the scene as a
whole, whether it begins with a pose that is no part of the motion, and at which rate it was taken.

A file loaded into a scene of another rate plays too slow or too fast, and nothing in it says so any more. Steps do: how often
who walks or runs puts a foot forward goes with how long the steps are (Grieve and Gear 1966).
"""

import numpy as np

from ..motion.leading import leading_rows
from ..motion.skeleton import size_of
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from .figure import Legs
from .roles import find_roles
from .unit import nearest_unit, standing_leg
from .upright import lying_turn, stood

RATES = (24, 30, 60, 120)  # frames a second that takes have
CLEAR = 0.8  # of what legs do is one rhythm: less is no even walk
SHORTEST = 0.6  # legs that a stride gets on: who steps on the spot steps as fast as he likes
SLOW, LONGER = 0.5, 0.27  # strides a second, and as many more for every leg that a stride is long
OTHER = 2.3  # times as fast or as slow as a body would be: less is a way of walking


@frozen
class Intake:
    """What was found: sizes in metres, and 1, 0 or None where there is nothing to say."""

    height: float  # of the figure at rest
    scale: float  # by which it is of human size
    leading: int  # frames at the start that are no part of the motion
    rate: int | None  # frames a second that it moves like, where that is another than it has
    parts: int  # of the body that were found
    feet: bool
    turn: tuple = ()  # rows of the turn (3, 3) that puts a take on its feet that lies as a whole


def intake_of(clip, skeleton):
    """Look at a take of a figure."""
    roles, leading = find_roles(skeleton), leading_rows(clip, skeleton)
    turn = lying_turn(stood(skeleton), clip)
    size = float(np.cbrt(abs(np.linalg.det(np.array(skeleton.world)[:3, :3]))))  # of the object, along all axes alike
    return Intake(
        float(size * size_of(skeleton)),
        nearest_unit(size * standing_leg(skeleton))[1],
        leading,
        rate_of(clip, skeleton, roles, leading),
        sum(map(bool, roles.table().values())),
        bool(roles.left_foot and roles.right_foot),
        () if turn is None else tuple(map(tuple, turn.tolist())),
    )


def rate_of(clip, skeleton, roles, leading=0):
    """The rate that a take moves like, if it walks evenly and that is another rate than it has; else None."""
    try:
        figure = Legs(skeleton, roles)
    except Refusal:  # no feet
        return None
    if not {"left_toe", "right_toe"} <= set(figure.points):
        return None
    points, pelvis = (each[leading:] for each in figure.places(clip))
    apart = points[:, figure.points.index("left_toe")] - points[:, figure.points.index("right_toe")]
    each_frame, clear = rhythm(apart - apart.mean(axis=0))
    stride = np.linalg.norm(np.diff(pelvis[:, :2], axis=0).sum(axis=0)) / max(each_frame * len(pelvis), 1e-9) / figure.leg
    if clear < CLEAR or stride < SHORTEST:
        return None
    like = (SLOW + LONGER * stride) / each_frame
    if 1.0 / OTHER < like / clip.fps < OTHER:
        return None
    rate = min(RATES, key=lambda rate: abs(np.log(rate / like)))
    return None if rate == round(clip.fps) else rate


def rhythm(apart):
    """How many times a frame something (frames, 3) goes to and fro, and how much of all that it does that is."""
    across = apart @ np.linalg.svd(apart, full_matrices=False)[2][0]
    power = np.abs(np.fft.rfft(across * np.hanning(len(across)), 8 * len(across))) ** 2
    often = np.fft.rfftfreq(8 * len(across))
    peak = int(power.argmax())
    return float(often[peak]), float(power[np.abs(often - often[peak]) < 2.0 / len(across)].sum() / max(power.sum(), 1e-30))
