# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of a take before one works on it: size, a pose in front, rate."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.intake import intake_of
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import IDENTITY, Skeleton


def walk(fps=60.0, speed=1.3, world=1.0):
    """The walking figure's take, and its skeleton in an object of some scale."""
    motion = gait.walk(round(4 * fps), fps, speed)
    channels = [Channel(f"{gait.FIGURE.bones[0].path}.location", index, "LOCATION", gait.NAMES[0]) for index in range(3)]
    values = [motion.location]
    for index, bone in enumerate(gait.FIGURE.bones):
        channels += [Channel(bone.rotation_path, axis, "QUATERNION", bone.name) for axis in range(4)]
        values.append(motion.rotations[:, index])
    matrix = tuple(map(tuple, np.diag((world, world, world, 1.0)) @ np.array(IDENTITY)))
    return Clip(np.hstack(values), tuple(channels), fps, 1), Skeleton(gait.FIGURE.bones, matrix)


def test_nothing_is_said_of_a_walk_that_is_as_it_should_be():
    found = intake_of(*walk())
    assert (found.scale, found.leading, found.rate, found.feet) == (1.0, 0, None, True) and 1.5 < found.height < 2.0


@pytest.mark.parametrize("world, scale", [(100.0, 0.01), (1000.0, 0.001), (39.4, 0.0254), (17.7, 0.0254 / 0.45)])
def test_a_figure_in_another_unit_is_scaled_to_human_size(world, scale):
    found = intake_of(*walk(world=world))
    assert found.scale == pytest.approx(scale) and 1.5 < found.height * found.scale < 2.0


@pytest.mark.parametrize("speed", [0.8, 1.3, 1.8])
@pytest.mark.parametrize("fps, scene", [(120.0, 24.0), (120.0, 30.0), (30.0, 120.0)])
def test_a_walk_at_another_rate_tells_its_own(fps, scene, speed):
    clip, skeleton = walk(fps, speed)
    assert intake_of(clip, skeleton).rate is None
    assert intake_of(replace(clip, fps=scene), skeleton).rate == fps


def test_a_pose_in_front_is_counted():
    clip, skeleton = walk()
    values = clip.values.copy()
    values[0] = [skeleton.held(channel) for channel in clip.channels]
    assert intake_of(clip.with_values(values), skeleton).leading == 1
