# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes in Blender: what a result remembers makes it again, bit for bit, whole or with steps changed."""

import hashlib
import json
import re

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.recipes.recipe import recipe_from_json
from bl_ext.dev.motion_signal.core.techniques.character.equalize import EQUALIZE
from bl_ext.dev.motion_signal.operators.bridge.provenance import as_made, original, recipe_of
from bl_ext.dev.motion_signal.operators.live import preview
from bl_ext.dev.motion_signal.operators.run.recipe import run
from desk import press_apply

pytestmark = pytest.mark.usefixtures("settled")
LOUD = json.dumps(rigs.LOUD)
SHAPE = "s_curve"
FEET = re.compile(r"planted feet slide \d+ mm, they slid \d+ mm before")
ENDS = ("foot.L", "foot.R", "hand.L", "hand.R", "head")


@pytest.fixture
def figure(scene):
    bpy.ops.motion_signal.add_figure()
    return bpy.context.object


def curves(action):
    return rigs.record(action)["curves"]


def in_three_steps(**scope):
    """A result of three steps, each on what the one before made."""
    bpy.ops.motion_signal.equalize(gains=LOUD, **scope)
    bpy.ops.motion_signal.waveshape(preset=SHAPE)
    bpy.ops.motion_signal.lock(amount=1.0)
    return bpy.context.object.animation_data.action


def apart(made, result):
    """How far curves of two actions are apart at most, at any frame."""
    pairs = [[curve.evaluate(frame) for frame in range(1, 145)] for action in (made, result) for curve in all_of(action)]
    half = len(pairs) // 2
    return np.abs(np.array(pairs[:half]) - np.array(pairs[half:])).max()


def all_of(action):
    return rigs.curves_of(bpy.context.object, action).values()


def again(action):
    return run(bpy.context, recipe_of(action), bpy.data.actions[recipe_of(action).source])[0]


def test_a_result_of_several_steps_remembers_all_of_them_from_the_take_on(figure):
    take = figure.animation_data.action
    result = in_three_steps()
    recipe = recipe_of(result)
    assert [step.technique.name for step in recipe.steps] == ["equalize", "waveshape", "lock"]
    assert recipe.source == take.name and original(result) == take


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
@pytest.mark.parametrize(
    "scope",
    [
        {},
        {"scope": "NAMED", "bones": "thigh.L, shin.L"},
        {"frames": "RANGE", "frame_start": 20, "frame_end": 90},
        {"keys": "FEWEST"},
        {"keys": "BODY"},
        {"keep_ends": True},
    ],
    ids=str,
)
def test_running_a_recipe_again_gives_the_same_action_bit_for_bit(figure, scope):
    """And the same as step by step, but for what keys in single precision, or few of them, have cost between the steps."""
    take = figure.animation_data.action
    result = in_three_steps(**scope)
    before, count = curves(result), len(bpy.data.actions)
    made = again(result)
    assert made != result and curves(again(made)) == curves(made) and curves(result) == before
    assert apart(made, result) < (0.2 if "keys" in scope else 1e-4)
    figure.animation_data.action = made
    assert len(bpy.data.actions) == count + 2 and recipe_of(made) == recipe_of(result)
    assert figure.animation_data.action == made and original(made) == take


def test_selected_bones_and_curves_and_the_preview_range_are_remembered_by_name(figure):
    scene, chosen = bpy.context.scene, ("hand.L", "forearm.L")
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 30, 80
    for bone in figure.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in chosen
    take = figure.animation_data.action
    bpy.ops.motion_signal.equalize(gains=LOUD, scope="BONES", frames="PREVIEW")
    result = figure.animation_data.action
    step = recipe_of(result).steps[0]
    assert step.scope.scope == "NAMED" and set(step.scope.bones.split(", ")) == set(chosen)
    assert (step.scope.frames, step.scope.frame_start, step.scope.frame_end) == ("RANGE", 30, 80)
    for curve in rigs.curves_of(figure, take).values():
        curve.select = "shin.R" in curve.data_path
    figure.animation_data.action, figure.animation_data.action_slot = take, take.slots[0]
    bpy.ops.motion_signal.equalize(gains=LOUD, scope="CURVES")
    listed = figure.animation_data.action
    for bone in figure.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = False
    for action in (take, result, listed):
        for curve in rigs.curves_of(figure, action).values():
            curve.select = False
    scene.use_preview_range = False
    for made in (result, listed):
        assert curves(again(made)) == curves(made) != curves(take)


