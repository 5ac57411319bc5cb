# SPDX-License-Identifier: GPL-3.0-or-later
"""Squash and stretch: joints land where the filtered positions are, seen by kinematics written out here."""

import numpy as np
import pytest
from motion_signal.core.declare.faders import EqualizeParams
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Clip
from motion_signal.core.motion.fade import range_weights
from motion_signal.core.motion.joint_positions import Stretch
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.numeric.bands import Bank
from motion_signal.core.techniques.character.equalize import EQUALIZE

PLACES = 1e-9  # metres
GAINS = (1.0,) * 4 + (1.8, 1.8, 2.0, 1.6, -0.5) + (1.0,) * 3


def stretched(clip, skeleton, weights=None, **settings):
    return EQUALIZE.run(clip, EqualizeParams(target="POSITIONS", **settings), Surroundings(skeleton), weights)


@pytest.fixture
def joints(posed):
    """Heads and tails (frames, bones, 2, 3) of a figure in a clip, by chained matrices."""

    def joints_of(skeleton, clip):
        matrices = posed(skeleton, clip)
        lengths = np.array([bone.length for bone in skeleton.bones])[:, None]
        heads = matrices[..., :3, 3]
        return np.stack([heads, heads + lengths * matrices[..., :3, 1]], axis=2)

    return joints_of


@pytest.mark.parametrize("scales", [False, True])
def test_neutral_is_identity_and_adds_only_unit_scales(scales, figure, moving):
    clip = moving(figure, scales=scales)
    result = stretched(clip, figure)
    assert np.abs(result.values[:, : len(clip.channels)] - clip.values).max() < PLACES
    added = result.channels[len(clip.channels) :]
    assert {channel.kind for channel in added} <= {"SCALE"}
    assert np.abs(result.values[:, len(clip.channels) :] - 1.0).max(initial=0.0) < PLACES


@pytest.mark.parametrize("scales", [False, True])
@pytest.mark.parametrize("boundary", ["REFLECT", "HOLD"])
def test_joints_land_where_the_filtered_positions_are(scales, boundary, figure, moving, joints):
    clip = moving(figure, scales=scales)
    before = joints(figure, clip)
    wanted = Bank(before.reshape(clip.frames, -1), clip.fps, "HZ", boundary).weighted((*GAINS, 1.0))
    result = stretched(clip, figure, gains=GAINS, boundary=boundary)
    after = joints(figure, result)
    assert np.abs(after - before).max() > 0.05
    assert np.abs(after - wanted.reshape(after.shape)).max() < 1e-6  # the bank's single precision, at metres


@pytest.mark.parametrize("name, fields", [("spine", {"inherit_scale": "NONE"}), ("leg", {"inherit_scale": "NONE"})])
def test_joints_land_there_too_where_scale_is_not_inherited(name, fields, figure, moving, joints, with_bone):
    skeleton = with_bone(figure, name, **fields)
    clip = moving(skeleton, scales=True)
    before = joints(skeleton, clip)
    stretch = Stretch(clip, skeleton)
    assert np.abs(stretch.signals - before.reshape(clip.frames, -1)).max() < PLACES
    wanted = before + 0.05 * np.sin(np.arange(clip.frames) / 7.0)[:, None, None, None]
    after = joints(skeleton, stretch.clip_of(wanted.reshape(clip.frames, -1)))
    assert np.abs(after - wanted).max() < PLACES


def test_bones_that_the_clip_does_not_turn_keep_their_channels(figure, moving):
    clip = moving(figure)
    columns = [column for column, channel in enumerate(clip.channels) if channel.owner != "foot"]
    part = Clip(clip.values[:, columns], tuple(clip.channels[column] for column in columns), clip.fps, 1)
    result = stretched(part, figure, gains=GAINS)
    assert "foot" not in {channel.owner for channel in result.channels}


