# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacement in a window: pose over the take with the keyboard, keep it, drag a key in time, apply, undo, redo."""

import json
import time

import pytest
from test_equalizer import EDITOR, FIGURE, TAB, state
from window import CONTROLS, Window

ADD, APPLY = (195, CONTROLS), (70, 560)  # from the tab's corner
POSE = """
bpy.ops.object.mode_set(mode='POSE')
figure = bpy.context.object
for bone in figure.pose.bones:
    bone.select = bone.name == 'forearm.L'
figure.data.bones.active = figure.data.bones['forearm.L']
bpy.ops.ed.undo_push(message='Ready to pose')
"""
KEYS = "result = bpy.context.window_manager.motion_signal.displace.displacement_keys"
LANE = """
area = next(area for area in window.screen.areas if area.type == 'GRAPH_EDITOR')
region = next(region for region in area.regions if region.type == 'WINDOW')
result = [region.x + region.view2d.view_to_region(frame, 0, clip=False)[0], region.y + region.height - 36]
"""
COUNT = """
figure = bpy.context.object
bag = figure.animation_data.action.layers[0].strips[0].channelbag(figure.animation_data.action_slot)
result = [[len(curve.keyframe_points), round(curve.keyframe_points[0].co[0])] for curve in bag.fcurves]
"""
SELECT_KEYS = """
for curve in bpy.context.object.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
    for key in curve.keyframe_points:
        key.select_control_point = 'forearm.L' in curve.data_path and key.co[0] % 5 == 0
"""


@pytest.fixture
def window():
    with Window() as window:
        for code in (FIGURE, EDITOR, TAB, POSE):
            window.run(code)
            time.sleep(1)
        yield window


def press(window, place):
    left, top, _, _ = window.region("GRAPH_EDITOR", "UI")
    window.click(left + place[0], top + place[1])
    time.sleep(0.7)


def frames(window):
    return [key["frame"] for key in json.loads(window.run(KEYS) or "[]")]


def turn(window, frame, degrees):
    """Turn the selected bone in the viewport as an animator does, at a frame."""
    window.run("bpy.context.scene.frame_set(frame)", frame=frame)
    time.sleep(0.5)
    window.move(*window.place("VIEW_3D", "WINDOW", 0.5, 0.5))
    window.key("r")
    window.type(str(degrees))
    window.key("Return")
    time.sleep(0.7)


def test_two_poses_kept_a_key_dragged_applied_undone_and_redone(window):
    before = state(window)
    window.add_step("displace")
    for frame, degrees in ((40, 35), (80, 25)):
        turn(window, frame, degrees)
        shown = state(window)
        assert shown["action"].endswith("(preview)") and shown["values"] != before["values"]
        press(window, ADD)
    assert frames(window) == [40, 80]
    x, y = window.screen(*window.run(LANE, frame=80))
    there, _ = window.screen(*window.run(LANE, frame=100))
    window.drag(x, y, there, y, steps=8)
    time.sleep(0.7)
    assert frames(window)[0] == 40 and abs(frames(window)[1] - 100) <= 1
    during = state(window)
    window.press_button("motion_signal.rack_apply", *APPLY)
    applied = state(window)
    assert applied["action"] == before["action"] + " displacement" and applied["values"] == during["values"]
    assert frames(window) == []
    window.move(*window.place("GRAPH_EDITOR", "WINDOW", 0.5, 0.5))
    window.key("ctrl+z")
    assert state(window)["values"] == pytest.approx(during["values"], abs=1e-6) and len(frames(window)) == 2
    window.key("ctrl+shift+z")
    assert (state(window)["action"], state(window)["values"]) == (applied["action"], applied["values"])


def test_i_keeps_the_pose_as_a_displacement_key_and_x_over_its_mark_deletes_it(window):
    window.run(SELECT_KEYS)
    window.add_step("displace")
    lent = window.run(COUNT)
    for frame, area in ((40, "VIEW_3D"), (80, "GRAPH_EDITOR")):
        turn(window, frame, 35)
        window.move(*window.place(area, "WINDOW", 0.5, 0.5))
        window.key("i")
        window.settle()
        assert window.run(COUNT) == lent
    assert frames(window) == [40, 80]
    x, y = window.screen(*window.run(LANE, frame=80))
    window.click(x, y)
    window.settle()
    window.key("x")
    window.settle()
    window.key("Return")  # whatever may have opened
    window.settle()
    assert frames(window) == [40] and window.run(COUNT) == lent


def test_undo_takes_a_pose_back_and_posing_goes_on(window):
    window.add_step("displace")
    turn(window, 40, 35)
    press(window, ADD)
    kept = state(window)
    turn(window, 90, 35)
    assert state(window)["values"] != kept["values"]
    window.key("ctrl+z")
    time.sleep(1)
    undone = state(window)
    assert undone["action"].endswith("(preview)") and undone["values"] == kept["values"] and frames(window) == [40]
