# SPDX-License-Identifier: GPL-3.0-or-later
"""The mirror: what the left did the right does, in every rotation mode and however bones are called."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.mirror import Mirror, other_side
from motion_signal.core.motion.ground import Path
from motion_signal.core.motion.skeleton import Skeleton


def test_joints_are_where_the_counterparts_are_in_the_mirror(moving):
    clip = moving(gait.FIGURE)
    mirror = Mirror(gait.FIGURE)
    before, after = (gait.FIGURE.posed(motion)[1] for motion in (clip, clip.with_values(mirror.values(clip))))
    names = [bone.name for bone in gait.FIGURE.bones]
    there = [names.index(name[:-1] + {"L": "R", "R": "L"}[name[-1]] if name[-2] == "." else name) for name in names]
    assert np.abs(after - before[:, there] * [-1.0, 1.0, 1.0]).max() < 1e-9


@pytest.mark.parametrize("mode", ["AXIS_ANGLE", "XYZ", "ZXY"])
def test_every_rotation_mode_is_mirrored_alike(mode, moving):
    held = {"AXIS_ANGLE": (0.0, 0.0, 1.0, 0.0)}.get(mode, (0.0, 0.0, 0.0))
    skeletons = gait.FIGURE, Skeleton(tuple(replace(bone, mode=mode, rotation=held) for bone in gait.FIGURE.bones))
    joints = []
    for skeleton in skeletons:
        clip = moving(skeleton)
        joints.append(skeleton.posed(clip.with_values(Mirror(skeleton).values(clip)))[1])
    assert np.abs(joints[0] - joints[1]).max() < 1e-9


def test_the_mirror_of_the_mirror_is_the_take(moving):
    clip = moving(gait.FIGURE, scales=True)
    mirror = Mirror(gait.FIGURE)
    assert np.abs(mirror.values(clip.with_values(mirror.values(clip))) - clip.values).max() < 1e-9


def test_a_path_to_the_left_becomes_one_to_the_right():
    path = Path(np.array([(0.0, 0.0, 0.0), (1.0, -2.0, 0.0)]), np.array([0.0, 0.5]))
    seen = Mirror(gait.FIGURE).path(path)
    assert seen.places.tolist() == [[0.0, 0.0, 0.0], [-1.0, -2.0, 0.0]] and seen.headings.tolist() == [0.0, -0.5]


def test_counterparts_are_found_without_names_by_where_they_are():
    plain = Skeleton(tuple(replace(bone, name=f"b{index}") for index, bone in enumerate(gait.FIGURE.bones)))
    by_place, by_name = ([Mirror(skeleton).partners[bone.name] for bone in skeleton.bones] for skeleton in (plain, gait.FIGURE))
    assert [plain.index(name) for name in by_place] == [gait.FIGURE.index(name) for name in by_name]


@pytest.mark.parametrize(
    "name, other",
    [
        ("hand.L", "hand.R"),
        ("thigh_l", "thigh_r"),
        ("LeftUpLeg", "RightUpLeg"),
        ("mixamorig:RightArm", "mixamorig:LeftArm"),
        ("LThumb", "RThumb"),
        ("DEF-thigh.L.001", "DEF-thigh.R.001"),
        ("lCollar", "rCollar"),
        ("legLeft", "legRight"),
    ],
)
def test_the_other_side_has_the_name_with_the_sides_exchanged(name, other):
    assert other in other_side(name)


@pytest.mark.parametrize("name", ["Head", "Leg", "spine", "Roll", "collar"])
def test_names_of_the_middle_have_no_other_side(name):
    assert not set(other_side(name)) & {"Head", "Reg", "Leg", "spine", "Loll", "rollar"}


def test_without_an_armature_there_is_no_left_and_right():
    with pytest.raises(ValueError, match="no armature"):
        Mirror(None)
