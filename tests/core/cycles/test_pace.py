# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground speed: where a figure gets to, however its hips sway and whichever way it turns."""

import numpy as np
import pytest
from motion_signal.core.cycles.pace import ground_speed
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Skeleton

FPS = 50.0


def going(bone, headings, places):
    hips = bone("hips", -1, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    half = 0.5 * headings
    turns = np.column_stack([np.cos(half), 0 * half, 0 * half, np.sin(half)])
    channels = [Channel(hips.path + ".location", index, "LOCATION", "hips") for index in range(3)]
    channels += [Channel(hips.rotation_path, index, "QUATERNION", "hips") for index in range(4)]
    return Clip(np.hstack([places, turns]), tuple(channels), FPS, 1), hips


@pytest.mark.parametrize("sway", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("size", [1.0, 0.01])
def test_hips_that_turn_to_and_fro_do_not_change_the_speed(bone, sway, size):
    time = np.arange(201) / FPS
    places = np.column_stack([0 * time, 1.5 * time + 0.05 * np.sin(4 * np.pi * time), 0 * time])
    clip, hips = going(bone, sway * np.sin(2 * np.pi * time), places)
    world = np.diag([size, size, size, 1.0])
    assert ground_speed(clip, Skeleton((hips,), world)) == pytest.approx(1.5 * size, rel=1e-4)


def test_who_walks_in_a_circle_is_as_fast_as_the_way_is_long(bone):
    angles = np.linspace(0.0, 1.9 * np.pi, 401)
    places = np.column_stack([2.0 * np.cos(angles), 2.0 * np.sin(angles), 0 * angles])
    clip, hips = going(bone, angles, places)
    assert ground_speed(clip, Skeleton((hips,))) == pytest.approx(2.0 * angles[-1] * FPS / 400, rel=1e-4)
