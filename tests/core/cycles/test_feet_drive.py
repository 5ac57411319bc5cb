# SPDX-License-Identifier: GPL-3.0-or-later
"""Anchoring: the lower foot stands still, and pushes as far as it was moved."""

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.cycles.feet_drive import anchor
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.ground import Ground, walked

FIGURE, FPS = gait.FIGURE, 60.0


@pytest.fixture(scope="module")
def walk():
    motion = gait.walk(200, FPS)
    hips = FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in FIGURE.bones for index in range(4)]
    return Clip(np.hstack([motion.location, motion.rotations.reshape(200, -1)]), tuple(channels), FPS, 1)


def test_a_walk_that_does_not_slide_goes_the_way_it_went(walk):
    ground = Ground([walk], FIGURE)
    values, path = ground.taken_off(walk.values)
    steps, _ = path.steps(ground.up)
    found = anchor(walk, ground, FIGURE).path(walk.with_values(values), path.places[0], path.headings, steps)
    assert np.linalg.norm(found.places - path.places, axis=1).max() < 0.08 and np.abs(path.places[-1, 1]) > 4.0


def test_feet_of_a_walk_on_the_spot_stop_sliding(walk):
    ground = Ground([walk], FIGURE)
    values, path = ground.taken_off(walk.values)
    steps, turns = path.steps(ground.up)
    hasty = ground.put_on(values, walked(path.places[0], path.headings[0], 1.3 * steps, turns, ground.up), walk.values)
    pushed = anchor(walk, ground, FIGURE).path(walk.with_values(values), path.places[0], path.headings, 1.3 * steps)
    carried = ground.put_on(values, pushed, walk.values)
    slides = []
    for motion in (hasty, carried):
        feet = FIGURE.posed(walk.with_values(motion))[1][:, [FIGURE.index("toe.L"), FIGURE.index("toe.R")]]
        speed = np.linalg.norm(np.diff(feet[..., :2], axis=0), axis=2) * FPS
        low = feet[1:, :, 2] < feet[:, :, 2].min() + 0.002
        slides.append(speed[low].mean())
    assert slides[1] < 0.2 * slides[0]


def test_who_flies_goes_on_as_the_cycle_does(walk):
    ground = Ground([walk], FIGURE)
    values, path = ground.taken_off(walk.values)
    feet = anchor(walk, ground, FIGURE)
    high = np.zeros(199)
    high[60:120] = 0.3 * feet.unit
    assert feet._flying(high)[60:120].min() == 1.0 and feet._flying(high)[:60].max() == 0.0


def test_without_feet_nothing_anchors(walk, figure, moving):
    clip = moving(figure)
    assert anchor(clip, Ground([clip], figure), figure) is None
    assert anchor(walk, Ground([walk]), None) is None
