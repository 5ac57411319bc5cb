# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing over a take: what is posed shows at once, keys keep it, results open again."""

import json

import bpy
import numpy as np
import pytest
import rigs
import scipy
from bl_ext.dev.motion_signal.core.techniques.character.displace import DISPLACE
from bl_ext.dev.motion_signal.operators.tools import displace as displacement
from desk import panel, press_apply
from mathutils import Matrix, Quaternion

pytestmark = pytest.mark.usefixtures("settled")

LAST = 97
METRE = 0.0564444  # of one unit of the takes


def turn(rig, bone, degrees):
    """Turn a bone by hand about its own X, on top of how it stands."""
    posed = rig.pose.bones[bone]
    posed.matrix_basis = posed.matrix_basis @ Matrix.Rotation(np.radians(degrees), 4, "X")
    bpy.context.view_layer.update()


def at(frame):
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()


def keyed():
    return json.loads(panel().displace.displacement_keys or "[]")


def posed_keys(rig, *frames):
    """Pose and keep a turn of a bone at frames; the poses as they were set, one a frame."""
    bpy.ops.motion_signal.displace_start()
    seen = []
    for frame in frames:
        at(frame)
        turn(rig, "Bone 1", 30)
        seen.append(np.array(rig.pose.bones["Bone 1"].matrix_basis))
        bpy.ops.motion_signal.displace_key_add()
    return seen


@pytest.mark.parametrize("mode", rigs.MODES)
def test_a_pose_becomes_a_key_and_the_result_passes_through_it(mode):
    rig = rigs.build_rig((mode, mode, "XYZ"))
    source = rigs.animate(rig, rigs.pose_curves(rig, LAST))
    with rigs.untouched(source):
        seen = posed_keys(rig, 30, 60)
        assert [key["frame"] for key in keyed()] == [30, 60] and all(list(key["bones"]) == ["Bone 1"] for key in keyed())
        assert press_apply(DISPLACE) == {"FINISHED"}
    for frame, wanted in zip((30, 60), seen):
        at(frame)
        assert np.abs(np.array(rig.pose.bones["Bone 1"].matrix_basis) - wanted).max() < 1e-5
    assert rig.animation_data.action.name == "Take displacement" and not keyed()


def test_a_pose_is_shown_before_it_is_kept_and_dropped_when_the_frame_is_left():
    rig, source = rigs.walker(LAST)
    bpy.ops.motion_signal.displace_start()
    at(40)
    before = rigs.evaluated(rig, range(1, LAST + 1))
    turn(rig, "Bone 1", 30)
    shown = rigs.evaluated(rig, range(1, LAST + 1))
    path = 'pose.bones["Bone 1"].rotation_euler'
    assert max(np.abs(shown[path, axis] - before[path, axis])[34] for axis in range(3)) > 0.05
    assert displacement.pose_shown(bpy.context) and not keyed()
    at(41)
    dropped = rigs.evaluated(rig, range(1, LAST + 1))
    assert max(np.abs(dropped[name] - before[name]).max() for name in before) < 1e-6


def test_a_pose_is_taken_without_start():
    rig, source = rigs.walker(LAST)
    at(50)
    turn(rig, "Bone 2", -20)
    wanted = np.array(rig.pose.bones["Bone 2"].matrix_basis)
    bpy.ops.motion_signal.displace_key_add()
    at(10)
    at(50)
    assert np.abs(np.array(rig.pose.bones["Bone 2"].matrix_basis) - wanted).max() < 1e-5


def test_with_auto_keying_a_pose_is_kept_at_once():
    rig, _ = rigs.walker(LAST)
    bpy.ops.motion_signal.displace_start()
    at(40)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    turn(rig, "Bone 1", 30)
    assert [key["frame"] for key in keyed()] == [40]


def test_posing_again_at_a_key_replaces_it():
    rig, _ = rigs.walker(LAST)
    posed_keys(rig, 40)
    turn(rig, "Bone 1", 25)
    wanted = np.array(rig.pose.bones["Bone 1"].matrix_basis)
    bpy.ops.motion_signal.displace_key_add()
    at(39)
    at(40)
    assert len(keyed()) == 1 and np.abs(np.array(rig.pose.bones["Bone 1"].matrix_basis) - wanted).max() < 1e-5


def test_what_something_else_drives_is_not_taken_for_a_pose():
    rig, _ = rigs.walker(LAST)
    driver = rig.driver_add('pose.bones["Bone 1"].rotation_euler', 0).driver
    driver.expression = "0.7"
    bpy.ops.motion_signal.displace_start()
    at(40)
    assert displacement.pose_shown(bpy.context) is None
    turn(rig, "Bone 2", 30)
    assert list(displacement.pose_shown(bpy.context)["bones"]) == ["Bone 2"]


def test_rows_of_the_list_change_the_keys():
    rig, _ = rigs.walker(LAST)
    posed_keys(rig, 30, 60)
    rows = panel().displace.displacement_keys_rows
    rows[0].frame, rows[1].tension, rows[1].on = 20, 0.5, False
    assert [(key["frame"], key.get("tension", 0), key.get("on", True)) for key in keyed()] == [(20, 0, True), (60, 0.5, False)]
    panel().displace.displacement_keys_index = 1
    at(80)
    bpy.ops.motion_signal.displace_key_copy()
    assert [key["frame"] for key in keyed()] == [20, 60, 80] and keyed()[2]["bones"] == keyed()[1]["bones"]
    panel().displace.displacement_keys_index = 0
    bpy.ops.motion_signal.record_remove(technique="displace", field="displacement_keys")
    assert [row.frame for row in panel().displace.displacement_keys_rows] == [60, 80]


