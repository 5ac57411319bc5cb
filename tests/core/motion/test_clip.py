# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips: never written to, and refused in one sentence when they are no motion."""

import numpy as np
import pytest
from motion_signal.core.motion.clip import Channel, Clip

CHANNELS = (Channel("location", 0, "LOCATION"), Channel('pose.bones["Arm"].scale', 2, "SCALE", "Arm"))


def clip(values, fps=24.0, first_frame=10):
    return Clip(np.array(values, dtype=float), CHANNELS, fps, first_frame)


def test_values_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        clip(np.zeros((3, 2))).values[0, 0] = 1.0


def test_the_array_a_clip_was_made_from_stays_writable():
    values = np.zeros((3, 2))
    Clip(values, CHANNELS, 24.0, 1)
    values[0, 0] = 1.0


def test_frames_are_counted_from_the_first():
    assert (clip(np.zeros((5, 2))).frames, clip(np.zeros((5, 2))).last_frame) == (5, 14)


@pytest.mark.parametrize("shape", [(3, 1), (3, 3), (6,)])
def test_values_that_do_not_fit_the_channels_are_refused(shape):
    with pytest.raises(ValueError, match="does not fit 2 channels"):
        clip(np.zeros(shape))


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_fewer_than_three_frames_are_refused(frames):
    with pytest.raises(ValueError, match=rf"has {frames} frame\(s\); it needs at least 3"):
        clip(np.zeros((frames, 2))).check()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_refused_by_curve_and_frame(value):
    values = np.zeros((5, 2))
    values[3, 1] = value
    with pytest.raises(ValueError) as refusal:
        clip(values).check()
    assert str(refusal.value) == f'curve pose.bones["Arm"].scale[2] is {value} at frame 13'


@pytest.mark.parametrize("fps", [0.0, -24.0, np.nan, np.inf])
def test_what_is_no_frame_rate_is_refused(fps):
    with pytest.raises(ValueError, match="^fps: "):
        clip(np.zeros((3, 2)), fps).check()


def test_a_good_clip_passes_its_check():
    good = clip(np.zeros((3, 2)))
    assert good.check() is good


def test_missing_channels_are_added_at_their_rest():
    extra = Channel("rotation_euler", 1, "XYZ")
    more = clip(np.ones((3, 2))).with_channels((CHANNELS[1], extra), (7.0, 0.5))
    assert more.channels == (*CHANNELS, extra)
    assert more.values.tolist() == [[1, 1, 0.5]] * 3


def test_nothing_missing_adds_nothing():
    whole = clip(np.ones((3, 2)))
    assert whole.with_channels(CHANNELS, (0.0, 0.0)) is whole
