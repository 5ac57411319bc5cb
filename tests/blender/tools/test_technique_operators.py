# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators: a new action, a source that stays, one undo step, and the same motion however it was keyed."""

import json
from pathlib import Path

import bpy
import numpy as np
import pytest
import rigs
import scipy
from bl_ext.dev.motion_signal.core.numeric.bands import Bank
from bl_ext.dev.motion_signal.core.recipes.recipe import recipe_from_json
from bl_ext.dev.motion_signal.core.techniques import TECHNIQUES
from bl_ext.dev.motion_signal.core.techniques import technique as technique_named
from bl_ext.dev.motion_signal.operators.live.band_names import range_name
from bl_ext.dev.motion_signal.operators.settings.properties import VIEW_SIZE
from desk import panel, press_apply
from made_takes import RECORDED, STAND_INS

LAST = 97
FRAMES = range(1, LAST + 1)
LOUD = str(rigs.LOUD)
FILES = sorted(path.name for path in RECORDED.glob("*.bvh")) or [f"{name}.bvh" for name in STAND_INS]
GENERATED = [technique for technique in TECHNIQUES if technique.name != "retarget"]  # which has an operator of its own


def equalize(**properties):
    given = {} if "preset" in properties else {"gains": LOUD}
    assert bpy.ops.motion_signal.equalize(**{**given, **properties}) == {"FINISHED"}
    return bpy.context.object.animation_data.action


def stored(owner, action=None):
    """Values (frames, curves) of dense curves as float64, and the names of the curves."""
    curves = rigs.curves_of(owner, action)
    return np.column_stack([rigs.keys(curve)[:, 1] for curve in curves.values()]), list(curves)


def quaternions_of(owner, values, names):
    """Rotations of the bones (frames, bones) by scipy, which turns about fixed axes where Blender says XYZ."""
    columns = {name: column for column, name in enumerate(names)}
    rotations = []
    for bone in owner.pose.bones:
        path = bone.path_from_id("rotation_euler")
        if (path, 0) in columns:
            order = bone.rotation_mode.lower()
            angles = np.column_stack([values[:, columns[path, "xyz".index(axis)]] for axis in order])
            rotations.append(scipy.spatial.transform.Rotation.from_euler(order, angles).as_quat())
    return np.stack(rotations, axis=1)


def angles(first, second):
    """Angles in radians between unit quaternions (..., 4); by their difference, which small angles survive."""
    apart = np.minimum(np.linalg.norm(first - second, axis=-1), np.linalg.norm(first + second, axis=-1))
    return 4 * np.arcsin(np.minimum(apart / 2, 1.0))


@pytest.mark.parametrize("gain", [1.5, 3.0])
def test_angles_of_a_range_go_over_its_borders(scene, takes, gain):
    """On the frames and half a frame between, no angle is a turn off."""
    rig = rigs.import_take(takes / "cmu_113_13_punch_kick.bvh")
    before, (first, last) = rig.animation_data.action, (628, 941)
    after = equalize(
        gains=str([gain] * 12), frames="RANGE", frame_start=first, frame_end=last, fade_in=0.25, fade_out=0.25, feet="FREE"
    )
    for border in (first, last):
        frames = border + np.arange(-2.0, 2.5, 0.5)
        was, now = (rigs.evaluated(rig, frames, action) for action in (before, after))
        for name, row in now.items():
            if "rotation" in name[0]:
                assert np.abs(np.diff(row)).max() < np.abs(np.diff(was[name])).max() + np.radians(5.0), (name, border)


def test_no_graph_editor_is_needed(scene):
    rigs.walker(LAST)
    assert bpy.context.area is None
    assert not [
        area for window in bpy.context.window_manager.windows for area in window.screen.areas if area.type == "GRAPH_EDITOR"
    ]
    equalize()


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
@pytest.mark.parametrize("name", FILES)
def test_neutral_gives_a_recorded_take_back(scene, takes, name):
    rig = rigs.import_take(takes / name)
    source = rig.animation_data.action
    with rigs.untouched(source):
        result = equalize(gains=str([1] * 12))
    before, after = rigs.curves_of(rig, source), rigs.curves_of(rig, result)
    assert before.keys() == after.keys()
    for curve in before:
        one, other = rigs.keys(before[curve]), rigs.keys(after[curve])
        assert (one[:, 0] == other[:, 0]).all() and np.abs(one[:, 1] - other[:, 1]).max() < 1e-6
    turned = [quaternions_of(rig, *stored(rig, action)) for action in (source, result)]
    assert angles(*turned).max() < 1e-5


