# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose becomes a key that brings exactly this pose back."""

import numpy as np
import pytest
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.numeric.rotation import ROTATION_SIZES
from motion_signal.core.techniques.character.displace import DISPLACE, DisplaceParams, difference, merged


@pytest.mark.parametrize("angles_apart", [False, True])
def test_a_key_of_a_pose_passes_through_it(mixed_clip, as_rotations, angles_apart):
    """Whatever the channels are: the pose of another frame, taken at this one."""
    clip = mixed_clip(90)
    frame, posed = clip.first_frame + 40, clip.values[65]
    key = {"frame": frame, **difference(clip, frame, posed, set(range(len(clip.channels))), angles_apart)}
    result = DISPLACE.run(clip, DisplaceParams((key,)), Surroundings(angles_apart=angles_apart)).values
    columns = {}
    for column, channel in enumerate(clip.channels):
        columns.setdefault((channel.path, channel.kind), []).append(column)
    assert len(columns) == len(ROTATION_SIZES) + 4
    for (path, kind), these in columns.items():
        if len(these) == ROTATION_SIZES.get(kind):  # there are two names and more for one rotation
            found, wanted = (as_rotations(rows[None], kind) for rows in (result[40, these], posed[these]))
            assert (found * wanted.inv()).magnitude().max() < 1e-7, path
        else:
            assert np.abs(result[40, these] - posed[these]).max() < 1e-9, path


def test_what_was_not_touched_is_in_no_key(mixed_clip):
    clip = mixed_clip(90)
    assert difference(clip, clip.first_frame, clip.values[50], set()) == {"bones": {}, "curves": {}}


def test_a_pose_on_top_of_a_key_replaces_what_it_touches_and_keeps_the_rest_as_strong():
    key = {
        "frame": 5,
        "strength": 0.5,
        "tension": 1,
        "curves": {"x": 4},
        "bones": {"arm": {"rotation": [10, 0, 0], "scale": [1, 1, 1]}},
    }
    change = {"bones": {"arm": {"rotation": [7, 7, 7]}, "leg": {"location": [1, 2, 3]}}, "curves": {"y": 1}}
    assert merged(key, change) == {
        "frame": 5,
        "tension": 1,
        "curves": {"x": 2.0, "y": 1},
        "bones": {"arm": {"rotation": [7, 7, 7], "scale": [0.5, 0.5, 0.5]}, "leg": {"location": [1, 2, 3]}},
    }
