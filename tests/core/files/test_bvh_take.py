# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files as takes without Blender: joints are where the motion that was written has them, and come back so."""

from dataclasses import replace

import made_takes
import numpy as np
import pytest
from made_takes import UNIT
from motion_signal.core.files.bvh_bones import bone_name, place_joints, rolled
from motion_signal.core.files.bvh_hierarchy import read_hierarchy
from motion_signal.core.files.bvh_take import frame_rate, read_bvh, write_bvh
from motion_signal.core.motion.skeleton import size_of
from motion_signal.core.numeric.refusal import Refusal

RECORDED = ("cmu_07_01_walk_normal.bvh", "cmu_16_36_run_jog.bvh")


def joints_of(clip, skeleton):
    """Where every bone's joint is, (frames, 3) by name."""
    return dict(zip((bone.name for bone in skeleton.bones), np.moveaxis(skeleton.posed(clip)[1], 1, 0)))


def check_same(first, second, within):
    """The same bones rest and move in the same way."""
    (clip, skeleton), (other, twin) = first, second
    size = size_of(skeleton)
    assert [(bone.name, bone.parent, bone.connected) for bone in skeleton.bones] == [
        (bone.name, bone.parent, bone.connected) for bone in twin.bones
    ]
    assert (clip.fps, clip.frames, clip.first_frame) == (other.fps, other.frames, other.first_frame)
    for bone, again in zip(skeleton.bones, twin.bones):
        np.testing.assert_allclose(again.rest, bone.rest, atol=within * size)
    np.testing.assert_allclose(twin.posed(other)[1], skeleton.posed(clip)[1], atol=within * size, rtol=0)
    np.testing.assert_allclose(twin.posed(other)[0], skeleton.posed(clip)[0], atol=max(within, 2e-5), rtol=0)


@pytest.mark.parametrize("name", ("walk", "kick", "turn", "lying", "pose"))
def test_joints_are_where_the_made_take_has_them(tmp_path, name):
    made = made_takes.take(name)
    made_takes.write_bvh(tmp_path / "made.bvh", made)
    clip, skeleton = read_bvh(tmp_path / "made.bvh")
    assert (clip.fps, clip.first_frame, clip.frames) == (made_takes.FPS, 1, made.clip.frames)
    expected, found = joints_of(made.clip, made.skeleton), joints_of(clip, skeleton)
    assert set(found) == set(expected)
    for bone in expected:
        np.testing.assert_allclose(UNIT * found[bone], expected[bone], atol=1e-5)


@pytest.mark.parametrize("name", RECORDED)
def test_what_is_written_is_the_take_that_was_read(takes, tmp_path, name):
    take = read_bvh(takes / name)
    write_bvh(tmp_path / "again.bvh", *take)
    again = read_bvh(tmp_path / "again.bvh")
    check_same(take, again, 1e-6)
    assert take[0].channels == again[0].channels


def test_a_figure_of_other_rotation_modes_and_loose_bones_is_written_too(tmp_path, figure, moving):
    """Two modes out of three are none that a file has: they come back as Euler angles, the motion with them."""
    clip = moving(figure, 60)
    write_bvh(tmp_path / "figure.bvh", clip, figure)
    again, skeleton = read_bvh(tmp_path / "figure.bvh")
    expected, found = joints_of(clip, figure), joints_of(again, skeleton)
    for bone in expected:
        np.testing.assert_allclose(found[bone], expected[bone], atol=1e-5)
    assert {bone.mode for bone in skeleton.bones} == {"XYZ", "ZXY", "YZX"}


def test_several_roots_are_written_under_one(tmp_path, figure, moving):
    pair = replace(
        figure, bones=figure.bones + tuple(replace(bone, name="b" + bone.name, parent=-1) for bone in figure.bones[:1])
    )
    write_bvh(tmp_path / "two.bvh", moving(figure), pair)
    _, skeleton = read_bvh(tmp_path / "two.bvh")
    assert skeleton.bones[0].name == "__0" and {bone.parent for bone in skeleton.bones[1:]} >= {0}


TREE = """HIERARCHY
ROOT hips
{
OFFSET 0 1 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
JOINT one
{
OFFSET 0 0 0
CHANNELS 3 Zrotation Yrotation Xrotation
JOINT tip
{
OFFSET 0 2 0
CHANNELS 3 Zrotation Yrotation Xrotation
End Site
{
OFFSET 0 0 3
}
}
}
JOINT two
{
OFFSET 4 0 0
CHANNELS 3 Zrotation Yrotation Xrotation
}
}
"""


def test_tails_are_at_end_sites_at_the_child_or_amidst_the_children():
    placed = place_joints(read_hierarchy(TREE)[1])
    np.testing.assert_allclose(placed.heads, [[0, 1, 0], [0, 1, 0], [0, 3, 0], [4, 1, 0]])
    np.testing.assert_allclose(placed.tails, [[2, 1, 0], [0, 3, 0], [0, 3, 3], [4, 1.1, 0]])
    assert placed.connected == [False, False, True, False]


def test_axes_lie_along_the_bone_without_roll():
    """The Y axis is the bone, and the other two are turned the shortest way from the armature's."""
    for vector in np.random.default_rng(2).normal(size=(50, 3)):
        axes, along = rolled(vector, 0.0), vector / np.linalg.norm(vector)
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(axes[:, 1], along, atol=1e-12)
        axis = np.cross((0, 1, 0), along)
        np.testing.assert_allclose(axes @ axis, axis, atol=1e-12)
        np.testing.assert_allclose(rolled(vector, 0.3).T @ axes @ (0, 0, 1), [-np.sin(0.3), 0, np.cos(0.3)], atol=1e-12)
    np.testing.assert_array_equal(rolled(np.array([0.0, -2.0, 0.0]), 0.0), np.diag([-1.0, -1.0, 1.0]))


@pytest.mark.parametrize(
    "name, others, expected",
    (
        ("a", [], "a"),
        ("a", ["a"], "a.001"),
        ("a.007", ["a.007", "a.008"], "a.009"),
        ("ü" * 40, [], "ü" * 31),
        ("x" * 70, ["x" * 63], "x" * 59 + ".001"),
    ),
)
def test_names_fit_and_differ(name, others, expected):
    assert bone_name(name, others) == expected


def test_frame_rates_are_those_of_scenes():
    assert frame_rate(1 / 120) == 120.0 and frame_rate(0.0333667) == pytest.approx(29.97, abs=1e-4)


def test_bad_files_and_figures_are_refused_with_a_sentence(tmp_path, figure, moving, with_bone):
    with pytest.raises(Refusal, match="none.bvh"):
        read_bvh(tmp_path / "none.bvh")
    (tmp_path / "bad.bvh").write_text("hello", "utf-8")
    with pytest.raises(Refusal, match="bad.bvh: it is no whole BVH file"):
        read_bvh(tmp_path / "bad.bvh")
    with pytest.raises(Refusal, match="spine does not follow"):
        write_bvh(tmp_path / "led.bvh", moving(figure), with_bone(figure, "spine", led=True))
    with pytest.raises(Refusal, match="cannot be written"):
        write_bvh(tmp_path / "nowhere" / "x.bvh", moving(figure), figure)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.bvh"]
