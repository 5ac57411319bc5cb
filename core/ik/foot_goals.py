# SPDX-License-Identifier: GPL-3.0-or-later
"""Foot goals: where a foot is to be, and how turned, over a whole edit, so that it stands where it stands in the take.

While a foot stands it goes and turns from frame to frame as it does in the take, or, locked, not at all: one place and one
heading for every stand are free, and those nearest to the edit are taken. In between the edit is followed, its correction
smooth throughout. Nothing goes deeper than the take does. Points and vectors are (3, frames).
"""

import numpy as np

from ..numeric import rotation, scipy
from ..numeric.banded import Smoother
from ..numeric.frozen import frozen
from ..numeric.matrix import between, matrices, plain, product, turns_to
from ..numeric.smoothing import approached, smooth
from ..numeric.vectors import SMALL, dot, length, turned

FIRM_TURN, FIRM = 1e5, 1e7  # weights of a standing foot's turn and place, that of a free one being 1
PINNED = 1e8  # weight of frames that do not change
LITTLE = 1e-4  # of the leg, and radians: a change that has become as little as that, away from stands, is none
BESIDE = 0.3  # seconds between a stand and frames that do not change in which it is held to where it would not change
RISEN = 1e-3  # of the leg: a foot that the ground lifts by more must be within reach as one that stands
DEEP = 0.06  # of the leg: how softly a foot is kept from going deeper than in the take


@frozen
class Hold:
    """How a standing foot is held: turns and moves (3, frames) that take its own drift out of the take, from which moment of
    a stand it has its place (None for the mean), over how many seconds changes come and go, whether it stands where the take
    has it, and whether swings are held there too."""

    turns: np.ndarray
    moves: np.ndarray
    smooth: float
    instant: str | None = None
    there: bool = False
    on_path: bool = False


class FootGoal:
    """The goal of one foot for an edit, given its joint, axes and points as the edit has them."""

    def __init__(self, foot, hold, joint, axes, points, fps, cuts, unchanged, leg, apart=None):
        """`apart` (rows,) is from 0 to 1 how far rows are from those that do not change, or should not need to."""
        self.foot, self.hold, self.joint, self.leg, self.unchanged, self.fps = foot, hold, joint, leg, unchanged, fps
        self.apart = beside(unchanged, fps) if apart is None else apart
        self.planted = self.held = np.ones_like(foot.planted) if hold.on_path else foot.planted
        self.turn, self.lean = self._turned(plain(axes), fps, cuts), np.eye(4)[0][:, None]
        self.points = joint + turned(self.turn[:, None], np.moveaxis(points - joint, 0, 1)).swapaxes(0, 1)
        self.source = foot.joint + hold.moves + foot.arms(rotation.exp(hold.turns))
        self.drift = np.cumsum(foot.steps(self.source) - foot.steps(self.points), axis=1)
        self.smoother = Smoother(self._weights(FIRM), hold.smooth, fps, cuts)

    def joint_at(self, shift):
        """Where the joint is to be when the pelvis is shifted so (3, frames)."""
        goal = self.source[-1] - self.points[-1] if self.hold.there else self._standing(shift)
        goal = np.where(self.planted, goal, shift)
        change = self.smoother(np.where(self.unchanged, 0.0, goal))
        change = np.where(self.planted, change, shift + faded(change - shift, LITTLE * self.leg))
        rise = self._guard(change)
        self.held = self.planted | (rise > RISEN * self.leg)
        return self.joint + change + self.foot.up[:, None] * rise

    def _weights(self, firm):
        return np.where(self.planted, firm, 1.0) + PINNED * self.unchanged

    def _turned(self, axes, fps, cuts):
        """The turn (4, frames) from how the edit has the foot to how it is to be."""
        foot, up = self.foot, self.foot.up[:, None]
        source = product(np.moveaxis(matrices(rotation.exp(self.hold.turns)), 0, -1), foot.axes)
        if not self.hold.on_path:
            apart = between(source, axes)
            yaw = np.unwrap(2.0 * np.arctan2(dot(up, apart[1:]), apart[0]))
            yaw = self._constant(yaw, np.zeros_like(yaw), fps)
            source = product(np.moveaxis(matrices(rotation.exp(up * yaw)), 0, -1), source)
        change = np.where(self.planted & ~self.unchanged, turns_to(axes, source), 0.0)
        change = Smoother(self._weights(FIRM_TURN), self.hold.smooth, fps, cuts)(change)
        return rotation.exp(np.where(self.planted, change, faded(change, LITTLE)))

    def _standing(self, shift):
        """What is to be added while the foot stands: along the ground one place for every stand, upwards the take's height."""
        foot, up = self.foot, self.foot.up[:, None]
        along = np.zeros_like(shift) if self.hold.instant else shift - up * dot(up, shift)
        there = self.drift + self._constant(along - self.drift, -self.drift, self.fps)
        return there + up * (foot.up @ (self.source[-1] - self.points[-1]))

    def _constant(self, values, neutral, fps):
        """One value for every stand, (..., rows): the nearer it is to rows that do not change, the more of the neutral one."""
        result = self.foot.constant(values, self.hold.instant)
        if not self.hold.instant:
            result = self.foot.tied(result, fps)
        apart = self.apart
        for first, last in self.foot.plants:
            rows, edge = slice(first, last + 1), first + int(np.argmin(apart[first : last + 1]))
            result[..., rows] = apart[edge] * result[..., rows] + (1.0 - apart[edge]) * neutral[..., [edge]]
        return result

    def _guard(self, change):
        """How far up the foot is to go for neither heel nor toe to be deeper than in the take, but softly so, (frames,)."""
        foot, soft = self.foot, DEEP * self.leg
        rise = np.zeros(len(self.planted))
        if foot.end.endswith("hand") or self.hold.on_path:
            return rise
        heights = np.einsum("i,pif->pf", foot.up, self.points + change)
        for now, source in ((heights.min(axis=0), foot.lowest), (heights[-1], foot.heights[-1])):
            deeper = np.maximum(source - now, 0.0)
            rise = np.maximum(rise, deeper - approached(deeper, np.maximum(source - source[foot.rows].min(), 0.0), soft))
        return np.where(self.unchanged, 0.0, rise)


def beside(unchanged, fps):
    """From 0 where nothing changes to 1 a little away from there, smoothly, (rows,)."""
    if not unchanged.any():
        return np.ones(len(unchanged))
    return smooth(scipy.ndimage.distance_transform_edt(~unchanged) / (BESIDE * fps))


def faded(change, little):
    """Changes (3, frames) that are shorter by a little, and none where they would be less."""
    return change * np.maximum(0.0, 1.0 - little / np.maximum(length(change), SMALL))
