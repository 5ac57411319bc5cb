# SPDX-License-Identifier: GPL-3.0-or-later
"""Where animators look: F3 finds a technique by its everyday name, and it opens live."""

import pytest
from test_session import SESSION_TECHNIQUE
from window import Window

SEARCH = """
area = next(area for area in window.screen.areas if area.type == 'VIEW_3D')
with bpy.context.temp_override(area=area, region=next(region for region in area.regions if region.type == 'WINDOW')):
    bpy.ops.wm.search_menu('INVOKE_DEFAULT')  # what F3 does
"""


@pytest.fixture(scope="module")
def window():
    with Window() as window:
        window.run("bpy.ops.motion_signal.add_figure()")
        window.settle()
        yield window
        assert "Traceback" not in window.log.read_text(errors="replace")


@pytest.mark.parametrize("words, technique", [("lock feet", "lock"), ("equalizer", "equalize"), ("loop", "cycle")])
def test_f3_finds_it_by_name(window, words, technique):
    x, y = window.place("VIEW_3D", "WINDOW", 0.5, 0.2)
    window.click(x, y, button=3)  # the context menu: keys go to the window that was clicked
    window.settle()
    window.key("Escape")
    window.settle()
    window.run(SEARCH)
    window.settle()
    window.type(words)
    window.settle()
    window.key("Return")
    window.until(f"{SESSION_TECHNIQUE} == '{technique}'")
    window.move(x, y)
    window.key("Escape")
    window.until(f"not {SESSION_TECHNIQUE}")
