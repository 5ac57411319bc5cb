# SPDX-License-Identifier: GPL-3.0-or-later
"""What the animator says of linked and overridden armatures and actions is there when the file is opened again."""

import json

import bpy
import pytest
import rigs
from bl_ext.dev.motion_signal.core.body.roles import find_roles
from bl_ext.dev.motion_signal.core.motion.bars import Bar
from bl_ext.dev.motion_signal.operators.bridge.armatures import skeleton_of
from bl_ext.dev.motion_signal.operators.bridge.kept_texts import bars_of, contacts_of, full_name, keep_bars
from bl_ext.dev.motion_signal.operators.settings.body import CORRECTIONS, corrections_of, table_of
from desk import panel

NAME = "Walking Figure"


@pytest.fixture
def library(settled, tmp_path):
    """A file with a walking figure, which knows of one body part."""
    bpy.ops.motion_signal.add_figure()
    bpy.context.object.data.motion_signal_body.right_hand = ""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    return tmp_path / "library.blend"


def linked(library):
    """The figure of a library in an empty file, active."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(library), link=True) as (_, here):
        here.objects = [NAME]
    bpy.context.collection.objects.link(here.objects[0])
    return active(here.objects[0])


def active(subject):
    bpy.context.view_layer.objects.active = subject
    bpy.context.scene.frame_set(1)
    return subject


def overridden(library):
    """The same, the object and its armature overridden."""
    rig = linked(library).override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    rig = rig if rig and rig.type == "ARMATURE" else next(each for each in bpy.data.objects if each.override_library)
    rig.data.override_create(remap_local_usages=True) if not rig.data.override_library else None
    return active(rig)


def object_overridden(library):
    """The object overridden, its armature linked as it is."""
    return active(linked(library).override_create(remap_local_usages=True))


def with_own_object(library):
    """An object of this file's own, with the library's armature and action."""
    there = linked(library)
    own = bpy.data.objects.new("Own", there.data)
    bpy.context.collection.objects.link(own)
    data = own.animation_data_create()
    data.action, data.action_slot = there.animation_data.action, there.animation_data.action_slot
    return active(own)


def reopened(rig, tmp_path):
    """An object, after the file was saved and opened again."""
    name, override = rig.name, bool(rig.override_library)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    return active(next(each for each in bpy.data.objects if each.name == name and bool(each.override_library) == override))


WAYS = (linked, overridden, object_overridden, with_own_object)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_body_parts_are_there_when_the_file_is_opened_again(library, tmp_path, way):
    rig = way(library)
    assert corrections_of(rig.data) == {"right_hand": ""}
    rig.data.motion_signal_body.left_hand = ""
    table_of(bpy.context).head = "chest"
    rig = reopened(rig, tmp_path)
    assert corrections_of(rig.data) == {"right_hand": "", "left_hand": "", "head": "chest"}
    assert table_of(bpy.context).head == "chest" and rig.data.motion_signal_body.left_hand == ""
    roles = find_roles(skeleton_of(rig)).table()
    assert (roles["head"], roles["left_hand"], roles["left_foot"]) == ("chest", "", "foot.L")
    bpy.ops.motion_signal.body_reset()
    assert corrections_of(reopened(rig, tmp_path).data) == {}


@pytest.mark.parametrize("way", WAYS[1:], ids=lambda way: way.__name__)
def test_contacts_are_there_when_the_file_is_opened_again_and_go_with_results(library, tmp_path, way):
    rig = way(library)
    assert bpy.ops.motion_signal.contacts() == {"FINISHED"}
    panel().contact_point = "left_hand"
    bpy.context.scene.frame_set(30)
    assert bpy.ops.motion_signal.contact_add() == {"FINISHED"}
    before = contacts_of(rig.animation_data.action)
    assert before["left_hand"] == [[30, 35]] and len(before["left_heel"]) > 2
    rig = reopened(rig, tmp_path)
    assert contacts_of(rig.animation_data.action) == before
    assert bpy.ops.motion_signal.lock(amount=1.0) == {"FINISHED"}
    assert json.loads(rig.animation_data.action["motion_signal_contacts"]) == before
    rig = reopened(rig, tmp_path)
    assert rig.animation_data.action.library is None and contacts_of(rig.animation_data.action) == before


def test_contacts_of_a_linked_action_are_what_the_lock_holds_to(library):
    """The animator says that one foot never stands: it then moves as it did, and the other is held."""
    rig = overridden(library)
    before = rigs.record(rig.animation_data.action)["curves"]
    bpy.ops.motion_signal.equalize(preset="exaggerate")
    loud = rig.animation_data.action
    bpy.ops.motion_signal.lock(amount=1.0)
    everything = rigs.record(rig.animation_data.action)["curves"]
    take = loud["motion_signal_source"]
    rig.animation_data.action, rig.animation_data.action_slot = take, take.slots[0]
    panel().contact_point = "left_heel"
    bpy.context.scene.frame_set(30)
    bpy.ops.motion_signal.contact_add()
    rig.animation_data.action, rig.animation_data.action_slot = loud, loud.slots[0]
    bpy.ops.motion_signal.lock(amount=1.0)
    assert rigs.record(rig.animation_data.action)["curves"] != everything
    assert rigs.record(take)["curves"] == before


def test_nothing_is_written_to_what_is_linked(library):
    rig = overridden(library)

    def properties():
        return [{name: text for name, text in each.items() if isinstance(text, str)} for each in (rig.data, action)]

    action = rig.animation_data.action
    before = properties()
    table_of(bpy.context).head = "chest"
    bpy.ops.motion_signal.contacts()
    assert properties() == before
    assert json.loads(rig.data[CORRECTIONS]) == {"right_hand": ""}
    assert full_name(rig.data) == f"{NAME} [library.blend]"


def test_bars_are_kept_by_kind_and_go_along_when_time_changes(settled):
    """A bar over frames 20 to 40 is where those frames are once frame 40 is on frame 50."""
    bpy.ops.motion_signal.add_figure()
    walker = bpy.context.object
    action = walker.animation_data.action
    pins, beats = (Bar("pin", 20.0, 40.0, "hand.L"),), (Bar("beat", 12.0, 12.0),)
    keep_bars(action, "pin", pins)
    keep_bars(action, "beat", beats)
    keep_bars(action, "pin", pins)
    assert bars_of(action, "pin") == pins and bars_of(action, "beat") == beats
    bpy.ops.motion_signal.timewarp(moves=json.dumps([[20, 20], [40, 50]]))
    result = walker.animation_data.action
    assert result != action and bars_of(action, "pin") == pins
    (moved,), (beat,) = bars_of(result, "pin"), bars_of(result, "beat")
    assert abs(moved.first - 20) < 0.01 and abs(moved.last - 50) < 0.01 and abs(beat.first - 12) < 0.01


def test_contacts_are_bars_too(settled):
    bpy.ops.motion_signal.add_figure()
    action = bpy.context.object.animation_data.action
    action["motion_signal_contacts"] = json.dumps({"left_toe": [[10, 30], [50, 70]]})
    assert [(bar.bone, bar.first) for bar in bars_of(action, "contact")] == [("left_toe", 10), ("left_toe", 50)]
    keep_bars(action, "contact", bars_of(action, "contact")[1:])
    assert contacts_of(action) == {"left_toe": [[50, 70]]}
