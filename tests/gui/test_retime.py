# SPDX-License-Identifier: GPL-3.0-or-later
"""A section dragged over the graph with the mouse is at half its speed; its bar's end makes it longer."""

import pytest
from test_equalizer import EDITOR, FIGURE, TAB
from window import Window

START = """
area = next(area for area in window.screen.areas if area.type == 'GRAPH_EDITOR')
with bpy.context.temp_override(area=area, region=next(region for region in area.regions if region.type == 'WINDOW')):
    bpy.ops.motion_signal.retime_section('INVOKE_DEFAULT')
"""
PIXEL = """
area = next(area for area in window.screen.areas if area.type == 'GRAPH_EDITOR')
region = next(region for region in area.regions if region.type == 'WINDOW')
result = region.x + region.view2d.view_to_region(frame, 0.0, clip=False)[0]
"""
MOVES = "result = bpy.context.window_manager.motion_signal.timewarp.moves"
LANES = """
import sys
lanes = next(module for name, module in sys.modules.items() if name.endswith('motion_signal.operators.draw.lanes'))
result = [lane.label for lane, bars in lanes.shown_lanes(bpy.context)].index('Speed')
"""
LANE = 36  # pixels from the top of the graph to the middle of its first lane


@pytest.fixture
def window():
    with Window() as window:
        for code in (FIGURE, EDITOR, TAB):
            window.run(code)
            window.settle()
        yield window
        assert "Traceback" not in window.log.read_text(errors="replace")


def test_a_section_is_dragged_and_its_bar_pulled(window):
    _, top, _, height = window.region("GRAPH_EDITOR", "WINDOW")
    first, last = (round(window.run(PIXEL, frame=frame)) for frame in (40, 80))
    window.run(START)
    window.settle()
    window.drag(first, top + height // 2, last, top + height // 2)
    window.settle()
    (start, begins), (end, ends) = eval(window.run(MOVES))
    assert abs(start - 40) <= 2 and abs(end - 80) <= 2 and begins == start and ends == start + 2 * (end - start)
    handle, there = (round(window.run(PIXEL, frame=frame)) for frame in (ends, ends + 20))
    rows = window.run(LANES)
    window.drag(handle - 2, top + LANE + 22 * rows, there - 2, top + LANE + 22 * rows)
    window.settle()
    assert abs(eval(window.run(MOVES))[1][1] - ends - 20) <= 2
