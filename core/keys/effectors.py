# SPDX-License-Identifier: GPL-3.0-or-later
"""End effectors: how far feet, hands and head are off when curves change a little, and which curve moves them how much.

Everything is counted in what is allowed: 1 is so many millimetres at the bone's joint or tip, or so many degrees of its turn.
"""

import numpy as np

from ..motion.posing import local, time_last
from ..motion.skeleton import columns_of, sub_skeleton
from ..numeric.matrix import product, turned
from ..numeric.refusal import Refusal

ROLES = ("left_foot", "right_foot", "left_hand", "right_hand", "head")
STEP = 1e-5  # in a channel's own unit, to see what it moves


def chosen_effectors(skeleton, roles, names=()):
    """The bones that are to stay in place: those named, or feet, hands and head, or the ends of all chains."""
    bones = {bone.name for bone in skeleton.bones}
    for name in names:
        if name not in bones:
            raise Refusal(f"effectors: the armature has no bone {name!r}")
    found = tuple(names) or tuple(name for name in (getattr(roles, role) for role in ROLES) if name)
    parents = {bone.parent for bone in skeleton.bones}
    return found or tuple(bone.name for index, bone in enumerate(skeleton.bones) if index not in parents)


class Effectors:
    """Bones of a skeleton whose joint, tip and turn are to stay where a clip has them."""

    def __init__(self, clip, skeleton, names, millimetres, degrees):
        self.clip, self.skeleton = clip, sub_skeleton(skeleton, names)
        self.indices = [self.skeleton.index(name) for name in names]
        self.lengths = np.array([self.skeleton.bones[index].length for index in self.indices])[:, None, None]
        self.world = np.array(skeleton.world)[:3, :3, None] * 1e3 / millimetres
        self.turn = np.degrees(1.0) / degrees
        self.posed = self.skeleton.posed(clip)
        self.joints, self.tips, self.axes = self._parts(*self.posed)

    def off(self, clip):
        """How far a clip of the same channels is off: (effectors, 3, 3, frames), vectors at joint and tip and of the turn."""
        joints, tips, axes = self._parts(*self.skeleton.posed(clip))
        return np.stack(
            [
                turned(self.world, joints - self.joints),
                turned(self.world, tips - self.tips),
                self.turn * turn_between(self.axes, axes),
            ],
            axis=1,
        )

    def effects(self, columns):
        """For each effector the indices in `columns` that move it, and by how much each does, (channels, 3, 3, frames)."""
        found = [([], []) for _ in self.indices]
        wanted = {column: index for index, column in enumerate(columns)}
        chains = [set(self.skeleton.chain(index)) for index in self.indices]
        for bone in range(len(self.skeleton.bones)):
            carried = [number for number, chain in enumerate(chains) if bone in chain]
            for column, effects in self._moved_by(bone, wanted, carried):
                for number, effect in zip(carried, effects):
                    found[number][0].append(wanted[column])
                    found[number][1].append(effect)
        empty = np.zeros((0, 3, 3, self.clip.frames), dtype=np.float32)
        return [(np.array(indices, dtype=int), np.stack(effects) if effects else empty) for indices, effects in found]

    def _moved_by(self, number, wanted, carried):
        """Every wanted column of a bone with what it does to the effectors carried by it, as (effectors, 3, 3, frames)."""
        bone, columns = self.skeleton.bones[number], columns_of(self.clip)
        axes, joint = (time_last(array)[number] for array in self.posed)
        turn, _, size = local(bone, self.clip.values, columns)
        inner = turn if size is None else turn * size
        before = product(axes, inverse(inner))  # the axes that the bone turns and moves in
        after = inverse(axes)
        for (path, index), column in columns.items():
            if column not in wanted:
                continue
            if path == bone.path + ".location" and not bone.connected:
                moves = np.broadcast_to(turned(self.world, before[:, index]), (len(carried), 3, self.clip.frames))
                yield column, as_effects(moves, moves, 0.0)
            elif path in (bone.rotation_path, bone.path + ".scale"):
                values = self.clip.values.copy(order="F")
                values[:, column] += STEP
                turn, _, size = local(bone, values, columns)
                change = product(product(before, (turn if size is None else turn * size) - inner), after) / STEP
                yield (
                    column,
                    as_effects(
                        turned(self.world, turned(change, self.joints[carried] - joint)),
                        turned(self.world, turned(change, self.tips[carried] - joint)),
                        self.turn * spin(change),
                    ),
                )

    def _parts(self, axes, joints):
        axes, joints = time_last(axes)[self.indices], time_last(joints)[self.indices]
        return joints, joints + self.lengths * axes[:, :, 1], axes / np.linalg.norm(axes, axis=1, keepdims=True)


def as_effects(joints, tips, turns):
    result = np.empty((len(joints), 3, *joints.shape[1:]), dtype=np.float32)
    result[:, 0], result[:, 1], result[:, 2] = joints, tips, turns
    return result


def turn_between(one, other):
    """Rotation vectors (..., 3, frames) that lead from rotation matrices (..., 3, 3, frames) to others."""
    turn = product(other, np.swapaxes(one, -3, -2))
    axis = spin(turn)
    sine = np.sqrt((axis * axis).sum(axis=-2, keepdims=True))
    cosine = 0.5 * (turn[..., 0, 0, :] + turn[..., 1, 1, :] + turn[..., 2, 2, :] - 1.0)[..., None, :]
    return axis * np.arctan2(sine, cosine) / np.maximum(sine, 1e-12)


def spin(matrix):
    """The rotation in small changes (..., 3, 3, frames), as vectors."""
    return 0.5 * np.stack(
        [matrix[..., row, column, :] - matrix[..., column, row, :] for row, column in ((2, 1), (0, 2), (1, 0))], axis=-2
    )


def inverse(matrix):
    """The inverse of (3, 3, frames); of a matrix that has none, zero: nothing moves what has no size."""
    x, y, z = matrix[:, 0], matrix[:, 1], matrix[:, 2]
    rows = np.stack([np.cross(y, z, axis=0), np.cross(z, x, axis=0), np.cross(x, y, axis=0)])
    volume = (rows[0] * x).sum(axis=0)
    return rows * np.where(volume == 0.0, 0.0, 1.0 / np.where(volume == 0.0, 1.0, volume))
