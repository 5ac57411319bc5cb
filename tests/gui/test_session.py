# SPDX-License-Identifier: GPL-3.0-or-later
"""A preview in a window: what Esc, playback, saving, a second technique and a closing window do to it."""

import time

import pytest
from test_equalizer import EDITOR, FIGURE, TAB, Sidebar, state
from window import HEADER, Window

DISPLACEMENT, START, APPLY = 2, (80, 103), (75, 314)  # which of the closed panels, and pixels to its buttons when open
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
KEPT = SESSION + "result = current.kept"
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
        for code in (FIGURE, EDITOR, TAB):
            window.run(code, timeout=90)
            time.sleep(1)
        yield window
        assert "Traceback" not in window.log.read_text(errors="replace")


def begin(window, band=6, gain="1.6"):
    """Type a gain into a fader, and see it previewed. (On a busy machine a drag may come too late to be one.)"""
    sidebar = Sidebar(window)
    window.click(sidebar.left + int(0.55 * sidebar.width), sidebar.row(band))
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
    for region in ("UI", "CHANNELS", "WINDOW"):
        begin(window)
        over(window, region)
        window.key("Escape")
        window.until(f"not {PREVIEWED}", timeout=30)
        assert state(window)["values"] == before["values"]
        window.run("bpy.context.window_manager.motion_signal.equalize.property_unset('gains')")


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


def open_instead(window, panel, other):
    """Close one panel of the tab and open another, by their numbers."""
    left, top, _, _ = window.region("GRAPH_EDITOR", "UI")
    for each in (panel, other):
        window.click(left + 60, top + 16 + HEADER * each)
        time.sleep(2)


def click(window, place):
    left, top, _, _ = window.region("GRAPH_EDITOR", "UI")
    window.move(left + place[0], top + place[1])
    time.sleep(0.8)
    window.click(left + place[0], top + place[1])


def test_nothing_shown_is_lost_in_another_panel(window):
    """Apply there applies what is shown; another technique begun there is laid over it."""
    shown = begin(window)
    open_instead(window, 0, DISPLACEMENT)
    click(window, APPLY)
    window.until("bpy.context.object.animation_data.action.name.endswith(' equalizer')", timeout=30)
    applied = state(window)
    assert applied["values"] == pytest.approx(shown["values"], abs=1e-6) and window.run(STEPS) == ["equalize"]
    open_instead(window, DISPLACEMENT, 0)
    shown = begin(window, 5, "0.4")
    open_instead(window, 0, DISPLACEMENT)
    click(window, START)
    window.until(SESSION_TECHNIQUE + " == 'displace'", timeout=30)
    assert state(window)["values"] == pytest.approx(shown["values"], abs=1e-6)
    assert window.run(KEPT).startswith("Equalizer is applied: this is laid over Walking Figure equalizer")
    over(window, "WINDOW")
    window.key("ctrl+z")
    window.until(f"not {PREVIEWED}", timeout=30)
    assert window.run(STEPS) == ["equalize", "equalize"]
    window.key("ctrl+z")
    window.until("bpy.context.object.animation_data.action.name == name", timeout=30, name=applied["action"])
    assert state(window)["values"] == applied["values"]


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
