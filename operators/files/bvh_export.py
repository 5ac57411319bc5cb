# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature and its action as the text of a BVH file, the same that Blender's exporter writes frame by frame."""

import bpy
import numpy as np
from bpy_extras.io_utils import axis_conversion

from ...core.files import bvh
from ...core.files.bvh_bones import STANDING
from ...core.files.bvh_export import JointOut, hierarchy_text, joint_rows
from ..bridge.actions import channelbag, key_count, read_take

UPRIGHT = axis_conversion(from_forward="Y", from_up="Z", to_forward="-Z", to_up="Y").to_4x4()  # as BVH stands, Y up


def write_curves(path, rig, skeleton, first, last, loose):
    """Write what the curves say, each bone over all frames at once; with `loose`, where bones that hang on others are, too."""
    render = bpy.context.scene.render
    upright = rig.data.copy()  # a figure that is turned and turned back is not quite what it was
    try:
        upright.transform(UPRIGHT)
        joints = joints_of(upright, {bone.name: bone for bone in skeleton.bones}, loose)
    finally:
        bpy.data.armatures.remove(upright)
    rows = joint_rows(joints, acting_clip(rig, skeleton, first, last))
    with open(path, "wb") as file:
        bvh.write(file, hierarchy_text(joints), 1.0 / (render.fps / render.fps_base), rows.T)


def acting_clip(rig, skeleton, first, last):
    """What the curves that pose bones hold, frame by frame."""
    data = rig.animation_data
    paths = {path for bone in skeleton.bones for path in (bone.rotation_path, bone.path + ".location", bone.path + ".scale")}
    curves = [
        curve
        for curve in channelbag(data.action, data.action_slot).fcurves
        if curve.data_path in paths and key_count(curve) and not (curve.mute or curve.group and curve.group.mute)
    ]
    return read_take(data.action, data.action_slot, curves, rig, first, last, 1.0).clip


def joints_of(armature, bones, loose):
    """Bones in the order of the file; places are Blender's own, to the last digit that is written, axes the skeleton's."""
    order, waiting = [], [(bone, 0) for bone in reversed(armature.bones) if bone.parent is None]
    while waiting:
        bone, depth = waiting.pop()
        waiting += [(child, depth + 1) for child in reversed(bone.children)]
        offset = bone.head_local - bone.parent.head_local if bone.parent else bone.head_local
        tip = None if bone.children else np.array(bone.tail_local - bone.head_local)
        moves = bone.parent is None or loose and not bone.use_connect
        rest = STANDING.T @ bones[bone.name].rest[:3, :3]
        order.append(JointOut(bones[bone.name], depth, np.array(offset), tip, rest, moves))
    return order
