# SPDX-License-Identifier: GPL-3.0-or-later
"""Weight in a window: its step is added, Balance dragged with the mouse, its words change, and Apply keeps what is shown."""

import time

import pytest
from test_equalizer import EDITOR, FIGURE, TAB, state
from window import AFTER_ONE, CONTROLS, Window

HEAVY = "bpy.ops.motion_signal.equalize(dc_gain=1.8)"
SLIDER = (170, CONTROLS + 72)  # from the tab's corner to Balance
BALANCE = "result = bpy.context.window_manager.motion_signal.weight.balance"
TOLD = """
import sys
name = next(name for name in sys.modules if name.endswith('motion_signal.operators.live.preview'))
result = sys.modules[name].session().process.told
"""


@pytest.fixture
def window():
    with Window() as window:
        for code in (FIGURE, EDITOR, TAB, HEAVY):
            window.run(code)
            time.sleep(1)
        yield window


def test_balance_is_dragged_and_what_is_shown_is_applied(window):
    window.add_by_mouse("Feet", "weight", AFTER_ONE)
    window.settle()
    full = window.run(TOLD)
    assert "out of balance in" in full
    left, top, _, _ = window.region("GRAPH_EDITOR", "UI")
    x, y = left + SLIDER[0], top + SLIDER[1]
    window.drag(x, y, x - 60, y, steps=6)
    window.settle()
    time.sleep(1)
    assert window.run(BALANCE) < 0.9 and window.run(TOLD) != full
    shown = state(window)
    assert shown["action"].endswith("(preview)")
    window.run("bpy.ops.motion_signal.rack_apply()")
    window.settle()
    applied = state(window)
    assert not applied["action"].endswith("(preview)") and applied["values"] == shown["values"]
