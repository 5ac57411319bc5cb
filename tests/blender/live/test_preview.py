# SPDX-License-Identifier: GPL-3.0-or-later
"""Live preview: it shows what Apply would give, on an action that is only lent, and leaves no trace when it ends."""

import json
import shutil

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.techniques.character.equalize import EQUALIZE
from bl_ext.dev.motion_signal.core.techniques.character.waveshape import WAVESHAPE
from bl_ext.dev.motion_signal.operators.live import preview
from bl_ext.dev.motion_signal.operators.live.at_hand import AtHand
from desk import panel, press_apply

pytestmark = pytest.mark.usefixtures("settled")

LAST = 97
FRAMES = range(1, LAST + 1)
MARK = "motion_signal_preview"


def lent():
    return [action for action in bpy.data.actions if MARK in action]


def loud():
    panel().equalize.gains = str(rigs.LOUD)


def test_touching_a_fader_shows_the_result_on_a_lent_action():
    rig, source = rigs.walker(LAST)
    with rigs.untouched(source):
        panel().equalize.gains_view[6] = 2.0
    assert rig.animation_data.action != source and [rig.animation_data.action] == lent()
    before, after = rigs.evaluated(rig, FRAMES, source), rigs.evaluated(rig, FRAMES)
    assert max(np.abs(after[name] - before[name]).max() for name in before) > 0.05
    assert panel().notice == ""


def test_blender_evaluates_what_is_shown_and_not_the_take_beside_it():
    rig, source = rigs.walker(LAST)
    rigs.evaluated(rig, (1,))
    for again in range(3):
        panel().equalize.gains_view[6] = 2.0 + again
        bpy.context.view_layer.update()
        there = {data.original for data in bpy.context.evaluated_depsgraph_get().ids}
        assert rig.animation_data.action in there and source not in there
    assert lent()[0]["motion_signal_source"] == source


@pytest.mark.parametrize(
    "scope",
    [
        {},
        {"frames": "RANGE", "frame_start": 30, "frame_end": 70},
        {"keys": "SOURCE"},
        {"keys": "FEWEST", "tolerance": 0.01},
        {"scope": "NAMED", "bones": "Bone 1"},
        {"angles_apart": True},
        {"keys": "FEWEST", "frames": "RANGE", "frame_start": 30, "frame_end": 70},
    ],
    ids=str,
)
def test_apply_gives_what_the_preview_showed_after_any_way_there(scope):
    """The faders are pulled about first: what they did on the way must not stay."""
    rig, source = rigs.walker(LAST)
    for name, value in scope.items():
        setattr(panel().scope, name, value)
    for gains in ([2] * 12, [0] * 12, rigs.LOUD):
        panel().equalize.gains = str(gains)
    shown, poses = rigs.evaluated(rig, FRAMES), rigs.poses(rig, range(1, LAST, 9))
    with rigs.untouched(source):
        assert press_apply(EQUALIZE) == {"FINISHED"}
    applied = rigs.evaluated(rig, FRAMES)
    assert lent() == [] and rig.animation_data.action["motion_signal_source"] == source
    assert shown.keys() == applied.keys()
    assert max(np.abs(shown[name] - applied[name]).max() for name in shown) < 2e-6
    assert np.abs(poses - rigs.poses(rig, range(1, LAST, 9))).max() < 1e-5


def test_the_figure_itself_moves_during_a_preview(scene):
    rig, _ = rigs.walker(LAST)
    scene.frame_set(40)
    before = np.array(rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[2].matrix)
    loud()
    after = np.array(rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[2].matrix)
    assert np.abs(after - before).max() > 0.02


@pytest.mark.parametrize("users", (1, 2))
def test_cancel_gives_back_exactly_what_was_there(users):
    rig, source = rigs.walker(LAST)
    if users == 2:
        twin = rig.copy()
        bpy.context.collection.objects.link(twin)
        source.use_fake_user = True
    with rigs.nothing_made():
        loud()
        panel().equalize.gains_view[3] = 0.5
        assert bpy.ops.motion_signal.preview_end() == {"FINISHED"}
    assert rig.animation_data.action == source


def test_cancel_without_a_preview_is_not_offered():
    rigs.walker(LAST)
    with pytest.raises(RuntimeError, match="poll"):
        bpy.ops.motion_signal.preview_end()


