# SPDX-License-Identifier: GPL-3.0-or-later
"""Half frames of takes, beside the same motion at twice the frames, by slow kinematics."""

import numpy as np
import pytest
from motion_signal.core.keys.half_frames import halved
from motion_signal.core.motion.clip import Clip

FPS = 30.0
ENDS = ("head", "foot")


@pytest.fixture
def millimetres(figure, posed):
    """How far ends are apart in two clips, (frames,), at worst."""

    def apart(one, other):
        places = [posed(figure, clip)[:, [figure.index(name) for name in ENDS]][..., :3, 3] for clip in (one, other)]
        return 1e3 * np.linalg.norm(places[0] - places[1], axis=2).max(axis=1)

    return apart


def halfway(clip, values):
    return clip.with_values(values[1::2])


@pytest.mark.parametrize("seed", range(6))
def test_smooth_motion_is_nearer_to_what_it_does_there_than_straight_lines_are(figure, moving, millimetres, seed):
    truth = moving(figure, frames=239, fps=2 * FPS, seed=seed)
    take = truth.with_values(truth.values[::2])
    straight = take.with_values(0.5 * (take.values[:-1] + take.values[1:]))
    found = halfway(take, halved(take, figure, ENDS).values)
    off = [millimetres(clip, halfway(truth, truth.values)).mean() for clip in (straight, found)]
    assert off[1] < 0.7 * off[0]


@pytest.mark.parametrize("seed", range(6))
def test_angles_that_race_near_gimbal_lock_do_not_bend_the_body(figure, rotation_channels, millimetres, seed):
    """Two angles that take each other back, so that the bone only trembles: from frame to frame, as noise does."""
    random = np.random.default_rng(seed)
    tremble, race = random.normal(scale=0.02, size=200), random.normal(scale=0.1, size=200).cumsum().cumsum()
    off = []
    for turned in (np.zeros(200), race):
        values = np.stack([turned + tremble, np.full(200, 0.5 * np.pi), turned], axis=1)
        take = Clip(values, rotation_channels("XYZ", "spine"), FPS, 1)
        straight = take.with_values(0.5 * (values[:-1] + values[1:]))
        off.append(millimetres(straight, halfway(take, halved(take, figure, ENDS).values)).mean())
    assert off[1] < 1.1 * off[0]
