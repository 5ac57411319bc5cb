# SPDX-License-Identifier: GPL-3.0-or-later
"""The path in a window: a control point dragged with the mouse takes the figure along while it moves."""

import time

import pytest
from test_equalizer import EDITOR, FIGURE, TAB
from window import Window, xdotool

EDIT = """
bpy.ops.motion_signal.path_create(control_points=5)
curve = bpy.data.objects[bpy.context.window_manager.motion_signal.path.curve]
bpy.context.object.select_set(False)
bpy.context.view_layer.objects.active = curve
curve.select_set(True)
area = next(area for area in window.screen.areas if area.type == 'VIEW_3D')
region = next(region for region in area.regions if region.type == 'WINDOW')
with bpy.context.temp_override(area=area, region=region):
    bpy.ops.view3d.view_axis(type='TOP')
    bpy.ops.view3d.view_selected()
    bpy.ops.object.mode_set(mode='EDIT')
    bpy.ops.curve.select_all(action='DESELECT')
curve.data.splines[0].points[2].select = True
bpy.ops.ed.undo_push(message='Ready')
"""
HIPS = """
bpy.context.scene.frame_set(72)
figure = bpy.data.objects['Walking Figure']
result = list(figure.matrix_world @ figure.pose.bones['hips'].head)
"""


@pytest.fixture
def window():
    with Window() as window:
        for code in (FIGURE, EDITOR, TAB, EDIT):
            window.run(code)
            time.sleep(1)
        yield window


def away(first, second):
    return sum((a - b) ** 2 for a, b in zip(first, second)) ** 0.5


def test_the_figure_follows_a_control_point_under_the_mouse(window):
    before = window.run(HIPS)
    x, y = window.place("VIEW_3D", "WINDOW", 0.5, 0.5)
    window.move(x, y)
    window.key("g")
    places = []
    for step in range(1, 9):
        window.move(x + 12 * step, y)
        time.sleep(0.15)
        places.append(window.run(HIPS))
    xdotool("click", 1)
    time.sleep(1)
    gone = [away(before, place) for place in places]
    assert gone[1] > 0.01 and gone[-1] > 2 * gone[1] > 0, gone
    assert window.run("result = bpy.context.window_manager.motion_signal.notice") == ""
    held = window.run(HIPS)
    window.run("bpy.ops.motion_signal.path('INVOKE_DEFAULT')")
    assert away(held, window.run(HIPS)) < 1e-4
    assert window.run("result = bpy.data.objects['Walking Figure'].animation_data.action.name") == "Walking Figure path"
