# SPDX-License-Identifier: GPL-3.0-or-later
"""The walking figure in Blender: it stands where core says, walks on planted feet and honours the scene."""

import bpy
import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait

PLACES = 1e-5  # metres: what single precision leaves a few metres from the origin


def add_figure(**properties):
    assert bpy.ops.motion_signal.add_figure(**properties) == {"FINISHED"}
    return bpy.context.object


def curves(figure):
    action = figure.animation_data.action
    return action.layers[0].strips[0].channelbag(figure.animation_data.action_slot).fcurves


def evaluated(scene, figure, frames):
    """World matrices (frames, bones, 4, 4) of the posed bones, as Blender evaluates them."""
    matrices = []
    for frame in frames:
        scene.frame_set(frame)
        posed = figure.evaluated_get(bpy.context.evaluated_depsgraph_get())
        matrices.append([posed.matrix_world @ posed.pose.bones[name].matrix for name in gait.NAMES])
    return np.array(matrices)


def test_bones_stand_where_core_says(scene):
    figure = add_figure(seconds=2.0)
    frames = range(scene.frame_start, scene.frame_end + 1)
    heads, _ = gait.joints(gait.walk(len(frames), scene.render.fps / scene.render.fps_base))
    assert np.abs(evaluated(scene, figure, frames)[..., :3, 3] - heads).max() < PLACES


def test_rest_axes_are_those_of_core(scene):
    figure = add_figure()
    rest = np.array([figure.data.bones[name].matrix_local for name in gait.NAMES])
    assert np.abs(rest - [bone.rest for bone in gait.FIGURE.bones]).max() < 1e-5


def test_planted_balls_of_the_feet_slide_less_than_two_millimetres(scene):
    figure = add_figure()
    balls = evaluated(scene, figure, range(1, scene.frame_end + 1))[:, gait.NAMES.index("toe.L"), :3, 3]
    speed = np.linalg.norm(np.diff(balls, axis=0), axis=1)
    planted = speed < 0.002
    assert 0.35 < planted.mean() < 0.55
    for spell in np.split(np.arange(len(planted)), np.flatnonzero(np.diff(planted.astype(int))) + 1):
        if planted[spell[0]]:
            assert np.ptp(balls[spell], axis=0).max() < 0.002


@pytest.mark.parametrize("mode, size", [("QUATERNION", 4), ("XYZ", 3)])
def test_every_bone_has_its_rotation_curves_and_the_hips_their_location(scene, mode, size):
    figure = add_figure(rotation_mode=mode)
    assert len(curves(figure)) == size * len(gait.NAMES) + 3
    assert {curve.group.name for curve in curves(figure)} == set(gait.NAMES)
    assert {bone.rotation_mode for bone in figure.pose.bones} == {mode}


def test_both_rotation_modes_give_the_same_pose(scene):
    figures = [add_figure(rotation_mode=mode) for mode in ("QUATERNION", "XYZ")]
    figures[1].location = figures[0].location
    poses = [evaluated(scene, figure, range(1, 60)) for figure in figures]
    assert np.abs(poses[0] - poses[1]).max() < PLACES


def test_euler_curves_do_not_jump(scene):
    figure = add_figure(rotation_mode="XYZ")
    for curve in curves(figure):
        pairs = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", pairs)
        assert np.abs(np.diff(pairs[1::2])).max() < 0.5


@pytest.mark.parametrize("fps, fps_base", [(24, 1.0), (30, 1.001), (120, 1.0)])
def test_frame_rate_of_the_scene_is_honoured(scene, fps, fps_base):
    scene.render.fps, scene.render.fps_base = fps, fps_base
    figure = add_figure(speed=1.2, seconds=4.0)
    frames = round(4 * fps / fps_base)
    assert (scene.frame_start, scene.frame_end) == (1, frames)
    assert {len(curve.keyframe_points) for curve in curves(figure)} == {frames}
    ends = evaluated(scene, figure, (1, frames))[:, 0, :3, 3]
    assert abs((ends[0] - ends[1])[1] / ((frames - 1) * fps_base / fps) - 1.2) < 0.01


def test_keys_are_straight_from_frame_to_frame(scene):
    figure = add_figure(seconds=1.0)
    assert {point.interpolation for curve in curves(figure) for point in curve.keyframe_points} == {"LINEAR"}


def test_figure_is_selected_alone_and_stands_at_the_cursor_or_beside_what_is_there(scene):
    scene.cursor.location = (1.0, 2.0, 3.0)
    first = add_figure(seconds=1.0)
    second = add_figure(seconds=1.0)
    assert bpy.context.selected_objects == [second] and bpy.context.view_layer.objects.active == second
    assert tuple(first.location) == (1.0, 2.0, 3.0) and tuple(second.location) == (2.0, 2.0, 3.0)
    assert first.animation_data.action != second.animation_data.action


def test_it_is_in_pose_mode_with_a_leg_selected_whose_curves_show(scene):
    add_figure(seconds=1.0)
    assert bpy.context.mode == "POSE" and [bone.name for bone in bpy.context.selected_pose_bones] == ["thigh.L"]
    area = bpy.context.window_manager.windows[0].screen.areas[0]
    area.type = "GRAPH_EDITOR"
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area, region=region):
        assert {curve.group.name for curve in bpy.context.visible_fcurves} == {"thigh.L"}


def test_walk_begins_at_the_first_frame_of_the_scene(scene):
    scene.frame_start = 101
    figure = add_figure(seconds=1.0)
    assert curves(figure)[0].keyframe_points[0].co[0] == 101
    assert scene.frame_end == scene.frame_current + round(scene.render.fps) - 1 == 101 + scene.render.fps - 1
