# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of planted feet: in results of another length or in the mirror, of objects with keys, and of giants."""

import re

import bpy
import numpy as np
import pytest
from bl_ext.dev.motion_signal.core.body.contacts import find_contacts
from bl_ext.dev.motion_signal.core.body.figure import Legs
from bl_ext.dev.motion_signal.core.body.report import words
from bl_ext.dev.motion_signal.operators.files import files
from bl_ext.dev.motion_signal.operators.run.measure import measure
from bl_ext.dev.motion_signal.operators.run.measure import measured as measured_action


@pytest.fixture
def walker(scene):
    bpy.ops.motion_signal.add_figure()
    return bpy.context.object


def measured():
    """The report of the active object's action, and of the take that it was made from."""
    return measure(bpy.context, bpy.context.object.animation_data.action)


def said():
    return bpy.context.window_manager.motion_signal.report


def slides():
    """What the last Apply said: millimetres after and before."""
    return tuple(map(float, re.search(r"slide (\d+) mm, they slid (\d+) mm before", said()).groups()))


def feet_of(rig):
    """The take of an object, its figure, where its points are (frames, points, 3) and what is found planted."""
    take = measured_action(bpy.context, rig.animation_data.action)
    figure = Legs(take.skeleton, take.roles)
    return take.clip, figure, figure.places(take.clip)[0], find_contacts(take.clip, take.skeleton, take.roles)


def test_a_join_in_the_middle_of_a_step_says_how_far_the_standing_feet_are_dragged(walker):
    """From one foot's plant into the middle of the other's: whoever stood is carried off, and no foot is found planted."""
    clip, figure, _, planted = feet_of(walker)
    leave = int(np.mean(planted["left_toe"][2]))
    enter = int(np.mean(planted["right_toe"][2]))
    assert bpy.ops.motion_signal.join(
        take=walker.animation_data.action.name, cut="FRAMES", cut_frame=leave, enter_frame=enter, transition=0.4
    ) == {"FINISHED"}
    after, before = slides()
    joined = feet_of(walker)[2]
    around = joined[leave - clip.first_frame - 5 : leave - clip.first_frame + 6, figure.on_foot, :2]
    dragged = np.linalg.norm(np.ptp(around, axis=0), axis=1).min()  # even the foot that moves least, over ten frames
    assert dragged > 0.1 and before < 5 and after > before + 5
    assert measured()[0]["slide_worst_mm"] > 40


def test_a_step_on_a_joined_take_is_judged_by_what_stands_there(walker):
    bpy.ops.motion_signal.join(take=walker.animation_data.action.name)
    after, _ = slides()
    bpy.ops.motion_signal.equalize()
    assert slides() == (after, after) and after < 10


@pytest.mark.parametrize("change", ({"mirror": True}, {"phase": 0.3}, {"repeats": 2}, {"mirror": True, "phase": -0.2}))
def test_a_cycle_in_the_mirror_or_begun_later_slides_no_farther(walker, change):
    bpy.ops.motion_signal.cycle(find="SEARCH")
    bpy.ops.motion_signal.cycle(**change)
    after, before = slides()
    assert before < 10 and after < before + 3
    numbers = measured()[0]
    assert numbers["slide_mean_mm"] < before + 3


def test_frames_moved_within_the_take_take_what_stands_along(walker):
    bpy.ops.motion_signal.timewarp(moves="[[60, 80]]")
    after, before = slides()
    assert after < before + 5 and measured()[0]["slide_mean_mm"] < before + 5


def test_keys_that_hold_an_object_still_do_not_hide_its_feet(walker):
    take = walker.animation_data.action
    for path in ("location", "rotation_euler", "scale"):
        for frame in (1, 60, 144):
            walker.keyframe_insert(path, frame=frame)
    bpy.ops.motion_signal.equalize(preset="exaggerate", feet="FREE")
    after, before = slides()
    assert before < 5 < after
    walker.animation_data.action, walker.animation_data.action_slot = take, take.slots[0]
    walker.location.x = 3.0
    walker.keyframe_insert("location", frame=144)
    bpy.ops.motion_signal.equalize(preset="exaggerate")
    assert "planted feet are not measured: keys move the object itself" in said()


def test_an_fbx_take_slides_as_its_glb_does(scene, takes):
    found = []
    for ending in ("fbx", "glb"):
        files.load(takes / f"cmu_07_01_walk_normal.{ending}")
        bpy.context.view_layer.objects.active = files.animated_objects()[0]
        bpy.ops.motion_signal.equalize(preset="exaggerate", feet="FREE")
        found.append(slides())
    assert found[0] == found[1] and found[0][0] > 50


def test_a_giant_is_told_to_be_one_and_how_to_say_its_size(walker):
    bpy.ops.motion_signal.equalize(preset="exaggerate")
    assert "legs of" not in said() and "legs of" not in words(*measured())
    walker.scale = [80.0] * 3
    bpy.context.view_layer.update()
    bpy.ops.motion_signal.equalize(preset="exaggerate")
    for told in (said(), words(*measured()), words(measured()[0])):
        assert re.search(r"legs of \d+(\.\d+)? m, .*scale the object, or say by --unit", told)
