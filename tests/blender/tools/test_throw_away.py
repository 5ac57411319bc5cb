# SPDX-License-Identifier: GPL-3.0-or-later
"""Variants stay in the file until they are thrown away; takes, and what was changed by hand, are never thrown away."""

import json

import bpy
import pytest
import rigs
from bl_ext.dev.motion_signal.core.techniques.character.equalize import EQUALIZE
from desk import panel, press_apply

pytestmark = pytest.mark.usefixtures("settled")
LOUD = json.dumps(rigs.LOUD)


@pytest.fixture
def figure(scene):
    bpy.ops.motion_signal.add_figure()
    return bpy.context.object


def names():
    return sorted(action.name for action in bpy.data.actions)


def back_to(name):
    data = bpy.context.object.animation_data
    data.action, data.action_slot = bpy.data.actions[name], bpy.data.actions[name].slots[0]


def saved_and_opened(tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "variants.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "variants.blend"))
    return names()


def variants():
    """Two moods of the same take, one after the other."""
    bpy.ops.motion_signal.style(preset="tired", result="Tired")
    back_to("Walking Figure")
    bpy.ops.motion_signal.style(preset="proud", result="Proud")


def test_variants_are_there_after_saving(figure, tmp_path):
    variants()
    kept = rigs.record(bpy.data.actions["Tired"])["curves"]
    assert saved_and_opened(tmp_path) == ["Proud", "Tired", "Walking Figure"]
    assert rigs.record(bpy.data.actions["Tired"])["curves"] == kept


@pytest.mark.parametrize(
    "make",
    (
        lambda: bpy.ops.motion_signal.cycle_repeat(),
        lambda: bpy.ops.motion_signal.gain_curve(band=5),
        lambda: bpy.ops.motion_signal.recipe_change(step=0, change="REMOVE"),
    ),
    ids=("for ever", "gain curve", "no steps"),
)
def test_whatever_was_made_is_there_after_saving(figure, make, tmp_path):
    bpy.ops.motion_signal.equalize(gains=LOUD)
    make()
    made = bpy.context.object.animation_data.action.name
    back_to("Walking Figure")
    assert made in saved_and_opened(tmp_path)


def test_replaced_results_and_steps_between_are_removed(figure, tmp_path):
    bpy.ops.motion_signal.equalize(gains=LOUD)
    bpy.ops.motion_signal.waveshape(preset="s_curve")
    for change in ("SWITCH", "SWITCH", "RUN"):
        bpy.ops.motion_signal.recipe_change(step=0, change=change)
    assert names() == ["Walking Figure", "Walking Figure equalizer", "Walking Figure shaper"]
    bpy.ops.motion_signal.reopen(step=1)
    bpy.ops.motion_signal.preview_end()
    assert saved_and_opened(tmp_path) == ["Walking Figure", "Walking Figure equalizer", "Walking Figure shaper"]


def test_a_result_whose_step_was_changed_is_not_kept(figure, tmp_path):
    bpy.ops.motion_signal.equalize(gains=LOUD)
    bpy.ops.motion_signal.reopen(step=0)
    panel().equalize.dc_gain = 0.8
    press_apply(EQUALIZE)
    assert saved_and_opened(tmp_path) == ["Walking Figure", "Walking Figure equalizer"]


def test_a_result_is_thrown_away_and_its_take_is_back(figure):
    take = figure.animation_data.action
    with rigs.nothing_made():
        bpy.ops.motion_signal.equalize(gains=LOUD)
        assert bpy.ops.motion_signal.throw_away(which="THIS") == {"FINISHED"}
    assert figure.animation_data.action == take


def test_all_unused_results_are_thrown_away_at_once(figure):
    variants()
    bpy.ops.motion_signal.equalize(gains=LOUD, result="Loud")  # made from Proud, which it keeps
    assert bpy.ops.motion_signal.throw_away(which="UNUSED") == {"FINISHED"}
    assert names() == ["Loud", "Proud", "Walking Figure"]
    back_to("Walking Figure")
    bpy.ops.motion_signal.throw_away(which="UNUSED")
    assert names() == ["Walking Figure"]


def test_takes_and_what_was_changed_by_hand_stay(figure):
    plain = bpy.data.actions.new("Take")
    variants()
    rigs.curves_of(figure, bpy.data.actions["Tired"])['pose.bones["head"].rotation_quaternion', 1].keyframe_points[5].co.y += 1
    back_to("Walking Figure")
    bpy.ops.motion_signal.throw_away(which="UNUSED")
    assert names() == sorted([plain.name, "Tired", "Walking Figure"])
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="Walking Figure was not made here, and stays"):
        bpy.ops.motion_signal.throw_away(which="THIS")
    back_to("Tired")
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="Tired was changed by hand since it was made, and stays"):
        bpy.ops.motion_signal.throw_away(which="THIS")


def test_what_others_use_stays(figure):
    bpy.ops.motion_signal.equalize(gains=LOUD)
    twin = figure.copy()
    bpy.context.collection.objects.link(twin)
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="Walking Figure equalizer is used elsewhere too, and stays"):
        bpy.ops.motion_signal.throw_away(which="THIS")