def test_flip_shows_the_source_and_then_the_result_again():
    rig, source = rigs.walker(LAST)
    loud()
    shown = rigs.evaluated(rig, FRAMES)
    bpy.ops.motion_signal.preview_flip(after=False)
    assert rig.animation_data.action == source
    bpy.ops.motion_signal.preview_flip(after=True)
    assert [rig.animation_data.action] == lent()
    assert all((rigs.evaluated(rig, FRAMES)[name] == shown[name]).all() for name in shown)


def test_cancel_while_the_source_is_shown_gives_everything_back():
    rigs.walker(LAST)
    with rigs.nothing_made():
        loud()
        bpy.ops.motion_signal.preview_flip()
        bpy.ops.motion_signal.preview_end()


def test_apply_while_the_source_is_shown_gives_the_result():
    rig, source = rigs.walker(LAST)
    loud()
    shown = rigs.evaluated(rig, FRAMES)
    bpy.ops.motion_signal.preview_flip()
    assert press_apply(EQUALIZE) == {"FINISHED"}
    assert all(np.abs(rigs.evaluated(rig, FRAMES)[name] - shown[name]).max() < 2e-6 for name in shown)
    assert lent() == []


def test_touching_a_fader_while_the_source_is_shown_shows_the_result():
    rig, source = rigs.walker(LAST)
    loud()
    bpy.ops.motion_signal.preview_flip()
    panel().equalize.gains_view[6] = 0.0
    assert [rig.animation_data.action] == lent()


def test_neutral_faders_show_the_source():
    rig, source = rigs.walker(LAST)
    loud()
    panel().equalize.gains = ""
    before, after = rigs.evaluated(rig, FRAMES, source), rigs.evaluated(rig, FRAMES)
    assert max(np.abs(after[name] - before[name]).max() for name in before) < 1e-6


def test_undo_and_redo_end_a_preview_and_leave_the_source():
    rig, source = rigs.walker(LAST)
    bpy.ops.ed.undo_push(message="Start")
    rig.location.x = 1.0
    bpy.ops.ed.undo_push(message="Moved")
    held = rigs.record(source)["curves"]
    for step in (bpy.ops.ed.undo, bpy.ops.ed.redo):
        loud()
        assert lent()
        step()
        assert lent() == [] and preview.session() is None
        assert bpy.data.objects["Rig"].animation_data.action == bpy.data.actions["Take"]
        assert rigs.record(bpy.data.actions["Take"])["curves"] == held
        panel().equalize.gains = ""
        preview.end()


def test_an_undo_step_taken_during_a_preview_brings_no_lent_action_back():
    rigs.walker(LAST)
    bpy.ops.ed.undo_push(message="Start")
    loud()
    bpy.ops.ed.undo_push(message="During")
    bpy.ops.motion_signal.preview_end()
    bpy.ops.ed.undo_push(message="After")
    bpy.ops.ed.undo()
    assert lent() == [] and bpy.data.objects["Rig"].animation_data.action.name == "Take"
    panel().equalize.gains_view[6] = 0.5
    assert len(lent()) == 1


def test_a_file_saved_during_a_preview_holds_the_source(tmp_path):
    rig, source = rigs.walker(LAST)
    held = rigs.record(source)["curves"]
    loud()
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert [action.name for action in bpy.data.actions] == ["Take"]
    assert bpy.data.objects["Rig"].animation_data.action.name == "Take"
    assert rigs.record(bpy.data.actions["Take"])["curves"] == held


def test_loading_a_file_ends_a_preview(tmp_path):
    path = str(tmp_path / "other.blend")
    rigs.walker(LAST)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    loud()
    bpy.ops.wm.open_mainfile(filepath=path)
    assert preview.session() is None and lent() == []
    panel().equalize.gains_view[5] = 2.0
    assert len(lent()) == 1


def test_a_lent_action_that_came_from_a_file_is_swept_away(tmp_path):
    """A crash may leave a recovery file that was written during a preview."""
    rig, source = rigs.walker(LAST)
    loud()
    path = str(tmp_path / "recovered.blend")
    bpy.data.libraries.write(path, {rig, bpy.context.scene}, fake_user=True)
    preview.end()
    bpy.ops.wm.open_mainfile(filepath=path)
    assert lent() == [] and bpy.data.objects["Rig"].animation_data.action.name == "Take"


