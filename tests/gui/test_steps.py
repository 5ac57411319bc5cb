# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of the rack in a window: dragged by their grip to another place, with the mouse alone."""

import time

import pytest
from test_equalizer import EDITOR, TAB
from test_takes import FIGURES
from window import STEP, Window

GRIP, HEIGHT = 222, 22  # from the left of the sidebar to the grips, and from one closed step to the next
STEPS = """
import sys
hand = next(module for name, module in sys.modules.items() if name.endswith('motion_signal.operators.live.at_hand')).AtHand
result = [step.technique.name for step in hand.rack.steps]
"""
SWITCHED = STEPS.replace("step.technique.name", "step.on")
SWITCH = 53  # from the left of the sidebar to the switches
CLOSE = "bpy.ops.motion_signal.step_change('EXEC_DEFAULT', True, step=2, change='OPEN')"
ADDED = ["equalize", "cartoon", "lock"]


@pytest.fixture(scope="module")
def window():
    with Window() as window:
        window.arrange(FIGURES, EDITOR, TAB)
        for technique in ADDED:
            window.add_step(technique)
        window.arrange(CLOSE)
        yield window
        assert "Traceback" not in window.log.read_text(errors="replace")


def rest(window):
    """Wait until what came of it is shown: a busy Blender looks for the mouse where it is by then."""
    time.sleep(2)
    window.settle()


def carry(window, start, rows):
    """Drag a step by its grip so many rows farther down; all are closed, and on the whole take."""
    left, top, _, _ = window.region("GRAPH_EDITOR", "UI")
    x, y = left + GRIP, top + STEP + HEIGHT * start
    window.drag(x, y, x, y + round(HEIGHT * rows), steps=8)
    rest(window)
    return window.run(STEPS)


@pytest.mark.parametrize(
    "start, rows, carried", [(0, 1, [1, 0, 2]), (0, 2, [1, 2, 0]), (2, -2, [2, 0, 1]), (1, 0.2, [0, 1, 2])]
)
def test_a_step_goes_where_its_grip_is_carried(window, start, rows, carried):
    before = window.run(STEPS)
    assert carry(window, start, rows) == [before[index] for index in carried]


@pytest.mark.parametrize("rows", [0, 1])
def test_the_click_after_a_step_was_carried_is_not_lost(window, rows):
    carry(window, 0, rows)
    before = window.run(SWITCHED)
    window.press(SWITCH, STEP)
    rest(window)
    assert window.run(SWITCHED) == [not before[0], *before[1:]]
