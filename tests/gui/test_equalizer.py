# SPDX-License-Identifier: GPL-3.0-or-later
"""The equalizer as an animator meets it: the installed zip, a Graph Editor, a mouse."""

import json
import time
from pathlib import Path

import pytest
from window import CONTROLS, Window

ROW, FIRST = 21, CONTROLS  # pixels between two faders, and from the top of the sidebar to the first
FLIP, APPLY = 98, 515  # to Before and After, and to about where Apply is

FIGURE = """
bpy.context.preferences.inputs.use_mouse_continuous = False  # a test's mouse jumps, it is not pushed
bpy.ops.object.select_all(action='SELECT')
bpy.ops.object.delete()
bpy.ops.motion_signal.add_figure()
bpy.ops.object.mode_set(mode='OBJECT')  # nothing is selected: a step changes the whole take
area = max(window.screen.areas, key=lambda area: area.width * area.height)
with bpy.context.temp_override(area=area, region=area.regions[-1]):
    bpy.ops.screen.area_split(direction='VERTICAL', factor=0.4)
"""
EDITOR = """
area = max(window.screen.areas, key=lambda area: area.width * area.height)
area.ui_type = 'FCURVES'
area.spaces.active.show_region_ui = True
area.spaces.active.dopesheet.show_only_selected = False
bag = bpy.context.object.animation_data.action.layers[0].strips[0].channelbags[0]
for curve in bag.fcurves:
    curve.select = 'forearm.L' in curve.data_path
    curve.hide = not curve.select
"""
TAB = """
area = next(area for area in window.screen.areas if area.type == 'GRAPH_EDITOR')
next(region for region in area.regions if region.type == 'UI').active_panel_category = 'Motion'
region = next(region for region in area.regions if region.type == 'WINDOW')
with bpy.context.temp_override(area=area, region=region):
    bpy.ops.graph.view_all()
bpy.ops.ed.undo_push(message='Ready')
"""
BANDS = """
import sys
name = next(name for name in sys.modules if name.endswith('motion_signal.operators.live.summary'))
result = [band.index for band in sys.modules[name].summarize(bpy.context).bands]
"""
STATE = """
figure = bpy.context.object
action = figure.animation_data.action
bag = action.layers[0].strips[0].channelbag(figure.animation_data.action_slot)
curve = next(curve for curve in bag.fcurves if 'forearm.L' in curve.data_path and curve.array_index == 1)
result = {'action': action.name, 'actions': sorted(action.name for action in bpy.data.actions),
          'values': [curve.evaluate(frame) for frame in range(1, 140, 7)],
          'pose': [value for row in figure.pose.bones['forearm.L'].matrix for value in row],
          'gains': bpy.context.window_manager.motion_signal.equalize.gains,
          'notice': bpy.context.window_manager.motion_signal.notice}
"""


class Sidebar:
    """Where things are in the Motion tab, in pixels of the screen."""

    def __init__(self, window):
        self.window = window
        self.left, self.top, self.width, _ = window.region("GRAPH_EDITOR", "UI")
        self.bands = window.run(BANDS)

    def row(self, band):
        return self.top + FIRST + ROW * self.bands.index(band)

    def drag_fader(self, band, pixels):
        x = self.left + int(0.48 * self.width)
        self.window.drag(x, self.row(band), x + pixels, self.row(band), steps=12)

    def click(self, across, band=None, down=0):
        y = self.top + down if band is None else self.row(band)
        x = self.left + int(across * self.width)
        self.window.move(x, y)
        self.window.settle()  # a panel that has just changed is drawn first
        self.window.click(x, y)

    def click_before(self):
        self.click(0.2, down=FLIP)

    def click_after(self):
        self.click(0.55, down=FLIP)

    def click_apply(self):
        self.window.press_button("motion_signal.rack_apply", 70, APPLY)

    def click_cancel(self):
        self.window.press_button("motion_signal.preview_end", 200, APPLY)


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(FIGURE, EDITOR, TAB, step="equalize")
        yield window
        assert "Traceback" not in window.log.read_text(errors="replace")


def state(window):
    window.settle()
    return window.run(STATE)


def test_a_dragged_fader_moves_the_figure_and_esc_gives_it_back(window):
    sidebar, before = Sidebar(window), state(window)
    sidebar.drag_fader(6, 25)
    during = state(window)
    assert during["notice"] == ""
    assert during["action"].endswith("(preview)") and during["gains"]
    assert max(abs(a - b) for a, b in zip(before["values"], during["values"])) > 0.01
    assert max(abs(a - b) for a, b in zip(before["pose"], during["pose"])) > 1e-3
    window.move(*window.place("GRAPH_EDITOR", "WINDOW", 0.5, 0.5))
    window.key("Escape")
    after = state(window)
    assert after["action"] + " (preview)" == during["action"] and after["actions"] == [after["action"]]
    assert after["values"] == before["values"] and after["gains"] == during["gains"]  # it is only paused
    window.press_button("motion_signal.preview_resume", 190, APPLY - 20)
    assert state(window)["values"] == during["values"]


