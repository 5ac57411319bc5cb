# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip at other moments: what it was at whole rows, on the rotation between them, smooth everywhere."""

import numpy as np
import pytest
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.resample import resampled
from scipy.spatial.transform import Rotation

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "ZXY")


def test_whole_rows_are_what_they_were(mixed_clip):
    clip = mixed_clip(60)
    rows = np.array([0, 7, 8, 9, 30, 59, 59])
    assert np.abs(resampled(clip, rows).values - clip.values[rows]).max() < 1e-12


@pytest.mark.parametrize("mode", MODES)
def test_a_steady_turn_is_steady_between_frames(mode, rotation_channels, in_mode, as_rotations):
    def turned(time):
        return Rotation.from_rotvec([0.2, 0.1, 0.0]) * Rotation.from_rotvec(np.outer(0.2 * time + 0.5, [0.6, 0.0, 0.8]))

    clip = Clip(in_mode(turned(np.arange(20)), mode), rotation_channels(mode), 30.0, 1)
    rows = np.linspace(0.0, 19.0, 77)
    apart = as_rotations(resampled(clip, rows).values, mode) * turned(rows).inv()
    assert apart.magnitude().max() < 1e-9


def test_smooth_motion_is_met_between_frames(mixed_clip, as_rotations):
    coarse, fine = mixed_clip(61, fps=30.0), mixed_clip(241, fps=120.0)
    found = resampled(coarse, np.arange(241) / 4)
    apart = as_rotations(found.values[:, :4], "QUATERNION") * as_rotations(fine.values[:, :4], "QUATERNION").inv()
    assert apart.magnitude().max() < 0.01 and np.abs(found.values - fine.values)[:, -9:].max() < 0.02


def test_speed_does_not_jump_at_frames(mixed_clip):
    found = resampled(mixed_clip(60), np.linspace(20.0, 30.0, 1001)).values
    jumps = np.abs(np.diff(found, 2, axis=0)).max(axis=0)
    assert (jumps < 0.1 * np.abs(np.diff(found, axis=0)).max(axis=0) + 1e-9).all()


def test_whole_turns_and_flips_do_not_show_between_frames(rotation_channels):
    turn = np.linspace(0.0, 12.0, 50)
    half = np.column_stack([np.cos(turn / 2), 0 * turn, 0 * turn, np.sin(turn / 2)])
    half[20:30] *= -1.0
    angle = np.remainder(turn, 2 * np.pi)[:, None] * [0, 0, 1]
    hinge = np.remainder(turn, 2 * np.pi)[:, None]
    channels = rotation_channels("QUATERNION", "a") + rotation_channels("XYZ", "b") + rotation_channels("XYZ", "c", (1,))
    found = resampled(Clip(np.hstack([half, angle, hinge]), channels, 30.0, 1), np.linspace(0.0, 49.0, 200)).values
    assert np.abs(np.diff(found, axis=0)).max() < 0.1


def test_rows_beyond_the_ends_stay_at_the_ends():
    clip = Clip(np.arange(5.0)[:, None], (Channel('["x"]', 0),), 30.0, 1)
    assert resampled(clip, [-3.0, 9.0]).values[:, 0].tolist() == [0.0, 4.0]


def test_one_frame_stays_one_frame(mixed_clip):
    clip = mixed_clip(1)
    assert np.abs(resampled(clip, [0.0, 0.0]).values - clip.values).max() < 1e-12
