# SPDX-License-Identifier: GPL-3.0-or-later
"""Shaping in Blender: the rig's own limits are kept, by Blender's own word for it."""

import math

import bpy
import numpy as np
import pytest
import rigs

LIMITED = {"LeftArm": (-20.0, 25.0), "RightUpLeg": (-15.0, 20.0), "LeftLeg": (0.0, 35.0), "Neck": (-5.0, 5.0)}


def limit(pose, low, high):
    constraint = pose.constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "LOCAL"
    for axis in "xyz":
        setattr(constraint, f"use_limit_{axis}", True)
        setattr(constraint, f"min_{axis}", math.radians(low))
        setattr(constraint, f"max_{axis}", math.radians(high))
    return constraint


def local(rig, frames, muted):
    """Local pose matrices of the limited bones, with or without what their constraints do."""
    for name in LIMITED:
        rig.pose.bones[name].constraints[0].mute = muted
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(
            [
                rig.convert_space(
                    pose_bone=rig.pose.bones[name], matrix=rig.pose.bones[name].matrix, from_space="POSE", to_space="LOCAL"
                )
                for name in LIMITED
            ]
        )
    return np.array(found)


@pytest.mark.parametrize("mode", ("NATIVE", "QUATERNION"))
@pytest.mark.parametrize("shape", ("HARD", "SOFT"))
def test_limits_of_the_rig_leave_its_constraints_nothing_to_do(scene, takes, shape, mode):
    rig = rigs.import_take(takes / "cmu_16_36_run_jog.bvh", rotate_mode=mode)
    for name, limits in LIMITED.items():
        limit(rig.pose.bones[name], *limits)
    frames = range(32, 190, 6)  # after the T-pose, which stays, the change comes in within a quarter of a second
    assert np.abs(local(rig, frames, muted=True) - local(rig, frames, muted=False)).max() > 0.1
    source = rig.animation_data.action
    with rigs.untouched(source):
        bpy.ops.motion_signal.waveshape(shape=shape, span="BONES", softness=5.0)
    assert np.abs(local(rig, frames, muted=True) - local(rig, frames, muted=False)).max() < 1e-4
    before, after = (
        np.abs(np.diff(list(rigs.evaluated(rig, range(2, 191), action).values()), axis=1)).max(axis=1)
        for action in (source, rig.animation_data.action)
    )
    assert (after < 2.0 * before + 0.05).all()  # no frame pops


def test_a_rig_without_limits_is_refused_with_a_sentence(scene):
    rigs.walker(97)
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="no bone of the rig"):
        bpy.ops.motion_signal.waveshape(shape="HARD", span="BONES")


def test_ik_limits_are_limits_too(scene):
    rig, _ = rigs.walker(97)
    pose = rig.pose.bones["Bone 1"]
    pose.use_ik_limit_x, pose.ik_min_x, pose.ik_max_x = True, -0.05, 0.1
    bpy.ops.motion_signal.waveshape(shape="HARD", span="BONES")
    values = rigs.evaluated(rig, range(1, 98))['pose.bones["Bone 1"].rotation_euler', 0]
    assert -0.05 - 1e-6 <= values.min() and values.max() <= 0.1 + 1e-6 and np.ptp(values) > 0.1


def test_a_curve_through_points_is_json_text(scene):
    rig, _ = rigs.walker(97)
    before = rigs.evaluated(rig, range(1, 98))
    bpy.ops.motion_signal.waveshape(points="[[0, 1], [1, 0]]")
    after = rigs.evaluated(rig, range(1, 98))
    name = next(name for name in before if name[0].endswith("location"))
    assert np.abs(after[name] - (before[name].max() + before[name].min() - before[name])).max() < 1e-5
