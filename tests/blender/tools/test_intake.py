# SPDX-License-Identifier: GPL-3.0-or-later
"""A take is taken in: a click each sets size, start and rate right, and the take itself stays as it is."""

import bpy
import pytest
from bl_ext.dev.motion_signal.operators.desk import intake
from bl_ext.dev.motion_signal.operators.files import files


@pytest.fixture
def walk(settled, takes):
    """A recorded walk at 120 frames a second, in units of another size, that begins with a T-pose, in a scene of 24."""
    files.load(takes / "cmu_07_01_walk_normal.bvh")
    figure = files.animated_objects()[0]
    bpy.context.view_layer.objects.active = figure
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 24, 1.0
    bpy.context.scene.frame_start = 1
    return figure


def said(figure):
    return {what: words for what, words, _ in intake.remarks(bpy.context, intake.look_at(figure))}


@pytest.mark.only("5.2")
def test_each_click_sets_one_thing_right(walk):
    before = said(walk)
    assert before["SCALE"].endswith(" m tall: scale 0.056") and before["RATE"] == "Moves like 120 fps: set it"
    assert before["START"] == "Frame 1 is a T-pose: leave out"
    keys = [
        point.co[:]
        for curve in walk.animation_data.action.layers[0].strips[0].channelbags[0].fcurves
        for point in curve.keyframe_points
    ]
    for what in ("SCALE", "START", "RATE"):
        assert bpy.ops.motion_signal.intake(what=what) == {"FINISHED"}
        assert what not in said(walk)
    assert said(walk) == {}
    bpy.context.scene.frame_end = 250  # as after an import that leaves the scene as it is
    assert said(walk) == {"END": "Goes on to frame 317: set it"}
    assert bpy.ops.motion_signal.intake(what="END") == {"FINISHED"} and bpy.context.scene.frame_end == 317
    assert said(walk) == {} and 1.4 < intake.look_at(walk).height < 2.0
    assert bpy.context.scene.frame_start == 2 and bpy.context.scene.render.fps == 120
    curves = walk.animation_data.action.layers[0].strips[0].channelbags[0].fcurves
    assert [point.co[:] for curve in curves for point in curve.keyframe_points] == keys
    bpy.ops.motion_signal.lock()
    assert "no true millimetres" not in bpy.context.window_manager.motion_signal.report


def test_a_result_that_is_shorter_than_its_take_may_end_where_the_scene_does(settled):
    bpy.ops.motion_signal.add_figure(seconds=4.0)
    end = bpy.context.scene.frame_end
    bpy.ops.motion_signal.cycle(find="SEARCH")
    assert bpy.context.scene.frame_end < end and "END" not in said(bpy.context.object)


def test_of_a_figure_that_is_as_it_should_be_nothing_is_said_and_a_click_is_refused(settled):
    bpy.ops.motion_signal.add_figure(seconds=4.0)
    assert said(bpy.context.object) == {}
    with pytest.raises(RuntimeError, match="Walking Figure is of human size"):
        bpy.ops.motion_signal.intake(what="SCALE")


def test_a_few_poses_keyed_by_hand_have_the_rate_that_they_were_keyed_at(walk):
    assert "RATE" in said(walk)
    for curve in walk.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for point in list(curve.keyframe_points)[::-1]:
            if round(point.co.x) % 40 != 1:
                curve.keyframe_points.remove(point, fast=True)
        curve.update()
    assert "RATE" not in said(walk)


def test_what_keys_move_itself_is_not_scaled(settled):
    bpy.ops.motion_signal.add_figure(seconds=4.0)
    figure = bpy.context.object
    figure.scale = (100.0, 100.0, 100.0)
    figure.keyframe_insert("location", frame=1)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="location: Walking Figure is moved by keys of its own"):
        bpy.ops.motion_signal.intake(what="SCALE")


def test_a_figure_that_lies_in_the_scene_stands_up_with_a_click(settled):
    bpy.ops.motion_signal.add_figure(seconds=4.0)
    figure = bpy.context.object
    figure.rotation_euler = (1.5707963, 0.0, 0.0)
    bpy.context.view_layer.update()
    assert said(figure) == {"STAND": "Lies in the scene: stand it up"}
    assert bpy.ops.motion_signal.intake(what="STAND") == {"FINISHED"}
    assert said(figure) == {} and figure.matrix_world.to_3x3().col[2].z > 0.999999
    with pytest.raises(RuntimeError, match="Walking Figure does not lie"):
        bpy.ops.motion_signal.intake(what="STAND")
    figure.rotation_euler = (1.5707963, 0.0, 0.0)
    figure.keyframe_insert("rotation_euler", frame=1)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="rotation_euler: Walking Figure is moved by keys of its own"):
        bpy.ops.motion_signal.intake(what="STAND")
