# SPDX-License-Identifier: GPL-3.0-or-later
"""The same motion at any frame rate: takes of few frames a second, edited with planted feet, beside the same of many."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.bench.make_moods import clip_of
from motion_signal.core import Surroundings, equalize
from motion_signal.core.body.body import Body
from motion_signal.core.body.walking_figure import FIGURE, walk
from motion_signal.core.ik.planted_feet import PlantedFeet
from motion_signal.core.ik.planting_source import PlantingSource
from motion_signal.core.ik.pose import even_steps
from scipy.spatial.transform import Rotation

MILLIMETRE = 0.001
CLAMPED = 6.0  # degrees: a knee that is straighter is captured as straight
LOUDER = [1, 1, 1, 1.2, 1.5, 1.6, 1.4]


def knee(clip, side):
    """How far a knee is bent, (frames,), in degrees."""
    heads = FIGURE.posed(clip)[1]
    hip, middle, ankle = (heads[:, FIGURE.index(name + side)] for name in ("thigh", "shin", "foot"))
    one, two = middle - hip, ankle - middle
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(one, two), axis=1), (one * two).sum(axis=1)))


def clamped_knees(clip):
    """The clip with knees that leave straight in one frame, thigh and foot making up for it: as many captures have them."""
    values = np.array(clip.values)
    for side in (".L", ".R"):
        angle = knee(clip, side)
        taken = np.radians(np.where(angle < angle.min() + CLAMPED, angle, angle.min()))
        for name, part in (("thigh", 0.5), ("shin", -1.0), ("foot", 0.5)):
            columns = [i for i, each in enumerate(clip.channels) if each.owner == name + side and each.kind == "QUATERNION"]
            turn = Rotation.from_rotvec(part * taken[:, None] * [-1.0, 0.0, 0.0])
            own = Rotation.from_quat(values[:, columns], scalar_first=True)
            values[:, columns] = (own * turn).as_quat(scalar_first=True)
    return clip.with_values(values)


@pytest.mark.parametrize("times, most", [(2, 5), (4, 8), (5, 10)])
def test_knees_that_leave_straight_within_a_frame_leave_the_ground_alike_at_any_rate(times, most):
    motion = walk(601, 120.0)
    fine = clamped_knees(replace(clip_of(motion.rotations, motion.location), fps=120.0))
    edit = equalize(fine, gains=LOUDER, surroundings=Surroundings(FIGURE, feet="FREE"))
    few, edit_of_few = (replace(clip, values=clip.values[::times], fps=120.0 / times) for clip in (fine, edit))
    assert min(knee(fine, side).min() for side in (".L", ".R")) < 0.1
    wanted = FIGURE.posed(PlantedFeet(fine, FIGURE)(edit))[1][::times]
    away = np.linalg.norm(FIGURE.posed(PlantedFeet(few, FIGURE)(edit_of_few))[1] - wanted, axis=2)
    assert away.max() < most * MILLIMETRE


def test_a_pose_alone_before_a_take_is_no_ground_at_any_rate():
    motion = walk(16, 24.0, speed=2.0)
    take = replace(clip_of(motion.rotations, motion.location), fps=24.0)
    values = np.array(take.values)
    values[0, [channel.kind == "LOCATION" for channel in take.channels]] -= (0.5, 0.15, 0.5)
    alone = PlantingSource(Body(take.with_values(values), FIGURE), None)
    for end, foot in PlantingSource(Body(take, FIGURE), None).feet.items():
        later = np.arange(alone.finer.count) >= 4 * alone.finer.times
        assert (alone.feet[end].downs == foot.downs)[:, later].mean() > 0.95


@pytest.mark.parametrize("flip", [70.0, 120.0, 175.0])
def test_a_joint_that_flips_between_two_frames_turns_evenly_there(flip):
    turns = np.zeros((21, 3))
    turns[8:, 0], turns[:, 2] = flip, 2.0 * np.arange(21)  # between the frames in rows 5 and 10
    axes = np.moveaxis(Rotation.from_rotvec(turns, degrees=True).as_matrix(), 0, -1)
    steps = np.degrees(even_steps(axes, 5))
    assert np.ptp(steps[6:11]) < 1e-6 and 0.15 * flip < steps[6] < 0.25 * flip + 2.0
    assert np.allclose(steps[1:6], 2.0, atol=0.5) and steps[0] == 0.0
