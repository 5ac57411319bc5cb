# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure that its object carries, instead of a bone, travels just as well."""

import bpy
import numpy as np
import pytest
import rigs

pytestmark = [pytest.mark.usefixtures("settled"), pytest.mark.only("5.2")]


def joints(figure):
    """Where joints are in the world, (frames, bones, 3)."""
    first, last = (int(frame) for frame in figure.animation_data.action.frame_range)
    places = []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        shown = figure.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places.append([(shown.matrix_world @ bone.matrix).translation for bone in shown.pose.bones])
    return np.array(places)


def carried_by_object(figure, take):
    """Give a straight way that a figure's root goes to its object, along the axes that it needs."""
    root = next(bone.name for bone in figure.pose.bones if bone.parent is None)
    before = joints(figure)
    way = np.linspace(before[0, 0], before[-1, 0], len(before)) - before[0, 0]
    way[:, 2] = 0.0
    inside = way @ np.array(figure.data.bones[root].matrix_local)[:3, :3]
    bag = take.layers[0].strips[0].channelbags[0]
    for index in range(3):
        curve = bag.fcurves.find(f'pose.bones["{root}"].location', index=index)
        pairs = rigs.keys(curve) - np.column_stack([np.zeros(len(way)), inside[:, index]])
        curve.keyframe_points.foreach_set("co", pairs.astype(np.float32).ravel())
        curve.update()
    for index in range(2):
        rigs.set_keys(bag.fcurves.new("location", index=index), rigs.dense(way[:, index]))
    assert np.abs(joints(figure) - before).max() < 1e-5


def test_cycle_and_path_carry_the_object(scene):
    bpy.context.scene.render.fps = 30
    bpy.ops.motion_signal.add_figure()
    figure = bpy.context.object
    bpy.ops.motion_signal.cycle(find="SEARCH", path="STRAIGHT", repeats=4)
    take = figure.animation_data.action.copy()
    for name in list(take.keys()):
        del take[name]
    figure.animation_data.action, figure.animation_data.action_slot = take, take.slots[0]
    asked = {"find": "FRAMES", "loop_start": 20, "loop_end": 51, "repeats": 2}
    bpy.ops.motion_signal.cycle(**asked)
    expected = joints(figure)
    figure.animation_data.action, figure.animation_data.action_slot = take, take.slots[0]
    carried_by_object(figure, take)
    bpy.ops.motion_signal.cycle(**asked)
    assert np.abs(joints(figure) - expected).max() < 2e-3
    figure.animation_data.action, figure.animation_data.action_slot = take, take.slots[0]
    assert bpy.ops.motion_signal.cycle(find="SEARCH") == {"FINISHED"}
    figure.animation_data.action, figure.animation_data.action_slot = take, take.slots[0]
    bpy.ops.motion_signal.path_create()
    curve = next(thing for thing in bpy.data.objects if thing.type == "CURVE")
    for index, point in enumerate(curve.data.splines[0].points):
        point.co[0] += 0.1 * index**2
    bpy.context.view_layer.objects.active = figure
    assert bpy.ops.motion_signal.path(curve=curve.name) == {"FINISHED"}
    curves = rigs.curves_of(figure)
    assert np.ptp(rigs.keys(curves["rotation_euler", 2])[:, 1]) > 0.1 and rigs.keys(curves["location", 0])[-1, 1] > 1.0