def test_steps_that_are_off_are_kept_and_not_done(figure):
    take = figure.animation_data.action
    result = in_three_steps()
    recipe = recipe_of(result)
    one, two, three = recipe.steps
    off = type(two)(two.technique, two.params, two.scope, on=False)
    made = run(bpy.context, recipe.with_steps(one, off, three), take)[0]
    assert recipe_of(made).steps == (one, off, three)
    assert curves(made) == curves(run(bpy.context, recipe.with_steps(one, three), take)[0]) != curves(result)


def test_a_result_changed_by_hand_is_a_take_of_its_own(figure):
    bpy.ops.motion_signal.equalize(gains=LOUD)
    first = figure.animation_data.action
    rigs.curves_of(figure, first)['pose.bones["head"].rotation_quaternion', 1].keyframe_points[40].co.y += 0.1
    bpy.ops.motion_signal.waveshape(preset=SHAPE)
    second = figure.animation_data.action
    recipe = recipe_of(second)
    assert [step.technique.name for step in recipe.steps] == ["waveshape"] and recipe.source == first.name
    assert curves(again(second)) == curves(second)


def handle(name):
    def move(figure, curve):
        point = curve.keyframe_points[1]
        setattr(point, f"{name}_type", "FREE")
        getattr(point, name).y += 0.1

    return move


def hold(figure, curve):
    curve.keyframe_points[0].interpolation = "CONSTANT"


def mute(figure, curve):
    curve.mute = True


def key(figure, curve):
    curve.keyframe_points[0].co.y += 0.1


@pytest.mark.parametrize(
    "meddle",
    [handle("handle_left"), handle("handle_right"), hold, mute, key, lambda figure, curve: curve.modifiers.new("NOISE")],
    ids=["left handle", "right handle", "interpolation", "mute", "key", "modifier"],
)
@pytest.mark.parametrize("frames", [(1, 20, 40, 60, 90, 120), (1, 2, 4)], ids=["few", "one gap"])
def test_whatever_is_changed_by_hand_on_few_keys_makes_a_take_of_its_own(scene, meddle, frames):
    subject = rigs.empty()
    rigs.animate(subject, {("location", index): [(frame, np.sin(frame)) for frame in frames] for index in range(3)}, "BEZIER")
    bpy.ops.motion_signal.waveshape(shape="COMPRESS", threshold=0.1, keys="SOURCE")
    first, slot = subject.animation_data.action, subject.animation_data.action_slot
    curve = rigs.curves_of(subject)["location", 0]
    assert len(curve.keyframe_points) == len(frames) and as_made(first, slot)
    meddle(subject, curve)
    assert not as_made(first, slot)
    bpy.ops.motion_signal.waveshape(shape="EXPAND", threshold=0.1, keys="SOURCE")
    recipe = recipe_of(subject.animation_data.action)
    assert recipe.source == first.name and len(recipe.steps) == 1


def test_the_smallest_change_of_any_key_tells_that_a_result_was_changed_by_hand(figure):
    bpy.ops.motion_signal.equalize(gains=LOUD)
    result, slot = figure.animation_data.action, figure.animation_data.action_slot
    random = np.random.default_rng(0)
    own = list(rigs.curves_of(figure).values())
    for _ in range(40):
        keys = [own[random.integers(len(own))].keyframe_points[random.integers(144)] for _ in range(random.integers(1, 3))]
        was = [tuple(key.co) for key in keys]
        for key in keys:
            key.co.y = np.nextafter(np.float32(key.co.y), np.float32(random.choice([-9.0, 9.0])))
        assert not as_made(result, slot)
        for key, co in zip(keys, was):
            key.co = co
        assert as_made(result, slot)


def test_results_of_earlier_versions_are_known_to_be_as_they_were_made(figure):
    bpy.ops.motion_signal.equalize(gains=LOUD)
    result, slot = figure.animation_data.action, figure.animation_data.action_slot
    earlier = hashlib.blake2b(digest_size=16)
    for curve in rigs.curves_of(figure).values():
        earlier.update(f"{curve.data_path}[{curve.array_index}] {curve.mute} {len(curve.modifiers)}".encode())
        for key in curve.keyframe_points:
            earlier.update(np.array(key.co, dtype=np.float32).tobytes())
    result["motion_signal_looks"] = earlier.hexdigest()
    assert as_made(result, slot)
    next(iter(rigs.curves_of(figure).values())).keyframe_points[3].co.y += 1e-3
    assert not as_made(result, slot)


