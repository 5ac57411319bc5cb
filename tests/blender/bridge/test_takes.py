# SPDX-License-Identifier: GPL-3.0-or-later
"""Several takes in Blender: other actions by name, results of another length, and what is refused."""

import json

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.techniques.several_takes.blend import BLEND
from bl_ext.dev.motion_signal.operators.live import preview
from desk import panel, press_apply

pytestmark = pytest.mark.usefixtures("settled")

LAST = 97


@pytest.fixture
def stage():
    """A rig with one take, and another, longer one of its own, both kept; the rig and the two actions."""
    rig = rigs.build_rig(("QUATERNION", "XYZ", "ZYX"))
    other = rigs.animate(rig, rigs.pose_curves(rig, 131, size=0.4), name="Other")
    take = rigs.animate(rig, rigs.pose_curves(rig, LAST), name="Take")
    return rig, take, other


def frames_of(rig):
    return {tuple(curve.range()) for curve in rigs.curves_of(rig).values()}


def farthest(rig, first, second, frames):
    one, two = (rigs.evaluated(rig, frames, action) for action in (first, second))
    return max(np.abs(one[name] - two[name]).max() for name in one)


@pytest.mark.parametrize(
    "technique, values",
    [
        ("timewarp", {"reference": "Other", "timing": 1.0}),
        ("timewarp", {"reference": "Other", "pose": 0.5}),
        ("timewarp", {"moves": "[[97, 140]]"}),
        ("blend", {"takes": '[{"action": "Other"}]'}),
        ("join", {"take": "Other"}),
    ],
)
def test_both_takes_stay_as_they_are(stage, technique, values):
    rig, take, other = stage
    with rigs.untouched(take, other):
        getattr(bpy.ops.motion_signal, technique)(**values)
    assert rig.animation_data.action not in (take, other)


def test_what_comes_after_a_mark_moves_along_and_so_does_the_end_of_the_scene(stage):
    rig, take, _ = stage
    scene = bpy.context.scene
    scene.frame_end = LAST
    bpy.ops.motion_signal.timewarp(moves="[[30, 30], [60, 90]]")
    assert frames_of(rig) == {(1.0, LAST + 30.0)} and scene.frame_end == LAST + 30
    result = rig.animation_data.action
    for shift, rows in ((0, range(1, 20)), (30, range(70, LAST + 1))):
        before, after = rigs.evaluated(rig, rows, take), rigs.evaluated(rig, [row + shift for row in rows], result)
        assert max(np.abs(before[name] - after[name]).max() for name in before) < 1e-5


@pytest.mark.parametrize("end", [LAST - 1, 250])
def test_a_scene_that_ends_elsewhere_keeps_its_end(stage, end):
    bpy.context.scene.frame_end = end
    bpy.ops.motion_signal.timewarp(moves="[[60, 90]]")
    assert bpy.context.scene.frame_end == end


def test_a_scene_does_not_end_before_what_else_moves_in_it(stage):
    rigs.animate(rigs.empty("Prop"), {("location", 0): rigs.dense(np.arange(LAST, dtype=float))}, name="Prop")
    bpy.context.view_layer.objects.active = stage[0]
    bpy.context.scene.frame_end = LAST
    bpy.ops.motion_signal.timewarp(moves="[[60, 40]]")
    assert frames_of(stage[0]) == {(1.0, LAST - 20.0)} and bpy.context.scene.frame_end == LAST


def test_timing_of_the_reference_gives_its_length(stage):
    rig, take, other = stage
    bpy.ops.motion_signal.timewarp(reference="Other", timing=1.0)
    assert frames_of(rig) == {(1.0, 131.0)}


def test_moved_marks_are_where_they_were_moved_to(stage):
    rig, take, _ = stage
    bpy.ops.motion_signal.timewarp(moves=json.dumps([[40, 60], [97, 140]]))
    before, after = rigs.evaluated(rig, [1, 40, 97], take), rigs.evaluated(rig, [1, 60, 140])
    assert max(np.abs(after[name] - before[name]).max() for name in before) < 1e-5
    assert frames_of(rig) == {(1.0, 140.0)}


def test_weights_of_one_and_none_give_each_take_back(stage):
    rig, take, other = stage
    bpy.ops.motion_signal.blend(takes=json.dumps([{"weight": 1}, {"action": "Other", "weight": 0}]), alignment="NONE")
    assert farthest(rig, take, rig.animation_data.action, range(1, LAST + 1)) < 1e-7
    rig.animation_data.action = take
    bpy.ops.motion_signal.blend(takes=json.dumps([{"weight": 0}, {"action": "Other", "weight": 1}]), alignment="NONE")
    assert farthest(rig, other, rig.animation_data.action, range(1, 132)) < 1e-6
    assert frames_of(rig) == {(1.0, 131.0)}


