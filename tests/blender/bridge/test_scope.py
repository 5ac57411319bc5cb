# SPDX-License-Identifier: GPL-3.0-or-later
"""Scope: what is in it, how it is said, and every way of being refused before anything is made."""

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.declare.scope import ScopeParams
from bl_ext.dev.motion_signal.operators.bridge.scope import gather

LAST = 97
LOUD = str(rigs.LOUD)


def select_bones(rig, *names):
    """Selection as a click in pose mode makes it; the flag moved from Bone to PoseBone in Blender 5.0."""
    for pose in rig.pose.bones:
        holder = pose if hasattr(pose, "select") else pose.bone
        holder.select = pose.name in names


def changed(**properties):
    """Bones with a curve that an operator call changes."""
    owner = bpy.context.object
    source = owner.animation_data.action
    with rigs.untouched(source):
        assert bpy.ops.motion_signal.equalize(gains=LOUD, **properties) == {"FINISHED"}
    before, after = (rigs.record(action)["curves"] for action in (source, owner.animation_data.action))
    return {name[1:] for name in before if before[name] != after[name]}


def bones(curves):
    return {path.split('"')[1] for path, _ in curves}


def test_all_changes_every_curve(scene):
    rig, action = rigs.walker(LAST)
    assert changed() == set(rigs.curves_of(rig, action))


def test_selected_bones_change_and_no_others(scene):
    rig, _ = rigs.walker(LAST)
    select_bones(rig, "Bone 0", "Bone 2")
    assert bones(changed(scope="BONES")) == {"Bone 0", "Bone 2"}


def test_selected_curves_change_and_no_others(scene):
    rig, _ = rigs.walker(LAST)
    for name, curve in rigs.curves_of(rig).items():
        curve.select = name[0].endswith("location") or "Bone 1" in name[0]
    selected = {name for name, curve in rigs.curves_of(rig).items() if curve.select}
    assert changed(scope="CURVES") == selected and len(selected) == 6


def test_one_selected_angle_changes_alone(scene):
    rig, _ = rigs.walker(LAST)
    for name, curve in rigs.curves_of(rig).items():
        curve.select = name == ('pose.bones["Bone 1"].rotation_euler', 1)
    assert changed(scope="CURVES") == {('pose.bones["Bone 1"].rotation_euler', 1)}


def test_named_bones_change_and_no_others(scene):
    rigs.walker(LAST)
    assert bones(changed(scope="NAMED", bones=" Bone 1 ,Bone 2")) == {"Bone 1", "Bone 2"}


def words(**params):
    return gather(bpy.context, ScopeParams(**params)).words


def test_scope_is_said_in_words(scene):
    rig, _ = rigs.walker(LAST)
    select_bones(rig, "Bone 1")
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 50, 70
    assert words() == "3 bones, 13 curves, frames 1-97"
    assert words(scope="BONES") == "1 bone, 3 curves, frames 1-97"
    assert words(frames="RANGE", frame_start=20, frame_end=80) == "3 bones, 13 curves, frames 20-80"
    assert words(frames="RANGE", frame_start=-20, frame_end=80) == "3 bones, 13 curves, frames 1-80"
    assert words(frames="PREVIEW") == "3 bones, 13 curves, frames 50-70"
    rigs.curves_of(rig)['pose.bones["Bone 1"].rotation_euler', 0].lock = True
    assert words() == "3 bones, 12 curves, frames 1-97 (1 left alone)"


def test_an_object_without_bones_is_said_in_curves(scene):
    rigs.animate(rigs.empty(), {("location", 0): [(5, 0), (9, 1), (12, 0)]})
    assert words() == "1 curve, frames 5-12"


def test_the_report_says_what_changed(scene, capfd):
    rigs.walker(LAST)
    bpy.ops.motion_signal.equalize(gains=LOUD, scope="NAMED", bones="Bone 1")
    assert "Take equalizer: 1 bone, 3 curves, frames 1-97" in capfd.readouterr().out


