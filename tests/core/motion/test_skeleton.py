# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics against 4 x 4 matrices chained frame by frame."""

import numpy as np
import pytest
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.numeric.matrix import euler_matrices, matrices
from motion_signal.core.numeric.rotation import EULER_ORDERS
from scipy.spatial.transform import Rotation

EXACT = 1e-12


def equal(skeleton, clip, posed):
    axes, origin = skeleton.forward(*skeleton.local(clip))
    slow = posed(skeleton, clip)
    assert np.ptp(slow[..., :3, 3], axis=0).max() > 0.01
    return np.abs(axes - slow[..., :3, :3]).max() < EXACT and np.abs(origin - slow[..., :3, 3]).max() < EXACT


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", *EULER_ORDERS])
def test_a_bone_of_every_mode_moves_its_children(mode, bone, moving, posed):
    skeleton = Skeleton(
        (
            bone("root", -1, (0.1, 0.0, 1.0), (0.4, 0.2, 0.0), mode=mode),
            bone("child", 0, (0.5, 0.1, 1.2), (0.0, 1.0, 0.3), mode=mode),
        )
    )
    assert equal(skeleton, moving(skeleton), posed)


@pytest.mark.parametrize("scales", [False, True])
def test_a_figure_of_connected_and_loose_bones_moves_like_chained_matrices(scales, figure, moving, posed):
    assert equal(figure, moving(figure, scales=scales), posed)


@pytest.mark.parametrize("name", ["spine", "leg"])  # further down parents are sheared: Blender's own tests have those
def test_a_bone_that_inherits_no_scale_moves_like_chained_matrices(name, figure, moving, posed, with_bone):
    skeleton = with_bone(figure, name, inherit_scale="NONE")
    clip = moving(skeleton, scales=True)
    assert equal(skeleton, clip, posed)
    assert np.abs(posed(skeleton, clip) - posed(figure, clip)).max() > 0.01


def test_a_loose_bone_that_inherits_no_scale_still_moves_along_its_parents_scaled_axes(bone):
    """As Blender places it: pose a parent to twice its size and the child's location counts double."""
    child = bone("child", 0, (0.0, 1.0, 0.0), (0, 0, 0), inherit_scale="NONE", location=(1.0, 0.0, 0.0))
    skeleton = Skeleton((bone("root", -1, (0, 0, 0), (0, 0, 0), scale=(2.0, 2.0, 2.0)), child))
    axes, origin = skeleton.forward(*skeleton.local(Clip(np.zeros((3, 0)), (), 30.0, 1)))
    assert np.abs(origin[:, 1] - [2.0, 2.0, 0.0]).max() < EXACT
    assert np.abs(axes[:, 1] - np.eye(3)).max() < EXACT


def test_the_location_of_a_connected_bone_counts_for_nothing(figure, moving):
    clip = moving(figure)
    paths = [Channel(figure.bones[1].path + ".location", index, "LOCATION", "spine") for index in range(3)]
    pushed = clip.with_channels(paths, [1.0, 2.0, 3.0])
    assert (figure.forward(*figure.local(pushed))[1] == figure.forward(*figure.local(clip))[1]).all()


def test_unkeyed_channels_hold_what_the_pose_holds(figure, moving, posed, with_bone):
    clip = moving(figure)
    skeleton = with_bone(figure, "leg", scale=(1.0, 2.0, 1.0))
    keyed = [column for column, channel in enumerate(clip.channels) if channel.owner != "hips"]
    part = Clip(clip.values[:, keyed], tuple(clip.channels[column] for column in keyed), clip.fps, 1)
    skeleton = with_bone(skeleton, "hips", location=(0.3, 0.0, -0.2), rotation=(0.8, 0.6, 0.0, 0.0))
    assert equal(skeleton, part, posed)


def test_held_is_what_a_channel_has_without_keys(figure, with_bone):
    skeleton = with_bone(figure, "leg", scale=(1.0, 2.0, 1.0), rotation=(0.1, 0.2, 0.3), location=(4.0, 5.0, 6.0))
    path = figure.bones[3].path
    for name, index, value in (("scale", 1, 2.0), ("rotation_euler", 2, 0.3), ("location", 0, 4.0)):
        assert skeleton.held(Channel(f"{path}.{name}", index, owner="leg")) == value


def test_the_rest_pose_is_the_rest_matrices(figure):
    axes, origin = figure.forward(*figure.local(Clip(np.zeros((3, 0)), (), 30.0, 1)))
    for index, bone in enumerate(figure.bones):
        assert np.abs(axes[:, index] - bone.rest[:3, :3]).max() < EXACT
        assert np.abs(origin[:, index] - bone.rest[:3, 3]).max() < EXACT


def test_below_is_a_bone_and_all_that_hangs_on_it(figure):
    assert figure.below("spine") == {"spine", "head"}
    assert figure.below("hips") == {"hips", "spine", "head", "leg", "foot"}
    assert figure.below("foot") == {"foot"}
    assert figure.below("nobody") == {"nobody"}


def test_index_finds_a_bone_by_name(figure):
    assert [figure.index(name) for name in ("hips", "foot", "nobody")] == [0, 4, -1]


def test_matrices_equal_scipys():
    turns = Rotation.random(100, rng=np.random.default_rng(0))
    assert np.abs(matrices(turns.as_quat(scalar_first=True).T) - turns.as_matrix()).max() < EXACT


def test_posed_is_forward_of_local(figure, moving):
    clip = moving(figure, frames=1100, scales=True)
    for whole, arrays in zip(figure.posed(clip), figure.forward(*figure.local(clip))):
        assert np.abs(whole - arrays).max() < EXACT


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_matrices_of_euler_angles_equal_scipys_at_any_angle(order):
    angles = np.random.default_rng(0).uniform(-20, 20, (60, 3))
    angles[:3] = [np.pi] * 3, [0.0] * 3, [-np.pi, np.pi / 2, 0.0]
    turns = Rotation.from_euler(order.lower(), angles[:, ["XYZ".index(axis) for axis in order]])
    assert np.abs(np.moveaxis(euler_matrices(angles.T, order), -1, 0) - turns.as_matrix()).max() < EXACT


def test_a_bone_without_its_parents_rotation_keeps_its_own(figure, moving, with_bone):
    """And still hangs where the parent takes it."""
    clip = moving(figure)
    alone = with_bone(figure, "leg", inherit_rotation=False)
    (usual, where), (axes, there) = figure.posed(clip), alone.posed(clip)
    index = figure.index("leg")
    own = figure.bones[index].rest[:3, :3] @ figure.local(clip)[0][:, index]
    assert np.abs(axes[:, index] - own).max() < EXACT and np.abs(usual[:, index] - own).max() > 0.1
    assert np.abs(there[:, index] - where[:, index]).max() < EXACT


def test_up_is_the_worlds_up_whatever_the_object_does(figure):
    turn = np.eye(4)
    turn[:3, :3] = 3.0 * Rotation.from_euler("xyz", (0.3, -0.7, 1.1)).as_matrix()
    turned = Skeleton(figure.bones, tuple(map(tuple, turn)))
    assert np.abs(turn[:3, :3] @ turned.up - [0.0, 0.0, 3.0]).max() < EXACT
    assert (figure.up == [0.0, 0.0, 1.0]).all()


def test_a_chain_leads_from_the_root_to_a_bone(figure):
    assert figure.chain(4) == [0, 3, 4] and figure.chain(0) == [0]


def test_led_bones_are_named(figure, with_bone):
    assert figure.led == () and with_bone(figure, "leg", led=True).led == ("leg",)
