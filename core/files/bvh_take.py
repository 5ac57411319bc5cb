# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files as takes: a Clip and the Skeleton that it moves, the same that Blender's importer makes of the file."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..motion.clip import Channel, Clip
from ..motion.skeleton import Skeleton
from ..numeric.refusal import Refusal
from . import bvh
from .bvh_bones import bone_names, bone_path, bones_of
from .bvh_export import hierarchy_text, joint_rows, joints_of
from .bvh_rotations import bone_angles, bone_places, single_inverse, together

FIRST_FRAME = 1
STIFF = 1e-4  # degrees that a hinge may turn about other axes, and still be written as one


def read_bvh(path: str | Path, unit: float = 1.0) -> tuple[Clip, Skeleton]:
    """The take in a BVH file and its skeleton, as Blender would have them after import, with Z up.

    Channels have the names of F-curves, so that recipes made in Blender fit. Files do not say their unit: `unit` is how many
    metres one is, as an object's scale is in Blender.
    """
    if not (np.isfinite(unit) and unit > 0.0):
        raise Refusal(f"unit: {unit} is no length in metres")
    clip, skeleton = take_of(load(path))
    return clip, sized(skeleton, unit)


@lru_cache(maxsize=16)
def sized(skeleton: Skeleton, unit: float) -> Skeleton:
    """A skeleton of which a unit is so many metres, in single precision as an object's scale is in Blender."""
    return replace(skeleton, world=tuple(map(tuple, np.diag([unit, unit, unit, 1.0]).astype(np.float32).tolist())))


def write_bvh(path: str | Path, clip: Clip, skeleton: Skeleton) -> None:
    """Write a take of a skeleton as a BVH file, which Blender's importer and read_bvh read."""
    clip.check()
    joints = joints_of(skeleton, clip)
    rows = joint_rows(joints, clip)
    try:
        with open(path, "wb") as file:
            bvh.write(file, hierarchy_text(joints), repr(1.0 / clip.fps), rows.T)
    except OSError as error:
        raise Refusal(f"{path}: cannot be written ({error.strerror})") from None


def write_like(file, motion, before, clip, skeleton):
    """Write what became of a file's take into a file that is open for writing bytes, with the skeleton, channels and frame
    time of that file to the letter; a take that has got other channels is written as Blender would.

    Joints that are as they were `before` keep their numbers: there is more than one way to say a rotation.
    """
    joints = joints_of(skeleton, clip)
    columns = columns_like(joints, motion)
    changed = changed_owners(before, clip)
    moving = joints if changed is None else [joint for joint in joints if joint.bone.name in changed]
    if columns is not None:
        rows, there = joint_rows(moving, clip), [column for joint in moving for column in columns[joint.bone.name]]
        lacking = [row for row, column in enumerate(there) if column is None]
    if columns is None or np.any(np.abs(rows[lacking]) > STIFF):
        bvh.write(file, hierarchy_text(joints), motion.as_written[1], joint_rows(joints, clip).T)
        return
    values = np.empty((clip.frames, motion.values.shape[1])) if changed is None else motion.values.copy()
    own = [row for row, column in enumerate(there) if column is not None]
    values[:, [there[row] for row in own]] = rows[own].T
    text, seconds = motion.as_written
    bvh.write(file, text if text.endswith("\n") else text + "\n", seconds, values)


def changed_owners(before, clip):
    """Names of the bones whose channels are others than they were, or None where all are, as frames are others."""
    if before.frames != clip.frames or before.channels != clip.channels and set(before.channels) != set(clip.channels):
        return None
    if before.channels == clip.channels:
        same = ((one == other).all() for one, other in zip(before.values.T, clip.values.T))
        return {channel.owner for channel, alike in zip(clip.channels, same) if not alike}
    was = dict(zip(before.channels, before.values.T))
    return {channel.owner for channel, now in zip(clip.channels, clip.values.T) if not np.array_equal(now, was[channel])}


def columns_like(joints, motion):
    """The columns of a file that each joint has, by its bone's name, or None if they are not the same channels. A hinge has
    None for axes that it does not turn about."""
    own, columns = dict(zip(bone_names(motion.joints), motion.joints)), {}
    for joint in joints:
        there = own[joint.bone.name]
        turning = dict(zip("XYZ", there.columns("rotation")))
        columns[joint.bone.name] = [
            *(there.columns("position") if joint.moves else ()),
            *(turning[axis] for axis in joint.order),
        ]
        if there.moves != joint.moves or sum(column is not None for column in columns[joint.bone.name]) != len(there.channels):
            return None
    return columns


def load(path):
    """What a BVH file holds, or a Refusal that names the file."""
    try:
        with open(path, "rb") as file:
            return bvh.read(file)
    except (Refusal, OSError) as error:
        raise Refusal(f"{path}: {error}") from None


def take_of(motion):
    """The clip and the skeleton of what a BVH file holds."""
    skeleton, axes = bones_of(motion.joints)
    return clip_of(motion, axes), skeleton


def clip_of(motion, axes):
    """The motion of joints whose bones rest with these axes (joints, 3, 3), as the file stands."""
    rests, inverses = axes.astype(np.float32), single_inverse(axes)
    angles = all_angles(motion, rests, inverses)
    rows, channels = [], []
    for index, (joint, name) in enumerate(zip(motion.joints, bone_names(motion.joints))):
        if joint.moves:
            rows.append(bone_places(joint_values(joint, "position", motion.values), joint.offset, inverses[index]))
            channels += [Channel(f"{bone_path(name)}.location", axis, "LOCATION", name) for axis in range(3)]
        if joint.order:
            rows.append(angles[index])
            channels += [Channel(f"{bone_path(name)}.rotation_euler", axis, joint.order, name) for axis in range(3)]
    return Clip(np.concatenate(rows).T, tuple(channels), frame_rate(motion.frame_time), FIRST_FRAME)


def all_angles(motion, rests, inverses):
    """The angles (3, frames) of the bones of all joints that turn, by index; joints that turn in one order are done at once."""
    by_order, found, size = {}, {}, together(len(motion.values))
    for index, joint in enumerate(motion.joints):
        by_order.setdefault(joint.order, []).append(index)
    for order, joints in by_order.items():
        for some in (joints[start : start + size] for start in range(0, len(joints) if order else 0, size)):
            degrees = np.stack([joint_values(motion.joints[index], "rotation", motion.values) for index in some], axis=1)
            axes, back = (np.moveaxis(each[some], 0, -1) for each in (rests, inverses))
            found |= zip(some, np.moveaxis(bone_angles(degrees, order, axes, back), 1, 0))
    return found


def joint_values(joint, kind, values):
    """A joint's columns for X, Y and Z, (3, frames)."""
    return np.array([np.zeros(len(values)) if column is None else values[:, column] for column in joint.columns(kind)])


def frame_rate(seconds):
    """Frames a second as Blender's scenes have them: a whole number by a base of single precision."""
    whole = round(1.0 / seconds)
    return whole / float(np.float32(whole / (1.0 / seconds)))
