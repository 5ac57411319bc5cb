# SPDX-License-Identifier: GPL-3.0-or-later
"""Cartoon, automation and mood in Blender, and any technique with its ends kept."""

import json

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.techniques.character.equalize import EQUALIZE
from bl_ext.dev.motion_signal.operators.draw import held_bones as residual
from desk import panel, press_apply

pytestmark = pytest.mark.usefixtures("settled")
FRAMES = range(1, 361, 6)


@pytest.fixture
def figure(scene):
    bpy.context.scene.render.fps = 60
    bpy.ops.motion_signal.add_figure()
    return bpy.context.object


def places(figure, *names):
    poses = rigs.poses(figure, FRAMES)
    return np.stack([poses[:, figure.pose.bones.find(name), :3, 3] for name in names], axis=1)


@pytest.mark.parametrize(
    "technique, values",
    [("equalize", {"preset": "exaggerate"}), ("cartoon", {"strength": 1.5}), ("style", {"preset": "tired"})],
)
def test_with_the_ends_kept_feet_and_hands_stay_on_their_paths_and_the_rest_moves(figure, technique, values):
    ends, rest = ("foot.L", "foot.R", "hand.L", "hand.R"), ("hips", "chest")
    before, inside = places(figure, *ends), places(figure, *rest)
    assert getattr(bpy.ops.motion_signal, technique)(keep_ends=True, **values) == {"FINISHED"}
    assert np.linalg.norm(places(figure, *ends) - before, axis=2).max() < 2e-3
    assert np.linalg.norm(places(figure, *rest) - inside, axis=2).max() > 3e-3


def test_the_panel_says_how_well_ends_are_kept(figure):
    panel().scope.keep_ends = True
    panel().equalize.gains = str(rigs.LOUD)
    assert panel().notice == "" and residual.held_words().startswith("held bones are off their paths by")
    assert press_apply(EQUALIZE) == {"FINISHED"} and "held bones" in panel().report


def test_bones_are_held_by_name_and_wrong_names_are_refused(figure):
    before = places(figure, "hand.L")
    bpy.ops.motion_signal.equalize(preset="exaggerate", keep_ends=True, held_bones="hand.L")
    assert np.linalg.norm(places(figure, "hand.L") - before, axis=2).max() < 2e-3
    with pytest.raises(RuntimeError, match="tail"):
        bpy.ops.motion_signal.equalize(preset="exaggerate", keep_ends=True, held_bones="tail")


def test_where_time_changes_no_ends_can_be_kept(figure):
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="keep"):
        bpy.ops.motion_signal.timewarp(moves="[[360, 500]]", keep_ends=True)


def test_a_gain_keyed_at_frames_changes_only_there(figure):
    for frame, gain in ((150, 1.0), (250, 3.0)):
        bpy.context.scene.frame_set(frame)
        panel().live = False
        gains = [1.0] * 32
        gains[6] = gain
        panel().equalize.gains_view = gains
        bpy.ops.motion_signal.automate_key(band=6)
    automation = json.loads(panel().equalize.automation)
    assert automation == [{"band": 6, "keys": [[150, 1.0], [250, 3.0]]}]
    before = rigs.evaluated(figure, range(1, 361))
    bpy.ops.motion_signal.automate(automation=json.dumps(automation))
    after = rigs.evaluated(figure, range(1, 361))
    change = np.max([np.abs(after[name] - before[name]) for name in before], axis=0)
    assert change[:80].max() < 1e-5 and change[260:].max() > 0.02


