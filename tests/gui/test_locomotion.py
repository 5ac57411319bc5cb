# SPDX-License-Identifier: GPL-3.0-or-later
"""Locomotion in a window: the step from its menu, a curve and a faster walk chosen, and a stop keyed where the figure is."""

import pytest
from test_equalizer import EDITOR, TAB
from test_takes import FIGURES
from window import CONTROLS, Window

CURVE, ADD, KEY, APPLY = (175, CONTROLS), (242, 195), (190, 300), (70, 480)  # from the tab's corner
WAY = """
curve = bpy.data.curves.new('Way', 'CURVE')
curve.dimensions = '3D'
spline = curve.splines.new('NURBS')
spline.points.add(3)
for point, place in zip(spline.points, ((0, 0), (0, -2), (1.5, -4), (1.5, -6))):
    point.co = (*place, 0.0, 1.0)
spline.order_u, spline.use_endpoint_u = 4, True
bpy.context.collection.objects.link(bpy.data.objects.new('Way', curve))
"""
STATE = """
import json
import numpy as np
settings, figure = bpy.context.window_manager.motion_signal, bpy.context.object
action, bones, scene = figure.animation_data.action, figure.pose.bones, bpy.context.scene
first, last = (int(frame) for frame in action.frame_range)
places = []
for frame in range(first, last + 1):
    scene.frame_set(frame)
    places.append(figure.matrix_world @ bones['hips'].head)
paces = [(after - before).to_2d().length * scene.render.fps for before, after in zip(places, places[1:])]
stands = [index for index, pace in enumerate(paces) if pace < 0.05]
result = {
    'curve': settings.locomotion.curve, 'takes': settings.locomotion.takes, 'keys': settings.locomotion.speed_keys,
    'notice': settings.notice, 'action': action.name, 'ends': [list(places[0][:2]), list(places[-1][:2])],
    'stood': any(20 < index < len(paces) - 30 for index in stands), 'frames': last - first,
}
"""


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(FIGURES, WAY, EDITOR, TAB)
        window.add_by_mouse("Path", "locomotion")
        yield window


def test_a_figure_walks_a_curve_and_stops_where_it_is_told_to(window):
    window.choose(*CURVE, name="Way")
    state = window.run(STATE)
    assert state["curve"] == "Way" and state["notice"] == "" and state["action"].endswith("(preview)")
    assert abs(state["ends"][1][0] - 1.5) < 0.15 and abs(state["ends"][1][1] + 6.0) < 0.2 and not state["stood"]
    window.press_button("motion_signal.speed_take_add", *ADD)
    window.type("Walk 1.7")
    window.settle()
    window.key("Return")
    window.settle()
    assert "Walk 1.7" in window.run(STATE)["takes"]
    window.run("bpy.context.scene.frame_set(frame)", frame=state["frames"] // 2)
    window.press_button("motion_signal.locomotion_key(stop=True)", *KEY)
    state = window.run(STATE)
    assert '"speed"' in state["keys"] and state["notice"] == "" and state["stood"]
    window.press_button("motion_signal.rack_apply", *APPLY)
    applied = window.run(STATE)
    assert applied["action"] == "Walk 1.3 locomotion" and applied["stood"]
