# SPDX-License-Identifier: GPL-3.0-or-later
"""The shaper in a window: a curve built with the mouse bends the motion."""

import json
import time

import pytest
from test_equalizer import EDITOR, FIGURE, TAB, state
from window import Window

MIDDLE = (135, 343)  # pixels to the middle of the curve


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(FIGURE, EDITOR, TAB, step="waveshape")
        yield window


def points(window):
    return json.loads(window.run("result = bpy.context.window_manager.motion_signal.waveshape.points") or "[]")


def middle_of_the_curve(window):
    left, top, _, _ = window.region("GRAPH_EDITOR", "UI")
    return left + MIDDLE[0], top + MIDDLE[1]


def test_a_point_dragged_in_the_curve_bends_the_motion_and_undo_takes_it_back(window):
    before = state(window)
    x, y = middle_of_the_curve(window)
    window.drag(x, y, x - 20, y - 50, steps=12)
    drawn = points(window)
    for _ in range(20):  # the last of the drag may still be on its way
        if len(drawn) == 3 and drawn[1][1] > drawn[1][0] + 0.1:
            break
        time.sleep(0.5)
        drawn = points(window)
    time.sleep(1)
    drawn = points(window)
    assert len(drawn) == 3 and 0.2 < drawn[1][0] < 0.6 and drawn[1][1] > drawn[1][0] + 0.1
    during = state(window)
    assert during["notice"] == "" and during["action"].endswith("(preview)")
    assert max(abs(a - b) for a, b in zip(before["values"], during["values"])) > 1e-3
    window.press_button("motion_signal.rack_apply", 70, 640)
    applied = state(window)
    assert applied["action"] == before["action"].removesuffix(" (preview)") + " shaper" and points(window) == []
    window.move(*window.place("GRAPH_EDITOR", "WINDOW", 0.5, 0.5))
    window.key("ctrl+z")
    assert state(window)["values"] == pytest.approx(during["values"], abs=1e-6) and points(window) == drawn  # the rack is back


def test_a_preset_moves_the_widgets_points(window):
    window.run("bpy.ops.motion_signal.preset_load(technique='waveshape', preset='s_curve')")
    time.sleep(1.5)
    shown = window.run(
        "curve = bpy.data.node_groups['.Motion Signal Shape'].nodes['Shape'].mapping.curves[0]\n"
        "result = [list(point.location) for point in curve.points]"
    )
    assert [[round(number, 3) for number in point] for point in shown] == points(window)
