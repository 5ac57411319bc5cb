# SPDX-License-Identifier: GPL-3.0-or-later
"""Between takes in Blender: numbers that are asked for, faders over what the takes span, a handle that a hand follows."""

import json

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.techniques.several_takes.between import BETWEEN
from bl_ext.dev.motion_signal.operators.desk import between as tools
from bl_ext.dev.motion_signal.operators.live import preview
from desk import panel, press_apply
from mathutils import Euler

pytestmark = pytest.mark.usefixtures("settled")
POSES = (
    (-70, 10, 0),
    (-70, -40, 0),
    (-20, 10, 0),
    (-20, -40, 0),
    (-70, 10, 30),
    (-20, -40, 30),
)  # of arm and chest


@pytest.fixture
def walks(scene):
    bpy.context.scene.render.fps = 60
    for speed in (1.0, 1.8, 1.4):
        bpy.ops.motion_signal.add_figure(speed=speed)
        bpy.context.object.animation_data.action.name = f"Walk {speed}"
        bpy.context.object.animation_data.action.use_fake_user = True
    return bpy.context.object


@pytest.fixture
def reaches(scene):
    """Someone who stands and reaches six ways with the right hand, each a take; the first is at hand."""
    bpy.context.scene.render.fps = 30
    bpy.ops.motion_signal.add_figure(rotation_mode="QUATERNION")
    figure = bpy.context.object
    for number, (swing, aside, lean) in enumerate(POSES):
        action = bpy.data.actions.new(f"Reach {number}")
        action.use_fake_user = True
        figure.animation_data.action = action
        for bone in figure.pose.bones:
            bone.matrix_basis.identity()
        for frame, much in ((1, 0.0), (5, 0.0), (20 + number, 1.0), (24 + number, 1.0), (45, 0.0)):
            for name, angles in (("upper_arm.R", (swing, 0, aside)), ("chest", (0.3 * lean, lean, 0))):
                pose = figure.pose.bones[name]
                turn = Euler(np.radians(angles) * much).to_matrix()
                rest = pose.bone.matrix_local.to_3x3()
                pose.rotation_quaternion = (rest.inverted() @ turn @ rest).to_quaternion()
            for bone in figure.pose.bones:
                bone.keyframe_insert("rotation_quaternion", frame=frame)
            figure.pose.bones["hips"].location = (0.0, 0.02 * much, 0.0)
            figure.pose.bones["hips"].keyframe_insert("location", frame=frame)
    figure.animation_data.action = bpy.data.actions["Reach 0"]
    return figure


def hands(figure):
    """Where the right hand is in every frame of what the figure shows, by Blender's own evaluation."""
    first, last = (int(frame) for frame in figure.animation_data.action.frame_range)
    return rigs.poses(figure, range(first, last + 1))[:, figure.pose.bones.find("hand.R"), :3, 3]


def listed(names):
    bpy.ops.motion_signal.add_step(technique="between")
    for name in names:
        bpy.ops.motion_signal.between_take_add(action=name)


def faders():
    return bpy.context.window_manager.motion_signal_between


def test_faders_span_the_takes_and_give_what_they_say(walks):
    source = rigs.record(walks.animation_data.action)
    listed(["Walk 1.0", "Walk 1.8"])
    assert bpy.ops.motion_signal.between_ask(field="by_speed") == {"FINISHED"}
    low, high = tools.spans(bpy.context)["speed"]
    assert (low, high) == pytest.approx((1.0, 1.8), rel=0.02) and panel().between.speed == pytest.approx(1.4, rel=0.02)
    faders().speed = 75.0
    asked = panel().between.speed
    assert asked == pytest.approx(low + 0.75 * (high - low), rel=1e-5) and panel().notice == "" and preview.session()
    assert faders().speed == pytest.approx(75.0, abs=0.1)
    assert press_apply(BETWEEN) == {"FINISHED"}
    first, last = (int(frame) for frame in walks.animation_data.action.frame_range)
    hips = rigs.poses(walks, [first, last])[:, walks.pose.bones.find("hips"), :3, 3]
    assert np.linalg.norm((hips[1] - hips[0])[:2]) * 60.0 / (last - first) == pytest.approx(asked, rel=0.02)
    assert rigs.record(bpy.data.actions["Walk 1.4"]) == source


def test_what_the_takes_do_not_span_is_said_and_nothing_is_made(walks):
    listed(["Walk 1.0"])
    bpy.ops.motion_signal.between_ask(field="by_speed")
    panel().between.speed = 3.0
    assert "speed: 3 m/s is outside the examples, which go from" in panel().notice
    preview.end()
    takes = json.dumps([{"action": "Walk 1.8"}])
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="speed: 3 m/s is outside"):
        bpy.ops.motion_signal.between(takes=takes, by_speed=True, speed=3.0)
    with pytest.raises(RuntimeError, match="there is no 'by_grace'"):
        bpy.ops.motion_signal.between_ask(field="by_grace")


@pytest.mark.only("5.2")  # what it tries is not Blender's
@pytest.mark.parametrize("seed", range(3))
def test_the_hand_follows_the_handle(reaches, seed):
    listed([f"Reach {number}" for number in range(1, len(POSES))])
    assert bpy.ops.motion_signal.between_handle() == {"FINISHED"}
    handle = bpy.data.objects[panel().between.target]
    assert panel().between.limb == "FARTHEST" and handle.name.startswith("Right Hand")
    assert np.linalg.norm(hands(reaches) - handle.location, axis=1).min() < 0.01  # where the take gets already
    alike = tools.alike_shown(bpy.context)
    places = alike.values()[:, -3:]
    weights = np.random.default_rng(seed).dirichlet(np.full(len(places), 3.0))
    handle.location = alike.start.back(weights @ places)
    bpy.context.view_layer.update()
    preview.show_rack(bpy.context)
    assert panel().notice == ""
    assert np.linalg.norm(hands(reaches) - handle.location, axis=1).min() < 0.02


def test_a_handle_without_takes_is_refused(walks):
    bpy.ops.motion_signal.add_step(technique="between")
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="add the takes to its list first"):
        bpy.ops.motion_signal.between_handle()
