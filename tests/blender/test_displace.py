# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacement from a script: keys as JSON text, seen in Blender's own pose."""

import json

import bpy
import numpy as np
import pytest
import rigs
from mathutils import Euler

LAST = 97


@pytest.mark.parametrize("mode", rigs.MODES)
def test_a_key_turns_the_bone_in_its_own_space_at_its_frame(scene, mode):
    rig = rigs.build_rig((mode,))
    rigs.animate(rig, rigs.pose_curves(rig, LAST))
    before = rigs.poses(rig, [40, 90])
    source = rig.animation_data.action
    keys = [{"frame": 40, "bones": {"Bone 0": {"rotation": [25.0, 0.0, 0.0]}}, "reach": 0.5}]
    with rigs.untouched(source):
        bpy.ops.motion_signal.displace(displacement_keys=json.dumps(keys))
    after = rigs.poses(rig, [40, 90])
    turn = np.array(Euler((np.radians(25.0), 0.0, 0.0)).to_matrix().to_4x4())
    assert np.abs(after[0, 0] - before[0, 0] @ turn).max() < 1e-5
    assert np.abs(after[1] - before[1]).max() < 1e-7


def test_a_locked_bone_is_refused_by_name(scene):
    rig, _ = rigs.walker(LAST)
    for (path, _), curve in rigs.curves_of(rig).items():
        curve.lock = "Bone 1" in path
    keys = [{"frame": 40, "bones": {"Bone 1": {"rotation": [25.0, 0.0, 0.0]}}}]
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="rotation of Bone 1 is not keyed, or is locked"):
        bpy.ops.motion_signal.displace(displacement_keys=json.dumps(keys))