def test_a_result_whose_contacts_were_marked_by_hand_is_a_take_of_its_own(figure):
    bpy.ops.motion_signal.equalize(gains=LOUD)
    first, slot = figure.animation_data.action, figure.animation_data.action_slot
    assert as_made(first, slot)
    bpy.ops.motion_signal.contacts()
    assert not as_made(first, slot)
    bpy.ops.motion_signal.lock(amount=1.0)
    assert recipe_of(figure.animation_data.action).source == first.name


def test_a_step_that_is_refused_leaves_everything_as_it_was(figure):
    take = figure.animation_data.action
    text = (
        '{"format": 1, "steps": [{"technique": "equalize", "params": {}}, '
        '{"technique": "timewarp", "params": {"reference": "X"}}]}'
    )
    with rigs.nothing_made(), pytest.raises(ValueError, match="there is no X|no action X"):
        run(bpy.context, recipe_from_json(text), take)
    assert figure.animation_data.action == take


def change(**properties):
    assert bpy.ops.motion_signal.recipe_change(**properties) == {"FINISHED"}
    return bpy.context.object.animation_data.action


def test_switching_moving_and_removing_steps_works_the_result_out_anew_in_its_place(figure):
    take = figure.animation_data.action
    in_three_steps()
    made = change(change="RUN")
    name, whole = made.name, curves(made)
    count = len(bpy.data.actions)
    made = change(step=1, change="SWITCH")
    assert made.name == name and not recipe_of(made).steps[1].on and curves(made) != whole
    assert len(bpy.data.actions) == count
    made = change(step=1, change="SWITCH")
    assert curves(made) == whole and original(made) == take
    made = change(step=2, change="UP")
    assert [step.technique.name for step in recipe_of(made).steps] == ["equalize", "lock", "waveshape"]
    made = change(step=1, change="DOWN")
    assert curves(made) == whole
    made = change(step=0, change="REMOVE")
    assert [step.technique.name for step in recipe_of(made).steps] == ["waveshape", "lock"]
    for step in (0, 1):
        made = change(step=step, change="SWITCH")
    assert curves(made) == curves(take)


def test_a_result_changed_by_hand_stays_when_its_recipe_is_run_again(figure):
    in_three_steps()
    result = change(change="RUN")
    whole = curves(result)
    rigs.curves_of(figure, result)['pose.bones["head"].rotation_quaternion', 1].keyframe_points[40].co.y += 0.1
    touched = curves(result)
    made = change(change="RUN")
    assert made != result and curves(made) == whole and curves(result) == touched


def test_an_edited_step_is_followed_by_those_after_it(figure):
    result = in_three_steps()
    count, before, steps = len(bpy.data.actions), curves(result), recipe_of(result).steps
    assert bpy.ops.motion_signal.reopen(step=0) == {"FINISHED"}
    settings = bpy.context.window_manager.motion_signal
    assert json.loads(settings.equalize.gains) == rigs.LOUD
    settings.equalize.dc_gain = 0.8
    press_apply(EQUALIZE)
    made = figure.animation_data.action
    recipe = recipe_of(made)
    assert [step.technique.name for step in recipe.steps] == ["equalize", "waveshape", "lock"]
    assert abs(recipe.steps[0].params.dc_gain - 0.8) < 1e-6 and recipe.steps[1:] == steps[1:]
    assert len(bpy.data.actions) == count  # it stands for the result as it was, which nobody else uses
    assert curves(again(made)) == curves(made) != before


def test_a_step_in_the_middle_is_edited_on_what_comes_before_it(figure):
    result = in_three_steps()
    before = result["motion_signal_source"]["motion_signal_source"]
    assert bpy.ops.motion_signal.reopen(step=1) == {"FINISHED"}
    settings = bpy.context.window_manager.motion_signal
    assert settings.waveshape.points
    worked_on, clip = preview.session().take.clip, rigs.evaluated(figure, range(1, 145), before)
    for channel, values in zip(worked_on.channels, worked_on.values.T):
        assert np.abs(values - clip[channel.path, channel.index]).max() < 1e-5
    bpy.ops.motion_signal.preview_end()
    assert figure.animation_data.action == result and settings.waveshape.points == ""
    with pytest.raises(RuntimeError, match="step: there is no 3; there are 3"):
        bpy.ops.motion_signal.reopen(step=3)


def test_a_recipe_is_saved_and_run_on_another_take(figure, tmp_path):
    result = in_three_steps()
    path = tmp_path / "walk.json"
    assert bpy.ops.motion_signal.recipe_save(filepath=str(path)) == {"FINISHED"}
    assert recipe_from_json(path.read_text("utf-8")) == recipe_of(result)
    expected = curves(again(result))
    bpy.ops.motion_signal.add_figure()
    other = bpy.context.object
    take = other.animation_data.action
    with rigs.untouched(take):
        assert bpy.ops.motion_signal.recipe_run(filepath=str(path)) == {"FINISHED"}
    made = other.animation_data.action
    assert list(curves(made).values()) == list(expected.values()) and original(made) == take
    assert recipe_of(made).source == take.name and recipe_of(made).steps == recipe_of(result).steps


