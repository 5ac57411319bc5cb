# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures as core's skeleton: its forward kinematics are Blender's own."""

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.operators.actions import read_take
from bl_ext.dev.motion_signal.operators.armatures import selected_bones, skeleton_of

CLOSE = 2e-5  # of the figure's size: Blender computes in single precision


def worst(rig, first, last, frames):
    """How far core's posed matrices are from Blender's, in parts of the figure's size."""
    data = rig.animation_data
    curves = tuple(rigs.curves_of(rig).values())
    clip = read_take(data.action, data.action_slot, curves, rig, first, last, 24.0).clip
    skeleton = skeleton_of(rig)
    axes, origins = skeleton.forward(*skeleton.local(clip))
    order = [skeleton.index(bone.name) for bone in rig.pose.bones]
    posed = rigs.poses(rig, frames)
    rows = np.array(frames) - first
    size = max(1.0, np.abs(posed[..., :3, 3]).max())
    scale = np.linalg.norm(posed[..., :3, :3], axis=-2).max()
    return max(np.abs(axes[rows][:, order] - posed[..., :3, :3]).max() / scale,
               np.abs(origins[rows][:, order] - posed[..., :3, 3]).max() / size)


def test_a_recorded_take_stands_where_blender_puts_it(scene, takes):
    rig = rigs.import_take(takes / "cmu_113_14_dance_circle.bvh")
    assert worst(rig, 1, 1013, range(1, 1013, 40)) < CLOSE


@pytest.mark.parametrize("connected", (True, False), ids=("connected", "loose"))
def test_every_rotation_mode_stands_where_blender_puts_it(scene, connected):
    rig = rigs.build_rig(rigs.MODES, connected=lambda place: connected)
    curves = rigs.pose_curves(rig, 40)
    for place, bone in enumerate(rig.pose.bones):  # connected bones have location curves that Blender ignores
        for index in range(3):
            row = rigs.wander(200 + 3 * place + index, 40, 0.2)
            curves[f'pose.bones["{bone.name}"].location', index] = rigs.dense(row)
    rigs.animate(rig, curves)
    assert {bone.rotation_mode for bone in rig.pose.bones} == set(rigs.MODES)
    assert worst(rig, 1, 40, range(1, 41, 3)) < CLOSE


@pytest.mark.parametrize("inherit", ("FULL", "NONE"))
def test_scaled_bones_stand_where_blender_puts_them(scene, inherit):
    rig = rigs.build_rig(("XYZ", "QUATERNION", "ZYX"))
    for bone in rig.data.bones:
        bone.inherit_scale = inherit
    curves = rigs.pose_curves(rig, 30)
    for index in range(3):
        curves['pose.bones["Bone 0"].scale', index] = rigs.dense(1.0 + rigs.wander(50 + index, 30, 0.2))
        curves['pose.bones["Bone 1"].scale', index] = rigs.dense(1.0 + rigs.wander(60 + index, 30, 0.2))
    rigs.animate(rig, curves)
    assert worst(rig, 1, 30, range(1, 31, 2)) < 2 * CLOSE


def test_unkeyed_channels_are_what_the_pose_holds(scene):
    rig = rigs.build_rig(("QUATERNION", "XYZ", "AXIS_ANGLE"))
    rig.pose.bones[0].rotation_quaternion = (0.8, 0.3, -0.2, 0.4)
    rig.pose.bones[2].rotation_axis_angle = (0.7, 0.3, 0.9, 0.1)
    rig.pose.bones[2].location = (0.1, 0.2, 0.3)
    rigs.animate(rig, {('pose.bones["Bone 1"].rotation_euler', 1): rigs.dense(rigs.wander(1, 20))})
    assert worst(rig, 1, 20, range(1, 21, 4)) < CLOSE


def test_parents_come_first(scene, takes):
    skeleton = skeleton_of(rigs.import_take(takes / "cmu_16_36_run_jog.bvh"))
    assert len(skeleton.bones) > 30
    assert all(bone.parent < place for place, bone in enumerate(skeleton.bones))


def test_other_objects_have_no_skeleton(scene):
    assert skeleton_of(rigs.empty()) is None
    assert skeleton_of(bpy.data.cameras.new("Camera")) is None


def test_selected_bones_are_those_selected_in_pose_mode(scene):
    rig, _ = rigs.walker(9)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="DESELECT")
    assert selected_bones(rig) == set()
    bpy.ops.pose.select_all(action="SELECT")
    assert selected_bones(rig) == {"Bone 0", "Bone 1", "Bone 2"}
