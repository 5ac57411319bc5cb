# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks in order of priority: bones that go where they are told, each task with what freedom those before it leave.

Damped least squares, each level in the null space of the levels above (Kenwright, section 3, equations 5 to 7; there is no
integration and so no drift: every round corrects what is still missing). The damping follows what is missing, so that
goals within reach are met exactly and those beyond it are approached smoothly. Every frame starts from the pose that the
clip gives it and stays as near to it as the tasks allow. Arrays have the frames last.
"""

import numpy as np

from ..motion.repose import reposed
from ..motion.skeleton import size_of, sub_skeleton
from ..numeric import rotation
from ..numeric.frozen import frozen
from ..numeric.matrix import matrices, product, turned, turns_to
from ..numeric.refusal import Refusal

BLOCK = 512  # frames worked on at once: what stays in the processor's cache
FARTHEST = 0.4  # radians that a bone turns in one round, and parts of the figure's size that one shifts
DAMPING = 1.0  # of the square of what is missing, in parts of the figure's size
STEADY = 1e-7  # damping that remains when nothing is missing


@frozen
class Task:
    """A goal for a bone over time: places (frames, 3) for a point in it, or axes (frames, 3, 3) for all of it."""

    bone: str
    goal: np.ndarray
    level: int = 0  # tasks of a lower level come first
    point: tuple = (0.0, 0.0, 0.0)  # in the bone


def fulfilled(clip, skeleton, tasks, turning, shifting=(), rounds=20, damping=DAMPING):
    """Turn bones, and shift some, so that tasks are met as far as those of higher priority allow.

    `turning` maps the names of bones to how willing they are, 1 as a rule; `shifting` those of bones that may leave their
    place. With more `damping` bones that are already straight are pulled less for what is out of reach. Gives the changed clip.
    """
    willing = {
        **{(name, "turn"): value for name, value in dict(turning).items()},
        **{(name, "shift"): value for name, value in dict(shifting).items()},
    }
    for name in {name for name, _ in willing} | {task.bone for task in tasks}:
        if skeleton.index(name) < 0:
            raise Refusal(f"bone {name}: the armature has none of that name")
    body = sub_skeleton(skeleton, {name for name, _ in willing} | {task.bone for task in tasks})
    blocks = [slice(start, start + BLOCK) for start in range(0, clip.frames, BLOCK)]
    size = size_of(skeleton)
    poses = (FreePose(clip.with_values(clip.values[rows]), body, willing, size, damping) for rows in blocks)
    parts = [pose.changes(tasks, rows, rounds) for pose, rows in zip(poses, blocks)]
    turns, shifts = (
        {name: np.concatenate([found[index][name] for found in parts], axis=-1) for name in parts[0][index]}
        for index in range(2)
    )
    return reposed(clip, skeleton, turns, shifts)


class FreePose:
    """Some frames of a body and what may be changed of it: for each degree of freedom three columns of a Jacobian."""

    def __init__(self, clip, skeleton, willing, size, damping):
        self.skeleton, self.size, self.damping = skeleton, size, damping
        self.local = skeleton.local(clip)
        self.freedom = [(skeleton.index(name), way) for name, way in willing]
        self.willing = np.sqrt(np.repeat(list(willing.values()), 3))[None, :, None]
        self.turns = {bone: np.tile(np.eye(4)[0][:, None], clip.frames) for bone, way in self.freedom if way == "turn"}
        self.shifts = {bone: np.zeros((3, clip.frames)) for bone, way in self.freedom if way == "shift"}

    def changes(self, tasks, rows, rounds):
        """The turns (4, frames) and shifts (3, frames) by name that meet the tasks.

        Levels that pull with all their might disturb those above a little in every round, so towards the end they let go.
        """
        levels = sorted({task.level for task in tasks})
        for count in range(rounds):
            pull = min(1.0, 3.0 - 3.0 * (count + 1) / rounds) ** 2
            posed = self.skeleton.forward(*self.local)
            axes, heads = (np.moveaxis(part, 0, -1) for part in posed)
            stacks = [[self.row(task, rows, axes, heads) for task in tasks if task.level == level] for level in levels]
            self.change(self.step([tuple(map(np.concatenate, zip(*stack))) for stack in stacks], pull), axes, posed)
        names = [bone.name for bone in self.skeleton.bones]
        return tuple({names[bone]: change for bone, change in changes.items()} for changes in (self.turns, self.shifts))

    def row(self, task, rows, axes, heads):
        """What is missing of a task (3, frames), and the Jacobian (3, freedom, frames), in parts of the figure's size."""
        bone = self.skeleton.index(task.bone)
        if task.goal.ndim == 3:
            missing = turns_to(axes[bone], np.moveaxis(task.goal[rows], 0, -1))
            return missing, turning_jacobian(self.skeleton, bone, self.freedom, missing.shape[-1])
        point = heads[bone] + turned(axes[bone], np.array(task.point)[:, None])
        missing = (task.goal[rows].T - point) / self.size
        return missing, moving_jacobian(self.skeleton, bone, point, self.freedom, heads, self.size)

    def step(self, levels, pull):
        """The change (freedom, frames) that meets each level within the freedom that the levels before it leave."""
        total, before = 0.0, []
        for missing, jacobian in levels:
            free = jacobian = jacobian * self.willing
            for rows, square in before:
                shared = solved(square, multiply(rows, jacobian.transpose(1, 0, 2)), STEADY)
                free = free - multiply(shared.transpose(1, 0, 2), rows)
            square = multiply(free, free.transpose(1, 0, 2))
            left = missing - (through(jacobian, total) if before else 0.0)
            damping = self.damping * np.einsum("mf,mf->f", left, left) + STEADY
            total = total + (pull if before else 1.0) * through(free.transpose(1, 0, 2), solved(square, left, damping))
            before.append((free, square))
        return total * self.willing[0]

    def change(self, step, axes, posed):
        step = step.reshape(len(self.freedom), 3, -1)
        farthest = np.sqrt((step * step).sum(axis=1)).max(axis=0)
        step = step / np.maximum(1.0, farthest / FARTHEST)
        rotations, location, _ = self.local
        for (bone, way), vector in zip(self.freedom, step):
            if way == "turn":
                own = np.einsum("ijf,if->jf", axes[bone] / np.linalg.norm(axes[bone], axis=0), vector)
                turn = rotation.exp(own)
                self.turns[bone] = rotation.multiply(self.turns[bone], turn)
                rotations[:, bone] = np.moveaxis(
                    product(np.moveaxis(rotations[:, bone], 0, -1), np.moveaxis(matrices(turn), 0, -1)), -1, 0
                )
            else:
                _, along, _ = self.skeleton.parented(bone, *posed)
                shift = np.linalg.solve(along, self.size * vector.T[:, :, None])[:, :, 0]
                self.shifts[bone] += shift.T
                location[:, bone] += shift