@pytest.mark.parametrize(
    "properties",
    [
        {"target": "POSITIONS"},
        {"bands": "FRAMES"},
        {"boundary": "CYCLE"},
        {"boundary": "HOLD"},
        {"angles_apart": True},
        {"frames": "RANGE", "frame_start": 100, "frame_end": 200},
        {"keys": "FEWEST"},
        {"keys": "SOURCE"},
    ],
    ids=str,
)
def test_neutral_in_every_setting_gives_a_recorded_take_back(scene, takes, properties):
    rig = rigs.import_take(takes / "cmu_16_36_run_jog.bvh")
    source = rig.animation_data.action
    result = equalize(gains="", **properties)
    before, after = rigs.evaluated(rig, range(1, 191), source), rigs.evaluated(rig, range(1, 191), result)
    assert before.keys() == after.keys()
    assert max(np.abs(before[name] - after[name]).max() for name in before) < 1e-6


def test_a_recorded_take_gets_livelier_and_its_source_stays(scene, takes):
    rig = rigs.import_take(takes / "cmu_82_12_walk_happy.bvh")
    source = rig.animation_data.action
    with rigs.untouched(source):
        equalize(preset="exaggerate")
    before, after = (stored(rig, action)[0].std(axis=0) for action in (source, rig.animation_data.action))
    moving = before > 0.05
    assert 1.1 < np.median(after[moving] / before[moving]) < 1.7


def test_quaternions_with_flipped_signs_give_the_same_motion(scene, takes):
    """The same rotations written with either sign, as recordings and keying by hand leave them."""
    random = np.random.default_rng(7)
    rig = rigs.import_take(takes / "cmu_07_01_walk_normal.bvh", rotate_mode="QUATERNION")
    smooth = rig.animation_data.action
    flipped = smooth.copy()
    curves = rigs.curves_of(rig, flipped)
    for bone in rig.pose.bones:
        path = bone.path_from_id("rotation_quaternion")
        if (path, 0) in curves:
            signs = np.where(random.random(len(curves[path, 0].keyframe_points)) < 0.3, -1.0, 1.0)
            signs[0] = 1.0
            for index in range(4):
                pairs = rigs.keys(curves[path, index]) * np.column_stack([np.ones_like(signs), signs])
                curves[path, index].keyframe_points.foreach_set("co", pairs.astype(np.float32).ravel())
    values = []
    for action in (smooth, flipped):
        rig.animation_data.action = action
        rig.animation_data.action_slot = action.slots[0]
        with rigs.untouched(action):
            equalize()
        values.append(stored(rig)[0])
    before, names = stored(rig, smooth)
    quaternions = np.array(
        [[names.index((bone.path_from_id("rotation_quaternion"), index)) for index in range(4)] for bone in rig.pose.bones]
    )
    assert np.abs(before - stored(rig, flipped)[0]).max() > 1.0
    assert angles(*(result[:, quaternions] for result in values)).max() < 1e-5
    changed = np.abs(values[0] - before).max(axis=0) > 1e-4  # a bone that stands still stays as it was keyed
    assert changed.sum() > 80 and np.abs(values[0] - values[1])[:, changed].max() < 1e-5


RATES = (24, 30, 60, 120)