def test_a_weight_may_be_a_curve_of_the_take(stage):
    rig, take, other = stage
    rig["share"] = 0.0
    bag = take.layers[0].strips[0].channelbag(take.slots[0])
    rigs.set_keys(bag.fcurves.new('["share"]'), [(1, 0.0), (97, 1.0)])
    takes = [{"weight_curve": [[1, 1], [97, 0]]}, {"action": "Other", "weight_from": '["share"][0]'}]
    bpy.ops.motion_signal.blend(takes=json.dumps(takes), alignment="NONE")
    path = 'pose.bones["Bone 1"].rotation_euler'
    start, end = rigs.evaluated(rig, [1, 97]), rigs.evaluated(rig, [1, 97], other)
    assert np.abs(start[path, 0][0] - rigs.evaluated(rig, [1], take)[path, 0][0]) < 1e-5
    assert np.abs(start[path, 0][1] - end[path, 0][1]) < 1e-5


@pytest.mark.parametrize("policy", ("EVERY_FRAME", "FEWEST"))
def test_a_preview_of_another_length_shows_what_apply_gives(stage, policy):
    rig, take, other = stage
    panel().scope.keys = policy
    panel().blend.alignment = "STRETCH"
    with rigs.untouched(take, other):
        for weight in (0.2, 0.5, 0.9, 0.4):  # lengths come and go while a weight is dragged
            panel().blend.takes = json.dumps([{}, {"action": "Other", "weight": weight}])
            assert panel().notice == ""
        shown = {name: rigs.keys(curve) for name, curve in rigs.curves_of(rig).items()}
        assert press_apply(BLEND) == {"FINISHED"}
    applied = {name: rigs.keys(curve) for name, curve in rigs.curves_of(rig).items()}
    assert shown.keys() == applied.keys() and all(np.array_equal(shown[name], applied[name]) for name in shown)


def test_a_preview_of_another_length_gives_everything_back(stage):
    rig, take, other = stage
    with rigs.nothing_made():
        panel().join.take = "Other"
        assert preview.session() and frames_of(rig) != {(1.0, 97.0)}
        bpy.ops.motion_signal.preview_end()


def test_pose_markers_of_the_same_name_become_anchors(stage):
    rig, take, other = stage
    for action, frames in ((take, (20, 60)), (other, (30, 90))):
        for name, frame in zip(("down", "up"), frames):
            action.pose_markers.new(name).frame = frame
    panel().timewarp.reference = "Other"
    bpy.ops.motion_signal.timewarp_from_markers()
    assert json.loads(panel().timewarp.anchors) == [[20, 30], [60, 90]]


def test_steps_become_anchors(scene):
    for speed in (1.0, 1.7):
        bpy.ops.motion_signal.add_figure(speed=speed)
        bpy.context.object.animation_data.action.name = f"Walk {speed}"
    panel().timewarp.reference = "Walk 1.0"
    assert bpy.ops.motion_signal.timewarp_from_steps() == {"FINISHED"}
    anchors = json.loads(panel().timewarp.anchors)
    assert len(anchors) >= 6 and anchors == sorted(anchors) and panel().notice == ""


def test_marks_go_to_the_nearest_beat(stage):
    bpy.context.scene.render.fps = 24
    panel().timewarp.moves = "[[20, 20], [60, 60]]"
    bpy.ops.motion_signal.timewarp_to_beats(beats_per_minute=120.0, first_beat=1.0)
    assert json.loads(panel().timewarp.moves) == [[20, 25], [60, 61]]
    bpy.ops.motion_signal.timewarp_to_beats(beats="18, 70")
    assert json.loads(panel().timewarp.moves) == [[20, 18], [60, 70]]


