# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures as core's skeleton: its forward kinematics are Blender's own."""

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.operators.bridge.actions import read_take
from bl_ext.dev.motion_signal.operators.bridge.armatures import selected_bones, skeleton_of
from bl_ext.dev.motion_signal.operators.bridge.measured import model_of

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
    return max(
        np.abs(axes[rows][:, order] - posed[..., :3, :3]).max() / scale,
        np.abs(origins[rows][:, order] - posed[..., :3, 3]).max() / size,
    )


def test_a_recorded_take_stands_where_blender_puts_it(scene, takes):
    rig = rigs.import_take(takes / "cmu_113_14_dance_circle.bvh")
    assert worst(rig, 1, 1013, range(1, 1013, 40)) < CLOSE


@pytest.mark.parametrize("connected", (True, False), ids=("connected", "loose"))
def test_every_rotation_mode_stands_where_blender_puts_it(scene, connected):
    rig = rigs.build_rig(rigs.MODES, connected=lambda index: connected)
    curves = rigs.pose_curves(rig, 40)
    for number, bone in enumerate(rig.pose.bones):  # connected bones have location curves that Blender ignores
        for index in range(3):
            row = rigs.wander(200 + 3 * number + index, 40, 0.2)
            curves[f'pose.bones["{bone.name}"].location', index] = rigs.dense(row)
    rigs.animate(rig, curves)
    assert {bone.rotation_mode for bone in rig.pose.bones} == set(rigs.MODES)
    assert worst(rig, 1, 40, range(1, 41, 3)) < CLOSE


@pytest.mark.parametrize("local", (True, False), ids=("own axes", "parent's axes"))
@pytest.mark.parametrize("turning", (True, False), ids=("turning along", "not turning along"))
@pytest.mark.parametrize("inherit", ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"))
def test_bones_inherit_rotation_scale_and_location_as_blender_has_it(scene, inherit, turning, local):
    rig = rigs.build_rig(("XYZ", "QUATERNION", "ZYX", "AXIS_ANGLE", "XZY"))
    for bone in rig.data.bones:
        bone.inherit_scale, bone.use_inherit_rotation, bone.use_local_location = inherit, turning, local
    curves = rigs.pose_curves(rig, 20)
    for number, bone in enumerate(rig.pose.bones):
        for index in range(3):
            row = rigs.wander(50 + 3 * number + index, 20, 0.2)
            curves[f'pose.bones["{bone.name}"].scale', index] = rigs.dense(1.0 + row)
            curves[f'pose.bones["{bone.name}"].location', index] = rigs.dense(row[::-1])
    rigs.animate(rig, curves)
    assert worst(rig, 1, 20, range(1, 21, 3)) < CLOSE


def test_scaled_and_parented_objects_have_their_place_in_the_world(scene):
    holder = rigs.empty("Holder")
    holder.rotation_euler, holder.scale = (0.4, -0.2, 1.0), (2.0, 2.0, 2.0)
    rig = rigs.build_rig(("XYZ", "QUATERNION"))
    rig.parent, rig.location, rig.scale = holder, (1.0, 2.0, 3.0), (0.5, 0.5, 1.5)
    rigs.animate(rig, rigs.pose_curves(rig, 20))
    bpy.context.view_layer.update()
    skeleton = skeleton_of(rig)
    assert np.abs(np.array(skeleton.world) - np.array(rig.matrix_world)).max() == 0
    assert worst(rig, 1, 20, range(1, 21, 5)) < CLOSE
    up = np.array(rig.matrix_world)[:3, :3] @ skeleton.up
    assert abs(np.array(rig.matrix_world)[2, :3] @ skeleton.up - np.linalg.norm(np.array(rig.matrix_world)[2, :3])) < 1e-6
    assert up[2] > 0


@pytest.mark.parametrize("how", ("constraint", "driver"))
def test_what_constraints_and_drivers_do_is_measured_as_blender_shows_it(scene, how):
    rig, action = rigs.walker(12)
    take = rig, action, rig.animation_data.action_slot
    clip = read_take(action, take[2], tuple(rigs.curves_of(rig).values()), rig, 1, 12, 24.0).clip
    before, joints = model_of(*take).skeleton.posed(clip)
    assert model_of(*take).measured == ()
    if how == "constraint":
        constraint = rig.pose.bones["Bone 1"].constraints.new("LIMIT_ROTATION")
        constraint.use_limit_x, constraint.min_x, constraint.max_x = True, 0.5, 0.6
    else:
        rig.pose.bones["Bone 1"].driver_add("scale", 1).driver.expression = "2.0"
    assert skeleton_of(rig).led == ("Bone 1",)
    scene.frame_set(7)
    model = model_of(*take)
    axes, there = model.skeleton.posed(clip.with_clip(model.clip(*take, 1, 12, 24.0)))
    assert model.measured == ("Bone 1 (carried)",) and scene.frame_current == 7
    order = [model.skeleton.index(bone.name) for bone in rig.pose.bones]
    assert np.abs(there[:, order] - rigs.poses(rig, range(1, 13))[..., :3, 3]).max() < 1e-5
    assert max(np.abs(axes[:, order] - before).max(), np.abs(there[:, order] - joints).max()) > 0.01
    if how == "constraint":
        rig.pose.bones["Bone 1"].constraints[0].mute = True
        assert skeleton_of(rig).led == ()


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
    assert all(bone.parent < index for index, bone in enumerate(skeleton.bones))


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