def test_a_gain_keyed_in_the_graph_editor_moves_the_result_at_once(figure):
    take = figure.animation_data.action
    with rigs.untouched(take):
        assert bpy.ops.motion_signal.gain_curve(band=6) == {"FINISHED"}
        result = figure.animation_data.action
        assert result != take and result["motion_signal_source"] == take
        name = next(key for key in figure.keys() if key.startswith("gain "))
        curve = rigs.curves_of(figure)[f'["{name}"]', 0]
        bpy.context.view_layer.update()
        before = rigs.evaluated(figure, range(1, 361), take)
        for frame, gain in ((150, 1.0), (170, 3.0)):
            curve.keyframe_points.insert(frame, gain).interpolation = "LINEAR"
        curve.update()
        bpy.context.view_layer.update()
        after = rigs.evaluated(figure, range(1, 361))
    change = np.max([np.abs(after[key] - before[key]) for key in before], axis=0)
    assert change[:90].max() < 1e-5 and change[200:].max() > 0.02 and panel().notice == ""


def test_gains_keyed_in_the_graph_editor_are_what_an_equalizer_step_makes_feet_planted(figure):
    take = figure.animation_data.action
    bpy.ops.motion_signal.gain_curve(band=6)
    curve = next(curve for (path, _), curve in rigs.curves_of(figure).items() if "gain " in path)
    for frame, gain in ((1, 2.5), (360, 0.5)):
        curve.keyframe_points.insert(frame, gain).interpolation = "LINEAR"
    curve.update()
    bpy.context.view_layer.update()
    followed = rigs.evaluated(figure, range(1, 361, 7))
    figure.animation_data.action = take
    bpy.ops.motion_signal.equalize(automation=json.dumps([{"band": 6, "keys": [[1, 2.5], [360, 0.5]]}]))
    made = rigs.evaluated(figure, range(1, 361, 7))
    assert max(np.abs(made[name] - followed[name]).max() for name in made) < 1e-5
    assert max(np.abs(made[name] - rigs.evaluated(figure, range(1, 361, 7), take)[name]).max() for name in made) > 0.02


@pytest.mark.parametrize("mood", ("tired", "happy", "nervous", "proud", "sneaking"))
def test_shipped_moods_change_the_walk_and_keep_its_feet(figure, mood):
    before = rigs.evaluated(figure, FRAMES)
    assert bpy.ops.motion_signal.style(preset=mood) == {"FINISHED"}
    after = rigs.evaluated(figure, FRAMES)
    assert max(np.abs(after[name] - before[name]).max() for name in before) > 0.02
    bpy.ops.motion_signal.report()
    numbers, _ = json.loads(panel().measured)
    assert numbers["slide_mean_mm"] < 3.0


def test_a_mood_is_taken_out_of_two_actions_and_does_the_same_without_them(figure):
    neutral = figure.animation_data.action
    bpy.ops.motion_signal.style(preset="tired")
    tired = figure.animation_data.action
    figure.animation_data.action, figure.animation_data.action_slot = neutral, neutral.slots[0]
    panel().style.neutral, panel().style.styled = neutral.name, tired.name
    shown = rigs.evaluated(figure, FRAMES)
    assert bpy.ops.motion_signal.mood_take() == {"FINISHED"} and panel().notice == ""
    assert panel().style.styled == "" and json.loads(panel().style.style)
    taken = rigs.evaluated(figure, FRAMES)
    assert max(np.abs(taken[name] - shown[name]).max() for name in shown) < 1e-3


def test_a_table_says_who_wears_the_mood(figure):
    panel().live = False
    bpy.ops.motion_signal.preset_load(technique="style", preset="happy")
    bpy.ops.motion_signal.mood_map(source="chest", target="chest")
    bpy.ops.motion_signal.mood_map(source="head", target="object")
    assert json.loads(panel().style.mapping) == {"chest": "chest", "head": "object"}
    bpy.ops.motion_signal.mood_map(source="head", remove=True)
    assert json.loads(panel().style.mapping) == {"chest": "chest"}
    before = rigs.evaluated(figure, FRAMES)
    bpy.ops.motion_signal.style(preset="happy", mapping=panel().style.mapping, contacts=False, strides=False)
    after = rigs.evaluated(figure, FRAMES)
    changed = {name[0].split('"')[1] for name in before if np.abs(after[name] - before[name]).max() > 1e-4}
    assert changed == {"chest"}