def test_strength_scales_a_key():
    rig, source = rigs.walker(LAST)
    path = 'pose.bones["Bone 0"].location'
    keys = [{"frame": 40, "bones": {"Bone 0": {"location": [0.2, 0, 0]}}, "strength": 0.5}]
    before = rigs.evaluated(rig, [40])[path, 0]
    bpy.ops.motion_signal.displace(displacement_keys=json.dumps(keys))
    assert rigs.evaluated(rig, [40])[path, 0] - before == pytest.approx(0.1, abs=1e-6)


def test_a_result_opens_again_on_the_take_and_cancel_gives_the_result_back():
    rig, source = rigs.walker(LAST)
    posed_keys(rig, 40)
    press_apply(DISPLACE)
    result = rig.animation_data.action
    with rigs.untouched(source, result):
        assert bpy.ops.motion_signal.reopen() == {"FINISHED"}
        assert [key["frame"] for key in keyed()] == [40]
        shown, was = rigs.evaluated(rig, range(1, LAST + 1)), rigs.evaluated(rig, range(1, LAST + 1), result)
        assert max(np.abs(shown[name] - was[name]).max() for name in was) < 1e-6
        panel().displace.displacement_keys_rows[0].strength = 0.0
        bpy.ops.motion_signal.preview_end()
        assert rig.animation_data.action == result


def test_a_changed_key_is_applied_to_the_take_not_to_the_result():
    rig, source = rigs.walker(LAST)
    posed_keys(rig, 40)
    press_apply(DISPLACE)
    bpy.ops.motion_signal.reopen()
    panel().displace.displacement_keys_rows[0].strength = 0.0
    press_apply(DISPLACE)
    after, before = rigs.evaluated(rig, range(1, LAST + 1)), rigs.evaluated(rig, range(1, LAST + 1), source)
    assert max(np.abs(after[name] - before[name]).max() for name in before) < 1e-6
    assert rig.animation_data.action["motion_signal_source"] == source


def test_passes_stack():
    rig, source = rigs.walker(LAST)
    path = 'pose.bones["Bone 0"].location'
    before = rigs.evaluated(rig, [40])[path, 0]
    for amount in (0.2, 0.3):
        keys = [{"frame": 40, "bones": {"Bone 0": {"location": [amount, 0, 0]}}}]
        bpy.ops.motion_signal.displace(displacement_keys=json.dumps(keys))
    assert rigs.evaluated(rig, [40])[path, 0] - before == pytest.approx(0.5, abs=1e-6)


def test_a_key_outside_the_take_is_refused_by_its_frame():
    rig, _ = rigs.walker(LAST)
    bpy.ops.motion_signal.displace_start()
    at(LAST + 20)
    with pytest.raises(RuntimeError, match=f"frame {LAST + 20} is not one of the take's, 1 to {LAST}"):
        bpy.ops.motion_signal.displace_key_add()
    assert not keyed()


def test_a_punch_reaches_higher_at_one_impact_and_nowhere_else(takes):
    """The hand 20 cm up at an impact, posed with arm and spine: through it within 1 mm, the other impacts as they were."""
    rig = rigs.import_take(takes / "cmu_113_13_punch_kick.bvh", global_scale=METRE)
    frames, impacts = range(2, 1345), (220, 395, 764)
    before = hands(rig, frames)
    bpy.ops.motion_signal.displace_start()
    at(impacts[0])
    panel().live = False
    target = before[impacts[0] - 2] + [0.0, 0.0, 0.2]
    reach_for(rig, target)
    bpy.ops.motion_signal.displace_key_add()
    panel().displace.displacement_keys_rows[0].reach = 0.5
    press_apply(DISPLACE)
    after = hands(rig, frames)
    assert np.linalg.norm(after[impacts[0] - 2] - target) < 1e-3
    for impact in impacts[1:]:
        assert np.linalg.norm(after[impact - 2] - before[impact - 2]) < 1e-3
    assert fastest_change(after) <= 1.5 * fastest_change(before)


def hands(rig, frames):
    """Where the right hand is, (frames, 3), as Blender evaluates it."""
    return rigs.poses(rig, frames)[:, [bone.name for bone in rig.pose.bones].index("RightHand"), :3, 3]


def reach_for(rig, target):
    """Pose arm and spine as little as it takes to bring the right hand to a place in the armature."""
    bones = [rig.pose.bones[name] for name in ("LowerBack", "Spine1", "RightShoulder", "RightArm", "RightForeArm")]
    standing = [bone.matrix_basis.copy() for bone in bones]

    def miss(numbers):
        turns = numbers - 1.0  # steps are parts of a number, and Blender is too coarse for parts of zero
        for bone, basis, turned in zip(bones, standing, turns.reshape(-1, 3)):
            bone.matrix_basis = basis @ Quaternion(turned.tolist()).to_matrix().to_4x4()
        bpy.context.view_layer.update()
        return np.concatenate([100 * (np.array(rig.pose.bones["RightHand"].head) - target), 0.01 * turns])

    scipy.optimize.least_squares(miss, np.ones(15), diff_step=1e-3)


def fastest_change(places):
    return np.linalg.norm(np.diff(places, 2, axis=0), axis=1).max()


def test_an_action_that_is_not_there_is_refused():
    rigs.walker(LAST)
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="action: there is no Nothing"):
        bpy.ops.motion_signal.displace(action="Nothing")