def test_preview_range_is_a_range(scene):
    rig, source = rigs.walker(LAST)
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 30, 60
    results = [changed(frames="PREVIEW") and rigs.evaluated(rig, range(1, LAST + 1))]
    rig.animation_data.action = source
    rig.animation_data.action_slot = source.slots[0]
    changed(frames="RANGE", frame_start=30, frame_end=60)
    results.append(rigs.evaluated(rig, range(1, LAST + 1)))
    assert all((results[0][name] == results[1][name]).all() for name in results[0])


@pytest.mark.parametrize("start, end, full", [(40, LAST, LAST), (40, LAST + 30, LAST), (1, 60, 1), (-30, 60, 1)])
def test_a_range_that_reaches_the_takes_end_does_not_fade_there(scene, start, end, full):
    rig, source = rigs.walker(LAST)
    changed()
    whole = rigs.evaluated(rig, [full])
    before = rigs.evaluated(rig, [full], source)
    rig.animation_data.action, rig.animation_data.action_slot = source, source.slots[0]
    changed(frames="RANGE", frame_start=start, frame_end=end)
    found = rigs.evaluated(rig, [full])
    assert max(np.abs(found[name] - whole[name]).max() for name in whole) < 1e-5
    assert max(np.abs(found[name] - before[name]).max() for name in whole) > 0.05


@pytest.mark.parametrize("start, end, still", [(40, LAST - 1, LAST - 1), (2, 60, 2)])
def test_a_range_that_ends_before_the_take_does_fades_out(scene, start, end, still):
    rig, source = rigs.walker(LAST)
    changed(frames="RANGE", frame_start=start, frame_end=end)
    before, found = rigs.evaluated(rig, [still], source), rigs.evaluated(rig, [still])
    assert max(np.abs(found[name] - before[name]).max() for name in before) < 1e-5


# Refusals: each sets the scene and gives the operator's properties, and what its sentence must name.


def no_object():
    bpy.context.view_layer.objects.active = None
    return {}, "there is no active object"


def unknown_object():
    rigs.walker()
    return {"object": "Nobody"}, "there is no Nobody"


def no_action():
    rigs.empty("Still")
    return {}, "Still has no action"


def no_animation_of_its_data():
    rigs.walker()
    return {"animated": "DATA"}, "Rig has no action"


def no_data():
    rigs.empty("Still")
    return {"animated": "DATA"}, "Still has no data"


def no_shape_keys():
    rigs.walker()
    return {"animated": "SHAPE_KEYS"}, "Rig has no shape keys"


def empty_slot():
    thing = rigs.empty("Still")
    rigs.animate(thing, {})
    return {}, "action Take has no curves for Still"


def no_slot():
    rig, action = rigs.walker()
    rig.animation_data.action_slot = None
    return {}, "action Take has no curves for Rig"


def one_frame():
    rigs.animate(rigs.empty(), {("location", 0): [(7, 1.0)], ("location", 1): [(7, 2.0)]})
    return {}, "too few"


def two_keys():
    rigs.animate(rigs.empty(), {("location", 0): [(1, 0.0), (90, 2.0)], ("location", 1): [(5, 2.0)]})
    return {}, "3 keys"


def broken_key(value):
    rig, _ = rigs.walker()
    curve = rigs.curves_of(rig)['pose.bones["Bone 1"].rotation_euler', 2]
    pairs = rigs.keys(curve).astype(np.float32)
    pairs[40, 1] = value
    curve.keyframe_points.foreach_set("co", pairs.ravel())
    return {}, f'pose.bones["Bone 1"].rotation_euler[2] is {value} at frame 41'


def no_number():
    return broken_key(float("nan"))


def infinite():
    return broken_key(float("inf"))


def infinite_between_sparse_keys():
    rigs.animate(rigs.empty(), {("location", 0): [(1, 0.0), (20, float("inf")), (60, 1.0)]})
    return {}, "location[0] is"


