# SPDX-License-Identifier: GPL-3.0-or-later
"""Features: the same of a motion whoever moves, wherever and whichever way, and what a slow obvious reckoning gives."""

from dataclasses import replace

import made_library
import made_takes
import numpy as np
import pytest
from motion_signal.core.library.alike import mirrored, moments
from motion_signal.core.library.features import COLUMNS, LENGTHS, features_of, packed, unpacked
from motion_signal.core.numeric.refusal import Refusal
from scipy.spatial.transform import Rotation


def test_places_are_those_of_the_joints_seen_from_the_hips(posed):
    made = made_takes.take("turn")
    found = features_of(made.clip, made.skeleton)
    every = made.clip.with_values(made.clip.values[::40])
    names = [bone.name for bone in made.skeleton.bones]
    for row, matrices in zip(found.values[::10], posed(made.skeleton, every)):
        hips, rest = matrices[names.index("Hips")], made.skeleton.bones[names.index("Hips")].rest
        turn = Rotation.from_matrix(hips[:3, :3] @ rest[:3, :3].T)
        w, z = turn.as_quat()[[3, 2]]
        back = Rotation.from_rotvec([0.0, 0.0, -2.0 * np.arctan2(z, w)])
        for part, bone in (("head", "Head"), ("left_hand", "LeftHand"), ("right_hand", "RightHand")):
            place = back.apply(matrices[names.index(bone)][:3, 3] - hips[:3, 3]) / found.leg
            column = COLUMNS.index(f"{part}_x")
            assert np.abs(row[column : column + 3] - place).max() < 1e-5


@pytest.mark.parametrize("seed", range(6))
def test_place_heading_and_size_make_no_difference(seed):
    random = np.random.default_rng(seed)
    made = made_takes.take(made_library.NAMES[seed % len(made_library.NAMES)])
    moved = made_library.changed(made.clip, made.skeleton, 1.0, random.uniform(-3.0, 3.0), random.uniform(-9.0, 9.0, 2))
    size = random.uniform(0.01, 30.0)
    sized = replace(made.skeleton, world=tuple(map(tuple, np.diag([size, size, size, 1.0]).tolist())))
    before, after = features_of(made.clip, made.skeleton), features_of(moved, sized)
    assert np.abs(before.values - after.values).max() < 1e-4 and np.array_equal(before.marks, after.marks)
    assert after.leg == pytest.approx(size * before.leg)


def test_a_figure_that_rests_on_its_back_does_the_same():
    plain, lying = (features_of(made.clip, made.skeleton) for made in map(made_takes.take, ("walk", "lying")))
    assert np.abs(plain.values - lying.values).max() < 1e-4


def test_a_take_that_lies_as_a_whole_does_what_it_does_on_its_feet():
    made = made_takes.take("walk")
    plain, lying = (features_of(made.clip, skeleton) for skeleton in (made.skeleton, made_library.lying(made.skeleton)))
    assert np.abs(plain.values - lying.values).max() < 1e-6 and np.array_equal(plain.marks, lying.marks)


def test_an_object_that_is_keyed_itself_carries_its_figure(moving):
    made = made_takes.take("walk")
    plain = features_of(made.clip, made.skeleton)
    hips = [index for index, channel in enumerate(made.clip.channels) if channel.kind == "LOCATION"]
    path = made.clip.values[:, hips] @ made.skeleton.bones[made.skeleton.index("Hips")].rest[:3, :3].T
    channels = [replace(made.clip.channels[index], path="location", owner="") for index in hips]
    values = made.clip.values.copy()
    values[:, hips] = 0.0
    carried = replace(made.clip, values=np.hstack([values, path]), channels=(*made.clip.channels, *channels))
    assert np.abs(features_of(carried, made.skeleton).values - plain.values).max() < 1e-4


@pytest.mark.parametrize("name", ["turn", "kick", "limp"])
def test_the_mirror_of_a_motion_has_the_mirror_of_its_moments(name):
    made = made_takes.take(name)
    seen = made_library.changed(made.clip, made.skeleton, mirror=True)
    before, after = (moments(features_of(clip, made.skeleton)) for clip in (made.clip, seen))
    assert np.abs(mirrored(before) - after).max() < 0.01  # steps of the ground's estimate
    assert np.array_equal(mirrored(mirrored(before)), before)


def test_kept_features_are_what_they_were_to_half_a_step():
    made = made_takes.take("run")
    before = features_of(made.clip, made.skeleton)
    after = unpacked(packed(before), before.fps, before.first_frame, before.leg)
    assert np.abs(before.values - after.values).max() <= 0.5 / LENGTHS + 1e-6 and np.array_equal(before.marks, after.marks)


def test_a_pose_before_the_motion_is_left_out():
    made = made_takes.take("pose")
    assert features_of(made.clip, made.skeleton).first_frame == made.first


def test_who_has_no_feet_is_refused(figure, moving):
    with pytest.raises(Refusal, match="no feet|no leg"):
        features_of(moving(figure), figure)


@pytest.mark.parametrize("frames, rows", [((30, 60), 8), ((100, 100), 1)])
def test_some_frames_are_the_rows_that_they_are_at(frames, rows):
    made = made_takes.take("walk")
    found = features_of(made.clip, made.skeleton)
    part = found.between(*frames)
    assert part.rows in (rows, rows + 1) and abs(part.first_frame - frames[0]) <= 2
    with pytest.raises(Refusal, match="9000 to 9100 is outside the motion, which goes from 1 to"):
        found.between(9000, 9100)
