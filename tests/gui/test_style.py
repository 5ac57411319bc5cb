# SPDX-License-Identifier: GPL-3.0-or-later
"""Style in a window: the strength of the cartoon dragged live, hands and feet kept where they are."""

import json
import time

import pytest
from test_equalizer import EDITOR, FIGURE, TAB, state
from window import CONTROLS, Window

STRENGTH, KEY = (150, CONTROLS), (200, CONTROLS + 63)  # pixels to the first slider, and to the diamond of a fader
HELD = """
import sys
name = next(name for name in sys.modules if name.endswith('motion_signal.operators.draw.held_bones'))
result = sys.modules[name].held_words()
"""


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(FIGURE, EDITOR, TAB)
        yield window


def test_strength_is_dragged_live_with_the_ends_kept(window):
    before = state(window)
    window.add_step("cartoon")
    window.run("bpy.context.window_manager.motion_signal.scope.keep_ends = True")
    window.settle()
    left, top, _, _ = window.region("GRAPH_EDITOR", "UI")
    x, y = left + STRENGTH[0], top + STRENGTH[1]
    window.drag(x, y, x + 60, y, steps=10)
    time.sleep(1)
    during = state(window)
    assert window.run("result = bpy.context.window_manager.motion_signal.cartoon.strength") > 0.3
    assert during["notice"] == "" and during["action"].endswith("(preview)") and during["values"] != before["values"]
    assert window.run(HELD).startswith("held bones are off their paths by")
    window.move(*window.place("GRAPH_EDITOR", "WINDOW", 0.5, 0.5))
    window.key("Escape")
    assert state(window)["values"] == before["values"]


def test_a_gain_is_keyed_again_with_the_mouse_where_it_is(window):
    before = state(window)
    window.add_step("equalize")
    window.run("bpy.context.scene.frame_set(20)")
    row = window.press_button("motion_signal.automate_key", *KEY)
    for frame in (60, 100):
        window.run("bpy.context.scene.frame_set(frame)", frame=frame)
        window.settle()
        window.press(KEY[0], row)
    (entry,) = json.loads(window.run("result = bpy.context.window_manager.motion_signal.equalize.automation"))
    assert [frame for frame, _ in entry["keys"]] == [20, 60, 100]
    assert state(window)["actions"] == sorted([*before["actions"], before["action"] + " (preview)"])


def test_a_gain_keyed_as_a_curve_moves_the_figure_and_undo_takes_it_back(window):
    before = state(window)
    window.run("bpy.ops.motion_signal.gain_curve('EXEC_DEFAULT', True, band=5)")
    time.sleep(0.5)
    made = state(window)
    assert made["action"] == before["action"] + " automation" and made["values"] == before["values"]
    window.run("""
figure = bpy.context.object
name = next(name for name in figure.keys() if name.startswith('gain '))
for frame, gain in ((40, 1.0), (60, 3.0)):
    figure[name] = gain
    figure.keyframe_insert(f'["{name}"]', frame=frame)
bpy.ops.ed.undo_push(message='Keyed')
""")
    time.sleep(1)
    keyed = state(window)
    assert max(abs(a - b) for a, b in zip(keyed["values"], made["values"])) > 1e-3 and keyed["notice"] == ""
    window.move(*window.place("GRAPH_EDITOR", "WINDOW", 0.5, 0.5))
    window.key("ctrl+z")
    time.sleep(1)
    assert max(abs(a - b) for a, b in zip(state(window)["values"], made["values"])) < 1e-5