def frame_that_is_no_number():
    thing = rigs.empty()
    rigs.animate(thing, {("location", 0): [(1, 0.0), (20, 2.0), (60, 1.0)]})
    rigs.curves_of(thing)["location", 0].keyframe_points.foreach_set("co", [1, 0, 20, 2, float("inf"), 1])
    return {}, "frame"


def nothing_selected():
    rig, _ = rigs.walker()
    for curve in rigs.curves_of(rig).values():
        curve.select = False
    return {"scope": "CURVES"}, "no curve of Rig is in scope"


def no_bone_selected():
    rig, _ = rigs.walker()
    select_bones(rig)
    return {"scope": "BONES"}, "no bone of Rig is selected"


def no_bones_at_all():
    rigs.animate(rigs.empty(), {("location", 0): [(1, 0.0), (20, 1.0), (60, 1.0)]})
    return {"scope": "BONES"}, "no bone of Thing is selected"


def bones_without_names():
    rigs.walker()
    return {"scope": "NAMED", "bones": " , "}, "bones: no name given"


def unknown_bone():
    rigs.walker()
    return {"scope": "NAMED", "bones": "Bone 1, Tail"}, "Rig has no bone Tail"


def everything_locked():
    rig, _ = rigs.walker()
    for curve in rigs.curves_of(rig).values():
        curve.lock = True
    return {}, "all 13 curves in scope are locked, muted, switches or keyed in steps"


def part_of_a_quaternion():
    rig, _ = rigs.walker()
    for name, curve in rigs.curves_of(rig).items():
        curve.select = name[0].endswith("rotation_quaternion") and name[1] < 3
    return {"scope": "CURVES"}, "3 of 4 curves are selected"


def range_outside():
    rigs.walker()
    return {"frames": "RANGE", "frame_start": 300, "frame_end": 400}, "frames 300-400 lie outside the motion"


def range_backwards():
    rigs.walker()
    return {"frames": "RANGE", "frame_start": 50, "frame_end": 40}, "frame_end: 40 is not after the start at 50"


def preview_range_absent():
    rigs.walker()
    return {"frames": "PREVIEW"}, "the scene has no preview range"


def tweak_mode():
    rig, action = rigs.walker()
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("Strip", 1, action)
    rig.animation_data.action = None
    track.select = True
    rig.animation_data.nla_tracks.active = track
    track.strips[0].select = True
    rig.animation_data.use_tweak_mode = True
    return {}, "leave tweak mode first"


def gains_too_few():
    rigs.walker()
    return {"gains": "[1, 2]"}, "gains: 2 given, but there are 12 bands"


def gains_too_high():
    rigs.walker()
    return {"gains": "[9,1,1,1,1,1,1,1,1,1,1,1]"}, "gains[0]: 9 is outside -4 to 4"


def gains_no_json():
    rigs.walker()
    return {"gains": "[1, 2"}, "gains: '[1, 2' cannot be read"


def unknown_band():
    rigs.walker()
    return {"mute": "[40]"}, "there is no band 40"


def unknown_limb():
    rigs.walker()
    return {"limbs": '{"Tail": [1,1,1,1,1,1,1,1,1,1,1,1]}'}, "Tail"


def unknown_preset():
    rigs.walker()
    return {"preset": "sparkle"}, "there is no sparkle"


def stretch_without_bones():
    rigs.animate(rigs.empty(), {("location", 0): [(1, 0.0), (20, 1.0), (60, 1.0)]})
    return {"target": "POSITIONS"}, "squash and stretch needs an armature"


