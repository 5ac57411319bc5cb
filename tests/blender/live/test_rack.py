# SPDX-License-Identifier: GPL-3.0-or-later
"""The rack: kept with its object until it is applied, shown as a whole, and never lost."""

import importlib
import json

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.declare.params import build
from bl_ext.dev.motion_signal.core.recipes.recipe import Step
from bl_ext.dev.motion_signal.core.techniques import technique as technique_named
from bl_ext.dev.motion_signal.operators.bridge.provenance import recipe_of
from bl_ext.dev.motion_signal.operators.live import at_hand, preview
from bl_ext.dev.motion_signal.operators.live.at_hand import AtHand
from bl_ext.dev.motion_signal.operators.live.goals import goal_pictures, goals
from bl_ext.dev.motion_signal.operators.live.rack import RACK
from desk import panel
from monkey import Monkey

pytestmark = pytest.mark.usefixtures("settled")
FRAMES = range(1, 145)
LOUD = json.dumps(rigs.LOUD)
BENT = "[[0, 0], [0.5, 0.3], [1, 1]]"


@pytest.fixture
def figure(settled):
    bpy.ops.motion_signal.add_figure()
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    return bpy.context.object


def two_steps():
    panel().equalize.gains = LOUD
    panel().waveshape.points = BENT


def names():
    return [step.technique.name for step in AtHand.rack.steps]


def shown(figure):
    return rigs.evaluated(figure, FRAMES)


def same(first, second, within=2e-6):
    return first.keys() == second.keys() and max(np.abs(first[name] - second[name]).max() for name in first) < within


def test_every_step_has_a_row_however_many_there_are(figure):
    for _ in range(35):
        bpy.ops.motion_signal.add_step(technique="waveshape")
    bpy.context.view_layer.update()
    panel_rows = bpy.context.window_manager.motion_signal.rows
    assert len(AtHand.rack.steps) == 35 and panel_rows[34].open and panel_rows[34].on


def test_a_rack_that_a_file_brings_has_its_rows_at_once(figure, tmp_path):
    for _ in range(35):
        bpy.ops.motion_signal.add_step(technique="waveshape")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "long.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "long.blend"))
    assert len(bpy.context.window_manager.motion_signal.rows) >= len(AtHand.rack.steps) == 35


def test_steps_stay_where_their_take_is_deleted_and_undo_brings_it_back(figure, capfd):
    bpy.ops.ed.undo_push(message="Take")
    two_steps()
    take = AtHand.rack.take
    bpy.ops.ed.undo_push(message="Steps")
    bpy.data.actions.remove(bpy.data.actions[take])
    bpy.context.view_layer.update()
    assert names() == ["equalize", "waveshape"]
    with pytest.raises(RuntimeError, match="has no action"):
        bpy.ops.motion_signal.rack_apply()
    bpy.ops.ed.undo_push(message="Deleted")
    bpy.ops.ed.undo()
    assert take in bpy.data.actions and names() == ["equalize", "waveshape"]
    assert "Traceback" not in capfd.readouterr().err


def test_steps_whose_take_was_deleted_are_cancelled_all_the_same(figure):
    two_steps()
    bpy.data.actions.remove(bpy.data.actions[AtHand.rack.take])
    bpy.context.view_layer.update()
    assert bpy.ops.motion_signal.preview_end.poll() and bpy.ops.motion_signal.preview_end() == {"FINISHED"}
    assert names() == [] and RACK not in figure and not bpy.ops.motion_signal.preview_end.poll()


def test_a_row_shows_a_number_only_where_that_says_how_much_there_is():
    said = importlib.import_module("bl_ext.dev.motion_signal.panels.rack").said_by_amount
    keyed = [{"along": 1.0, "speed": 1.5}]
    for name, params, number in (
        ("locomotion", {}, False),
        ("locomotion", {"speed": 1.2}, True),
        ("locomotion", {"speed": 1.2, "speed_keys": keyed}, False),
        ("timewarp", {"reference": "Walk"}, True),
        ("timewarp", {}, False),
        ("equalize", {}, True),
    ):
        technique = technique_named(name)
        assert said(Step(technique, build(technique.params, params))) == number, (name, params)


