# SPDX-License-Identifier: GPL-3.0-or-later
"""Life in a window: the amount dragged with the mouse, and the figure shows more of the other take."""

import pytest
from test_equalizer import EDITOR, FIGURE, TAB
from window import CONTROLS, Window

AMOUNT = CONTROLS + 26  # from the top of the sidebar to the second row of the step
POSES = """
action = bpy.context.object.animation_data.action
walk = action.copy()
walk.name, walk.use_fake_user = 'Walk', True
for curve in action.layers[0].strips[0].channelbags[0].fcurves:
    values = {frame: curve.evaluate(frame) for frame in (1, 61, 121)}
    curve.keyframe_points.clear()
    for frame, value in values.items():
        curve.keyframe_points.insert(frame, value)
    curve.update()
"""
STATE = """
settings, figure, places = bpy.context.window_manager.motion_signal, bpy.context.object, []
for frame in range(1, 121, 4):
    bpy.context.scene.frame_set(frame)
    places.append(list(figure.pose.bones['hand.L'].head - figure.pose.bones['hips'].head))
action = figure.animation_data.action.name
result = {'amount': settings.life.amount, 'notice': settings.notice, 'places': places, 'action': action}
"""


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(FIGURE, POSES, EDITOR, TAB)
        window.add_by_mouse("Pose", "life")
        window.run("bpy.context.window_manager.motion_signal.life.take = 'Walk'")
        window.settle()
        yield window


def test_the_amount_is_dragged_and_the_figure_follows(window):
    before = window.run(STATE)
    assert before["amount"] == 1.0 and before["notice"] == "" and before["action"].endswith("(preview)")
    left, top, _, _ = window.region("GRAPH_EDITOR", "UI")
    window.drag(left + 170, top + AMOUNT, left + 225, top + AMOUNT, steps=8)
    window.settle()
    after = window.run(STATE)
    assert after["amount"] > 1.1 and after["notice"] == ""
    apart = [abs(a - b) for one, two in zip(before["places"], after["places"]) for a, b in zip(one, two)]
    assert max(apart) > 0.005
