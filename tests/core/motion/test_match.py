# SPDX-License-Identifier: GPL-3.0-or-later
"""Another take in the terms of this one: channels by name, frame rate, own length."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.match import common, matched


def some_of(clip, columns):
    return replace(clip, values=clip.values[:, columns], channels=tuple(clip.channels[column] for column in columns))


def test_a_take_with_the_same_channels_is_itself_and_all_match(mixed_clip):
    clip, other = mixed_clip(90), mixed_clip(70, seed=5)
    found, count = matched(clip, other)
    assert count == len(clip.channels) and found.channels == clip.channels
    assert (found.values == other.values).all()


def test_channels_match_by_name_whatever_their_order_and_whatever_else_there_is(mixed_clip):
    clip, other = mixed_clip(90), mixed_clip(70, seed=5)
    shuffled = some_of(other, np.random.default_rng(0).permutation(len(clip.channels)))
    extra = replace(
        shuffled, values=np.column_stack([np.ones(70), shuffled.values]), channels=(Channel("extra", 0), *shuffled.channels)
    )
    assert np.abs(matched(clip, extra)[0].values - other.values).max() < 1e-12


def test_missing_channels_have_the_motion_of_the_take_and_a_rotation_is_missing_as_a_whole(mixed_clip):
    clip, other = mixed_clip(90), mixed_clip(90, seed=5)
    shared = common(clip, some_of(other, range(2, len(clip.channels))))
    assert not shared[:4].any() and shared[4:].all()  # a quaternion that lacks w and x
    found, count = matched(clip, some_of(other, range(2, len(clip.channels))))
    assert count == len(clip.channels) - 4
    assert np.abs(found.values[:, :4] - clip.values[:, :4]).max() < 1e-12
    assert np.abs(found.values[:, 4:] - other.values[:, 4:]).max() < 1e-12


def test_it_keeps_its_first_frame_and_its_length_in_seconds(mixed_clip):
    clip, other = mixed_clip(90, fps=30.0), replace(mixed_clip(241, fps=120.0), first_frame=17)
    found, _ = matched(clip, other)
    assert (found.first_frame, found.fps, found.frames) == (17, 30.0, 61)


@pytest.mark.parametrize("fps", [24.0, 29.97, 60.0])
def test_another_frame_rate_is_the_same_motion(mixed_clip, as_rotations, fps):
    clip, wanted = mixed_clip(90, fps=120.0), mixed_clip(241, fps=120.0, seed=5)
    other = mixed_clip(int(2 * fps) + 1, fps=fps, seed=5)
    found, _ = matched(clip, other)
    rows = min(found.frames, 241)
    assert rows > 235
    apart = (
        as_rotations(found.values[:rows, :4], "QUATERNION") * as_rotations(wanted.values[:rows, :4], "QUATERNION").inv()
    ).magnitude()
    assert apart.max() < 0.01
    assert np.abs(found.values - wanted.values[:rows])[:, 8:].max() < 0.03


def test_flips_and_jumps_of_the_other_take_do_no_harm(mixed_clip):
    clip, other = mixed_clip(90, fps=60.0), mixed_clip(90, fps=30.0, seed=5)
    values = other.values.copy()
    values[30:50, :4] *= -1.0
    values[40:, 8:11] += [0.0, 2 * np.pi, 0.0]
    found, smooth = matched(clip, other.with_values(values))[0].values, matched(clip, other)[0].values
    assert np.abs(found[:, :4] - smooth[:, :4]).max() < 1e-9
    assert np.abs(np.diff(found[:, 8:11], axis=0)).max() < 0.5


def test_no_common_channel_is_refused(mixed_clip):
    other = Clip(np.ones((50, 1)), (Channel("elsewhere", 0),), 30.0, 1)
    with pytest.raises(ValueError, match="none of the 35 curves"):
        matched(mixed_clip(90), other)


def test_a_take_of_one_frame_is_refused(mixed_clip):
    with pytest.raises(ValueError, match=r"1 frame\(s\)"):
        matched(mixed_clip(90), mixed_clip(1))
