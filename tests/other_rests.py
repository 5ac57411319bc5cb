# SPDX-License-Identifier: GPL-3.0-or-later
"""The same figure in the same motion, described otherwise: at rest it lies or stands elsewhere, is larger, or has Y up."""

from dataclasses import replace

import numpy as np
from motion_signal.core.motion.skeleton import Skeleton
from scipy.spatial.transform import Rotation


def placed(turn=(0.0, 0.0, 0.0), move=(0.0, 0.0, 0.0)):
    """A 4 x 4 matrix: a turn by a rotation vector in degrees, then a move."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = Rotation.from_rotvec(turn, degrees=True).as_matrix(), move
    return matrix


def resting(skeleton, clips, matrix):
    """A skeleton whose rest pose is moved as a whole, and its clips so that every bone is where it was in every frame.

    Roots alone tell the difference, in their rotation (quaternions here) and in their location along their own axes.
    """
    bones = tuple(replace(bone, rest=matrix @ bone.rest) for bone in skeleton.bones)
    columns = {channel: column for column, channel in enumerate(clips[0].channels)}
    results = [np.array(clip.values) for clip in clips]
    for bone in (bone for bone in skeleton.bones if bone.parent < 0):
        back = np.linalg.inv(matrix @ bone.rest) @ bone.rest
        turn, move = Rotation.from_matrix(back[:3, :3]), back[:3, 3]
        location, rotation = (
            [column for channel, column in columns.items() if channel.path == path]
            for path in (bone.path + ".location", bone.rotation_path)
        )
        for values in results:
            values[:, location] = turn.apply(values[:, location]) + move
            turned = (turn * Rotation.from_quat(values[:, rotation], scalar_first=True)).as_quat(scalar_first=True)
            signs = np.sign(np.sum(turned[1:] * turned[:-1], axis=1))
            values[:, rotation] = turned * np.cumprod([1.0, *signs])[:, None]
    return replace(skeleton, bones=bones), [clip.with_values(values) for clip, values in zip(clips, results)]


def grown(skeleton, clips, factor, world=False):
    """A figure so many times as large, and its clips; with `world` its object is as much smaller, as with centimetres."""
    bones = []
    for bone in skeleton.bones:
        rest = np.array(bone.rest)
        rest[:3, 3] *= factor
        bones.append(replace(bone, rest=rest, length=bone.length * factor))
    sizes = np.array([factor if channel.kind == "LOCATION" else 1.0 for channel in clips[0].channels])
    shrunk = np.array(skeleton.world) @ np.diag([1 / factor] * 3 + [1.0]) if world else np.array(skeleton.world)
    return Skeleton(tuple(bones), tuple(map(tuple, shrunk))), [clip.with_values(clip.values * sizes) for clip in clips]


def turned(skeleton, clips, matrix):
    """A figure in an armature whose axes are others, and whose object turns it back."""
    bones = tuple(replace(bone, rest=matrix @ bone.rest) for bone in skeleton.bones)
    return replace(skeleton, bones=bones, world=tuple(map(tuple, np.array(skeleton.world) @ np.linalg.inv(matrix)))), clips


def in_world(skeleton, clip):
    """Where heads and tails of bones are in the world, (frames, 2 x bones, 3)."""
    axes, heads = skeleton.posed(clip)
    tails = heads + axes[..., 1] * np.array([bone.length for bone in skeleton.bones])[:, None]
    world = np.array(skeleton.world)
    return np.concatenate([heads, tails], axis=1) @ world[:3, :3].T + world[:3, 3]
