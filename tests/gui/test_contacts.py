# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts in a window: the end of a bar dragged with the mouse changes what the lock holds."""

import json
import time

import pytest
from test_equalizer import EDITOR, FIGURE, TAB
from window import Window

LANE = """
area = next(area for area in window.screen.areas if area.type == 'GRAPH_EDITOR')
region = next(region for region in area.regions if region.type == 'WINDOW')
result = [region.x + region.view2d.view_to_region(frame, 0, clip=False)[0], region.y + region.height - 36]
"""
CONTACTS = "result = bpy.data.actions['Walking Figure']['motion_signal_contacts']"
FOOT = """
figure, found = bpy.context.object, []
for frame in range(1, 140, 3):
    bpy.context.scene.frame_set(frame)
    found += list(figure.pose.bones['foot.L'].head)
result = found
"""
KEYS = """
bag = bpy.context.object.animation_data.action.layers[0].strips[0].channelbags[0]
result = sum(len(curve.keyframe_points) for curve in bag.fcurves)
"""


@pytest.fixture
def window():
    with Window() as window:
        for code in (FIGURE, EDITOR, TAB):
            window.run(code, timeout=60)
            window.settle()
        yield window


def test_the_end_of_a_bar_dragged_changes_the_lock(window):
    window.run("bpy.ops.motion_signal.contacts()")
    first, last = json.loads(window.run(CONTACTS))["left_heel"][1]
    window.run("bpy.context.window_manager.motion_signal.lock.amount = 1.0")
    time.sleep(1)
    held = window.run(FOOT)
    x, y = window.screen(*window.run(LANE, frame=last))
    window.drag(x - 2, y, window.screen(*window.run(LANE, frame=last - 6))[0], y, steps=8)
    time.sleep(1)
    assert json.loads(window.run(CONTACTS))["left_heel"][1][0] == first
    assert abs(json.loads(window.run(CONTACTS))["left_heel"][1][1] - last + 6) <= 2
    assert window.run("result = bpy.context.window_manager.motion_signal.notice") == ""
    assert max(abs(a - b) for a, b in zip(held, window.run(FOOT))) > 1e-5


def test_x_over_a_chosen_bar_deletes_the_contact_and_no_key(window):
    window.run("bpy.ops.motion_signal.contacts()")
    window.settle()
    keys, spans = window.run(KEYS), json.loads(window.run(CONTACTS))
    first, last = spans["left_heel"][1]
    x, y = window.screen(*window.run(LANE, frame=(first + last) / 2))
    window.move(x, y)
    window.key("x")  # nothing is chosen yet
    window.settle()
    assert json.loads(window.run(CONTACTS)) == spans
    window.click(x, y)
    window.settle()
    window.key("x")
    window.settle()
    window.key("Return")  # whatever may have opened
    window.settle()
    left = json.loads(window.run(CONTACTS))
    assert left == {**spans, "left_heel": [span for span in spans["left_heel"] if span != [first, last]]}
    assert window.run(KEYS) == keys
    window.key("ctrl+z")
    window.settle()
    assert json.loads(window.run(CONTACTS)) == spans
