# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts and report on every recorded walk and run, against what was measured independently of us."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from bl_ext.dev.motion_signal.core.body.contacts import events, feet, find_contacts
from bl_ext.dev.motion_signal.core.body.report import report
from bl_ext.dev.motion_signal.core.body.roles import find_roles
from bl_ext.dev.motion_signal.core.motion.skeleton import Skeleton

pytestmark = pytest.mark.only("5.2")  # what it tries is not Blender's

GAITS = ("walk", "run", "march")
SIDES = {"L": "left_foot", "R": "right_foot"}


@pytest.fixture(scope="module")
def walks(takes, recorded):
    """Every walk and run: clip, skeleton and truth."""
    names = [path.name for path in sorted(takes.glob("*.bvh")) if any(gait in path.name for gait in GAITS)]
    read = {name: recorded(name.removesuffix(".bvh")) for name in names}
    return {name: SimpleNamespace(**vars(take), roles=find_roles(take.skeleton)) for name, take in read.items()}


def as_captured(walk):
    return walk.clip, walk.skeleton, 1


def at_30_fps(walk):
    return replace(walk.clip, values=walk.clip.values[::4], fps=walk.clip.fps / 4), walk.skeleton, 4


def resized(size):
    def change(walk):
        location = np.array([channel.kind == "LOCATION" for channel in walk.clip.channels])
        bones = []
        for bone in walk.skeleton.bones:
            rest = bone.rest.copy()
            rest[:3, 3] *= size
            bones.append(replace(bone, rest=rest, length=size * bone.length))
        return walk.clip.with_values(walk.clip.values * np.where(location, size, 1.0)), Skeleton(tuple(bones)), 1

    return change


def overlap(first, second):
    common = min(first[1], second[1]) - max(first[0], second[0]) + 1
    return max(0, common) / (max(first[1], second[1]) - min(first[0], second[0]) + 1)


@pytest.mark.parametrize(
    "change", [as_captured, at_30_fps, resized(0.01), resized(100.0)], ids=["as captured", "30 fps", "tiny", "huge"]
)
def test_planted_intervals_and_strikes_are_those_of_the_truth(walks, change):
    there = hit = found_in_all = 0
    late = []
    for walk in walks.values():
        clip, skeleton, step = change(walk)
        contacts = find_contacts(clip, skeleton, walk.roles)
        for side, foot in SIDES.items():
            truth = walk.truth["contacts"][side]
            found = [[1 + (frame - 1) * step for frame in interval] for interval in feet(contacts, clip.fps)[foot]]
            there, found_in_all = there + len(truth), found_in_all + len(found)
            hit += sum(any(overlap(right, mine) >= 0.7 for mine in found) for right in truth)
            strikes = [1 + (frame - 1) * step for frame in events(contacts, clip)[foot]["strikes"]]
            late += [
                min(abs(mine - right) for mine in strikes) / walk.truth["fps_true"] for right in walk.truth["strikes"][side]
            ]
    assert there > 100
    assert hit >= 0.95 * there
    assert found_in_all - hit <= 0.05 * there
    assert np.median(late) <= 0.04


def test_speed_and_cycle_are_those_of_the_truth(walks):
    for walk in walks.values():
        numbers = report(walk.clip, walk.skeleton, walk.roles)
        assert numbers["speed_m_s"] == pytest.approx(walk.truth["median_speed"], rel=0.05)
        assert numbers["cycle_s"] * walk.clip.fps == pytest.approx(walk.truth["stride_frames"][0], rel=0.03)


def test_captured_feet_slide_one_to_four_centimetres(walks):
    for walk in walks.values():
        assert 10.0 < report(walk.clip, walk.skeleton, walk.roles)["slide_mean_mm"] < 40.0


def test_a_t_pose_before_the_take_is_in_no_contact(walks):
    for walk in walks.values():
        contacts = find_contacts(walk.clip, walk.skeleton, walk.roles)
        assert min(interval[0] for intervals in contacts.values() for interval in intervals) > walk.truth["skip"]
