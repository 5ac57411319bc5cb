# SPDX-License-Identifier: GPL-3.0-or-later
"""The network in a window: three cycles placed, the puck dragged with the mouse, the result baked."""

import time

import pytest
from test_equalizer import EDITOR, TAB
from window import Window

MAKE = """
bpy.context.preferences.inputs.use_mouse_continuous = False
bpy.ops.object.select_all(action='SELECT')
bpy.ops.object.delete()
bpy.context.scene.render.fps = 60
for speed in (0.9, 1.3, 1.8):
    bpy.ops.motion_signal.add_figure(speed=speed)
    bpy.ops.motion_signal.cycle(find='SEARCH', path='STRAIGHT', result=f'Cycle {speed}')
    bpy.context.object.animation_data.action.use_fake_user = True
for figure in [figure for figure in bpy.data.objects if figure is not bpy.context.object]:
    bpy.data.objects.remove(figure)
area = max(window.screen.areas, key=lambda area: area.width * area.height)
with bpy.context.temp_override(area=area, region=area.regions[-1]):
    bpy.ops.screen.area_split(direction='VERTICAL', factor=0.3)
"""
POINTS = """
for name, (x, y) in zip(('Cycle 0.9', 'Cycle 1.3', 'Cycle 1.8'), ((0, 0), (1, 0), (0.5, 1))):
    bpy.ops.motion_signal.network_point_add(action=name, x=x, y=y)
"""
STATE = """
settings, figure = bpy.context.window_manager.motion_signal, bpy.context.object
curve = figure.animation_data.action.layers[0].strips[0].channelbag(figure.animation_data.action_slot).fcurves.find(
    'pose.bones["thigh.L"].rotation_quaternion', index=1)
result = {'puck': [settings.network.puck_x, settings.network.puck_y], 'notice': settings.notice,
          'action': figure.animation_data.action.name, 'values': [curve.evaluate(frame) for frame in range(1, 40)],
          'place': [settings.network.points_rows[2].x, settings.network.points_rows[2].y] if settings.network.points else None}
"""
CORNER, SIZE = (230, 60), 190  # of the pad: pixels from the lower right corner of the editor


@pytest.fixture
def window():
    with Window() as window:
        for code in (MAKE, EDITOR, TAB, POINTS):
            window.run(code, timeout=60)
            time.sleep(1.5)
        yield window


def at(window, across, up):
    left, top, width, height = window.region("GRAPH_EDITOR", "WINDOW")
    scale = window.run("result = bpy.context.preferences.system.ui_scale")
    return (left + width - round(scale * (CORNER[0] - SIZE * across)),
            top + height - round(scale * (CORNER[1] + SIZE * up)))


def test_the_puck_is_dragged_a_point_is_moved_and_the_result_is_baked(window):
    before = window.run(STATE)
    window.drag(*at(window, 0.4, 0.3), *at(window, 0.55, 0.5), steps=10)
    time.sleep(1)
    dragged = window.run(STATE)
    assert dragged["notice"] == "" and dragged["puck"] != before["puck"] and dragged["values"] != before["values"]
    window.drag(*at(window, 0.5, 0.833), *at(window, 0.7, 0.9), steps=8)
    time.sleep(1)
    moved = window.run(STATE)
    assert moved["place"] != dragged["place"] and moved["puck"] == dragged["puck"] and moved["notice"] == ""
    window.run("bpy.ops.motion_signal.network('INVOKE_DEFAULT')")
    assert window.run(STATE)["action"].endswith("network") and window.run(STATE)["values"] == moved["values"]