def moving_jacobian(skeleton, bone, point, freedom, heads, size=1.0):
    """How a point (3, frames) of a bone moves as bones turn about the armature's axes or shift along them."""
    result = np.zeros((3, len(freedom), 3, point.shape[-1]))
    for column, (joint, way) in enumerate(freedom):
        if joint in skeleton.chain(bone):
            if way == "shift":
                result[range(3), column, range(3)] = 1.0
            else:
                x, y, z = (point - heads[joint]) / size
                result[0, column, 1], result[0, column, 2] = z, -y
                result[1, column, 0], result[1, column, 2] = -z, x
                result[2, column, 0], result[2, column, 1] = y, -x
    return result.reshape(3, 3 * len(freedom), -1)


def turning_jacobian(skeleton, bone, freedom, frames):
    """How a bone turns about the armature's axes as bones turn about them."""
    result = np.zeros((3, len(freedom), 3, frames))
    for column, (joint, way) in enumerate(freedom):
        if way == "turn" and joint in skeleton.chain(bone):
            result[range(3), column, range(3)] = 1.0
    return result.reshape(3, 3 * len(freedom), -1)


def multiply(a, b):
    return np.einsum("ijf,jkf->ikf", a, b)


def through(matrix, vectors):
    return np.einsum("ijf,jf->if", matrix, vectors)


def solved(square, right, damping):
    """Solve symmetric systems (rows, rows, frames) with something added to their diagonals, by elimination."""
    count = len(square)
    square, right = square.copy(), np.array(right)
    square[range(count), range(count)] += damping
    for row in range(count):
        factors = square[row + 1 :, row] / square[row, row]
        square[row + 1 :, row:] -= factors[:, None] * square[row, row:]
        right[row + 1 :] -= factors.reshape(-1, *[1] * (right.ndim - 2), factors.shape[-1]) * right[row]
    for row in reversed(range(count)):
        right[row] -= np.einsum("c...f,cf->...f", right[row + 1 :], square[row, row + 1 :])
        right[row] /= square[row, row]
    return right
