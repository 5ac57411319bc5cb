# SPDX-License-Identifier: GPL-3.0-or-later
"""Retargeting from the desk: the operator, what it is asked, maps in files, and what it refuses."""

import json

import bpy
import control_rigs
import numpy as np
import pytest
import rigs

WALK = "cmu_07_01_walk_normal"


@pytest.fixture
def pair(scene, takes):
    """A recorded walk on its own armature, and another figure that is active."""
    rigs.import_take(takes / f"{WALK}.bvh")
    source = bpy.context.object
    bpy.ops.motion_signal.add_figure()
    bpy.ops.object.mode_set(mode="OBJECT")
    return source, bpy.context.object


def test_a_figure_plays_the_take_of_another_which_stays_as_it_is(pair):
    source, target = pair
    played = source.animation_data.action
    count = [len(curve.keyframe_points) for curve in curves_of(played)]
    assert bpy.ops.motion_signal.retarget(source=source.name) == {"FINISHED"}
    assert target.animation_data.action.name.startswith(source.name)
    assert source.animation_data.action == played and [len(curve.keyframe_points) for curve in curves_of(played)] == count
    assert "bones follow" in bpy.context.window_manager.motion_signal.report


def curves_of(action):
    return action.layers[0].strips[0].channelbags[0].fcurves


def test_the_other_selected_armature_is_the_source_and_without_one_it_is_asked_for(pair):
    source, target = pair
    bpy.ops.motion_signal.add_figure()  # a third one that plays something
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = target
    bpy.ops.object.select_all(action="DESELECT")
    target.select_set(True)
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="choose under From which armature has the take"):
        bpy.ops.motion_signal.retarget()
    source.select_set(True)
    assert bpy.ops.motion_signal.retarget() == {"FINISHED"}


def test_the_only_other_armature_that_plays_something_is_the_source(pair):
    bpy.ops.object.select_all(action="DESELECT")
    assert bpy.ops.motion_signal.retarget() == {"FINISHED"}


def test_a_file_is_taken_from_and_nothing_of_it_stays(pair, takes):
    objects = set(bpy.data.objects)
    assert bpy.ops.motion_signal.retarget(filepath=str(takes / f"{WALK}.bvh"), result="Brought") == {"FINISHED"}
    assert set(bpy.data.objects) == objects and pair[1].animation_data.action.name == "Brought"


def numbers(action):
    """Keys of all curves, {(path, index): rows}."""
    found = {}
    for curve in curves_of(action):
        keys = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", keys)
        found[curve.data_path, curve.array_index] = keys
    return found


@pytest.mark.parametrize("changes", [{}, {"plant": False}, {"travel": "SPEED"}, {"hands": True, "few": True}])
def test_what_is_shown_while_it_is_asked_for_is_what_is_made_to_the_bit(pair, changes):
    source, target = pair
    settings, before = target.motion_signal_retarget, target.animation_data.action
    settings.source = source
    settings.live = True
    for name, value in changes.items():
        setattr(settings, name, value)
    shown = target.animation_data.action
    assert shown != before and "motion_signal_preview" in shown
    seen = numbers(shown)
    assert bpy.ops.motion_signal.retarget() == {"FINISHED"}
    made = numbers(target.animation_data.action)
    assert seen.keys() == made.keys() and all((seen[key] == made[key]).all() for key in seen)
    assert not settings.live and not any("motion_signal_preview" in action for action in bpy.data.actions)


def test_a_preview_gives_back_what_the_figure_had(pair):
    source, target = pair
    settings, before, count = target.motion_signal_retarget, target.animation_data.action, len(bpy.data.actions)
    settings.source = source
    settings.live = True
    assert target.animation_data.action != before
    settings.live = False
    assert target.animation_data.action == before and len(bpy.data.actions) == count


def test_a_preview_on_a_rig_that_plays_nothing_leaves_its_pose_and_its_switches_as_they_were(scene, takes):
    rigs.import_take(takes / f"{WALK}.bvh")
    source, rig = bpy.context.object, control_rigs.rigify("human")
    rig.pose.bones["head"].rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    rig.pose.bones["thigh_parent.L"]["IK_FK"] = 1.0
    bpy.context.view_layer.update()
    before = {pose.name: pose.matrix_basis.copy() for pose in rig.pose.bones}
    settings = rig.motion_signal_retarget
    settings.source = source
    settings.live = True
    bpy.context.scene.frame_set(40)
    assert rig.pose.bones["torso"].matrix_basis != before["torso"] and rig.pose.bones["thigh_parent.L"]["IK_FK"] == 0.0
    settings.live = False
    bpy.context.scene.frame_set(41)
    assert rig.pose.bones["thigh_parent.L"]["IK_FK"] == 1.0 and rig.animation_data.action is None
    apart = [np.abs(np.array(pose.matrix_basis) - np.array(before[pose.name])).max() for pose in rig.pose.bones]
    assert max(apart) < 1e-6