@pytest.mark.parametrize(
    "technique, values, words",
    [
        ("timewarp", {"reference": "Take", "timing": 1.0}, "same|itself"),
        ("timewarp", {"reference": "None", "timing": 1.0}, "there is no None"),
        ("timewarp", {"reference": "Other", "timing": 1.0, "anchors": "[[20, 50], [40, 30]]"}, "anchors"),
        ("timewarp", {"reference": "Other", "timing": 1.0, "keys": "SOURCE"}, "keys: the source's do not fit"),
        (
            "timewarp",
            {"reference": "Other", "timing": 1.0, "frames": "RANGE", "frame_start": 10, "frame_end": 50},
            "whole take",
        ),
        ("blend", {"takes": '[{"weight": 1}, {"action": "Other", "weight": -1}]'}, "sum to zero"),
        ("blend", {"takes": '[{"action": "None"}]'}, "there is no None"),
        ("join", {"take": "Other", "search_end": 100.0}, "search_end: 100 s is more than the take has"),
        ("join", {"take": "Other", "cut": "FRAMES", "cut_frame": 400, "enter_frame": 1}, "cut_frame: 400 is outside"),
        ("join", {"take": "Strange"}, "none of the .* curves"),
        ("blend", {"takes": '[{"action": "Strange"}]'}, "none of the .* curves"),
        ("timewarp", {"reference": "Strange", "timing": 1.0}, "none of the .* curves"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(stage, technique, values, words):
    rig, take, _ = stage
    rigs.animate(rig, {('["strange"]', 0): rigs.dense(np.arange(30.0))}, name="Strange")
    rig.animation_data.action, rig.animation_data.action_slot = take, take.slots[0]
    with rigs.nothing_made(), pytest.raises(RuntimeError, match=words):
        getattr(bpy.ops.motion_signal, technique)(**values)


OTHERS = {  # what every technique that asks for other takes is told of one
    "timewarp": {"reference": "Walking Figure.001", "timing": 0.5},
    "blend": {"takes": '[{"action": "Walking Figure.001"}]'},
    "between": {"takes": '[{"action": "Walking Figure.001"}]', "by_speed": True, "speed": 1.4},
    "join": {"take": "Walking Figure.001"},
    "speed": {"takes": '[{"action": "Walking Figure.001"}]', "speed": 1.4},
    "network": {"points": '[{"action": "Walking Figure.001"}, {"x": 1.0}, {"y": 1.0}]'},
    "style": {"styled": "Walking Figure.001"},
    "wavelet_blend": {"take": "Walking Figure.001", "amount": 0.5},
}


@pytest.fixture
def two_walkers():
    """A figure that walks, which is active, and another that walks faster under the same names of bones."""
    bpy.ops.motion_signal.add_figure()
    bpy.ops.motion_signal.add_figure(speed=1.5)
    other = bpy.context.object
    bpy.context.view_layer.objects.active = figure = bpy.data.objects["Walking Figure"]
    return figure, other


def edit(rig, change):
    """Change the bones of an armature at rest."""
    before = bpy.context.view_layer.objects.active
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig.data.edit_bones:
        change(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = before


def roll_a_thigh(bone):
    bone.roll += np.pi / 2 * (bone.name == "thigh.L")


def rename(bone):
    bone.name = f"own_{bone.name}"


@pytest.mark.parametrize("technique", sorted(set(OTHERS) - {"network"}))  # which wants cycles
def test_a_take_of_another_skeleton_is_retargeted_first_which_is_said(two_walkers, technique):
    edit(two_walkers[1], rename)
    assert getattr(bpy.ops.motion_signal, technique)(**OTHERS[technique]) == {"FINISHED"}
    assert "Walking Figure.001 is retargeted from Walking Figure.001" in panel().report


def test_a_take_of_a_figure_of_another_size_is_retargeted_and_that_of_its_like_is_not(two_walkers):
    figure, other = two_walkers
    other.rotation_euler.z = 2.0  # it may face anywhere
    bpy.context.view_layer.update()
    assert bpy.ops.motion_signal.join(take="Walking Figure.001") == {"FINISHED"}
    figure.animation_data.action = bpy.data.actions["Walking Figure"]

    def twice(bone):
        bone.head, bone.tail = 2.0 * bone.head, (2.0 * bone.tail if not bone.children else bone.tail)

    edit(other, twice)
    assert "retargeted" not in panel().report
    assert bpy.ops.motion_signal.join(take="Walking Figure.001") == {"FINISHED"}
    assert "is retargeted from Walking Figure.001" in panel().report


def test_what_another_skeleton_has_done_is_known_by_what_was_made_of_it(two_walkers):
    figure, other = two_walkers
    edit(other, roll_a_thigh)
    with bpy.context.temp_override(object=other, active_object=other):
        bpy.ops.motion_signal.equalize(object=other.name, preset="exaggerate")
    assert other.animation_data.action.name == "Walking Figure.001 equalizer"
    for name in ("Walking Figure.001", other.animation_data.action.name):
        figure.animation_data.action = bpy.data.actions["Walking Figure"]
        assert bpy.ops.motion_signal.join(take=name) == {"FINISHED"}
        assert f"{name} is retargeted from Walking Figure.001" in panel().report


def test_a_take_of_another_skeleton_is_shown_live(two_walkers):
    edit(two_walkers[1], roll_a_thigh)
    panel().join.take = "Walking Figure.001"
    assert "Walking Figure.001" not in panel().notice


def test_a_recorded_take_of_another_skeleton_is_retargeted_and_one_of_another_subject_is_not(takes):
    rigs.import_take(takes / "other" / "fair1_wave_hello.bvh")
    rigs.import_take(takes / "cmu_16_36_run_jog.bvh")
    rigs.import_take(takes / "cmu_07_01_walk_normal.bvh")
    assert bpy.ops.motion_signal.join(take="cmu_16_36_run_jog") == {"FINISHED"}
    assert "retargeted" not in panel().report
    bpy.context.object.animation_data.action = bpy.data.actions["cmu_07_01_walk_normal"]
    assert bpy.ops.motion_signal.join(take="fair1_wave_hello") == {"FINISHED"}
    assert "fair1_wave_hello is retargeted from fair1_wave_hello" in panel().report
