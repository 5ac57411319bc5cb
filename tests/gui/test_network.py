# SPDX-License-Identifier: GPL-3.0-or-later
"""The network in a window: three cycles chosen and placed, the puck dragged with the mouse, the result baked or left."""

import pytest
from test_equalizer import EDITOR, TAB, changed_pixels
from window import AFTER_ONE, Window

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
STATE = """
settings, figure = bpy.context.window_manager.motion_signal, bpy.context.object
curve = figure.animation_data.action.layers[0].strips[0].channelbag(figure.animation_data.action_slot).fcurves.find(
    'pose.bones["thigh.L"].rotation_quaternion', index=1)
result = {'puck': [settings.network.puck_x, settings.network.puck_y], 'notice': settings.notice,
          'action': figure.animation_data.action.name, 'values': [curve.evaluate(frame) for frame in range(1, 40)],
          'points': [[row.action, row.x, row.y] for row in settings.network.points_rows]}
"""
NO_POINTS = """
settings = bpy.context.window_manager.motion_signal
settings.live = False
bpy.ops.motion_signal.reset(technique='network')
for area in window.screen.areas:
    area.tag_redraw()
"""
ADD, APPLY, CANCEL = (242, 192), (70, 680), (200, 680)  # from the tab's corner
RIGHT, BOTTOM = 40, 60  # pixels from the pad to the lower right corner of the editor
SIZE = """
import sys
network = next(module for name, module in sys.modules.items() if name.endswith('motion_signal.operators.tools.network'))
area = next(area for area in window.screen.areas if area.type == 'GRAPH_EDITOR')
with bpy.context.temp_override(area=area, region=next(region for region in area.regions if region.type == 'WINDOW')):
    result = network.pad_size(bpy.context)
"""


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(MAKE, EDITOR, TAB)
        window.add_by_mouse("Combine", "network", AFTER_ONE)
        window.choose(*ADD, entry=0)
        for name in ("Cycle 1.3", "Cycle 1.8"):
            window.choose(*ADD, name=name)
        yield window


def at(window, across, up):
    left, top, width, height = window.region("GRAPH_EDITOR", "WINDOW")
    scale = window.run("result = bpy.context.preferences.system.ui_scale")
    size = window.run(SIZE)
    return (left + width - round(scale * (RIGHT + size - size * across)), top + height - round(scale * (BOTTOM + size * up)))


def drag(window, start, end):
    window.drag(*at(window, *start), *at(window, *end), steps=10)
    window.settle()
    return window.run(STATE)


def test_three_cycles_are_chosen_the_puck_and_a_point_dragged_and_the_result_baked(window):
    before = window.run(STATE)
    assert before["points"] == [["Cycle 0.9", 0, 0], ["Cycle 1.3", 0.5, 1], ["Cycle 1.8", 1, 0]] and before["notice"] == ""
    dragged = drag(window, (0.4, 0.3), (0.55, 0.5))
    assert dragged["notice"] == "" and dragged["puck"] != before["puck"] and dragged["values"] != before["values"]
    moved = drag(window, (0.5, 0.833), (0.7, 0.9))
    assert moved["points"][1][1:] != dragged["points"][1][1:] and moved["puck"] == dragged["puck"] and moved["notice"] == ""
    window.press_button("motion_signal.rack_apply", *APPLY)
    assert window.run(STATE)["action"].endswith("blend space") and window.run(STATE)["values"] == moved["values"]


def test_the_pad_goes_when_the_network_is_cancelled(window, tmp_path):
    drag(window, (0.4, 0.3), (0.55, 0.5))
    window.press_button("motion_signal.preview_end", *CANCEL)
    cancelled = window.run(STATE)
    assert not cancelled["action"].endswith("(preview)") and not cancelled["points"]
    after = drag(window, (0.55, 0.5), (0.4, 0.3))
    assert after["action"] == cancelled["action"] and after["puck"] == cancelled["puck"]
    window.move(*window.place("VIEW_3D", "WINDOW", 0.5, 0.5))
    window.settle()
    (left, bottom), (right, top) = at(window, 0, 0), at(window, 1, 1)
    box = (left, top, right - left, bottom - top)
    window.picture(tmp_path / "cancelled.png", box)
    window.run(NO_POINTS)
    window.settle()
    window.picture(tmp_path / "without.png", box)
    assert changed_pixels(tmp_path / "cancelled.png", tmp_path / "without.png") < 50
