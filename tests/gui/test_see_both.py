# SPDX-License-Identifier: GPL-3.0-or-later
"""Before and after in a viewport: drawn without a fault, and a key held shows the motion as it was."""

import time

import pytest
from test_session import SESSION
from window import Window, xdotool

SHOWN = """
bpy.context.window_manager.motion_signal_see_both.trails = True
bpy.context.window_manager.motion_signal.equalize.gains = '[1, 1, 1, 1, 1, 1.8, 1.8]'
"""
AFTER = SESSION + "result = current.after"


@pytest.fixture
def window():
    with Window() as window:
        window.run("bpy.ops.motion_signal.add_figure()")
        window.run(SHOWN)
        window.settle()
        yield window
        assert "Traceback" not in window.log.read_text(errors="replace")


def test_u_held_shows_before(window):
    x, y = window.place("VIEW_3D", "WINDOW", 0.5, 0.2)
    window.click(x, y, button=3)  # the context menu: keys go to the window that was clicked
    window.key("Escape")
    window.settle()
    assert window.run(AFTER)
    xdotool("keydown", "u")
    window.settle()
    time.sleep(0.5)  # it repeats
    held = window.run(AFTER)
    xdotool("keyup", "u")
    window.settle()
    assert not held and window.run(AFTER)