def test_the_same_take_at_every_frame_rate_gives_the_same_motion(scene, takes):
    """A recorded walk without what lies above 10 Hz, sampled at four rates: common times agree to 1 % of each range."""
    rig = rigs.import_take(takes / "cmu_07_05_walk_slow.bvh")
    values, names = stored(rig)
    values = values[1:]  # the first row is a T-pose
    turning = [column for column, (path, _) in enumerate(names) if path.endswith("rotation_euler")]
    values[:, turning] = np.unwrap(values[:, turning], axis=0)
    values = scipy.signal.sosfiltfilt(scipy.signal.butter(6, 10.0, fs=120.0, output="sos"), values, axis=0)
    seconds = (len(values) - 1) // 120
    motion = scipy.interpolate.CubicSpline(np.arange(len(values)) / 120.0, values)
    results = {}
    for rate in RATES:
        scene.render.fps, scene.render.fps_base = rate, 1.0
        rows = motion(np.arange(seconds * rate + 1) / rate)
        rigs.animate(rig, {name: rigs.dense(row) for name, row in zip(names, rows.T)}, name=f"At {rate}")
        equalize(preset="exaggerate", bands="HZ", feet="FREE")
        curves = rigs.curves_of(rig)
        results[rate] = np.column_stack([rigs.keys(curves[name])[:, 1] for name in names])[:: rate // 6]
    span = np.ptp(results[120], axis=0)
    moving = span > 1e-3
    worst = {rate: (np.abs(results[rate] - results[120])[:, moving] / span[moving]).max() for rate in RATES[:-1]}
    for rate, off in worst.items():
        print(f"{rate} fps differs from 120 fps by at most {off:.3%} of a channel's range")
    change = np.abs(results[120] - motion(np.arange(len(results[120])) / 6.0))[:, moving] / span[moving]
    assert np.median(change.max(axis=0)) > 0.05
    assert max(worst.values()) < 0.01


def test_one_apply_is_one_undo_step_and_one_redo(scene):
    rig, action = rigs.walker(LAST)
    bpy.ops.ed.undo_push(message="Start")
    before = rigs.situation()
    assert bpy.ops.motion_signal.equalize("EXEC_DEFAULT", True, gains=LOUD) == {"FINISHED"}
    after = rigs.situation()
    assert after != before
    for _ in range(2):
        bpy.ops.ed.undo()
        assert rigs.situation() == before
        bpy.ops.ed.redo()
        assert {name: curve["curves"] for name, curve in rigs.situation()["actions"].items()} == {
            name: curve["curves"] for name, curve in after["actions"].items()
        }
        assert rigs.situation()["assigned"] == after["assigned"]


def test_the_result_remembers_how_it_was_made(scene):
    rigs.walker(LAST)
    result = equalize(dc_gain=0.5, mute="[2]", scope="NAMED", bones="Bone 1", keys="FEWEST", tolerance=0.01)
    data = json.loads(result["motion_signal_recipe"])
    assert data["source"] == "Take"
    assert data["steps"] == [
        {
            "technique": "equalize",
            "params": {"gains": rigs.LOUD, "dc_gain": 0.5, "mute": [2]},
            "scope": {"scope": "NAMED", "bones": "Bone 1", "keys": "FEWEST", "tolerance": 0.01},
        }
    ]
    assert data["made_with"]["blender"] == bpy.app.version_string
    step = recipe_from_json(result["motion_signal_recipe"]).steps[0]
    assert (step.params.gains, step.params.dc_gain, step.params.mute) == (tuple(rigs.LOUD), 0.5, (2,))


def test_the_source_lives_on_in_the_file_because_the_result_remembers_it(scene, tmp_path):
    rig, source = rigs.walker(LAST)
    held = rigs.record(source)
    result = equalize()
    assert result["motion_signal_source"] == source
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "result.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "result.blend"))
    kept = rigs.record(bpy.data.actions["Take"])
    assert kept["curves"] == held["curves"] and kept["slots"] == held["slots"]
    assert bpy.data.objects["Rig"].animation_data.action.name == "Take equalizer"


def test_the_result_is_named_after_the_source_or_as_asked(scene):
    rig, source = rigs.walker(LAST)
    assert equalize().name == "Take equalizer"
    assert equalize(result="Springy").name == "Springy"
    assert source.name == "Take"


def test_a_shared_source_is_only_replaced_for_the_object_at_hand(scene):
    rig, source = rigs.walker(LAST)
    twin = rig.copy()
    bpy.context.collection.objects.link(twin)
    with rigs.untouched(source):
        equalize()
    assert twin.animation_data.action == source and rig.animation_data.action != source


def test_an_object_may_be_named_instead_of_active(scene):
    rig, source = rigs.walker(LAST)
    other = rigs.empty("Other")
    assert bpy.ops.motion_signal.equalize(gains=LOUD, object="Rig") == {"FINISHED"}
    assert rig.animation_data.action != source and other.animation_data is None


def test_a_preset_is_what_it_says_and_own_properties_go_over_it(scene):
    results = []
    for properties in (
        {"preset": "tone_down"},
        {"gains": preset_gains("tone_down")},
        {"preset": "tone_down", "dc_gain": 0.5},
        {"gains": preset_gains("tone_down"), "dc_gain": 0.5},
    ):
        rig, _ = rigs.walker(LAST)
        equalize(**properties)
        results.append(stored(rig)[0])
    assert (results[0] == results[1]).all() and (results[2] == results[3]).all()
    assert np.abs(results[0] - results[2]).max() > 0.1


def preset_gains(name):
    """The gains of a shipped preset, read as plain JSON."""
    path = Path(__file__).resolve().parents[3] / "presets" / "equalize" / f"{name}.json"
    return str(json.loads(path.read_text("utf-8"))["params"]["gains"])


def test_a_limb_has_gains_of_its_own_and_the_rest_the_common_ones(scene):
    rig, source = rigs.walker(LAST)  # bone 2 hangs on bone 1, bone 1 on bone 0
    calm, loud = [1.0] * 12, rigs.LOUD
    mixed = rigs.evaluated(rig, FRAMES, equalize(gains=str(calm), limbs=json.dumps({"Bone 1": loud})))
    rig.animation_data.action, rig.animation_data.action_slot = source, source.slots[0]
    everywhere = rigs.evaluated(rig, FRAMES, equalize(gains=str(loud)))
    before = rigs.evaluated(rig, FRAMES, source)
    for name in before:
        expected = before if "Bone 0" in name[0] else everywhere
        assert np.abs(mixed[name] - expected[name]).max() < 1e-6, name


def test_mute_and_solo_are_gains_of_nothing_and_of_nothing_else(scene):
    rig, source = rigs.walker(LAST)
    pairs = (
        ({"mute": "[5, 6]", "gains": ""}, [1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1]),
        ({"solo": "[6]", "gains": ""}, [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]),
    )
    for properties, gains in pairs:
        results = []
        for given in (properties, {"gains": str(gains)}):
            rig.animation_data.action, rig.animation_data.action_slot = source, source.slots[0]
            equalize(**given)
            results.append(stored(rig)[0])
        assert (results[0] == results[1]).all()


def heads_and_tails(rig, frames):
    """Joints (frames, bones, 2, 3) as Blender poses them."""
    matrices = rigs.poses(rig, frames)
    lengths = np.array([bone.bone.length for bone in rig.pose.bones])
    heads = matrices[..., :3, 3]
    return np.stack([heads, heads + matrices[..., :3, 1] * lengths[:, None]], axis=2)


def joints_are_where_the_bands_put_them(rig, frames, fps, gains, leading=0):
    before = heads_and_tails(rig, frames)
    size = np.ptp(before.reshape(-1, 3)[: 2 * before.shape[1]], axis=0).max()
    equalize(gains=str(gains), target="POSITIONS", feet="FREE")
    signals = np.asfortranarray(before.reshape(len(frames), -1)[leading:].astype(np.float64))
    banded = Bank(signals, fps).weighted(np.append(gains, 1.0))
    expected = np.concatenate([before.reshape(len(frames), -1)[:leading], banded]).reshape(before.shape)
    after = heads_and_tails(rig, frames)
    assert np.abs(after - before).max() > 0.02 * size
    return np.abs(after - expected) / size


def test_squash_and_stretch_puts_joints_where_the_bands_say(scene):
    rig = rigs.build_rig(("QUATERNION", "XYZ", "AXIS_ANGLE", "ZYX"))
    rigs.animate(rig, rigs.pose_curves(rig, LAST, 0.3))
    gains = [1, 1, 1, 1, 1, 1.2, 1.4, 1.4, 1.2, 1, 1, 1]
    assert joints_are_where_the_bands_put_them(rig, FRAMES, scene.render.fps, gains).max() < 2e-4


def test_squash_and_stretch_on_a_recorded_take_puts_joints_where_the_bands_say(scene, takes):
    rig = rigs.import_take(takes / "cmu_16_36_run_jog.bvh")
    fps = scene.render.fps / scene.render.fps_base
    gains = [1, 1, 1, 1, 1, 1.2, 1.5, 1.6, 1.4, 1, 1, 1]
    off = joints_are_where_the_bands_put_them(rig, range(1, 191), fps, gains, leading=1)  # a T-pose
    assert off[31:].max() < 2e-4  # after a quarter of a second, in which the change comes in


def test_results_are_the_same_each_time(scene):
    rig, source = rigs.walker(LAST)
    results = []
    for _ in range(2):
        rig.animation_data.action, rig.animation_data.action_slot = source, source.slots[0]
        results.append(rigs.record(equalize())["curves"])
    assert results[0] == results[1]


def test_numbers_beyond_their_range_are_refused_and_not_held_at_it(scene):
    rigs.walker(LAST)
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="dc_gain: 9 is outside -4 to 4"):
        bpy.ops.motion_signal.equalize(dc_gain=9.0)


