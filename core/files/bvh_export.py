# SPDX-License-Identifier: GPL-3.0-or-later
"""A skeleton and its motion as joints of a BVH file, the same that Blender's exporter writes frame by frame."""

import numpy as np

from ..motion.posing import local, location, read
from ..motion.skeleton import Bone, columns_of
from ..numeric.frozen import frozen
from ..numeric.matrix import euler_matrices
from ..numeric.refusal import Refusal
from ..numeric.rotation import EULER_ORDERS
from .bvh_bones import STANDING
from .bvh_rotations import joint_angles, joint_places, together


@frozen
class JointOut:
    """A bone as the joint that is written: how deep it hangs, its offset from its parent and its tail's, its rest axes."""

    bone: Bone
    depth: int
    offset: np.ndarray
    tip: np.ndarray | None  # of a bone on which none hangs
    rest: np.ndarray  # 3 x 3, as the file stands: Y up
    moves: bool

    @property
    def order(self):
        return self.bone.mode if self.bone.mode in EULER_ORDERS else "XYZ"


def joints_of(skeleton, clip):
    """The bones of a skeleton as joints in the order of a file."""
    for bone in skeleton.bones:
        if bone.led or not bone.usual:
            raise Refusal(f"bone {bone.name} does not follow its parent and its curves alone; write this figure from Blender")
    if not skeleton.bones:
        raise Refusal("the skeleton has no bones, and a BVH file needs one")
    keyed = {channel.owner for channel in clip.channels if channel.kind == "LOCATION"}
    loose = any(bone.parent >= 0 and bone.name in keyed for bone in skeleton.bones)
    children = {}
    for index, bone in enumerate(skeleton.bones):
        children.setdefault(bone.parent, []).append(index)
    joints, waiting = [], [(index, 0) for index in children[-1]]  # the last first, as skeletons have them
    while waiting:
        index, depth = waiting.pop()
        waiting += [(child, depth + 1) for child in children.get(index, ())]
        joints.append(joint_of(skeleton, index, depth, index not in children, loose))
    return joints


def joint_of(skeleton, index, depth, last, loose):
    bone = skeleton.bones[index]
    rest = STANDING.T @ bone.rest[:3, :3]
    start = skeleton.bones[bone.parent].rest[:3, 3] if bone.parent >= 0 else np.zeros(3)
    offset = STANDING.T @ (bone.rest[:3, 3] - start)
    moves = bone.parent < 0 or loose and not bone.connected
    return JointOut(bone, depth, offset, bone.length * rest[:, 1] if last else None, rest, moves)


def joint_rows(joints, clip):
    """The motion as BVH has it, (channels, frames)."""
    columns = columns_of(clip)
    rows, row, turning = np.empty((sum(3 + 3 * joint.moves for joint in joints), clip.frames)), 0, {}
    for joint in joints:
        if joint.moves:
            rows[row : row + 3] = joint_places(location(joint.bone, clip.values, columns), joint.rest, joint.offset)
            row += 3
        kind = joint.order, plain_mode(joint.bone, columns)
        turning.setdefault(kind, []).append((joint, slice(row, row + 3)))
        row += 3
    size = together(clip.frames)
    for (order, mode), those in turning.items():
        for some in (those[start : start + size] for start in range(0, len(those), size)):
            rests = np.stack([joint.rest for joint, _ in some], axis=-1)
            angles = angles_in(some, mode, clip, columns, rests, order)
            for index, (_, own) in enumerate(some):
                rows[own] = angles[:, index]
    return rows


def angles_in(some, mode, clip, columns, rests, order):
    """The angles (3, joints, frames) of some joints in the file; those whose bones have Euler angles and no scale, in their
    `mode`, are turned as they go."""
    if mode:
        own = [read(clip.values, columns, joint.bone.rotation_path, joint.bone.rotation) for joint, _ in some]
        angles = np.stack([np.broadcast_to(each, (3, clip.frames)) for each in own], axis=1)
        return joint_angles(angles, rests, order, lambda each: euler_matrices(each, mode))
    turns = np.empty((3, 3, len(some), clip.frames))
    for index, (joint, _) in enumerate(some):
        rotations, _, scale = local(joint.bone, clip.values, columns)
        turns[:, :, index] = rotations if scale is None else rotations * scale
    return joint_angles(turns, rests, order)


def plain_mode(bone, columns):
    """The mode of a bone that has Euler angles and is not scaled, else nothing."""
    scaled = tuple(bone.scale) != (1.0, 1.0, 1.0) or any((bone.path + ".scale", axis) in columns for axis in range(3))
    return bone.mode if bone.mode in EULER_ORDERS and not scaled else ""


def hierarchy_text(joints):
    """The skeleton as the text that Blender's exporter writes; several roots hang on one that it makes up."""
    several = sum(joint.depth == 0 for joint in joints) > 1
    lines, closing = ["HIERARCHY"], []
    if several:
        names = {joint.bone.name for joint in joints}
        spare = next(name for name in map("__{}".format, range(len(joints) + 1)) if name not in names)
        lines += [f"ROOT {spare}", "{", "\tOFFSET 0.0 0.0 0.0", "\tCHANNELS 0"]
    for joint in joints:
        depth = joint.depth + several
        while len(closing) > joint.depth:
            lines.append(closing.pop())
        tabs, channels = "\t" * depth, [axis + "rotation" for axis in joint.order]
        if joint.moves:
            channels = ["Xposition", "Yposition", "Zposition", *channels]
        lines += [
            f"{tabs}{'JOINT' if depth else 'ROOT'} {joint.bone.name}",
            tabs + "{",
            f"{tabs}\t{offset_text(joint.offset)}",
            f"{tabs}\tCHANNELS {len(channels)} {' '.join(channels)}",
        ]
        if joint.tip is not None:
            lines += [f"{tabs}\tEnd Site", f"{tabs}\t{{", f"{tabs}\t\t{offset_text(joint.tip)}", f"{tabs}\t}}"]
        closing.append(tabs + "}")
    return "\n".join([*lines, *reversed(closing), *["}"] * several]) + "\n"


def offset_text(vector):
    return "OFFSET {:.6f} {:.6f} {:.6f}".format(*vector)
