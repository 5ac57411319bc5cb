# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes along in time: other slots of the action, and the scene if it is asked to."""

import bpy
import numpy as np
import pytest
import rigs

pytestmark = pytest.mark.usefixtures("settled")
MOVES = "[[49, 73]]"
BLINK = [(1, 0.0), (45, 0.0), (49, 1.0), (53, 0.0), (97, 0.3), (120, 0.5)]


def face():
    """A mesh with a shape key."""
    mesh = bpy.data.meshes.new("Face")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    subject = bpy.data.objects.new("Face", mesh)
    bpy.context.collection.objects.link(subject)
    subject.shape_key_add(name="Basis")
    subject.shape_key_add(name="Blink")
    return subject.data.shape_keys


@pytest.fixture
def stage(scene):
    """A walk whose action has a slot for shape keys too, and a prop with an action of its own."""
    rig = rigs.control_rig()
    take, keys = rigs.hand_keyed_walk(rig), face()
    rigs.animate(keys, {('key_blocks["Blink"].value', 0): BLINK}, "BEZIER", action=take)
    prop = rigs.empty("Prop")
    rigs.animate(prop, {("location", 0): BLINK, ("location", 1): rigs.dense(rigs.wander(1, 97))}, "BEZIER", name="Prop take")
    bpy.context.view_layer.objects.active = rig
    return rig, take, keys, prop


def test_other_slots_go_along_with_their_keys(stage):
    rig, take, keys, prop = stage
    before = rigs.record(take)["curves"]
    with rigs.untouched(prop.animation_data.action):
        bpy.ops.motion_signal.timewarp(moves=MOVES)
    assert rigs.record(take)["curves"] == before
    result = rig.animation_data.action
    assert keys.animation_data.action == result != take and prop.animation_data.action.name == "Prop take"
    pairs = rigs.keys(rigs.curves_of(keys)['key_blocks["Blink"].value', 0])
    assert len(pairs) == len(BLINK) and np.abs(pairs[:, 1] - [value for _, value in BLINK]).max() < 1e-6
    assert dict(pairs)[73.0] == 1.0 and pairs[-1, 0] == pytest.approx(144.0)
    bpy.ops.motion_signal.timewarp(moves="[[73, 49]]")  # a step more moves them on
    assert dict(rigs.keys(rigs.curves_of(keys)['key_blocks["Blink"].value', 0]).round(2))[49.0] == pytest.approx(1.0, abs=1e-3)


def test_slots_stay_if_asked_to_and_where_time_does_not_change(stage):
    rig, take, keys, _ = stage
    bpy.ops.motion_signal.timewarp(moves=MOVES, slots_along=False)
    assert keys.animation_data.action == take
    before = rigs.record(take)["curves"]
    after = rigs.record(rig.animation_data.action)["curves"]
    assert all(before[name] == after[name] for name in before if "Blink" in name[1])


def test_the_scene_goes_along_if_asked_to(stage):
    rig, _, keys, prop = stage
    own = prop.animation_data.action
    before = rigs.record(own)["curves"]
    bpy.ops.motion_signal.timewarp(moves=MOVES, scene_along=True)
    assert rigs.record(own)["curves"] == before
    moved = prop.animation_data.action
    assert moved != own and moved["motion_signal_along"] == own
    sparse, dense = (rigs.keys(rigs.curves_of(prop)["location", index]) for index in (0, 1))
    assert len(sparse) == len(BLINK) and dict(sparse)[73.0] == 1.0
    assert (np.diff(dense[:, 0]) == 1.0).all() and dense[-1, 0] == 121.0
    was = rigs.wander(1, 97)
    assert dict(dense)[73.0] == pytest.approx(was[48], abs=1e-5) and dict(dense)[121.0] == pytest.approx(was[96], abs=1e-5)