def test_deleting_the_object_ends_a_preview():
    rig, source = rigs.walker(LAST)
    loud()
    bpy.data.objects.remove(rig)
    assert preview.session() is None
    other, action = rigs.walker(LAST)
    with rigs.untouched(action):
        loud()
    assert [other.animation_data.action] == lent()


def test_deleting_the_source_during_a_preview_does_no_harm():
    rig, source = rigs.walker(LAST)
    loud()
    bpy.data.actions.remove(source)
    preview.end()
    assert lent() == []


def test_frame_changes_do_not_end_a_preview(scene):
    rig, _ = rigs.walker(LAST)
    loud()
    for frame in (5, 50, 90):
        scene.frame_set(frame)
    assert preview.session() is not None and [rig.animation_data.action] == lent()


@pytest.mark.parametrize("what", ("object", "source", "lent", "bone"))
def test_renaming_during_a_preview_loses_nothing(what):
    rig, source = rigs.walker(LAST)
    loud()
    renamed = {"object": rig, "source": source, "lent": lent()[0], "bone": rig.pose.bones[0]}[what]
    renamed.name = "Other"
    panel().equalize.gains_view[6] = 0.5
    preview.end()
    assert lent() == [] and rig.animation_data.action == source
    assert len(bpy.data.actions) == 1


def test_another_scope_during_a_preview_shows_that_instead():
    rig, source = rigs.walker(LAST)
    loud()
    panel().scope.bones = "Bone 1"
    panel().scope.scope = "NAMED"
    assert len(lent()) == 1
    before, after = rigs.record(source)["curves"], rigs.record(rig.animation_data.action)["curves"]
    assert {name[1].split('"')[1] for name in before if before[name] != after[name]} == {"Bone 1"}


def test_a_scope_with_nothing_in_it_leaves_what_is_shown_and_a_notice():
    rig, source = rigs.walker(LAST)
    loud()
    shown = rigs.evaluated(rig, FRAMES)
    panel().scope.frames = "PREVIEW"
    assert panel().notice == "the scene has no preview range"
    assert all((rigs.evaluated(rig, FRAMES)[name] == shown[name]).all() for name in shown)


def test_another_active_object_has_a_rack_of_its_own_and_loses_nothing_of_the_first():
    rig, source = rigs.walker(LAST)
    other = rigs.build_rig(("XYZ",), "Other")
    action = rigs.animate(other, rigs.pose_curves(other, LAST), name="Other")
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    loud()
    shown, gains = rigs.evaluated(rig, FRAMES), panel().equalize.gains
    bpy.context.view_layer.objects.active = other
    bpy.context.view_layer.update()
    assert [rig.animation_data.action] == lent() and panel().equalize.gains == ""
    with rigs.untouched(action, source):
        panel().waveshape.points = "[[0, 0], [0.5, 0.3], [1, 1]]"
        assert [other.animation_data.action] == lent() and rig.animation_data.action == source
        press_apply(WAVESHAPE)
        assert steps_of(other.animation_data.action) == ["waveshape"]
        bpy.context.view_layer.objects.active = rig
        bpy.context.view_layer.update()
        assert json.loads(panel().equalize.gains) == json.loads(gains)
        bpy.ops.motion_signal.preview_resume()
    assert all((rigs.evaluated(rig, FRAMES)[name] == shown[name]).all() for name in shown)


@pytest.mark.parametrize(
    "text, notice", [("[1, 2", "cannot be read"), ("{}", "gains"), ("[9]", "9 is outside -4 to 4"), ("loud", "cannot be read")]
)
def test_bad_text_leaves_a_notice_and_the_motion(text, notice):
    rig, source = rigs.walker(LAST)
    panel().equalize.gains = text
    assert notice in panel().notice
    preview.end()
    assert rig.animation_data.action == source and len(bpy.data.actions) == 1
    loud()
    assert panel().notice == ""


@pytest.mark.parametrize("make", (lambda: None, rigs.empty), ids=("no object", "no action"))
def test_nothing_to_preview_leaves_a_notice(make):
    make()
    with rigs.nothing_made():
        loud()
    assert panel().notice


def test_without_live_nothing_is_shown_until_it_is_applied():
    rig, source = rigs.walker(LAST)
    panel().live = False
    with rigs.nothing_made():
        loud()
    assert press_apply(EQUALIZE) == {"FINISHED"}
    assert rig.animation_data.action != source