REFUSALS = (
    no_object,
    unknown_object,
    no_action,
    no_animation_of_its_data,
    no_data,
    no_shape_keys,
    empty_slot,
    no_slot,
    one_frame,
    two_keys,
    no_number,
    infinite,
    infinite_between_sparse_keys,
    frame_that_is_no_number,
    nothing_selected,
    no_bone_selected,
    no_bones_at_all,
    bones_without_names,
    unknown_bone,
    everything_locked,
    part_of_a_quaternion,
    range_outside,
    range_backwards,
    preview_range_absent,
    tweak_mode,
    gains_too_few,
    gains_too_high,
    gains_no_json,
    unknown_band,
    unknown_limb,
    unknown_preset,
    stretch_without_bones,
)


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.__name__)
def test_refused_in_one_sentence_with_nothing_made(scene, refusal):
    properties, sentence = refusal()
    with rigs.nothing_made(), pytest.raises(RuntimeError) as error:
        bpy.ops.motion_signal.equalize(**{"gains": LOUD, **properties})
    said = str(error.value).strip().removeprefix("Error: ")
    assert sentence in said and "\n" not in said, said


@pytest.fixture
def library(scene, tmp_path):
    """A file with a rig and its action, to link from."""
    rig, action = rigs.walker(LAST)
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {rig, action, rig.data}, fake_user=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return path


def link(path):
    with bpy.data.libraries.load(str(path), link=True) as (_, there):
        there.objects = ["Rig"]
    rig = rigs.staged(bpy.data.objects["Rig"])
    assert rig.library is not None
    return rig


def test_a_linked_object_is_refused(library):
    link(library)
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="Rig is linked: make a library override of it first"):
        bpy.ops.motion_signal.equalize(gains=LOUD)


def test_an_override_gets_a_local_result_and_the_linked_action_stays(library):
    linked = link(library)
    rig = linked.override_create(remap_local_usages=True)
    bpy.context.view_layer.objects.active = rig
    source = rig.animation_data.action
    assert source.library is not None
    before, held = rigs.evaluated(rig, range(1, LAST + 1)), rigs.record(source)
    assert bpy.ops.motion_signal.equalize(gains=LOUD) == {"FINISHED"}
    assert rigs.record(source) == held
    result = rig.animation_data.action
    assert result.library is None and result != source
    after = rigs.evaluated(rig, range(1, LAST + 1))
    assert all(np.abs(after[name] - before[name]).max() > 0.02 for name in before)


def test_a_local_object_with_a_linked_action_gets_a_local_result(library):
    with bpy.data.libraries.load(str(library), link=True) as (_, there):
        there.actions = ["Take"]
    source = bpy.data.actions["Take"]
    rig = rigs.build_rig(("QUATERNION", "XYZ", "ZYX"))
    data = rig.animation_data_create()
    data.action, data.action_slot = source, source.slots[0]
    held = rigs.record(source)
    assert bpy.ops.motion_signal.equalize(gains=LOUD) == {"FINISHED"}
    assert rigs.record(source) == held and source.library is not None
    assert rig.animation_data.action.library is None


def test_switches_are_left_alone(scene):
    """Visibility, counts and menus are on or off: half of them is nothing."""
    thing = rigs.empty()
    thing["count"] = 3
    thing["amount"] = 0.5
    wave = [(frame, frame % 3) for frame in range(1, 30)]
    rigs.animate(thing, {("hide_viewport", 0): wave, ('["count"]', 0): wave, ('["amount"]', 0): wave, ("location", 0): wave})
    assert words() == "2 curves, frames 1-29 (2 left alone)"
    assert {path for path, _ in changed()} == {'["amount"]', "location"}


@pytest.mark.parametrize("frame", (1048574, -3e6))
def test_a_key_farther_than_blender_counts_is_refused(scene, frame):
    rigs.animate(rigs.empty(), {("location", 0): sorted([(1, 0), (20, 1), (frame, 0)])}, "BEZIER")
    with pytest.raises(RuntimeError, match="farther than Blender counts"), rigs.nothing_made():
        bpy.ops.motion_signal.equalize(gains=LOUD)


def test_a_key_that_misses_its_frame_by_rounding_makes_the_motion_no_longer(scene):
    """As in files that count seconds."""
    subject = rigs.empty()
    rigs.animate(subject, {("location", 0): rigs.dense(rigs.wander(1, LAST)) + (3e-5, 0)})
    scope = gather(bpy.context, ScopeParams(), subject)
    assert (scope.first, scope.last) == (1, LAST)