def test_what_stands_in_the_way_of_a_preview_is_said_and_nothing_is_lent(pair):
    source, target = pair
    settings, before = target.motion_signal_retarget, target.animation_data.action
    settings.source = source
    source.animation_data.action = None
    settings.live = True
    assert "no take to bring over" in bpy.context.window_manager.motion_signal.notice
    assert target.animation_data.action == before


def test_a_step_goes_on_from_a_result(pair):
    bpy.ops.motion_signal.retarget(source=pair[0].name)
    made = pair[1].animation_data.action
    assert bpy.ops.motion_signal.equalize(preset="exaggerate") == {"FINISHED"}
    assert pair[1].animation_data.action != made


def test_bones_are_listed_corrected_saved_and_loaded(pair, tmp_path):
    source, target = pair
    settings = target.motion_signal_retarget
    settings.source = source
    assert bpy.ops.motion_signal.retarget_bones() == {"FINISHED"}
    rows = {row.name: row.source for row in settings.bones}
    assert rows["thigh.L"] == "LeftUpLeg" and rows["head"] == "Head"
    settings.bones["head"].source = "Neck"
    path = tmp_path / "map.json"
    assert bpy.ops.motion_signal.retarget_save_map(filepath=str(path)) == {"FINISHED"}
    assert json.loads(path.read_text("utf-8"))["bones"]["head"] == "Neck"
    assert bpy.ops.motion_signal.retarget_forget() == {"FINISHED"} and not settings.bones
    assert bpy.ops.motion_signal.retarget_load_map(filepath=str(path)) == {"FINISHED"}
    assert settings.bones["head"].source == "Neck"
    assert bpy.ops.motion_signal.retarget() == {"FINISHED"}
    made = json.loads(target.animation_data.action["motion_signal_retargeted"])
    assert made["map"]["head"] == "Neck"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"map": '{"tail": "Head"}'}, "the figure has no bone 'tail'"),
        ({"map": '{"head": "Kopf"}'}, "take's figure has no bone 'Kopf'"),
        ({"map": "nowhere.json"}, "nowhere.json cannot be read"),
        ({"source": "Nobody"}, "there is no armature Nobody"),
        ({"take": "Nothing"}, "there is no Nothing"),
        ({"filepath": "/nowhere/walk.bvh"}, "there is no such file"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence_and_nothing_is_made(pair, asked, words):
    with rigs.nothing_made(), pytest.raises(RuntimeError, match=words):
        bpy.ops.motion_signal.retarget(**{"source": pair[0].name, **asked})


def test_a_file_with_two_armatures_is_refused_and_nothing_of_it_stays(pair, tmp_path):
    for subject in pair:
        subject.select_set(True)
    path = tmp_path / "two.glb"
    bpy.ops.export_scene.gltf(filepath=str(path), use_selection=True)
    objects = set(bpy.data.objects)
    with pytest.raises(RuntimeError, match="there are 2 armatures in it; import it, and choose one"):
        bpy.ops.motion_signal.retarget(filepath=str(path))
    assert set(bpy.data.objects) == objects


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
def test_a_rigify_rig_plays_it_on_its_controls_and_is_edited_on(scene, takes):
    rigs.import_take(takes / f"{WALK}.bvh")
    source, rig = bpy.context.object, control_rigs.rigify("human")
    rig.motion_signal_retarget.source = source
    assert bpy.ops.motion_signal.retarget() == {"FINISHED"}
    keyed = {curve.data_path.split('"')[1] for curve in curves_of(rig.animation_data.action)}
    assert {"torso", "foot_ik.L", "foot_ik.R", "upper_arm_fk.L", "head"} <= keyed
    bpy.context.scene.frame_set(100)
    hips = np.array(rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["DEF-spine"].matrix)[:3, 3]
    assert 0.7 < hips[2] < 1.3
    assert bpy.ops.motion_signal.equalize(preset="exaggerate") == {"FINISHED"}
