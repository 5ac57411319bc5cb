# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature and its action as the text of a BVH file, the same that Blender's exporter writes frame by frame."""

import bpy
import numpy as np
from bpy_extras.io_utils import axis_conversion

from ...core.files import bvh
from ...core.files.bvh_rotations import joint_angles, joint_places
from ...core.motion.skeleton import columns_of, local
from ...core.numeric.rotation import EULER_ORDERS
from ..bridge.actions import channelbag, key_count, read_take

UPRIGHT = axis_conversion(from_forward="Y", from_up="Z", to_forward="-Z", to_up="Y").to_4x4()  # as BVH stands, Y up


def write_curves(path, rig, skeleton, first, last, loose):
    """Write what the curves say, each bone over all frames at once; with `loose`, where bones that hang on others are, too."""
    render = bpy.context.scene.render
    upright = rig.data.copy()  # a figure that is turned and turned back is not quite what it was
    try:
        upright.transform(UPRIGHT)
        joints = joints_of(upright)
        placed = {bone.name: bone.parent is None or loose and not bone.use_connect for bone, _ in joints}
        orders = {bone.name: bone.mode if bone.mode in EULER_ORDERS else "XYZ" for bone in skeleton.bones}
        rows = joint_rows(rig, skeleton, joints, placed, orders, first, last)
        with open(path, "wb") as file:
            bvh.write(file, hierarchy(joints, placed, orders), 1.0 / (render.fps / render.fps_base), rows.T)
    finally:
        bpy.data.armatures.remove(upright)


def joint_rows(rig, skeleton, joints, placed, orders, first, last):
    """The motion as BVH has it, (channels, frames)."""
    clip = acting_clip(rig, skeleton, first, last)
    columns, bones = columns_of(clip), {bone.name: bone for bone in skeleton.bones}
    rows, row = np.empty((3 * (len(joints) + sum(placed.values())), clip.frames)), 0
    for bone, _ in joints:
        rotations, location, scale = local(bones[bone.name], clip.values, columns)
        rest = np.array(bone.matrix_local.to_3x3())
        if placed[bone.name]:
            rows[row : row + 3] = joint_places(location, rest, offset(bone))
            row += 3
        rows[row : row + 3] = joint_angles(rotations if scale is None else rotations * scale, rest, orders[bone.name])
        row += 3
    return rows


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


def joints_of(armature):
    """Bones in the order of the file, each with how deep it hangs."""
    order, waiting = [], [(bone, 0) for bone in reversed(armature.bones) if bone.parent is None]
    while waiting:
        bone, depth = waiting.pop()
        order.append((bone, depth))
        waiting += [(child, depth + 1) for child in reversed(bone.children)]
    return order


def hierarchy(joints, placed, orders):
    """The skeleton as the text that Blender's exporter writes; several roots hang on one that it makes up."""
    several = sum(depth == 0 for _, depth in joints) > 1
    lines, closing = ["HIERARCHY"], []
    if several:
        spare = next(name for name in map("__{}".format, range(len(joints) + 1)) if name not in placed)
        lines += [f"ROOT {spare}", "{", "\tOFFSET 0.0 0.0 0.0", "\tCHANNELS 0"]
    for bone, depth in joints:
        depth += several
        while len(closing) > depth - several:
            lines.append(closing.pop())
        tabs, channels = "\t" * depth, [axis + "rotation" for axis in orders[bone.name]]
        if placed[bone.name]:
            channels = ["Xposition", "Yposition", "Zposition", *channels]
        lines += [
            f"{tabs}{'JOINT' if depth else 'ROOT'} {bone.name}",
            tabs + "{",
            f"{tabs}\t{place(offset(bone))}",
            f"{tabs}\tCHANNELS {len(channels)} {' '.join(channels)}",
        ]
        if not bone.children:
            end = place(bone.tail_local - bone.head_local)
            lines += [f"{tabs}\tEnd Site", f"{tabs}\t{{", f"{tabs}\t\t{end}", f"{tabs}\t}}"]
        closing.append(tabs + "}")
    return "\n".join([*lines, *reversed(closing), *["}"] * several]) + "\n"


def offset(bone):
    return bone.head_local - bone.parent.head_local if bone.parent else bone.head_local


def place(vector):
    return "OFFSET {:.6f} {:.6f} {:.6f}".format(*vector)
