# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed in a window: a number typed into the field is what the figure then goes."""

import time

import pytest
from test_equalizer import EDITOR, TAB
from test_takes import FIGURES
from window import Window

ADD, FIELD, APPLY = (242, 171), (175, 283), (70, 520)  # from the tab's corner
STATE = """
settings, figure = bpy.context.window_manager.motion_signal, bpy.context.object
action, bones = figure.animation_data.action, figure.pose.bones
first, last = (int(frame) for frame in action.frame_range)
places = []
for frame in (first, last):
    bpy.context.scene.frame_set(frame)
    places.append(bones['hips'].head.copy())
pace = (places[1] - places[0]).to_2d().length * bpy.context.scene.render.fps / (last - first)
result = {'asked': settings.speed.speed, 'notice': settings.notice, 'action': action.name, 'pace': pace}
"""


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(FIGURES, EDITOR, TAB)
        window.add_by_mouse("Timing", "speed")
        yield window


def test_a_speed_that_is_typed_is_delivered(window):
    window.choose(*ADD, entry=0)
    window.choose(*ADD, name="Walk 1.7")
    left, top, _, _ = window.region("GRAPH_EDITOR", "UI")
    for _ in range(2):
        window.click(left + FIELD[0], top + FIELD[1])
    time.sleep(0.5)
    window.key("ctrl+a")
    window.type("1.45")
    window.key("Return")
    time.sleep(1)
    state = window.run(STATE)
    assert abs(state["asked"] - 1.45) < 1e-5 and state["notice"] == "" and state["action"].endswith("(preview)")
    assert abs(state["pace"] - 1.45) < 0.015
    window.press_button("motion_signal.rack_apply", *APPLY)
    applied = window.run(STATE)
    assert applied["action"] == "Walk 1.3 speed" and abs(applied["pace"] - 1.45) < 0.015