def test_results_are_named_after_the_take_however_many_steps_they_took(scene):
    rigs.walker(LAST)
    for _ in range(3):
        bpy.ops.motion_signal.equalize(gains=str(rigs.LOUD))
    assert bpy.context.object.animation_data.action.name == "Take equalizer.002"


@pytest.mark.parametrize("source", ("itself", "a word"))
def test_an_action_whose_origin_leads_nowhere_is_its_own(scene, source):
    """Remapping users in the Outliner can make a result its own source."""
    rig, take = rigs.walker(60)
    take["motion_signal_source"] = take if source == "itself" else source
    assert bpy.ops.motion_signal.equalize(gains=str(rigs.LOUD)) == {"FINISHED"}
    assert rig.animation_data.action.name == "Take equalizer"


AT_ONCE = ("lock", "reduce", "weight")  # techniques that have something to do at their defaults


@pytest.mark.parametrize("technique", GENERATED, ids=lambda technique: technique.name)
def test_at_its_defaults_a_technique_changes_something_or_says_what_it_waits_for(scene, technique):
    bpy.ops.motion_signal.add_figure()
    figure = bpy.context.object
    source, operator = figure.animation_data.action, getattr(bpy.ops.motion_signal, technique.name)
    if technique.wants:
        with rigs.nothing_made(), pytest.raises(RuntimeError, match=f"nothing would change yet; {technique.waits}"):
            operator()
    else:
        assert operator() == {"FINISHED"}
        changed = rigs.record(figure.animation_data.action)["curves"] != rigs.record(source)["curves"]
        assert changed == (technique.name in AT_ONCE)
        waits = f"nothing has changed: {technique.waits}"
        assert changed or {"clean": "nothing wrong was found; nothing has changed"}.get(technique.name, waits) in panel().report


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
@pytest.mark.parametrize("technique", GENERATED, ids=lambda technique: technique.name)
def test_apply_at_the_defaults_changes_something_or_is_refused(scene, technique):
    """A step that is added, and applied before anything is set: never a result that is the take again."""
    bpy.ops.motion_signal.add_figure()
    figure = bpy.context.object
    source = figure.animation_data.action
    if technique.name in AT_ONCE:
        assert press_apply(technique) == press_apply(technique) == {"FINISHED"}
        assert rigs.record(figure.animation_data.action)["curves"] != rigs.record(source)["curves"]
        return
    with rigs.nothing_made(), pytest.raises(RuntimeError, match=f"nothing would change.*; {technique.waits}"):
        press_apply(technique)
        press_apply(technique)


