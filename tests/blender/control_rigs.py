# SPDX-License-Identifier: GPL-3.0-or-later
"""Control rigs that the tests put on stage: Rigify's, generated once, and walks that are keyed on their controls."""

import tempfile
from pathlib import Path

import addon_utils
import bpy
import numpy as np

FOLDER = Path(tempfile.mkdtemp(prefix="motion_signal_rigs_"))
METARIGS = {
    "human": lambda: bpy.ops.object.armature_human_metarig_add(),
    "basic": lambda: bpy.ops.object.armature_basic_human_metarig_add(),
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


def along(rig, bone, offset):
    """An offset in the armature as a location of a bone that hangs on nothing that moves."""
    return np.linalg.inv(np.array(rig.data.bones[bone].matrix_local)[:3, :3]) @ np.asarray(offset, dtype=float)


def key(rig, bone, frame, offset=None, euler=None):
    pose = rig.pose.bones[bone]
    if offset is not None:
        pose.location = along(rig, bone, offset)
        pose.keyframe_insert("location", frame=frame, group=bone)
    if euler is not None:
        turn = euler if pose.rotation_mode != "QUATERNION" else None
        if turn is None:
            from mathutils import Euler

            pose.rotation_quaternion = Euler(euler).to_quaternion()
            pose.keyframe_insert("rotation_quaternion", frame=frame, group=bone)
        else:
            pose.rotation_euler = turn
            pose.keyframe_insert("rotation_euler", frame=frame, group=bone)


def walk(rig, strides=5, period=24, turn_torso=True, arms=True, name="Walk"):
    """Key a walk along -Y on the controls of a Rigify human, as an animator does: few keys, feet that stand."""
    rig.animation_data.action = None
    for side in SIDES:
        switch(rig, f"upper_arm_parent.{side}", 1.0)
    for stride in range(strides + 1):
        start = 1 + stride * period
        for side, phase in SIDES.items():
            strike = start + phase * period
            ahead = -STRIDE * (stride + phase) - STANCE * STRIDE / 2
            feet(rig, side, strike, ahead, period)
    for step in range(2 * strides + 3):
        frame = 1 + step * period / 2
        sway = 0.03 if step % 2 else -0.03
        low, high = ((0.06, 0.0, 0.0), (0.02, 0.0, 0.0)) if turn_torso else (None, None)
        key(rig, "torso", frame, (sway, -STRIDE * step / 2, -0.06), low)
        key(rig, "torso", frame + period / 4, (sway, -STRIDE * (step + 0.5) / 2, -0.02), high)
        key(rig, "hips", frame, None, (0.0, 0.12 if step % 2 else -0.12, 0.0))
        key(rig, "chest", frame, None, (0.0, -0.1 if step % 2 else 0.1, 0.0))
        for side, way in (("L", 1.0), ("R", -1.0)) if arms else ():
            swing = 0.35 * way * (1 if step % 2 else -1)
            key(rig, f"upper_arm_fk.{side}", frame, None, (swing, 0.0, 1.1 * way))
            key(rig, f"forearm_fk.{side}", frame, None, (-0.3 - 0.2 * abs(swing), 0.0, 0.0))
    action = rig.animation_data.action
    action.name = name
    return action


def switch(rig, bone, value):
    """Key a limb to be moved by IK (0) or FK (1)."""
    rig.pose.bones[bone]["IK_FK"] = value
    rig.pose.bones[bone].keyframe_insert('["IK_FK"]', frame=1, group=bone)


def feet(rig, side, strike, ahead, period):
    """One strike, stand and swing of a foot."""
    off = strike + STANCE * period
    middle, after = (off + strike + period) / 2, -STRIDE
    foot, heel = f"foot_ik.{side}", f"foot_heel_ik.{side}"
    for frame in (strike, off):
        key(rig, foot, frame, (0.0, ahead, 0.0), (0.0, 0.0, 0.0))
    key(rig, foot, middle, (0.0, ahead + after / 2, 0.12), (0.3, 0.0, 0.0))
    key(rig, foot, strike + period, (0.0, ahead + after, 0.0), (0.0, 0.0, 0.0))
    for frame, roll in ((strike, 0.0), (strike + 0.4 * period, 0.0), (off, 0.5), (middle, 0.2), (strike + period, 0.0)):
        key(rig, heel, frame, None, (roll, 0.0, 0.0))