def test_apply_is_one_step_of_undo_and_redo(window):
    sidebar, before = Sidebar(window), state(window)
    sidebar.drag_fader(6, 25)
    shown = state(window)
    sidebar.click_apply()
    applied = state(window)
    take = before["action"].removesuffix(" (preview)")
    assert applied["action"] == take + " equalizer" and applied["actions"] == sorted([take, applied["action"]])
    assert applied["values"] == pytest.approx(shown["values"], abs=1e-6)
    assert applied["gains"] == ""  # the faders are neutral again: what they did is in the take now
    assert "planted feet slide" in window.run("result = bpy.context.window_manager.motion_signal.report")
    window.move(*window.place("GRAPH_EDITOR", "WINDOW", 0.5, 0.5))
    window.key("ctrl+z")
    undone = state(window)
    assert undone["values"] == pytest.approx(shown["values"], abs=1e-6) and undone["gains"]  # the rack is back
    assert undone["actions"] == shown["actions"]
    window.key("ctrl+shift+z")
    redone = state(window)
    assert redone["action"] == applied["action"] and redone["values"] == applied["values"]


def test_undo_takes_back_drag_after_drag_and_gives_their_settings_back(window):
    sidebar, states = Sidebar(window), [state(window)]
    for band in (6, 5):
        sidebar.drag_fader(band, 25)
        window.settle()
        window.rest()
        states.append(state(window))
    window.move(*window.place("GRAPH_EDITOR", "WINDOW", 0.5, 0.5))
    for was in reversed(states[:-1]):
        window.key("ctrl+z")
        now = state(window)
        assert json.loads(now["gains"] or "[]") == json.loads(was["gains"] or "[]")
        assert now["values"] == pytest.approx(was["values"], abs=1e-6)


def test_before_and_after_flip_with_a_click_and_cancel_ends_it(window):
    sidebar, before = Sidebar(window), state(window)
    sidebar.drag_fader(5, 25)
    shown = state(window)
    sidebar.click_before()
    flipped = state(window)
    assert flipped["action"] + " (preview)" == shown["action"] and flipped["values"] == before["values"]
    sidebar.click_after()
    assert state(window)["values"] == shown["values"]
    sidebar.click_cancel()
    assert state(window)["actions"] == [flipped["action"]] and state(window)["gains"] == ""


def test_mute_and_solo_are_buttons_beside_the_fader(window):
    sidebar = Sidebar(window)
    sidebar.click(0.76, band=6)
    assert window.run("result = bpy.context.window_manager.motion_signal.equalize.mute") == "[6]"
    sidebar.click(0.83, band=5)
    assert window.run("result = bpy.context.window_manager.motion_signal.equalize.solo") == "[5]"


def test_a_preset_from_the_header_sets_the_faders(window):
    window.press(100, CONTROLS - 25)
    window.press_button('motion_signal.preset_load(technique="equalize", preset="exaggerate"', 100, CONTROLS + 80)
    window.settle()
    gains = state(window)["gains"]
    shipped = (Path(__file__).resolve().parents[2] / "presets" / "equalize" / "exaggerate.json").read_text()
    assert json.loads(gains) == json.loads(shipped)["params"]["gains"]


def test_the_source_is_drawn_as_a_ghost_under_the_result(window, tmp_path):
    sidebar = Sidebar(window)
    box = window.region("GRAPH_EDITOR", "WINDOW")
    window.run("bpy.context.window_manager.motion_signal.equalize.gains = '[1, 1, 1, 1, 1, 1, 3, 3, 1, 1, 1, 1]'")
    time.sleep(1)
    window.picture(tmp_path / "with.png", box)
    window.run(
        "import sys\n"
        "name = next(name for name in sys.modules if name.endswith('motion_signal.operators.draw.ghost'))\n"
        "sys.modules[name].unregister()"
    )
    window.run("for area in window.screen.areas: area.tag_redraw()")
    time.sleep(1)
    window.picture(tmp_path / "without.png", box)
    window.run(
        "import sys\n"
        "name = next(name for name in sys.modules if name.endswith('motion_signal.operators.draw.ghost'))\n"
        "sys.modules[name].register()"
    )
    assert changed_pixels(tmp_path / "with.png", tmp_path / "without.png") > 500
    assert sidebar.bands


def test_a_deleted_object_and_a_new_file_end_the_preview_quietly(window):
    Sidebar(window).drag_fader(6, 25)
    window.run("bpy.ops.object.select_all(action='SELECT'); bpy.ops.object.delete()")
    time.sleep(0.5)
    assert (
        window.run(
            "bpy.context.window_manager.motion_signal.equalize.gains = '[1, 2]'\n"
            "result = bpy.context.window_manager.motion_signal.notice"
        )
        == "there is no active object"
    )
    window.run("bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)")
    time.sleep(1)
    assert window.run("result = len(bpy.data.actions)") == 0


def changed_pixels(one, other):
    import subprocess

    done = subprocess.run(["compare", "-metric", "AE", "-fuzz", "5%", one, other, "null:"], capture_output=True, text=True)
    return float(done.stderr.split()[0])