def test_explicitly_neutral_values_give_the_source_back(scene):
    bpy.ops.motion_signal.add_figure()
    figure = bpy.context.object
    source = figure.animation_data.action
    assert bpy.ops.motion_signal.lock(amount=0.0) == {"FINISHED"}
    assert figure.animation_data.action != source
    assert rigs.record(figure.animation_data.action)["curves"] == rigs.record(source)["curves"]


def test_faders_of_the_redo_panel_are_called_as_in_the_rack():
    equalize = technique_named("equalize")
    labels = [range_name(equalize.item_label("gains", index, equalize.params(), 120.0)) for index in range(9)]
    assert labels == ["", "Buzz", "Tremor", "Jitter", "Snap", "Bounce", "Steps", "Stride", "Sway"]
    assert range_name("Band 3") == "Band 3"


def test_a_fader_dragged_in_the_redo_panel_leaves_as_many_as_there_are_bands(scene):
    rigs.walker(LAST)
    gains = [1.0] * 5 + [1.8] + [1.0] * (len(rigs.LOUD) - 6)
    dragged = [*gains[:5], 1.9] + [1.0] * (VIEW_SIZE - 6)
    assert bpy.ops.motion_signal.equalize(gains=json.dumps(gains), gains_view=dragged) == {"FINISHED"}
    (step,) = json.loads(bpy.context.object.animation_data.action["motion_signal_recipe"])["steps"]
    assert step["params"]["gains"] == pytest.approx(dragged[: len(gains)])