def test_an_euler_rotation_that_lacks_an_angle_gets_it(figure, moving, joints):
    clip = moving(figure)
    columns = [
        column
        for column, channel in enumerate(clip.channels)
        if not (channel.owner == "leg" and channel.kind == "ZXY" and channel.index == 1)
    ]
    part = Clip(clip.values[:, columns], tuple(clip.channels[column] for column in columns), clip.fps, 1)
    result = stretched(part, figure, gains=GAINS)
    wanted = Bank(joints(figure, part).reshape(clip.frames, -1), clip.fps).weighted((*GAINS, 1.0))
    assert len([channel for channel in result.channels if channel.owner == "leg" and channel.kind == "ZXY"]) == 3
    assert np.abs(joints(figure, result).reshape(wanted.shape) - wanted).max() < 1e-6


def test_limbs_change_alone(figure, moving):
    clip = moving(figure)
    result = stretched(clip, figure, limbs={"foot": GAINS})
    moved = np.abs(result.values[:, : len(clip.channels)] - clip.values).max(axis=0) > 1e-6
    assert {clip.channels[column].owner for column in np.flatnonzero(moved)} == {"foot"}


def test_frames_outside_a_range_keep_the_figure_as_it_was(figure, moving, joints):
    clip = moving(figure)
    weights = range_weights(clip.frames, 30, 60, 8, 8)
    result = stretched(clip, figure, weights, gains=GAINS)
    off = np.abs(joints(figure, result) - joints(figure, clip)).max(axis=(1, 2, 3))
    assert off[weights == 0].max() < PLACES
    assert off[40:50].max() > 0.01


def test_three_frames_are_enough(figure, moving, joints):
    clip = moving(figure, frames=3)
    result = stretched(clip, figure, gains=(0.5,) * 12)
    wanted = Bank(joints(figure, clip).reshape(3, -1), clip.fps).weighted([0.5] * 12 + [1.0])
    assert np.abs(joints(figure, result).reshape(wanted.shape) - wanted).max() < 1e-6


@pytest.mark.parametrize("fields", [{"plain": False}, {"inherit_scale": "ALIGNED"}])
def test_bones_that_do_not_inherit_plainly_are_refused_by_name(fields, figure, moving, with_bone):
    with pytest.raises(ValueError, match="^bone leg has constraints"):
        stretched(moving(figure), with_bone(figure, "leg", **fields))


def test_a_bone_with_constraints_that_the_clip_does_not_move_is_no_matter(figure, moving, with_bone):
    clip = moving(Skeleton(figure.bones[:4]))
    stretched(clip, with_bone(figure, "foot", plain=False), gains=GAINS)


def test_a_parent_without_size_is_refused_by_name_and_frame(figure, moving):
    clip = moving(figure, scales=True)
    values = clip.values.copy()
    values[
        40, [column for column, channel in enumerate(clip.channels) if (channel.owner, channel.kind) == ("spine", "SCALE")]
    ] = 0.0
    with pytest.raises(ValueError, match="^bone spine has no size at frame 41"):
        stretched(clip.with_values(values), figure)


def test_a_bone_turned_inside_out_returns(figure, moving, joints):
    clip = moving(figure, scales=True)
    values = clip.values.copy()
    values[
        :,
        [
            column
            for column, channel in enumerate(clip.channels)
            if (channel.owner, channel.kind, channel.index) == ("leg", "SCALE", 1)
        ],
    ] *= -1.0
    clip = clip.with_values(values)
    assert np.abs(stretched(clip, figure).values - values).max() < PLACES
    wanted = Bank(joints(figure, clip).reshape(clip.frames, -1), clip.fps).weighted((*GAINS, 1.0))
    assert np.abs(joints(figure, stretched(clip, figure, gains=GAINS)).reshape(wanted.shape) - wanted).max() < 1e-6


def test_a_figure_is_needed(mixed_clip, figure):
    with pytest.raises(ValueError, match="armature"):
        stretched(mixed_clip(), None)
    with pytest.raises(ValueError, match="moving bones"):
        stretched(mixed_clip(), figure)