def test_a_rack_without_a_take_says_what_there_is_instead(figure):
    why_none, data = importlib.import_module("bl_ext.dev.motion_signal.panels.rack").why_none, figure.animation_data
    action, data.action = data.action, None
    assert "no motion yet" in why_none(figure)
    data.nla_tracks.new().strips.new("Take", 1, action)
    assert "strips of the NLA alone" in why_none(figure)
    data.use_tweak_mode = True
    assert "leave tweak mode first" in why_none(figure)


def test_apply_writes_what_is_shown_and_the_result_is_the_rack_again(figure):
    take = figure.animation_data.action
    two_steps()
    before = shown(figure)
    with rigs.untouched(take):
        assert bpy.ops.motion_signal.rack_apply() == {"FINISHED"}
    result = figure.animation_data.action
    assert same(before, shown(figure)) and names() == ["equalize", "waveshape"] and RACK not in figure
    assert [step.technique.name for step in recipe_of(result).steps] == ["equalize", "waveshape"] and not AtHand.rack.kept


def test_a_rack_that_is_not_applied_is_saved_with_the_file_and_opens_as_it_was(figure, tmp_path):
    two_steps()
    before, path = shown(figure), str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    figure = bpy.context.object
    assert names() == ["equalize", "waveshape"] and json.loads(panel().waveshape.points) == json.loads(BENT)
    assert preview.session() is None and not figure.animation_data.action.name.endswith("(preview)")
    bpy.ops.motion_signal.preview_resume()
    assert same(before, shown(figure))


def test_undo_and_redo_restore_steps_and_settings(figure):
    bpy.ops.ed.undo_push(message="Start")
    panel().equalize.gains = LOUD
    bpy.ops.ed.undo_push(message="Equalizer")
    bpy.ops.motion_signal.add_step("EXEC_DEFAULT", True, technique="cartoon")
    bpy.ops.ed.undo()
    assert names() == ["equalize"] and json.loads(panel().equalize.gains) == rigs.LOUD
    bpy.ops.ed.undo()
    assert names() == [] and panel().equalize.gains == ""
    bpy.ops.ed.redo()
    assert names() == ["equalize"] and json.loads(panel().equalize.gains) == rigs.LOUD


def test_rows_switch_and_open_steps_and_set_how_much_of_them_there_is(figure):
    two_steps()
    both = shown(figure)
    panel().rows[0].on = False
    assert not same(both, shown(figure))
    panel().rows[0].on = True
    assert same(both, shown(figure))
    panel().rows[0].amount = 0.0
    assert panel().rows[0].amount == 0.0 and not same(both, shown(figure))
    panel().rows[0].open = True
    assert AtHand.rack.technique == "equalize" and panel().equalize.amount == 0.0 and panel().waveshape.points == ""


def test_steps_are_moved_copied_and_removed(figure):
    two_steps()
    bpy.ops.motion_signal.step_change(step=1, change="UP")
    assert names() == ["waveshape", "equalize"] and AtHand.rack.open == 0
    bpy.ops.motion_signal.step_change(step=0, change="COPY")
    bpy.ops.motion_signal.step_change(step=2, change="REMOVE")
    assert names() == ["waveshape", "waveshape"] and AtHand.rack.open == 1


def test_a_rack_with_everything_off_shows_the_take(figure):
    take = figure.animation_data.action
    before = rigs.evaluated(figure, FRAMES, take)
    two_steps()
    for index in (0, 1):
        panel().rows[index].on = False
    assert same(before, shown(figure), 1e-6)


