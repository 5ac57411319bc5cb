# SPDX-License-Identifier: GPL-3.0-or-later
"""Control rigs that the tests put on stage: Rigify's, generated once, and walks that are keyed on their controls."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import addon_utils
import bpy
import numpy as np
from mathutils import Euler, Matrix, Vector

FOLDER = Path(tempfile.mkdtemp(prefix="motion_signal_rigs_"))
METARIGS = {
    "human": lambda: bpy.ops.object.armature_human_metarig_add(),
    "basic": lambda: bpy.ops.object.armature_basic_human_metarig_add(),
    "quadruped": lambda: bpy.ops.object.armature_basic_quadruped_metarig_add(),
    "horse": lambda: bpy.ops.object.armature_horse_metarig_add(),
}
SIDES = {"L": 0.0, "R": 0.5}  # where in a stride a foot strikes
STRIDE, STANCE = 1.4, 0.6  # metres, and the part of a stride that a foot stands


def rigify(kind="human"):
    """A generated Rigify rig, active; generated once, and appended from a file after that."""
    path = FOLDER / f"{kind}.blend"
    if not path.exists():
        generate(kind, path)
    with bpy.data.libraries.load(str(path)) as (there, wanted):
        wanted.objects = [name for name in there.objects if name == "rig"]
    rig = wanted.objects[0]
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    return rig


def generate(kind, path):
    addon_utils.enable("rigify", default_set=True)
    METARIGS[kind]()
    metarig = bpy.context.object
    bpy.ops.pose.rigify_generate()
    rig = bpy.context.object
    rig.name = "rig"
    addon_utils.disable("rigify", default_set=True)
    handlers = bpy.app.handlers.load_post  # Rigify leaves one behind, which then fails
    handlers[:] = [handler for handler in handlers if not handler.__module__.startswith("rigify")]
    bpy.data.libraries.write(str(path), {rig}, fake_user=True)
    for thing in (rig, metarig):
        bpy.data.objects.remove(thing)


@dataclass(frozen=True)
class Names:
    """What the controls that a walk is keyed on are called; {s} is the side. A heel of nothing has none that rolls."""

    torso: str = "torso"
    hips: str = "hips"
    chest: str = "chest"
    foot: str = "foot_ik.{s}"
    heel: str = "foot_heel_ik.{s}"
    arms: tuple = ("upper_arm_fk.{s}", "forearm_fk.{s}")
    legs: tuple = ("thigh_fk.{s}", "shin_fk.{s}", "foot_fk.{s}", "toe_fk.{s}")  # FK
    shown: tuple = ("ORG-thigh.{s}", "ORG-shin.{s}", "ORG-foot.{s}", "ORG-toe.{s}")  # where those would stand
    switches: tuple = ("upper_arm_parent.{s}", "IK_FK")
    leg_switch: str = "thigh_parent.{s}"
    sides: tuple = ("L", "R")
    balls: tuple = ("DEF-toe.L", "DEF-toe.R")


RIGIFY = Names()
AUTO_RIG = Names(
    torso="c_root_master.x",
    hips="c_root.x",
    chest="c_spine_02.x",
    foot="c_foot_ik.{s}",
    heel="c_foot_roll.{s}",
    arms=("c_arm_fk.{s}", "c_forearm_fk.{s}"),
    legs=("c_thigh_fk.{s}", "c_leg_fk.{s}", "c_foot_fk.{s}", "c_toes_fk.{s}"),
    shown=("thigh_stretch.{s}", "leg_stretch.{s}", "foot.{s}", "toes_01.{s}"),
    switches=("c_hand_ik.{s}", "ik_fk_switch"),
    leg_switch="c_foot_ik.{s}",
    sides=("l", "r"),
    balls=("toes_01.l", "toes_01.r"),
)
MIXAMO = Names(
    torso="Ctrl_Hips",
    hips="Ctrl_Hips_Free",
    chest="Ctrl_Spine1",
    foot="Ctrl_Foot_IK_{s}",
    heel="Ctrl_FootRoll_IK_{s}",
    arms=("Ctrl_Arm_FK_{s}", "Ctrl_ForeArm_FK_{s}"),
    legs=("Ctrl_UpLeg_FK_{s}", "Ctrl_Leg_FK_{s}", "Ctrl_Foot_FK_{s}", "Ctrl_Toe_FK_{s}"),
    shown=("mixamorig:{s}UpLeg", "mixamorig:{s}Leg", "mixamorig:{s}Foot", "mixamorig:{s}ToeBase"),
    switches=("Ctrl_Hand_IK_{s}", "ik_fk_switch"),
    leg_switch="Ctrl_Foot_IK_{s}",
    sides=("Left", "Right"),
    balls=("mixamorig:LeftToeBase", "mixamorig:RightToeBase"),
)


def along(rig, bone, offset):
    """An offset in the armature as a location of a bone that hangs on nothing that moves."""
    return np.linalg.inv(np.array(rig.data.bones[bone].matrix_local)[:3, :3]) @ np.asarray(offset, dtype=float)


def key(rig, bone, frame, offset=None, euler=None):
    pose = rig.pose.bones[bone]
    if offset is not None:
        pose.location = along(rig, bone, offset)
        pose.keyframe_insert("location", frame=frame, group=bone)
    if euler is not None and pose.rotation_mode == "QUATERNION":
        pose.rotation_quaternion = Euler(euler).to_quaternion()
        pose.keyframe_insert("rotation_quaternion", frame=frame, group=bone)
    elif euler is not None:
        pose.rotation_euler = euler
        pose.keyframe_insert("rotation_euler", frame=frame, group=bone)


def about(rig, bone, axis, angle):
    """A turn about an axis of the armature as the rotation of a bone that hangs on nothing that turns."""
    rest = rig.data.bones[bone].matrix_local.to_3x3()
    return tuple((rest.inverted() @ Matrix.Rotation(angle, 3, Vector(axis)) @ rest).to_euler())


def walk(rig, strides=5, period=24, turn_torso=True, arms=True, name="Walk", names=RIGIFY):
    """Key a walk along -Y on the controls of a rig of a human, as an animator does: few keys, feet that stand."""
    (rig.animation_data or rig.animation_data_create()).action = None
    for side in names.sides:
        switch(rig, names.switches[0].format(s=side), 1.0, names)
    for stride in range(strides + 1):
        start = 1 + stride * period
        for side, phase in zip(names.sides, SIDES.values()):
            strike = start + phase * period
            ahead = -STRIDE * (stride + phase) - STANCE * STRIDE / 2
            feet(rig, side, strike, ahead, period, names)
    across, up = (1, 0, 0), (0, 0, 1)
    for step in range(2 * strides + 3):
        frame = 1 + step * period / 2
        sway = 0.03 if step % 2 else -0.03
        low, high = (about(rig, names.torso, across, angle) if turn_torso else None for angle in (0.06, 0.02))
        key(rig, names.torso, frame, (sway, -STRIDE * step / 2, -0.06), low)
        key(rig, names.torso, frame + period / 4, (sway, -STRIDE * (step + 0.5) / 2, -0.02), high)
        key(rig, names.hips, frame, None, about(rig, names.hips, up, 0.12 if step % 2 else -0.12))
        key(rig, names.chest, frame, None, about(rig, names.chest, up, -0.1 if step % 2 else 0.1))
        for side, way in zip(names.sides, (1.0, -1.0)) if arms else ():
            swing = 0.35 * way * (1 if step % 2 else -1)
            upper, lower = (arm.format(s=side) for arm in names.arms)
            key(rig, upper, frame, None, (swing, 0.0, 1.1 * way) if names is RIGIFY else about(rig, upper, across, swing))
            key(rig, lower, frame, None, (-0.3 - 0.2 * abs(swing), 0.0, 0.0))
    action = rig.animation_data.action
    action.name = name
    return action


def switch(rig, bone, value, names=RIGIFY):
    """Key a limb to be moved by IK (0) or FK (1)."""
    rig.pose.bones[bone][names.switches[1]] = value
    rig.pose.bones[bone].keyframe_insert(f'["{names.switches[1]}"]', frame=1, group=bone)


def feet(rig, side, strike, ahead, period, names=RIGIFY):
    """One strike, stand and swing of a foot."""
    off = strike + STANCE * period
    middle, after = (off + strike + period) / 2, -STRIDE
    foot, heel = names.foot.format(s=side), names.heel.format(s=side)
    flat, tilted = (0.0, 0.0, 0.0), about(rig, foot, (1, 0, 0), 0.3)
    for frame in (strike, off):
        key(rig, foot, frame, (0.0, ahead, 0.0), flat)
    key(rig, foot, middle, (0.0, ahead + after / 2, 0.12), tilted)
    key(rig, foot, strike + period, (0.0, ahead + after, 0.0), flat)
    for frame, roll in ((strike, 0.0), (strike + 0.4 * period, 0.0), (off, 0.5), (middle, 0.2), (strike + period, 0.0)):
        key(rig, heel, frame, None, (roll, 0.0, 0.0) if names is RIGIFY else about(rig, heel, (1, 0, 0), roll))
