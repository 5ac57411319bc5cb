# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit Length in a window: the step from its menu, a length typed into its field, and the take lasts so long."""

import time

import pytest
from test_equalizer import EDITOR, FIGURE, TAB
from window import Window

LENGTH, APPLY = (175, 195), (70, 430)  # from the tab's corner
STATE = """
settings, figure = bpy.context.window_manager.motion_signal, bpy.context.object
action = figure.animation_data.action
first, last = action.frame_range
result = {
    'asked': settings.fit_length.seconds, 'notice': settings.notice, 'action': action.name,
    'lasts': (last - first) * bpy.context.scene.render.fps_base / bpy.context.scene.render.fps,
}
"""


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(FIGURE, EDITOR, TAB)
        yield window


def test_a_length_that_is_typed_is_how_long_the_take_lasts(window):
    before = window.run(STATE)
    window.add_by_mouse("Timing", "fit_length")
    left, top, _, _ = window.region("GRAPH_EDITOR", "UI")
    for _ in range(2):
        window.click(left + LENGTH[0], top + LENGTH[1])
    time.sleep(0.5)
    wanted = round(0.8 * before["lasts"], 2)
    window.key("ctrl+a")
    window.type(str(wanted))
    window.key("Return")
    window.settle()
    state = window.run(STATE)
    assert abs(state["asked"] - wanted) < 1e-5 and state["notice"] == "" and state["action"].endswith("(preview)")
    assert abs(state["lasts"] - wanted) <= 0.51 / 24.0
    window.press_button("motion_signal.rack_apply", *APPLY)
    applied = window.run(STATE)
    assert applied["action"].endswith("fit length") and abs(applied["lasts"] - wanted) <= 0.51 / 24.0
