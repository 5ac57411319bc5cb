# SPDX-License-Identifier: GPL-3.0-or-later
"""The take is sacred: whatever button is pressed on a fresh take, it is afterwards what it was, to the last bit."""

import json
import os
from contextlib import nullcontext
from pathlib import Path

import bpy
import numpy as np
import pytest
import rigs
import scipy
from bl_ext.dev.motion_signal.operators.files import files
from bl_ext.dev.motion_signal.operators.live import preview
from desk import panel

pytestmark = pytest.mark.usefixtures("settled")
LOUD = json.dumps(rigs.LOUD)
DECLARED = "motion_signal_contacts"  # what is planted when is kept with the action: all that may be added to a take
OTHER = json.dumps([{}, {"action": "Other"}])
WINDOW = {"manual", "before_hold", "path_point", "lane_drag", "lane_delete", "pad_drag", "step_carry"}  # they need a mouse


def start():
    bpy.ops.motion_signal.displace_start()


def pushed():
    start()
    bpy.ops.motion_signal.displace_key_add()


def pushed_elsewhere():
    pushed()
    bpy.context.scene.frame_set(30)


def marked():
    panel().timewarp.moves = "[[20, 25], [60, 70]]"


def shown():
    panel().equalize.gains = LOUD


def planted():
    bpy.ops.motion_signal.contacts()
    panel().contact_point, panel().contact_index = "left_heel", 0


def listed():
    panel().blend.takes = OTHER
    panel().blend.takes_index = 1


def curved():
    bpy.ops.motion_signal.path_create(control_points=6)


def moody():
    panel().style.styled = "Other"


def two_takes():
    panel().wavelet_blend.anchors, panel().wavelet_blend.events = "[[10, 10], [60, 50]]", "ANCHORS"
    panel().wavelet_blend.take = "Other"


def referred():
    panel().timewarp.reference = "Other"


def step(technique, **values):
    """What adds a step of a technique, with some of its settings."""

    def prepare():
        bpy.ops.motion_signal.add_step(technique=technique)
        for name, value in values.items():
            setattr(getattr(panel(), technique), name, value)

    return prepare


def reaching():
    step("pins")()
    for bone in bpy.context.object.pose.bones:
        select_bone(bone, bone.name == "hand.L")


def select_bone(bone, chosen):
    """Blender 5 keeps it with the pose."""
    holder = bone if hasattr(bone, "select") else bone.bone
    holder.select = chosen
    if chosen:
        bpy.context.object.data.bones.active = bone.bone


def pinned():
    reaching()
    bpy.ops.motion_signal.pin_press()


def onto_another():
    """A second figure, whose take is to be brought onto it, is left alone: it is active, and the take's figure its source."""
    source = bpy.context.object
    bpy.ops.motion_signal.add_figure(seconds=4.0)
    bpy.context.object.motion_signal_retarget.source = source


def mapped():
    onto_another()
    bpy.ops.motion_signal.retarget_bones()


