# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose becomes a key that brings exactly this pose back."""

import numpy as np
import pytest
from motion_signal.core.displace import DISPLACE, DisplaceParams
from motion_signal.core.posed import difference, merged
from motion_signal.core.technique import Surroundings


@pytest.mark.parametrize("angles_apart", [False, True])
def test_a_key_of_a_pose_passes_through_it(mixed_clip, angles_apart):
    """Whatever the channels are: the pose of another frame, taken at this one."""
    clip = mixed_clip(90)
    frame, posed = clip.first_frame + 40, clip.values[65]
    key = {"frame": frame, **difference(clip, frame, posed, set(range(len(clip.channels))), angles_apart)}
    result = DISPLACE.run(clip, DisplaceParams((key,)), Surroundings(angles_apart=angles_apart)).values
    for column, channel in enumerate(clip.channels):
        gap = result[40, column] - posed[column]
        if channel.kind not in ("QUATERNION", "AXIS_ANGLE"):  # those have two names for one rotation
            assert abs((gap + np.pi) % (2 * np.pi) - np.pi) < 1e-9 or abs(gap) < 1e-9, channel


def test_what_was_not_touched_is_in_no_key(mixed_clip):
    clip = mixed_clip(90)
    assert difference(clip, clip.first_frame, clip.values[50], set()) == {"bones": {}, "curves": {}}


def test_a_pose_on_top_of_a_key_replaces_what_it_touches_and_keeps_the_rest_as_strong():
    key = {"frame": 5, "strength": 0.5, "tension": 1, "curves": {"x": 4},
           "bones": {"arm": {"rotation": [10, 0, 0], "scale": [1, 1, 1]}}}
    change = {"bones": {"arm": {"rotation": [7, 7, 7]}, "leg": {"location": [1, 2, 3]}}, "curves": {"y": 1}}
    assert merged(key, change) == {
        "frame": 5, "tension": 1, "curves": {"x": 2.0, "y": 1},
        "bones": {"arm": {"rotation": [7, 7, 7], "scale": [0.5, 0.5, 0.5]}, "leg": {"location": [1, 2, 3]}}}