def test_a_refused_apply_ends_the_preview_and_gives_the_source_back():
    rigs.walker(LAST)
    with rigs.nothing_made():
        loud()
        panel().equalize.gains = "[1, 2"
        with pytest.raises(RuntimeError, match="cannot be read"):
            press_apply(EQUALIZE)


def test_faders_show_their_text_and_text_its_faders():
    rigs.walker(LAST)
    panel().equalize.gains = "[1, 2, 0.5]"
    assert list(panel().equalize.gains_view)[:4] == [1.0, 2.0, 0.5, 1.0]
    panel().equalize.gains_view[1] = 1.0
    assert panel().equalize.gains == "[1.0, 1.0, 0.5]"
    panel().equalize.mute_view[3] = True
    assert panel().equalize.mute == "[3]"


@pytest.mark.parametrize("leave", (preview.end, lambda: preview.flip(after=False)))
def test_bones_stretched_by_a_preview_are_as_long_as_before_when_it_is_left(leave):
    """Squash and stretch animates scale and location that the take never had: nothing else would bring them back."""
    rig = rigs.build_rig(("XYZ",) * 3)
    rigs.animate(rig, rigs.pose_curves(rig, LAST))
    bpy.context.scene.frame_set(40)
    before = rigs.poses(rig, [40])
    panel().equalize.target = "POSITIONS"
    panel().equalize.gains = str([1, 1, 1, 1, 1, 3, 3, 3, 2, 1, 1, 1])
    shown = rigs.poses(rig, [40])
    assert np.abs(shown - before).max() > 0.01
    leave()
    assert np.abs(rigs.poses(rig, [40]) - before).max() < 1e-6


def test_faders_are_neutral_after_apply_and_nothing_is_previewed():
    rigs.walker(LAST)
    panel().equalize.gains = str(rigs.LOUD)
    press_apply(EQUALIZE)
    assert panel().equalize.gains == "" and not lent() and panel().report.startswith("3 bones")


def test_an_nla_strip_made_of_a_preview_holds_the_take():
    rig, source = rigs.walker(LAST)
    loud()
    strip = rig.animation_data.nla_tracks.new().strips.new("Strip", 1, rig.animation_data.action)
    rig.animation_data.action = None
    preview.end()
    assert strip.action == source and strip.action_slot == source.slots[0] and lent() == []


@pytest.mark.parametrize("what", ("another strip", "the preview pushed down"))
def test_tweak_mode_during_a_preview_loses_no_take(what):
    rig, source = rigs.walker(LAST)
    other = source.copy()
    data = rig.animation_data
    strips = data.nla_tracks.new().strips
    if what == "another strip":
        strips.new("Strip", 1, other).action_slot = other.slots[0]
        loud()
    else:
        loud()
        strips.new("Strip", 1, data.action).action_slot = data.action.slots[0]
        data.action = None
    data.use_tweak_mode = True
    preview.end()
    assert lent() == []
    data.use_tweak_mode = False
    assert source in (data.action, strips[0].action)


@pytest.mark.parametrize("whose", ("source", "lent"))
def test_a_slot_renamed_during_a_preview_is_found_again(whose):
    rig, source = rigs.walker(LAST)
    loud()
    {"source": source, "lent": lent()[0]}[whose].slots[0].name_display = "Other"
    panel().equalize.gains_view[6] = 0.5
    assert [rig.animation_data.action] == lent()
    preview.end()
    assert lent() == [] and rig.animation_data.action_slot == source.slots[0]


def test_a_slot_deleted_during_a_preview_leaves_nothing_lent():
    rig, source = rigs.walker(LAST)
    loud()
    source.slots.remove(source.slots[0])
    preview.end()
    assert lent() == [] and rig.animation_data.action == source


@pytest.mark.parametrize("policy", ("EVERY_FRAME", "SOURCE", "FEWEST"))
@pytest.mark.parametrize(
    "meddle",
    (
        lambda bag: [curve.keyframe_points.remove(curve.keyframe_points[3]) for curve in bag.fcurves],
        lambda bag: [curve.keyframe_points.insert(3.5, 1.0) for curve in bag.fcurves],
        lambda bag: [curve.keyframe_points.clear() for curve in bag.fcurves],
        lambda bag: bag.fcurves.clear(),
    ),
    ids=("key deleted", "key set", "keys cleared", "curves deleted"),
)
def test_keys_set_or_deleted_in_what_is_lent_do_not_stop_the_faders(policy, meddle):
    rig, source = rigs.walker(LAST)
    panel().scope.keys = policy
    with rigs.untouched(source):
        loud()
        meddle(lent()[0].layers[0].strips[0].channelbags[0])
        panel().equalize.gains = str([2] * 12)
        shown = rigs.evaluated(rig, FRAMES)
        press_apply(EQUALIZE)
    applied = rigs.evaluated(rig, FRAMES)
    assert shown.keys() == applied.keys()
    assert max(np.abs(shown[name] - applied[name]).max() for name in shown) < 2e-6


