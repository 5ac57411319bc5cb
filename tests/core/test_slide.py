# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted feet: found by shape, and how far they slide is what a known drift makes of them."""

import numpy as np
import pytest
from motion_signal.core import gait
from motion_signal.core.clip import Channel, Clip
from motion_signal.core.skeleton import Skeleton
from motion_signal.core.slide import legs, slides

UP = np.array([0.0, 0.0, 1.0])
FPS = 60.0


def walking(drift=0.0):
    """The procedural walk as a clip, its hips carried sideways by `drift` metres a second."""
    motion = gait.walk(240, FPS)
    hips = next(place for place, bone in enumerate(gait.FIGURE.bones) if bone.parent < 0)
    location = motion.location + np.arange(240)[:, None] / FPS * drift * gait.FIGURE.bones[hips].rest[0, :3]
    values, channels = [location], [Channel(gait.FIGURE.bones[hips].path + ".location", index, "LOCATION",
                                            gait.FIGURE.bones[hips].name) for index in range(3)]
    for place, bone in enumerate(gait.FIGURE.bones):
        values.append(motion.rotations[:, place])
        channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for index in range(4)]
    return Clip(np.hstack(values), tuple(channels), FPS, 1)


def test_the_feet_are_the_lowest_ends_of_limbs_whatever_they_are_called():
    found = legs(gait.FIGURE, UP)
    assert {found.skeleton.bones[place].name.split(".")[0] for place in found.feet} <= {"foot", "toe", "toes", "shin"}
    assert len({found.skeleton.bones[place].name[-1] for place in found.feet}) == 2


def test_a_planted_walk_does_not_slide():
    figure = legs(gait.FIGURE, UP)
    before, after = slides(figure, walking(), walking(), walking(), UP)
    assert before == after < 0.003


@pytest.mark.parametrize("drift", [0.05, 0.2])
def test_a_drift_of_the_hips_is_a_slide_of_its_size(drift):
    figure = legs(gait.FIGURE, UP)
    before, after = slides(figure, walking(), walking(), walking(drift), UP)
    heels = figure.points(walking())
    still = np.linalg.norm(np.gradient(heels, axis=0), axis=2) * FPS < 0.05
    longest = max(len(run) for column in still.T for run in "".join("x" if value else " " for value in column).split())
    assert before < 0.003
    assert 0.25 * drift * longest / FPS < after < 0.6 * drift * longest / FPS  # at most half of what it drifts in a plant


def test_a_figure_without_legs_has_no_feet():
    assert legs(Skeleton(gait.FIGURE.bones[:1]), UP) is None


def test_a_figure_that_never_stands_has_no_slide():
    figure, clip = legs(gait.FIGURE, UP), walking(drift=5.0)
    assert slides(figure, clip, clip, clip, UP) is None