def test_a_step_whose_take_was_deleted_says_so_and_the_others_are_shown(figure):
    other = figure.animation_data.action.copy()
    other.name = "Other"
    panel().equalize.gains = LOUD
    alone = shown(figure)
    panel().blend.takes = '[{"action": "Other", "weight": 1.0}]'
    bpy.data.actions.remove(other)
    bpy.ops.motion_signal.preview_resume()
    assert "Other" in preview.session().refusals[1] and names() == ["equalize", "blend"] and same(alone, shown(figure))
    bpy.ops.motion_signal.rack_apply()
    assert [step.on for step in recipe_of(figure.animation_data.action).steps] == [True, False]


def test_a_result_changed_by_hand_is_a_take_of_its_own(figure):
    bpy.ops.motion_signal.equalize(gains=LOUD)
    result = figure.animation_data.action
    next(iter(rigs.curves_of(figure).values())).keyframe_points[5].co.y += 0.2
    panel().waveshape.points = BENT
    assert names() == ["waveshape"] and AtHand.rack.take == result.name


def test_a_result_that_one_of_its_own_steps_uses_is_not_replaced(figure):
    bpy.ops.motion_signal.equalize(gains=LOUD, result="Loud")
    panel().blend.takes = '[{"weight": 0.5}, {"action": "Loud", "weight": 0.5}]'
    bpy.ops.motion_signal.rack_apply()
    assert "Loud" in bpy.data.actions and figure.animation_data.action.name != "Loud"


@pytest.mark.parametrize("why", ("tweaked", "bare"))
def test_what_cannot_be_changed_is_said_in_words(figure, why):
    data = figure.animation_data
    if why == "tweaked":
        take = data.action
        strip = data.nla_tracks.new().strips.new("Strip", 1, take)
        data.action = None
        strip.action_slot = take.slots[0]
        data.nla_tracks.active = data.nla_tracks[0]
        strip.select = True
        data.use_tweak_mode = True
    else:
        rigs.empty("Bare")
    bpy.context.view_layer.update()
    count = len(bpy.data.actions)
    panel().equalize.gains = LOUD
    assert panel().notice and preview.session() is None and len(bpy.data.actions) == count
    if why == "tweaked":
        data.use_tweak_mode = False


def test_every_goal_gives_a_preview_or_says_what_comes(figure):
    take = rigs.evaluated(figure, FRAMES)
    for goal in goals():
        assert bpy.ops.motion_signal.goal(goal=goal.name) == {"FINISHED"}, goal.name
        current = preview.session()
        assert current is not None and not current.refusals, (goal.name, current.refusals)
        changed = current.changes or goal.name in ("few_keys", "along_a_curve")
        assert changed, goal.name
        bpy.ops.motion_signal.preview_end()
        assert same(take, rigs.evaluated(figure, FRAMES), 1e-9) and names() == []


def test_every_goal_has_a_picture_of_its_own():
    pictures = [goal_pictures()[goal.name] for goal in goals()]
    assert {tuple(picture.image_size) for picture in pictures} == {(96, 96)}
    assert len({tuple(picture.image_pixels) for picture in pictures}) == 10


def test_feet_of_all_steps_are_set_at_once_and_fixed_with_a_click(figure):
    two_steps()
    panel().feet = "FREE"
    assert {step.scope.feet for step in AtHand.rack.steps} == {"FREE"} and panel().scope.feet == "FREE"
    bpy.ops.motion_signal.feet_fix()
    assert {step.scope.feet for step in AtHand.rack.steps} == {"TAKE"}
    bpy.ops.motion_signal.feet_fix()
    assert names() == ["equalize", "waveshape", "lock"]


def test_a_step_begins_with_the_bones_that_are_selected(figure):
    bpy.ops.object.mode_set(mode="POSE")
    for bone in figure.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in ("head", "forearm.L")
    bpy.ops.motion_signal.add_step(technique="equalize")
    assert (panel().scope.scope, panel().scope.bones) == ("NAMED", "forearm.L, head")


@pytest.mark.only("5.2")
def test_a_monkey_at_the_rack_loses_nothing(settled, tmp_path):
    package = at_hand.__name__.split(".operators.")[0]
    monkey = Monkey(7, tmp_path, lambda name: importlib.import_module(f"{package}.{name}"))
    for _ in range(250):
        monkey.press()
