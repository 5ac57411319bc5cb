# SPDX-License-Identifier: GPL-3.0-or-later
"""Foot lock on recorded walks: feet stand still, and nothing else about the walk becomes worse."""

import numpy as np
import pytest
from bl_ext.dev.motion_signal.core.body.body import Body
from bl_ext.dev.motion_signal.core.declare.technique import Surroundings
from bl_ext.dev.motion_signal.core.techniques.figure.lock import LOCK, LockParams

pytestmark = pytest.mark.only("5.2")  # what it tries is not Blender's

MILLIMETRE = 1e-3 / 0.0564444  # in the units of the files, which are as good as any
WALKS = (
    "07_01_walk_normal",
    "07_05_walk_slow",
    "07_11_walk_fast",
    "07_12_walk_brisk_badrow",
    "16_18_walk_turn_left90",
    "16_20_walk_turn_right90",
    "82_10_walk_sad",
    "82_12_walk_happy",
    "111_13_march",
    "137_16_walk_drunk",
    "137_38_walk_sexy_lady",
    "104_36_walk_figure8_long",
)


@pytest.fixture(params=WALKS)
def walk(request, recorded):
    """A take, the skeleton of its armature, and how many rows at its start are no walk."""
    take = recorded(request.param, metres=False)
    return take.clip, take.skeleton, take.truth["skip"]


def slides(body, clip, contacts):
    """How far every planted heel and ball gets from its median place along the ground, in the take's units."""
    places = dict(zip(body.figure.points, np.moveaxis(body.figure.places(clip)[0], 1, 0)))
    found = []
    for point, intervals in contacts.items():
        for first, last in intervals:
            rows = places[point][first - clip.first_frame : last - clip.first_frame + 1, :2]
            found.append(np.linalg.norm(rows - np.median(rows, axis=0), axis=1).max())
    return np.array(found)


def knee_angles(skeleton, heads):
    angles = []
    for side in ("Left", "Right"):
        hip, knee, ankle = (heads[:, skeleton.index(side + name)] for name in ("UpLeg", "Leg", "Foot"))
        upper, lower = knee - hip, ankle - knee
        angles.append(np.arctan2(np.linalg.norm(np.cross(upper, lower), axis=1), np.sum(upper * lower, axis=1)))
    return np.array(angles)


def test_planted_feet_of_recorded_walks_stand_still(walk):
    clip, skeleton, skip = walk
    body = Body(clip, skeleton)
    contacts = {point: intervals for point, intervals in body.contacts.items() if not point.endswith("hand")}
    result = LOCK.run(clip, LockParams(amount=1.0), Surroundings(skeleton))
    before, after = slides(body, clip, contacts), slides(body, result, contacts)
    assert len(after) >= 8 and before.mean() > 10 * MILLIMETRE
    assert after.mean() < 1 * MILLIMETRE < 0.3 * before.mean()
    toes = slides(body, result, {point: intervals for point, intervals in contacts.items() if point.endswith("toe")})
    assert toes.mean() < 1 * MILLIMETRE and toes.max() < 2 * MILLIMETRE
    (_, source), (_, locked) = (skeleton.posed(these) for these in (clip, result))
    assert np.linalg.norm(locked[:, 0] - source[:, 0], axis=1).max() < 34 * MILLIMETRE
    bends = [np.linalg.norm(np.diff(heads[skip:], 2, axis=0), axis=2).max() for heads in (source, locked)]
    assert bends[1] < 1.2 * bends[0]
    steps = [np.abs(np.diff(knee_angles(skeleton, heads[skip:]), axis=1)).max() for heads in (source, locked)]
    assert steps[1] < 1.2 * steps[0]
    assert (result.values[: skip - 1] == clip.values[: skip - 1]).all()  # the pose before the walk is none of it
