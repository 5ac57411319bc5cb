# SPDX-License-Identifier: GPL-3.0-or-later
"""A preview in a window: what Esc, playback, saving, a second technique and a closing window do to it."""

import time

import pytest
from test_equalizer import EDITOR, FIGURE, TAB, Sidebar, state
from window import Window

SESSION = """
import sys
name = next(name for name in sys.modules if name.endswith('motion_signal.operators.live.preview'))
current = sys.modules[name].session()
"""
SESSION_TECHNIQUE = (
    "getattr(next(module for name, module in __import__('sys').modules.items() "
    "if name.endswith('motion_signal.operators.live.preview')).session(), 'technique', '')"
)
SHOWN = f"result = {SESSION_TECHNIQUE}"
STEPS = """
import json
action = bpy.context.object.animation_data.action
result = [step['technique'] for step in json.loads(action.get('motion_signal_recipe', '{"steps": []}'))['steps']]
"""
PREVIEWED = "bpy.context.object.animation_data.action.name.endswith('(preview)')"
PLAYING = "window.screen.is_animation_playing"
HELD = """
import shutil
with bpy.data.libraries.load(shutil.copy(path, path + '.copy.blend')) as (there, _):
    result = list(there.actions)
"""
SECOND = """
bpy.ops.wm.window_new()
bpy.context.window_manager.windows[-1].scene = bpy.data.scenes.new('Empty')
"""
CLOSED = """
with bpy.context.temp_override(window=bpy.context.window_manager.windows[-1]):
    bpy.ops.wm.window_close()
"""


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(FIGURE, EDITOR, TAB, step="equalize")
        yield window
        assert "Traceback" not in window.log.read_text(errors="replace")


def begin(window, band=6, gain="1.6"):
    """Type a gain into a fader, and see it previewed. (On a busy machine a drag may come too late to be one.)"""
    sidebar = Sidebar(window)
    window.click(sidebar.left + int(0.48 * sidebar.width), sidebar.row(band))
    time.sleep(0.5)
    window.key("ctrl+a")
    window.type(gain)
    window.key("Return")
    window.until(PREVIEWED, timeout=30)
    over(window, "WINDOW")
    return state(window)


def over(window, region):
    window.move(*window.place("GRAPH_EDITOR", region, 0.45, 0.4))
    time.sleep(0.3)


def test_esc_over_the_sidebar_gives_the_take_back(window):
    before = state(window)
    for region, gain in (("UI", "1.6"), ("CHANNELS", "1.7"), ("WINDOW", "1.8")):  # the same gain again is no touch
        shown = begin(window, gain=gain)
        over(window, region)
        window.key("Escape")
        window.until(f"not {PREVIEWED}", timeout=30)
        paused = state(window)
        assert paused["values"] == before["values"] and paused["gains"] == shown["gains"]


def test_esc_during_playback_stops_playback_and_nothing_else(window):
    shown = begin(window)
    window.run("bpy.ops.screen.animation_play()")
    window.until(PLAYING, timeout=30)
    over(window, "WINDOW")
    window.key("Escape")
    window.until(f"not {PLAYING}", timeout=30)
    after = state(window)
    assert after["action"] == shown["action"] and after["values"] == shown["values"] and window.run(SHOWN) == "equalize"
    window.key("Escape")
    window.until(f"not {PREVIEWED}", timeout=30)


def test_a_preview_goes_on_after_ctrl_s(window, tmp_path):
    path = str(tmp_path / "saved.blend")
    window.run("bpy.ops.wm.save_as_mainfile(filepath=path)", path=path)
    shown, sidebar = begin(window), Sidebar(window)
    over(window, "WINDOW")
    window.run("import os; os.utime(path, (1, 1))", path=path)
    window.key("ctrl+s")
    window.until("__import__('os').path.getmtime(path) > 10", path=path)
    assert state(window) == shown
    assert window.run(HELD, path=path) == ["Walking Figure"]
    sidebar.click_apply()
    assert state(window)["values"] == pytest.approx(shown["values"], abs=1e-6) and window.run(STEPS) == ["equalize"]


def test_another_step_is_laid_over_what_is_shown_and_undo_takes_one_after_the_other_back(window):
    first = begin(window)
    window.rest()
    window.add_step("cartoon")
    window.run("bpy.context.window_manager.motion_signal.cartoon.strength = 0.8")
    window.until(SESSION_TECHNIQUE + " == 'cartoon'", timeout=30)
    window.rest()
    both = state(window)
    assert both["values"] != first["values"] and both["gains"] == ""
    over(window, "WINDOW")
    for _ in range(2):  # the strength, and the step
        window.key("ctrl+z")
        time.sleep(1)
    undone = state(window)
    assert undone["values"] == pytest.approx(first["values"], abs=1e-6) and undone["gains"] == first["gains"]
    Sidebar(window).click_apply()
    assert window.run(STEPS) == ["equalize"]


def test_the_report_goes_with_undo_and_a_window_without_an_object_closes_quietly(window):
    begin(window)
    Sidebar(window).click_apply()
    window.until("bpy.context.window_manager.motion_signal.report", timeout=30)
    over(window, "WINDOW")
    window.key("ctrl+z")
    window.until("not bpy.context.window_manager.motion_signal.report", timeout=30)
    window.run(SECOND)
    window.until("len(bpy.context.window_manager.windows) == 2")
    time.sleep(1)
    window.run(CLOSED)
    window.until("len(bpy.context.window_manager.windows) == 1")
    time.sleep(1)
