# SPDX-License-Identifier: GPL-3.0-or-later
"""Between takes in a window: a number is ticked, its fader dragged, and the figure goes as fast as the fader says."""

import time

import pytest
from test_equalizer import EDITOR, TAB
from test_speed import STATE
from test_takes import FIGURES
from window import CONTROLS, Window

ADD = (242, CONTROLS)  # the + beside the list, from the tab's corner
ASKED = STATE.replace("settings.speed.speed", "settings.between.speed")


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(FIGURES, EDITOR, TAB)
        window.add_by_mouse("Combine", "between")
        yield window
        assert "Traceback" not in window.log.read_text(errors="replace")


def test_a_number_is_ticked_its_fader_dragged_and_applied(window):
    window.choose(*ADD, name="Walk 1.7")
    down = window.press_button('motion_signal.between_ask(field="by_speed"', 60, 280)
    window.settle()
    assert abs(window.run("result = bpy.context.window_manager.motion_signal.between.speed") - 1.3) < 0.02
    left, top, _, _ = window.region("GRAPH_EDITOR", "UI")
    window.drag(left + 60, top + down + 20, left + 150, top + down + 20)
    time.sleep(1)
    window.settle()
    state = window.run(ASKED)
    assert 1.35 < state["asked"] < 1.72 and state["notice"] == "" and state["action"].endswith("(preview)")
    assert abs(state["pace"] - state["asked"]) < 0.02 * state["asked"]
    window.press_button("motion_signal.rack_apply", 70, 520)
    applied = window.run(ASKED)
    assert applied["action"] == "Walk 1.3 between takes" and abs(applied["pace"] - state["asked"]) < 0.02 * state["asked"]
