# SPDX-License-Identifier: GPL-3.0-or-later
"""Music in a window: a tempo halved with its button, and a beat dragged in its lane takes all along."""

import pytest
from test_equalizer import EDITOR, FIGURE, TAB
from window import Window

STATE = """
settings = bpy.context.window_manager.motion_signal
action = bpy.context.object.animation_data.action
result = {'tempo': settings.music.tempo, 'first': settings.music.first_beat, 'notice': settings.notice, 'action': action.name}
"""
BEATS = """
from bl_ext.user_default.motion_signal.operators.desk.music import frames_shown
result = frames_shown(bpy.context)
"""
LANE = """
area = next(area for area in window.screen.areas if area.type == 'GRAPH_EDITOR')
region = next(region for region in area.regions if region.type == 'WINDOW')
result = [region.x + region.view2d.view_to_region(frame, 0, clip=False)[0], region.y + region.height - 36]
"""


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(FIGURE, EDITOR, TAB)
        window.add_by_mouse("Timing", "music")
        window.run("bpy.context.window_manager.motion_signal.music.tempo = 200.0")
        window.settle()
        yield window


def test_a_tempo_is_halved_and_a_beat_dragged(window):
    window.press_button("motion_signal.music_change", 100, 300)  # / 2
    state = window.run(STATE)
    assert state["tempo"] == 100.0 and state["notice"] == "" and state["action"].endswith("(preview)")
    before = window.run(BEATS)
    middle = len(before) // 2
    x, y = window.screen(*window.run(LANE, frame=before[middle]))
    there = window.screen(*window.run(LANE, frame=before[middle] + 5))[0]
    window.drag(x, y, there, y, steps=6)
    window.settle()
    after = window.run(BEATS)
    assert min(abs(frame - before[middle] - 5) for frame in after) <= 1.5
    assert abs(window.run(STATE)["first"] - 5 / 24.0) < 1.5 / 24.0
