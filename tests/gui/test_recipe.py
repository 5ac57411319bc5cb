# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipe of a result in a window: steps switched and changed with the mouse, and the same file here as in a batch."""

import os
import subprocess
import time

import pytest
from test_equalizer import EDITOR, FIGURE, TAB
from window import HEADER, Window, installed

ROW = 21  # pixels between steps
FIRST = 77  # from the top of the recipe's panel to its first step
SWITCH, PENCIL = 31, 174  # from the left
FADERS = 283  # from the row of an equalizer to its Apply
COUNT = """
result = len([kind for kind in bpy.types.Panel.__subclasses__() if getattr(kind, 'technique_name', '')
              and getattr(kind, 'bl_category', '') == 'Motion'])
"""
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


class Panel:
    """The recipe's panel, opened."""

    def __init__(self, window):
        self.window, (self.left, top, _, _) = window, window.region("GRAPH_EDITOR", "UI")
        self.top = top + HEADER * window.run(COUNT)
        self.click(60, 16)

    def click(self, across, down):
        self.window.move(self.left + across, self.top + down)
        time.sleep(0.8)
        self.window.click(self.left + across, self.top + down)
        time.sleep(1.5)

    def switch(self, step):
        self.click(SWITCH, FIRST + ROW * step)

    def edit(self, step):
        self.click(PENCIL, FIRST + ROW * step)

    def apply_faders(self, step):
        self.click(60, FIRST + ROW * step + FADERS)


def look(window):
    return window.run(RESULT)


def undo(window, key="ctrl+z"):
    window.move(*window.place("GRAPH_EDITOR", "WINDOW", 0.5, 0.5))
    window.key(key)
    time.sleep(1)


def test_a_step_clicked_off_and_on_gives_the_same_curves_bit_for_bit(window):
    window.run(STEPS + "bpy.ops.motion_signal.recipe_change('EXEC_DEFAULT', True, change='RUN')", timeout=60)
    panel, before = Panel(window), look(window)
    assert before["steps"] == THREE
    panel.switch(1)
    off = look(window)
    assert off["on"] == [True, False, True] and off["action"] == before["action"] and off["curves"] != before["curves"]
    panel.switch(1)
    assert look(window) == before
    undo(window)
    assert look(window) == off
    undo(window)
    assert look(window) == before


def test_a_step_is_changed_where_it_stands_and_those_after_it_follow(window):
    window.run(STEPS, timeout=60)
    panel, before = Panel(window), look(window)
    panel.edit(0)
    assert window.run(SETTINGS + "result = settings.equalize.gains") and look(window)["action"].endswith("(preview)")
    window.run(SETTINGS + "settings.equalize.dc_gain = 0.8")
    time.sleep(0.5)
    panel.apply_faders(0)
    made = look(window)
    assert made["steps"] == THREE and made["params"][1:] == before["params"][1:] and made["curves"] != before["curves"]
    assert made["params"][0].pop("dc_gain") == pytest.approx(0.8) and made["params"][0] == before["params"][0]
    undo(window)
    assert look(window) == before
    undo(window, "ctrl+shift+z")
    assert look(window)["curves"] == made["curves"]


def test_undo_while_a_step_is_changed_leaves_the_result_and_nothing_open(window):
    window.run(STEPS, timeout=60)
    panel, before = Panel(window), look(window)
    panel.edit(1)
    assert window.run(SETTINGS + "result = settings.scope.action") == "Walking Figure equalizer"
    undo(window)
    assert look(window) == before
    assert window.run(SETTINGS + "result = settings.scope.action + settings.reopened") == ""


def test_a_key_moved_by_hand_is_noticed_while_the_panel_is_open(window):
    window.run(STEPS, timeout=60)
    Panel(window)
    noticed = "any(name.endswith('tools.recipe') and module._by_hand for name, module in __import__('sys').modules.items())"
    time.sleep(1)
    assert not window.run(f"result = {noticed}")
    window.run("""
data = bpy.context.object.animation_data
data.action.layers[0].strips[0].channelbag(data.action_slot).fcurves[5].keyframe_points[30].co.y += 0.1
for area in window.screen.areas:
    area.tag_redraw()
""")
    window.until(noticed)


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
