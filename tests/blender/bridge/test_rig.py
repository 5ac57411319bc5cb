# SPDX-License-Identifier: GPL-3.0-or-later
"""Control rigs: what moves what is found, feet are measured where they show, and stay planted through every edit."""

import json

import bpy
import control_rigs
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.operators.bridge.measured import model_of

pytestmark = pytest.mark.usefixtures("settled")
BALLS = ("DEF-toe.L", "DEF-toe.R")
LENGTH = 7.0  # metres that the walk goes


@pytest.fixture
def walker(scene):
    scene.render.fps = 24
    rig = control_rigs.rigify()
    return rig, control_rigs.walk(rig)


def balls(rig, frames):
    """Where the balls of the feet that deform are in the world, (frames, feet, 3)."""
    places = rigs.poses(rig, frames)[:, [rig.pose.bones.find(name) for name in BALLS]][..., :3, 3]
    return places @ np.array(rig.matrix_world)[:3, :3].T + np.array(rig.matrix_world)[:3, 3]


def slides(before, after):
    """How far feet go, in millimetres, while they stand in the take: that is, rest from the frame before to the one after."""
    still = np.linalg.norm(np.diff(before, axis=0), axis=2) < 2e-4
    worst = 0.0
    for foot, stands in enumerate((still[1:] & still[:-1]).T):
        edges = np.flatnonzero(np.diff(stands.astype(int), prepend=0, append=0))
        for first, end in zip(edges[::2], edges[1::2]):
            places = after[1 + first : 1 + end, foot, :2]
            worst = max(worst, 1000.0 * np.linalg.norm(places - places[0], axis=1).max())
    return worst


def bent():
    along = np.linspace(0.0, 1.0, 9)
    path, own = ([[side * np.sin(np.pi * part), -LENGTH * part, 0.0] for part in along] for side in (0.8, 0.0))
    return {"path": json.dumps({"control": path}), "original": json.dumps({"control": own}), "timing": "KEEP"}


EDITS = {
    "equalize": lambda: {"gains": json.dumps(rigs.LOUD)},
    "cartoon": lambda: {"strength": 1.0},
    "style": lambda: {"preset": "tired"},
    "path": bent,
    "lock": dict,
}


def test_controls_are_found_from_what_they_move(walker):
    rig, take = walker
    model = model_of(rig, take, rig.animation_data.action_slot)
    handles = {bone.name: bone.handle for bone in model.skeleton.bones if bone.handle}
    assert handles["DEF-foot.L"] == "foot_ik.L" and handles["DEF-foot.R"] == "foot_ik.R"
    assert handles[model.skeleton.corrections["pelvis"]] == "torso"
    assert model.skeleton.corrections["left_hand"] == "hand_fk.L"  # the switch says FK


ONCE = [pytest.param(name, marks=pytest.mark.only("5.2")) for name in ("cartoon", "style", "lock")]


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
@pytest.mark.parametrize("technique", ["equalize", "path", *ONCE])
def test_feet_that_deform_stay_planted(walker, technique):
    rig, _ = walker
    frames = range(1, 146)
    before = balls(rig, frames)
    with rigs.untouched(rig.animation_data.action):
        assert getattr(bpy.ops.motion_signal, technique)(**EDITS[technique]()) == {"FINISHED"}
    after = balls(rig, frames)
    assert slides(before, after) < (0.5 if technique in ("path", "lock") else 1.0)
    assert technique == "lock" or np.abs(after - before).max() > 0.02


@pytest.mark.only("5.2")
def test_the_rack_applies_what_the_operator_makes(walker):
    rig, take = walker
    frames = range(1, 146, 4)
    bpy.context.window_manager.motion_signal.equalize.gains = json.dumps(rigs.LOUD)
    assert bpy.ops.motion_signal.rack_apply() == {"FINISHED"}
    applied = balls(rig, frames)
    rig.animation_data.action = take
    assert bpy.ops.motion_signal.equalize(gains=json.dumps(rigs.LOUD)) == {"FINISHED"}
    assert np.abs(balls(rig, frames) - applied).max() < 1e-4


def test_controls_that_the_animator_names_are_moved_and_kept(walker):
    rig, take = walker
    bpy.context.scene.frame_set(5)
    table = rig.data.motion_signal_rig
    assert (table.body_control, table.left_foot_control, table.left_hand_control) == ("torso", "foot_ik.L", "hand_fk.L")
    rig.data.bones.active = rig.data.bones["foot_spin_ik.L"]
    assert bpy.ops.motion_signal.rig_pick(role="left_foot_control") == {"FINISHED"}
    model = model_of(rig, take, rig.animation_data.action_slot)
    assert {bone.handle for bone in model.skeleton.bones if bone.name == "DEF-foot.L"} == {"foot_spin_ik.L"}
    bpy.ops.motion_signal.rig_reset()
    assert table.left_foot_control == "foot_ik.L"


def test_a_constraint_without_a_target_and_bones_in_a_circle_are_named(walker):
    rig, _ = walker
    constraint = rig.pose.bones["DEF-foot.L"].constraints.new("COPY_TRANSFORMS")
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="bone DEF-foot.L: its constraint .* has no target"):
        bpy.ops.motion_signal.equalize(gains=json.dumps(rigs.LOUD))
    rig.pose.bones["DEF-foot.L"].constraints.remove(constraint)
    constraint = rig.pose.bones["foot_tweak.L"].constraints.new("COPY_TRANSFORMS")
    constraint.target, constraint.subtarget = rig, "DEF-foot.L"
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="bone DEF-foot.L follows itself in a circle"):
        bpy.ops.motion_signal.equalize(gains=json.dumps(rigs.LOUD))