def test_a_recipe_that_is_wrong_is_refused_by_file_and_line(figure, tmp_path):
    path = tmp_path / "walk.json"
    path.write_text('{"format": 1,\n"steps": [\n{"technique": "fly", "params": {}}]}', "utf-8")
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="walk.json: line 3: fly: no such technique"):
        bpy.ops.motion_signal.recipe_run(filepath=str(path))
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="gone.json: cannot be read"):
        bpy.ops.motion_signal.recipe_run(filepath=str(tmp_path / "gone.json"))
    with pytest.raises(RuntimeError, match="was not made here"):
        bpy.ops.motion_signal.recipe_save(filepath=str(path))


def test_a_part_of_a_take_gets_few_keys_and_the_rest_stays(figure):
    take, frames, indices = figure.animation_data.action, range(1, 145), [figure.pose.bones.find(name) for name in ENDS]
    part = {"gains": LOUD, "frames": "RANGE", "frame_start": 40, "frame_end": 100}
    bpy.ops.motion_signal.equalize(**part)
    dense = rigs.poses(figure, frames)[:, indices]
    figure.animation_data.action, figure.animation_data.action_slot = take, take.slots[0]
    bpy.ops.motion_signal.equalize(**part, keys="BODY")
    keys = {name: rigs.keys(curve) for name, curve in rigs.curves_of(figure).items()}
    for name, curve in rigs.curves_of(figure, take).items():
        for row in (keys[name], rigs.keys(curve)):
            assert ((row[:, 0] < 40) | (row[:, 0] > 100)).sum() == 83
    inside = sum(((row[:, 0] >= 40) & (row[:, 0] <= 100)).sum() for row in keys.values())
    assert inside * 2 < 61 * len(keys)
    few = rigs.poses(figure, frames)[:, indices]
    assert np.linalg.norm((few - dense)[..., :3, 3], axis=-1).max() < 2.1e-3
    assert np.degrees(rigs.angles_between(dense, few)).max() < 0.52


def test_the_recipe_of_shape_keys_is_changed_like_any_other(scene):
    bpy.ops.mesh.primitive_cube_add()
    subject = bpy.context.object
    for name in ("Basis", "Smile"):
        subject.shape_key_add(name=name)
    smile = subject.data.shape_keys.key_blocks["Smile"]
    for frame in range(1, 61):
        smile.value = 0.5 + 0.4 * np.sin(frame)
        smile.keyframe_insert("value", frame=frame)
    settings = bpy.context.window_manager.motion_signal
    settings.scope.animated = "SHAPE_KEYS"
    bpy.ops.motion_signal.equalize(gains="[0, 0, 1, 1, 1]", bands="FRAMES", animated="SHAPE_KEYS")
    owner = subject.data.shape_keys
    whole = curves(owner.animation_data.action)
    for _ in range(2):
        assert bpy.ops.motion_signal.recipe_change(step=0, change="SWITCH") == {"FINISHED"}
    assert curves(owner.animation_data.action) == whole


@pytest.mark.parametrize("moves", ["[[1, 1], [144, 240]]", "[[1, 1], [144, 100]]"])
def test_what_is_said_of_the_feet_of_another_time_holds_each_against_its_own(figure, moves):
    """Feet stand at other moments in the take: how far they slid before is its own, how far they slide the result's."""
    take = figure.animation_data.action
    assert bpy.ops.motion_signal.timewarp(moves=moves) == {"FINISHED"}
    at_first = FEET.search(bpy.context.window_manager.motion_signal.report)[0]
    assert bpy.ops.motion_signal.lock(amount=1.0) == {"FINISHED"}
    at_last = FEET.search(bpy.context.window_manager.motion_signal.report)[0]
    at_once = FEET.search(run(bpy.context, recipe_of(figure.animation_data.action), take)[1])[0]
    assert at_once.split(", ") == [at_last.split(", ")[0], at_first.split(", ")[1]]


def test_what_is_said_of_the_feet_is_held_against_the_take_whatever_is_between(figure):
    take = figure.animation_data.action
    result = in_three_steps()
    made, words = run(bpy.context, recipe_of(result), take)
    assert re.search(r"planted feet slide [0-2] mm, they slid 2 mm before", words), words
