# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded takes with few keys: feet, hands and head where they were at every frame, by Blender's own curves and pose."""

import json

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.body.contacts import find_contacts
from bl_ext.dev.motion_signal.core.body.roles import find_roles
from bl_ext.dev.motion_signal.core.declare.scope import ScopeParams
from bl_ext.dev.motion_signal.core.techniques.figure.reduce import drawn, reduced
from bl_ext.dev.motion_signal.operators.bridge.actions import channelbag
from bl_ext.dev.motion_signal.operators.bridge.keyframes import dense_keys, set_keys
from bl_ext.dev.motion_signal.operators.bridge.scope import gather

pytestmark = pytest.mark.only("5.2")  # what it tries is not Blender's

ENDS = ("LeftFoot", "RightFoot", "LeftHand", "RightHand", "Head")


def poses(rig, frames):
    """Matrices (frames, ends, 4, 4) of the ends, and their tips (frames, ends, 3)."""
    matrices, tips = [], []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        matrices.append([rig.pose.bones[name].matrix.copy() for name in ENDS])
        tips.append([rig.pose.bones[name].tail.copy() for name in ENDS])
    return np.array(matrices), np.array(tips)


def angles(one, other):
    """Degrees between rotation matrices, exact for small ones too."""
    chord = np.linalg.norm(one - other, axis=(-2, -1)) / np.sqrt(8.0)
    return np.degrees(2.0 * np.arcsin(chord))


@pytest.mark.parametrize("mode, together", [("NATIVE", False), ("QUATERNION", False), ("NATIVE", True)])
@pytest.mark.parametrize("file", ["cmu_16_36_run_jog.bvh", "cmu_07_12_walk_brisk_badrow.bvh"])
def test_feet_hands_and_head_stay_in_place_in_blender(scene, takes, file, mode, together):
    unit = json.loads((takes / "truth.json").read_text())[file]["unit"]
    rig = rigs.import_take(takes / file, global_scale=unit, rotate_mode=mode)
    scope = gather(bpy.context, ScopeParams())
    clip, roles = scope.read().clip, find_roles(scope.skeleton)
    frames = range(clip.first_frame, clip.last_frame + 1)
    before, tips = poses(rig, frames)
    keys = reduced(clip, scope.skeleton, roles, contacts=find_contacts(clip, scope.skeleton, roles), together=together)
    data = rig.animation_data
    bag = channelbag(data.action, data.action_slot)
    for channel, own in zip(clip.channels, keys):
        set_keys(
            bag.fcurves.find(channel.path, index=channel.index), dense_keys(clip.first_frame + own.rows, own.values, own.slopes)
        )
    data.action = data.action  # Blender looks at the keys anew
    after, moved = poses(rig, frames)
    millimetres = 1e3 * max(
        np.linalg.norm(before[..., :3, 3] - after[..., :3, 3], axis=2).max(), np.linalg.norm(tips - moved, axis=2).max()
    )
    degrees = angles(before[..., :3, :3], after[..., :3, :3]).max()
    count = sum(len(own.rows) for own in keys)
    print(f"{file} {mode} {together}: {clip.values.size / count:.1f} x fewer keys, {millimetres:.3f} mm, {degrees:.3f} degrees")
    assert 1.0 < millimetres <= 2.0 and 0.2 < degrees <= 0.5  # less would say that the new keys were not looked at
    values = np.column_stack(list(rigs.evaluated(rig, frames).values()))
    assert np.abs(np.sort(values.max(axis=0)) - np.sort(drawn(clip, keys).values.max(axis=0))).max() < 1e-4
    assert count < clip.values.size / (4 if together else 6)
