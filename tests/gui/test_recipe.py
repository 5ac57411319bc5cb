# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipe of a result in a window: steps switched and changed with the mouse, and the same file here as in a batch."""

import os
import subprocess
import time

import pytest
from test_equalizer import EDITOR, FIGURE, TAB
from window import STEP, Window, installed

SWITCH, NAME, NEXT = 54, 100, 21  # from the left to a step's switch and name, and pixels between closed steps
STEPS = """
bpy.ops.motion_signal.equalize('EXEC_DEFAULT', True, preset='exaggerate')
bpy.ops.motion_signal.waveshape('EXEC_DEFAULT', True, preset='s_curve')
bpy.ops.motion_signal.lock('EXEC_DEFAULT', True, amount=1.0)
"""
RESULT = """
import hashlib, json, numpy
data = next(each for each in bpy.data.objects if each.type == 'ARMATURE').animation_data
seen = hashlib.sha256()
for curve in data.action.layers[0].strips[0].channelbag(data.action_slot).fcurves:
    seen.update(f'{curve.data_path} {curve.array_index}'.encode())
    for part in ('co', 'handle_left', 'handle_right'):
        keys = numpy.empty(2 * len(curve.keyframe_points), numpy.float32)
        curve.keyframe_points.foreach_get(part, keys)
        seen.update(keys.tobytes())
steps = json.loads(data.action.get('motion_signal_recipe', '{"steps": []}'))['steps']
result = {'action': data.action.name, 'curves': seen.hexdigest(), 'steps': [step['technique'] for step in steps],
          'on': [step.get('on', True) for step in steps], 'params': [step['params'] for step in steps]}
"""
SETTINGS = "settings = bpy.context.window_manager.motion_signal\n"
THREE = ["equalize", "waveshape", "lock"]


@pytest.fixture
def window():
    with Window() as window:
        window.arrange(FIGURE, EDITOR, TAB)
        yield window


class Rack:
    """The rack's steps, as the mouse finds them."""

    def __init__(self, window):
        self.window = window
        window.run("for area in window.screen.areas: area.tag_redraw()")
        window.settle()

    def switch(self, index):
        self.window.press(SWITCH, STEP + NEXT * index)
        time.sleep(1)

    def open(self, index):
        self.window.press(NAME, STEP + NEXT * index)
        time.sleep(1)

    def apply(self):
        self.window.press_button("motion_signal.rack_apply", 70, 560)
        time.sleep(1)


def look(window):
    return window.run(RESULT)


def undo(window, key="ctrl+z"):
    window.move(*window.place("GRAPH_EDITOR", "WINDOW", 0.5, 0.5))
    window.key(key)
    time.sleep(1)


def test_a_step_clicked_off_and_on_is_shown_and_undone(window):
    window.run(STEPS, timeout=60)
    rack, before = Rack(window), look(window)
    assert before["steps"] == THREE
    rack.switch(1)
    off = look(window)
    assert off["action"].endswith("(preview)") and off["curves"] != before["curves"]
    undo(window)
    assert look(window) == before
    rack.switch(1)
    assert look(window)["curves"] == off["curves"]
    rack.apply()
    applied = look(window)
    assert applied["on"] == [True, False, True] and applied["action"] == before["action"]  # it stands for the one that was


def test_a_step_is_changed_where_it_stands_and_those_after_it_follow(window):
    window.run(STEPS, timeout=60)
    rack, before = Rack(window), look(window)
    rack.open(0)
    assert window.run(SETTINGS + "result = settings.equalize.gains")
    window.run(SETTINGS + "settings.equalize.dc_gain = 0.8")
    window.settle()
    rack.apply()
    made = look(window)
    assert made["steps"] == THREE and made["params"][1:] == before["params"][1:] and made["curves"] != before["curves"]
    assert made["params"][0].pop("dc_gain") == pytest.approx(0.8) and made["params"][0] == before["params"][0]
    undo(window)
    assert window.run(SETTINGS + "result = round(settings.equalize.dc_gain, 4)") == 0.8  # its rack is back
    undo(window, "ctrl+shift+z")
    assert look(window)["curves"] == made["curves"]


def test_a_recipe_gives_the_same_curves_in_the_window_as_in_a_batch(window, tmp_path):
    take, recipe, out = tmp_path / "take.blend", tmp_path / "steps.json", tmp_path / "out"
    window.run("bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)", path=str(take))
    source = look(window)
    window.run(STEPS + "bpy.ops.motion_signal.recipe_save(filepath=path)", timeout=60, path=str(recipe))
    window.run(
        "data = bpy.context.object.animation_data\n"
        "data.action = bpy.data.actions['Walking Figure']\ndata.action_slot = data.action.slots[0]"
    )
    assert look(window) == source
    window.run("bpy.ops.motion_signal.recipe_run(filepath=path)", timeout=60, path=str(recipe))
    made = look(window)
    assert made["steps"] == THREE and made["curves"] != source["curves"]
    done = subprocess.run(
        ["blender", "--background", "--command", "motion_signal", "run", recipe, take, "-o", out],
        text=True,
        capture_output=True,
        env=os.environ | {"BLENDER_USER_RESOURCES": installed()},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    window.run("bpy.ops.wm.open_mainfile(filepath=path, load_ui=False)", path=str(out / "take.blend"))
    time.sleep(1)
    assert {**look(window), "action": ""} == {**made, "action": ""}
