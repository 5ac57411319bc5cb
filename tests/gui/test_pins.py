# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins in a window: I pins the hand where it is, the mouse drags its bar, X deletes it, Apply keeps what is shown."""

import json
import time

import pytest
from test_displacement import LANE
from test_equalizer import EDITOR, FIGURE, TAB, state
from window import Window

HAND = """
bpy.ops.object.mode_set(mode='POSE')
figure = bpy.context.object
for bone in figure.pose.bones:
    bone.select = bone.name == 'hand.L'
figure.data.bones.active = figure.data.bones['hand.L']
bpy.ops.ed.undo_push(message='Ready to pin')
"""
PINS = "result = bpy.context.window_manager.motion_signal.pins.pins"
TRACK = """
figure, found, frame = bpy.context.object, [], bpy.context.scene.frame_current
for at in range(first, last + 1):
    bpy.context.scene.frame_set(at)
    found.append(list(figure.matrix_world @ figure.pose.bones['hand.L'].head))
bpy.context.scene.frame_set(frame)
result = found
"""


@pytest.fixture
def window():
    with Window() as window:
        for code in (FIGURE, EDITOR, TAB, HAND):
            window.run(code)
            time.sleep(1)
        yield window


def pins(window):
    return json.loads(window.run(PINS) or "[]")


def spread(window, first, last):
    """How far the hand gets from where it is at the first frame, in metres."""
    track = window.run(TRACK, first=first, last=last)
    return max(sum((a - b) ** 2 for a, b in zip(place, track[0])) ** 0.5 for place in track)


def test_i_pins_the_hand_the_bar_is_dragged_and_what_is_shown_is_applied(window):
    before = state(window)
    assert spread(window, 40, 46) > 0.05
    window.add_by_mouse("Pose", "pins")
    window.run("bpy.context.scene.frame_set(40)")
    window.settle()
    window.move(*window.place("VIEW_3D", "WINDOW", 0.5, 0.5))
    window.key("i")
    window.settle()
    (pin,) = pins(window)
    assert (pin["bone"], pin["first"]) == ("hand.L", 40) and spread(window, 40, 46) < 0.001
    x, y = window.screen(*window.run(LANE, frame=pin["last"]))
    there, _ = window.screen(*window.run(LANE, frame=48))
    window.drag(x - 2, y, there - 2, y, steps=8)
    time.sleep(0.7)
    (dragged,) = pins(window)
    assert dragged["first"] == 40 and abs(dragged["last"] - 48) <= 2
    shown = state(window)
    assert shown["action"].endswith("(preview)")
    window.run("bpy.ops.motion_signal.rack_apply()")
    window.settle()
    applied = state(window)
    assert applied["action"] == before["action"] + " pins" and applied["values"] == shown["values"]
    assert spread(window, 40, 46) < 0.001


def test_x_over_its_bar_deletes_a_pin(window):
    window.add_by_mouse("Pose", "pins")
    window.run("bpy.context.scene.frame_set(40)")
    window.settle()
    window.move(*window.place("GRAPH_EDITOR", "WINDOW", 0.5, 0.4))
    window.key("i")
    window.settle()
    assert len(pins(window)) == 1
    x, y = window.screen(*window.run(LANE, frame=45))
    window.click(x, y)
    window.settle()
    window.key("x")
    window.settle()
    assert pins(window) == []