def test_bones_renamed_while_they_are_stretched_do_not_keep_the_preview():
    rig = rigs.build_rig(("XYZ",) * 3)
    source = rigs.animate(rig, rigs.pose_curves(rig, LAST))
    panel().equalize.target = "POSITIONS"
    loud()
    for bone in rig.pose.bones:
        bone.name = "Other " + bone.name
    preview.end()
    assert lent() == [] and rig.animation_data.action == source


def test_shape_keys_removed_during_a_preview_end_it():
    mesh = bpy.data.meshes.new("Face")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    face = rigs.staged(bpy.data.objects.new("Face", mesh))
    for name in ("Basis", "Smile"):
        face.shape_key_add(name=name)
    rigs.animate(mesh.shape_keys, {('key_blocks["Smile"].value', 0): rigs.dense(rigs.wander(1, LAST))})
    panel().scope.animated = "SHAPE_KEYS"
    loud()
    assert len(lent()) == 1
    face.shape_key_clear()
    assert preview.session() is None
    preview.end()
    assert lent() == []


def steps_of(action):
    return [step["technique"] for step in json.loads(action.get("motion_signal_recipe", '{"steps": []}'))["steps"]]


def test_another_technique_touched_is_a_step_after_the_first_and_both_are_shown_and_applied():
    rig, source = rigs.walker(LAST)
    before = rigs.record(source)["curves"]
    loud()
    first = rigs.evaluated(rig, FRAMES)
    panel().waveshape.points = "[[0, 0], [0.5, 0.3], [1, 1]]"
    shown = rigs.evaluated(rig, FRAMES)
    assert panel().equalize.gains == "" and max(np.abs(shown[name] - first[name]).max() for name in shown) > 0.01
    press_apply(WAVESHAPE)
    applied = rigs.evaluated(rig, FRAMES)
    assert rigs.record(source)["curves"] == before and lent() == []
    assert max(np.abs(shown[name] - applied[name]).max() for name in shown) < 2e-6
    assert steps_of(rig.animation_data.action) == ["equalize", "waveshape"]


def test_the_button_of_another_technique_adds_its_step_and_keeps_what_is_shown():
    rig, source = rigs.walker(LAST)
    loud()
    shown = rigs.evaluated(rig, FRAMES)
    assert press_apply(WAVESHAPE) == {"FINISHED"}
    assert [step.technique.name for step in AtHand.rack.steps] == ["equalize", "waveshape"]
    assert max(np.abs(rigs.evaluated(rig, FRAMES)[name] - shown[name]).max() for name in shown) < 2e-6


def test_a_rack_that_changes_nothing_is_not_applied():
    rigs.walker(LAST)
    press_apply(WAVESHAPE)
    with pytest.raises(RuntimeError, match="Shaper: nothing would change; bend the curve"):
        press_apply(WAVESHAPE)


def test_reset_in_another_panel_leaves_what_is_shown():
    rig, _ = rigs.walker(LAST)
    with preview.paused():
        panel().waveshape.points = "[[0, 0], [0.5, 0.3], [1, 1]]"
    loud()
    bpy.ops.motion_signal.reset(technique="waveshape")
    assert preview.session().technique == "equalize" and panel().waveshape.points == "" and len(bpy.data.actions) == 2


@pytest.mark.parametrize(
    "press",
    (
        lambda: bpy.ops.motion_signal.reopen(),
        lambda: bpy.ops.motion_signal.recipe_change(change="SWITCH"),
        lambda: bpy.ops.motion_signal.gain_curve(band=5),
        lambda: bpy.ops.motion_signal.cycle_repeat(),
        lambda: bpy.ops.motion_signal.throw_away(which="THIS"),
    ),
    ids=("reopen", "switch", "gain curve", "for ever", "throw away"),
)
def test_buttons_that_would_lose_what_is_shown_refuse(press):
    rig, _ = rigs.walker(LAST)
    bpy.ops.motion_signal.equalize(gains=str(rigs.LOUD))
    panel().waveshape.points = "[[0, 0], [0.5, 0.3], [1, 1]]"
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="Shaper is being previewed: apply or cancel that first"):
        press()
    assert preview.session().technique == "waveshape"