def sounding():
    """A sound of clicks in the folder of the test."""
    step("music")()
    rate = 22050
    samples = np.zeros(6 * rate, dtype=np.int16)
    samples[:: rate // 2] = 30000
    scipy.io.wavfile.write(folder() / "clicks.wav", rate, samples)


def folder():
    """Where the test may write."""
    return Path(os.environ["BLENDER_USER_SCRIPTS"])


def exported():
    files.WRITERS[".bvh"](folder() / "walk.bvh", [bpy.context.object])


def indexed():
    exported()
    bpy.ops.motion_signal.library_index(folder=str(folder()))


def found():
    indexed()
    bpy.ops.motion_signal.library_find(what="LIKE", frame_start=20, frame_end=60)


# How each is pressed: what comes first, and with which properties.
PRESSED = {
    "equalize": (None, {"gains": LOUD}),
    "waveshape": (None, {"preset": "s_curve"}),
    "displace": (None, {"displacement_keys": '[{"frame": 20, "bones": {"head": {"rotation": [0.3, 0, 0]}}}]'}),
    "timewarp": (None, {"reference": "Other", "timing": 1.0}),
    "between": (None, {"takes": OTHER, "by_speed": True, "speed": 1.5}),
    "between_ask": (step("between", takes=OTHER), {"field": "by_speed"}),
    "between_handle": (step("between", takes=OTHER), {}),
    "between_take_add": (step("between"), {"action": "Other"}),
    "blend": (None, {"takes": '[{}, {"action": "Other"}]'}),
    "join": (None, {"loop": True}),
    "lock": (None, {}),
    "path": (None, {"slide": 0.5}),
    "cycle": (None, {"find": "SEARCH"}),
    "harmonics": (None, {"harmonics": 3}),
    "network": (None, {"points": OTHER}),
    "speed": (None, {"takes": OTHER, "speed": 1.5}),
    "wavelet_blend": (None, {"take": "Other", "events": "ANCHORS", "anchors": "[[10, 10], [60, 50]]"}),
    "avatar": (None, {"scale": 2.0}),
    "cartoon": (None, {"strength": 0.5, "target": "POSITIONS"}),
    "automate": (None, {"automation": '[{"band": 5, "keys": [[10, 1.0], [60, 2.0]]}]'}),
    "style": (None, {"styled": "Other", "neutral": ""}),
    "reduce": (None, {}),
    "throw_away": (None, {"which": "UNUSED"}),
    "path_create": (None, {}),
    "path_shape": (curved, {"shape": "MIRROR"}),
    "record_remove": (listed, {"technique": "blend", "field": "takes"}),
    "automate_key": (None, {"band": 5}),
    "body_reset": (None, {}),
    "report": (None, {}),
    "preview_end": (shown, {}),
    "preview_flip": (shown, {}),
    "cycle_repeat": (None, {}),
    "limb_remove": (None, {"bone": "head"}),
    "limb_leave": (None, {}),
    "speed_take_add": (None, {"action": "Other"}),
    "wavelet_events": (two_takes, {"markers": True}),
    "network_point_add": (None, {"action": "Other"}),
    "network_place": (None, {}),
    "network_puck_key": (None, {}),
    "preset_load": (None, {"technique": "equalize", "preset": "exaggerate"}),
    "preset_add": (None, {"technique": "equalize", "preset": "Loud"}),
    "reset": (shown, {"technique": "equalize"}),
    "mood_take": (moody, {}),
    "mood_drop": (None, {}),
    "mood_map": (None, {"source": "head", "target": "head"}),
    "timewarp_pair_add": (referred, {}),
    "timewarp_from_markers": (referred, {}),
    "timewarp_from_steps": (referred, {}),
    "timewarp_to_beats": (marked, {}),
    "contacts": (None, {}),
    "contact_add": (None, {}),
    "contact_remove": (planted, {}),
    "reopen": (lambda: bpy.ops.motion_signal.equalize(gains=LOUD), {}),
    "blend_take_add": (None, {"action": "Other"}),
    "blend_weight_key": (listed, {}),
    "blend_limb": (listed, {"bone": "head"}),
    "displace_start": (None, {}),
    "displace_key_add": (start, {}),
    "displace_key_press": (start, {}),
    "displace_key_copy": (pushed_elsewhere, {}),
    "displace_key_go": (pushed, {}),
    "gain_curve": (None, {"band": 5}),
    "recipe_change": (lambda: bpy.ops.motion_signal.equalize(gains=LOUD), {"change": "SWITCH"}),
    "recipe_save": (lambda: bpy.ops.motion_signal.equalize(gains=LOUD), {"filepath": "made.json"}),
    "recipe_run": (None, {"filepath": "held.json"}),
    "add_figure": (None, {}),
    "retime_section": (None, {"frame_start": 20, "frame_end": 40}),
    "retime_speed": (marked, {"percent": 25.0}),
    "intake": (None, {"what": "SEEN"}),
    "version_show": (lambda: bpy.ops.motion_signal.equalize(gains=LOUD), {"action": "Walking Figure equalizer"}),
    "version_star": (lambda: bpy.ops.motion_signal.equalize(gains=LOUD), {"action": "Walking Figure equalizer"}),
    "version_compare": (None, {"action": "Walking Figure"}),
    "add_step": (None, {"technique": "cartoon"}),
    "step_change": (shown, {"change": "COPY"}),
    "rack_apply": (shown, {}),
    "preview_pause": (shown, {}),
    "preview_resume": (shown, {}),
    "goal": (None, {"goal": "sadder"}),
    "band_neutral": (shown, {"band": 6}),
    "feet_fix": (shown, {}),
    "rig_pick": (None, {"role": "left_foot_control"}),
    "rig_reset": (None, {}),
    "clean": (None, {"slides": True}),
    "finding_go": (step("clean"), {"index": 0}),
    "finding_mark": (step("clean"), {"index": 0, "how": "IGNORE"}),
    "library_index": (exported, {"folder": ""}),
    "library_find": (indexed, {"what": "WORDS", "words": "speed > 0.5"}),
    "library_show": (found, {"number": 0}),
    "library_keep": (found, {"number": 0}),
    "library_continue": (found, {"number": 0}),
    "library_assets": (None, {"what": "FILE", "directory": "", "show": False}),
    "library_between": (found, {"count": 2}),
    "life": (None, {"take": "Other"}),
    "fit_length": (None, {"seconds": 3.0}),
    "locomotion": (None, {"path": '{"points": [[0, 0, 0], [4, 0, 0]]}'}),
    "locomotion_key": (step("locomotion", path='{"points": [[0, 0, 0], [4, 0, 0]]}'), {"stop": True}),
    "music": (None, {"tempo": 110.0}),
    "music_change": (step("music", tempo=90.0), {"how": "DOUBLE"}),
    "music_find": (sounding, {"filepath": "clicks.wav"}),
    "music_tap": (step("music"), {}),
    "pins": (None, {"pins": '[{"bone": "hand.L", "first": 30, "last": 50}]'}),
    "pin_add": (reaching, {}),
    "pin_press": (reaching, {}),
    "pin_go": (pinned, {"index": 0}),
    "retarget": (onto_another, {}),
    "retarget_bones": (onto_another, {}),
    "retarget_forget": (mapped, {}),
    "retarget_save_map": (mapped, {"filepath": "map.json"}),
    "retarget_load_map": (mapped, {"filepath": "held_map.json"}),
    "weight": (None, {}),
    "number_choose": (None, {"technique": "cycle", "field": "loop_number", "number": 2}),
}


@pytest.fixture
def take(scene):
    """A walk with all that an action can have, and another one beside it."""
    bpy.ops.motion_signal.add_figure(speed=1.8)
    other = bpy.context.object.animation_data.action
    other.name, other.use_fake_user = "Other", True
    bpy.data.objects.remove(bpy.context.object)
    bpy.ops.motion_signal.add_figure(seconds=4.0)
    action = bpy.context.object.animation_data.action
    action["mine"] = "kept"
    for each, frame in ((action, 12), (other, 14)):
        each.pose_markers.new("Step").frame = frame
    curves = list(rigs.curves_of(bpy.context.object).values())
    curves[0].modifiers.new("CYCLES").mode_after = "MIRROR"
    curves[0].modifiers.new("NOISE").strength = 0.0
    return action


def test_every_operator_is_pressed():
    assert set(PRESSED) == set(dir(bpy.ops.motion_signal)) - WINDOW


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
@pytest.mark.parametrize("name", PRESSED)
def test_no_operator_changes_the_take(name, take, tmp_path, monkeypatch):
    monkeypatch.setenv("BLENDER_USER_SCRIPTS", str(tmp_path))
    (tmp_path / "held.json").write_text('{"format": 1, "steps": [{"technique": "lock", "params": {}}]}')
    (tmp_path / "held_map.json").write_text('{"bones": {"head": "neck"}}')
    if name.startswith("finding"):
        spoil(take)
    before, (prepare, values) = as_it_is(take), PRESSED[name]
    if prepare:
        prepare()
    for path in ("filepath", "folder", "directory"):
        values = {**values, path: str(tmp_path / values[path])} if path in values else values
    with pytest.raises(RuntimeError, match="no cycle|three or more") if name == "network" else nullcontext():
        assert getattr(bpy.ops.motion_signal, name)(**values) == {"FINISHED"}
    preview.end()
    assert as_it_is(bpy.data.actions[take.name]) == before


def spoil(action):
    """Let the head be elsewhere in one frame."""
    for curve in (curve for path, curve in rigs.curves_of(bpy.context.object).items() if '"head"' in str(path)):
        curve.keyframe_points[40].co.y = 0.5
        curve.update()


def as_it_is(action):
    """All that an action holds but for what is planted when."""
    held = rigs.record(action)
    return {**held, "custom": sorted((name, repr(value)) for name, value in action.items() if name != DECLARED)}
