# SPDX-License-Identifier: GPL-3.0-or-later
"""Clean in a window: the step added by its menu, a finding clicked in the list and in its lane, ignored with a button."""

import pytest
from test_equalizer import EDITOR, TAB
from test_equalizer import FIGURE as ANY_FIGURE
from window import Window

FIGURE = ANY_FIGURE.replace("add_figure()", "add_figure(rotation_mode='XYZ')")
FAULTS = """
bag = bpy.context.object.animation_data.action.layers[0].strips[0].channelbags[0]
for curve in bag.fcurves:
    for bone, frame in (('forearm.L', 60), ('thigh.R', 90), ('head', 41)):
        if f'"{bone}"' in curve.data_path and curve.data_path.endswith('euler') and curve.array_index == 0:
            key = next(key for key in curve.keyframe_points if round(key.co.x) == frame)
            key.co.y += 0.6
            curve.update()
"""
STATES = """
from bl_ext.user_default.motion_signal.operators.desk.findings import found
listed = bpy.context.window_manager.motion_signal_findings
result = {
    'states': [[bar.bone, round(bar.first), bar.state] for bar in found(bpy.context)],
    'rows': len(listed.rows), 'frame': bpy.context.scene.frame_current, 'index': listed.finding_index,
    'notice': bpy.context.window_manager.motion_signal.notice}
"""
LANE = """
area = next(area for area in window.screen.areas if area.type == 'GRAPH_EDITOR')
region = next(region for region in area.regions if region.type == 'WINDOW')
result = [region.x + region.view2d.view_to_region(frame, 0, clip=False)[0], region.y + region.height - 36]
"""


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(FIGURE, FAULTS, EDITOR, TAB)
        window.add_by_mouse("Clean", "clean")
        yield window


def test_findings_are_listed_gone_to_and_ignored_with_the_mouse(window):
    state = window.run(STATES)
    assert state["states"] == [["head", 41, "fixed"], ["forearm.L", 60, "fixed"], ["thigh.R", 90, "fixed"]]
    assert state["rows"] == 3 and state["notice"] == ""
    x, y = window.screen(*window.run(LANE, frame=60))
    window.click(x, y)
    window.settle()
    state = window.run(STATES)
    assert (state["frame"], state["index"]) == (60, 1)
    down = window.press_button("motion_signal.finding_mark", 230, 470)  # Ignore, below the list
    state = window.run(STATES)
    assert [own for _, _, own in state["states"]] == ["fixed", "ignored", "fixed"]
    window.press(230, down)
    assert {own for _, _, own in window.run(STATES)["states"]} == {"fixed"}