def test_a_preview_goes_on_after_the_file_was_saved(tmp_path):
    rig, source = rigs.walker(LAST)
    bpy.context.scene.frame_set(40)
    loud()
    shown, pose = rigs.evaluated(rig, FRAMES), rigs.poses(rig, [40])
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert [rig.animation_data.action] == lent() and preview.session().after
    assert all((rigs.evaluated(rig, FRAMES)[name] == shown[name]).all() for name in shown)
    assert np.abs(rigs.poses(rig, [40]) - pose).max() < 1e-6
    with bpy.data.libraries.load(shutil.copy(path, f"{path}.copy.blend")) as (there, _):
        assert list(there.actions) == ["Take"]
    panel().equalize.gains_view[6] = 0.5
    bpy.ops.motion_signal.preview_flip()
    bpy.ops.wm.save_mainfile()
    assert rig.animation_data.action == source and not preview.session().after  # as it was left
    press_apply(EQUALIZE)
    assert steps_of(rig.animation_data.action) == ["equalize"]


def test_a_step_being_changed_is_still_being_changed_after_the_file_was_saved(tmp_path):
    rig, _ = rigs.walker(LAST)
    bpy.ops.motion_signal.equalize(gains=str(rigs.LOUD))
    bpy.ops.motion_signal.waveshape(preset="s_curve")
    bpy.ops.motion_signal.reopen(step=0)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert preview.session().technique == "equalize"
    press_apply(EQUALIZE)
    assert steps_of(rig.animation_data.action) == ["equalize", "waveshape"]


def test_the_report_is_there_as_long_as_what_it_is_about():
    rig, source = rigs.walker(LAST)
    other = rigs.build_rig(("XYZ",), "Other")
    rigs.animate(other, rigs.pose_curves(other, LAST), name="Other")
    bpy.context.view_layer.objects.active = rig
    bpy.ops.ed.undo_push(message="Start")
    bpy.ops.motion_signal.equalize("EXEC_DEFAULT", True, gains=str(rigs.LOUD))
    said = panel().report
    assert said.startswith("3 bones")
    bpy.ops.ed.undo()
    assert panel().report == ""
    bpy.ops.ed.redo()
    assert panel().report == said
    objects = bpy.context.view_layer.objects
    objects.active = bpy.data.objects["Other"]
    assert panel().report == ""
    objects.active = bpy.data.objects["Rig"]
    data = objects.active.animation_data
    data.action, data.action_slot = bpy.data.actions["Take"], bpy.data.actions["Take"].slots[0]
    assert panel().report == ""
    bpy.data.objects.remove(objects.active)
    assert panel().report == ""


def test_the_report_of_a_result_made_anew_under_the_same_name_goes_with_undo():
    rigs.walker(LAST)
    bpy.ops.ed.undo_push(message="Start")
    bpy.ops.motion_signal.equalize("EXEC_DEFAULT", True, gains=str(rigs.LOUD))
    bpy.ops.motion_signal.recipe_change("EXEC_DEFAULT", True, change="SWITCH")
    assert panel().report
    bpy.ops.ed.undo()
    assert bpy.context.object.animation_data.action.name == "Take equalizer" and panel().report == ""


def test_a_notice_and_what_was_measured_go_with_the_object():
    bpy.ops.motion_signal.add_figure()
    bpy.ops.motion_signal.report()
    panel().equalize.gains = "[1, 2"
    assert panel().notice and panel().measured
    rigs.walker(LAST)
    assert panel().notice == "" and panel().measured == ""


@pytest.mark.parametrize("after", [False, True])
def test_another_action_given_by_hand_leaves_nothing_lent(after):
    rig, source = rigs.walker(LAST)
    other = source.copy()
    loud()
    bpy.ops.motion_signal.preview_flip(after=after)
    rig.animation_data.action = other
    rig.animation_data.action_slot = other.slots[0]
    bpy.context.view_layer.update()
    assert preview.session() is None and lent() == [] and rig.animation_data.action == other
