# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose in which feet are where they are to be, and how bad that is: what misses, swings too far, or turns too fast."""

import numpy as np

from ..numeric import rotation, scipy
from ..numeric.matrix import inside, matrices, plain, product, steps_of
from ..numeric.vectors import length
from .hinge import DEGREE, NONE
from .limb_reach import own_turns
from .reach import stretched
from .steady_joints import fastest

MISS, FREE_MISS, FAR, SWING, STEP = 0.001, 0.1, 0.25, 70.0 * DEGREE, 12.0 * DEGREE  # metres, and a step at 120 frames a second
SUNK = 0.01  # metres that a foot may lack of what keeps it out of the ground
UNCHANGED = 1e-9  # of the leg, and radians
TURN = 1.0 * DEGREE  # at 120 frames a second: what a knee that is nearly straight turns for a third of a millimetre
WIDE = 0.1  # seconds around a step of the take within which a locked knee may turn as fast
APART = 60.0 * DEGREE  # between two frames: how a joint that turns farther goes there, nobody knows
STEPS_NEAR = 3  # frames around a step of the take within which as large a step is no pop


class Pose:
    """An edit whose feet are brought to their places: turns, shift, moves and stretches for Body.clip_of, how far planted
    ends miss, how bad each is, 1 being more than may be, and how hasty knees are where feet of the take itself are locked,
    {end: (frames,)}."""

    def __init__(self, solver, body, goals, spans, knees, joints, shift, calm=None):
        source, alone = solver.source, solver.alone
        self.shift, self.turns, self.moves, self.stretches, self.missing = shift, {}, {}, {}, {}
        self.metre, step = source.metre, solver.step * 120.0 / min(source.fps, 120.0)
        common = np.maximum(
            length(shift) * self.metre / FAR,
            self._jerks(alone, turning(body, source.carrying, source.finer.times), source.carried, step),
        )
        common = np.maximum(common, self._jerks(alone, source.toe_steps(body.frames.clip), source.toes, 2.0 * step))
        self.bad, self.hasty = {end: common for end in goals}, {}
        for end, goal in goals.items():
            joint, axes = body.tip(end)
            turn = rotation.multiply(rotation.multiply(goal.lean, goal.turn), knees[end])
            if end not in spans:
                control = body.controls[end]
                self.turns[control] = inside(turn, plain(axes))
                self.moves[control] = joints[end] - joint - (shift if body.mover in body.skeleton.chain(control) else 0.0)
                continue
            calmly = calm if end.endswith("foot") else None
            reached = spans[end].reached(body.root(end) + shift, joints[end], calmly)
            away = np.abs([*(joints[end] - joint) / body.leg, *shift / body.leg, *turn[1:]]).max(axis=0)
            turns = [np.where(away < UNCHANGED, NONE, own) for own in (reached.upper, reached.lower, turn)]
            self.turns |= own_turns(body, end, *turns)
            missing = reached.missing
            if solver.grip.stretch and end.endswith("foot"):
                self.stretches |= stretched(body, end, missing, solver.grip.stretch)
                missing = np.maximum(missing - solver.grip.stretch * body.lengths(end), 0.0)
            self.missing[end] = np.where(goal.planted, missing, 0.0)
            steps = joint_steps(body, end, *turns, times=source.finer.times)
            self.bad[end] = np.maximum(common, self._jerks(alone, steps, source.steps[end], step))
            if solver.gentle and end.endswith("foot"):
                self.hasty[end] = self._jerks(source.lone, steps[1:2], [source.knees[end][None]], TURN * 120.0 / source.fps)
            if end.endswith("foot"):
                may = np.where(goal.planted, solver.miss, np.where(goal.held, SUNK, FREE_MISS))
                far = np.minimum(missing, reached.beyond) * self.metre / may
                swings = np.maximum(reached.swing - SWING + STEP, 0.0) / STEP
                self.bad[end] = np.max([self.bad[end], far, swings], axis=0)

    def at_frames(self, finer):
        """The same at the frames alone."""
        self.shift = finer.at_frames(self.shift)
        for name in ("turns", "moves", "stretches", "missing", "bad", "hasty"):
            setattr(self, name, {key: finer.at_frames(values) for key, values in getattr(self, name).items()})
        return self

    @staticmethod
    def _jerks(alone, steps, known, step):
        """How far steps (joints, frames) go beyond those that are known, in steps that may be, at both their frames; but for
        those from and to poses that stand alone, if these are left out."""
        if not len(steps):
            return np.zeros(steps.shape[-1])
        more = np.where(alone, 0.0, steps - fastest(known, step)).max(axis=0) / step
        return np.maximum(more, np.append(more[1:], 0.0))


def joint_steps(body, end, *turns, times=1):
    """How far hip, knee and ankle turn from row to row, (3, rows), so many a frame, with turns of the three bones on top."""
    bones, steps = body.limbs[end], np.empty((3, body.clip.frames))
    parent = body.skeleton.bones[bones[0]].parent
    upper = plain(body.axes[parent]) if parent >= 0 else np.eye(3)[:, :, None]
    for row, bone in enumerate(bones):  # one after the other: axes are many times what is found of them
        lower = plain(body.axes[bone])
        lower = product(np.moveaxis(matrices(turns[row]), 0, -1), lower) if turns else lower
        steps[row] = even_steps(product(np.swapaxes(upper, 0, 1), lower), times)
        upper = lower
    return steps


def turning(body, bones, times=1):
    """How far bones turn in their parents from row to row, so many a frame, (bones, rows)."""
    parents = [body.skeleton.bones[bone].parent for bone in bones]
    above_all = [plain(body.axes[parent]) if parent >= 0 else np.eye(3)[:, :, None] for parent in parents]
    locals_ = [product(np.swapaxes(upper, 0, 1), plain(body.axes[bone])) for upper, bone in zip(above_all, bones)]
    return np.array([even_steps(local, times) for local in locals_]).reshape(len(bones), body.clip.frames)


def even_steps(axes, times):
    """How far axes (3, 3, rows) turn from row to row, so many a frame; evenly between frames that are far apart.

    A captured foot may flip from frame to frame. At which row it turns over between them is chance, and tells of no jerk.
    """
    steps = steps_of(axes)
    if times > 1:
        apart = steps_of(axes[..., ::times])[1:]
        between = steps[1:].reshape(-1, times)
        between[apart > APART] = apart[apart > APART, None] / times
    return steps


def near(steps):
    """The largest within some frames."""
    return scipy.ndimage.maximum_filter1d(steps, 2 * STEPS_NEAR + 1, axis=-1, mode="nearest")


def wide(steps, fps):
    """The largest within some seconds."""
    return scipy.ndimage.maximum_filter1d(steps, 2 * round(WIDE * fps) + 1, axis=-1, mode="nearest")
