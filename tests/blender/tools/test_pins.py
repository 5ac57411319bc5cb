# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins in Blender: held to objects, curves and bones of other figures as Blender evaluates them; I pins; bars in lanes."""

import json

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.operators.desk import pins
from bl_ext.dev.motion_signal.operators.live import preview
from bl_ext.dev.motion_signal.operators.live.at_hand import AtHand
from desk import panel

MILLIMETRE = 1e-3


@pytest.fixture
def figure(settled):
    bpy.ops.motion_signal.add_figure(seconds=2.0)
    return bpy.context.object


def places(rig, bone, frames):
    """Where a bone's joint is in the world, as Blender evaluates it, (frames, 3)."""
    found = rigs.poses(rig, frames)[:, rig.pose.bones.find(bone), :3, 3]
    world = np.array(rig.matrix_world)
    return found @ world[:3, :3].T + world[:3, 3]


def test_a_hand_is_held_to_an_object_that_moves(figure):
    cup = bpy.data.objects.new("Cup", None)
    bpy.context.collection.objects.link(cup)
    hand = places(figure, "hand.L", range(1, 61))
    for frame in (20, 30, 40):
        cup.location = hand[frame - 1] + (0.03, 0.0, 0.04)
        cup.keyframe_insert("location", frame=frame)
    pin = {"bone": "hand.L", "first": 22, "last": 38, "target": "Cup", "hold": "PLACE"}
    frame = bpy.context.scene.frame_current
    assert bpy.ops.motion_signal.pins(pins=json.dumps([pin])) == {"FINISHED"}
    assert bpy.context.scene.frame_current == frame
    held = places(figure, "hand.L", range(22, 39))
    for at, place in zip(range(22, 39), held):
        bpy.context.scene.frame_set(at)
        assert np.linalg.norm(place - np.array(cup.matrix_world.translation)) < MILLIMETRE


def test_a_hand_is_held_to_a_bone_of_another_figure(figure):
    hand = places(figure, "hand.R", range(1, 61))
    bpy.ops.motion_signal.add_figure(seconds=2.0, speed=1.25)
    other = bpy.context.object
    there = places(other, "hand.L", range(1, 61))
    other.location = np.array(other.location) + (hand[29] - there[29]) + (0.02, 0.02, 0.0)
    bpy.context.view_layer.objects.active = figure
    there = places(other, "hand.L", range(25, 36))
    pin = {"bone": "hand.R", "first": 25, "last": 35, "target": other.name, "target_bone": "hand.L", "hold": "PLACE"}
    bpy.ops.motion_signal.pins(pins=json.dumps([pin]))
    away = np.linalg.norm(places(figure, "hand.R", range(25, 36)) - there, axis=1)
    assert away.max() < 2 * MILLIMETRE


def test_i_pins_the_selected_bone_here_and_the_lane_moves_the_bar(figure):
    bpy.ops.motion_signal.add_step(technique="pins")
    bpy.context.scene.frame_set(20)
    bpy.ops.object.mode_set(mode="POSE") if figure.mode != "POSE" else None
    select(figure, "hand.L")
    assert bpy.ops.motion_signal.pin_press.poll()
    assert bpy.ops.motion_signal.pin_press() == {"FINISHED"}
    (row,) = panel().pins.pins_rows
    assert (row.bone, row.first, row.hold) == ("hand.L", 20, "HERE") and row.last > 30 and panel().notice == ""
    track = places(figure, "hand.L", range(20, 31))
    assert np.linalg.norm(track - track[0], axis=1).max() < MILLIMETRE
    lane = pins.LANES[0]
    (bar,) = lane.bars(bpy.context)
    assert (bar.first, bar.last) == (20, row.last) and lane.label(bpy.context) == "hand.L"
    assert lane.move(bpy.context, 0, 24, 28) and (row.first, row.last) == (24, 28)
    lane.remove(bpy.context, 0)
    assert len(panel().pins.pins_rows) == 0


def test_a_bone_that_was_posed_is_pinned_where_it_was_posed(figure):
    bpy.ops.motion_signal.add_step(technique="pins")
    bpy.context.scene.frame_set(25)
    bpy.ops.object.mode_set(mode="POSE") if figure.mode != "POSE" else None
    select(figure, "hand.L")
    arm = figure.pose.bones["upper_arm.L"]
    arm.rotation_mode = "QUATERNION"
    arm.rotation_quaternion = (0.97, 0.2, 0.1, 0.0)
    bpy.context.view_layer.update()
    there = np.array(figure.matrix_world @ figure.pose.bones["hand.L"].head)
    bpy.ops.motion_signal.pin_press()
    (row,) = panel().pins.pins_rows
    assert row.hold == "PLACE" and np.allclose((row.x, row.y, row.z), there, atol=1e-4)
    assert np.linalg.norm(places(figure, "hand.L", [25])[0] - there) < MILLIMETRE


def select(figure, name):
    for pose in figure.pose.bones:
        owner = pose if hasattr(pose, "select") else pose.bone
        owner.select = pose.name == name
    figure.data.bones.active = figure.data.bones[name]


def test_what_a_bone_is_held_to_is_followed_live_and_a_deleted_one_is_said(figure):
    cup = bpy.data.objects.new("Cup", None)
    bpy.context.collection.objects.link(cup)
    cup.location = places(figure, "hand.L", [30])[0] + (0.0, 0.0, 0.05)
    bpy.context.view_layer.update()
    bpy.ops.motion_signal.add_step(technique="pins")
    panel().pins.pins = json.dumps([{"bone": "hand.L", "first": 30, "last": 30, "target": "Cup", "hold": "PLACE"}])
    assert np.linalg.norm(places(figure, "hand.L", [30])[0] - cup.location) < MILLIMETRE
    cup.location.z += 0.04
    bpy.context.view_layer.update()
    assert np.linalg.norm(places(figure, "hand.L", [30])[0] - cup.location) < MILLIMETRE
    before = len(bpy.data.actions)
    bpy.data.objects.remove(cup)
    panel().pins.pins = json.dumps([{"bone": "hand.L", "first": 30, "last": 31, "target": "Cup", "hold": "PLACE"}])
    assert "there is no object Cup" in panel().notice
    preview.end()
    AtHand.rack = None
    with pytest.raises(RuntimeError, match="there is no object Cup"):
        bpy.ops.motion_signal.pins(pins=panel().pins.pins)
    assert len(bpy.data.actions) <= before


def test_a_pin_to_the_figure_itself_asks_for_its_bone_alone(figure):
    pin = {"bone": "hand.L", "first": 20, "last": 30, "target": figure.name, "target_bone": "head"}
    with pytest.raises(RuntimeError, match="leave the object empty"):
        bpy.ops.motion_signal.pins(pins=json.dumps([pin]))
