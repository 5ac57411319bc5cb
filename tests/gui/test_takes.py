# SPDX-License-Identifier: GPL-3.0-or-later
"""Several takes in a window: weights and timing dragged with the mouse, an anchor dragged in its lane."""

import json
import time

import pytest
from test_equalizer import EDITOR, TAB, state
from window import Window

TIMING, ADD, WEIGHT, APPLY = (150, 196), (242, 171), (150, 199), (70, 470)  # from the tab's corner
FIGURES = """
bpy.context.preferences.inputs.use_mouse_continuous = False
bpy.ops.object.select_all(action='SELECT')
bpy.ops.object.delete()
for speed in (1.0, 1.7, 1.3):
    bpy.ops.motion_signal.add_figure(speed=speed)
    bpy.context.object.animation_data.action.name = f'Walk {speed}'
    bpy.context.object.animation_data.action.use_fake_user = True
bpy.ops.object.mode_set(mode='OBJECT')
for figure in [figure for figure in bpy.data.objects if figure is not bpy.context.object]:
    bpy.data.objects.remove(figure)
area = max(window.screen.areas, key=lambda area: area.width * area.height)
with bpy.context.temp_override(area=area, region=area.regions[-1]):
    bpy.ops.screen.area_split(direction='VERTICAL', factor=0.4)
"""
LANE = """
area = next(area for area in window.screen.areas if area.type == 'GRAPH_EDITOR')
region = next(region for region in area.regions if region.type == 'WINDOW')
result = [region.x + region.view2d.view_to_region(frame, 0, clip=False)[0], region.y + region.height - 58]
"""
SETTINGS = "settings = bpy.context.window_manager.motion_signal\n"


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(FIGURES, EDITOR, TAB)
        yield window


def drag(window, place, across):
    left, top, _, _ = window.region("GRAPH_EDITOR", "UI")
    window.drag(left + place[0], top + place[1], left + place[0] + across, top + place[1], steps=10)
    time.sleep(1)


def test_weights_of_three_takes_are_dragged_live_and_applied(window):
    window.add_by_mouse("Combine", "blend")
    before = state(window)
    for name in ("Walk 1.0", "Walk 1.7"):  # the list begins with what was chosen last in any window
        window.choose(*ADD, name=name)
        window.until(f"{name!r} in bpy.context.window_manager.motion_signal.blend.takes")
    for _ in range(3):  # a press that comes while the lists are drawn anew is lost, and dragged again
        drag(window, WEIGHT, 40)
        takes = json.loads(window.run(SETTINGS + "result = settings.blend.takes"))
        if takes[1]["weight"]:
            break
    assert [take.get("action", "") for take in takes] == ["", "Walk 1.0", "Walk 1.7"] and takes[1]["weight"] > 0.2
    during = state(window)
    assert during["notice"] == "" and during["action"].endswith("(preview)") and during["values"] != before["values"]
    window.press_button("motion_signal.rack_apply", *APPLY)
    applied = state(window)
    assert applied["action"] == "Walk 1.3 blend" and applied["values"] == during["values"]


def test_timing_and_an_anchor_are_dragged_live(window):
    window.run(SETTINGS + "settings.timewarp.reference = 'Walk 1.7'")
    window.settle()
    before = state(window)
    drag(window, TIMING, 70)
    during = state(window)
    assert window.run(SETTINGS + "result = settings.timewarp.timing") > 0.3
    assert during["action"].endswith("(preview)") and during["values"] != before["values"]
    window.run("bpy.context.scene.frame_set(72)\nbpy.ops.motion_signal.timewarp_pair_add()")
    time.sleep(0.5)
    ((frame, there),) = json.loads(window.run(SETTINGS + "result = settings.timewarp.anchors"))
    x, y = window.screen(*window.run(LANE, frame=there))
    window.drag(x, y, window.screen(*window.run(LANE, frame=there + 10))[0], y, steps=8)
    time.sleep(1)
    ((_, moved),) = json.loads(window.run(SETTINGS + "result = settings.timewarp.anchors"))
    assert frame == 72 and abs(moved - there - 10) <= 1 and state(window)["values"] != during["values"]
    window.move(*window.place("GRAPH_EDITOR", "WINDOW", 0.5, 0.5))
    window.key("Escape")
    assert state(window)["values"] == before["values"]
