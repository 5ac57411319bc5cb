# SPDX-License-Identifier: GPL-3.0-or-later
"""Foot goals: where a foot is to be, and how turned, over a whole edit, so that it stands where it stands in the take.

While a foot stands it goes and turns from frame to frame as it does in the take, or, locked, not at all: one place and one
heading for every stand are free, and those nearest to the edit are taken. In between the edit is followed, its correction
smooth throughout. Nothing goes deeper than the take does. Points and vectors are (3, frames).
"""

from dataclasses import dataclass

import numpy as np

from ..numeric import rotation
from ..numeric.banded import Smoother
from ..numeric.matrix import between, matrices, product, turns_to
from ..numeric.vectors import dot, turned
from .hinge import plain
from .joint_limits import approached
from .plants import INSTANTS
from .stance import held_flat

FIRM_TURN, FIRM = 1e5, 1e7  # weights of a standing foot's turn and place, that of a free one being 1
PINNED = 1e8  # weight of frames that do not change
DEEP = 0.06  # of the leg: how softly a foot is kept from going deeper than in the take


@dataclass(frozen=True)
class Hold:
    """How standing feet are held: how much of their own drift is taken out, (frames,), from which moment of a stand they
    have their place (None for the mean), over how many seconds changes come and go, how flat they are held (3, frames)."""

    still: np.ndarray
    instant: str | None
    smooth: float
    flat: np.ndarray
    lift: np.ndarray
    on_path: bool = False


class FootGoal:
    """The goal of one foot for an edit, given the turn (4, frames) and place of its joint as the edit has them."""

    def __init__(self, foot, hold, joint, axes, points, fps, unchanged, leg):
        self.foot, self.hold, self.joint, self.leg, self.unchanged = foot, hold, joint, leg, unchanged
        self.planted = np.ones_like(foot.planted) if hold.on_path else foot.planted
        self.turn = self._turned(plain(axes), fps)
        self.points = joint + turned(self.turn[:, None], np.moveaxis(points - joint, 0, 1)).swapaxes(0, 1)
        weights = np.where(self.planted, FIRM, 1.0) + PINNED * unchanged
        self.smoother = Smoother(weights, hold.smooth, fps, foot.starts)
        self.drift = self._drift()

    def place(self, shift):
        """Where the joint is to be when the pelvis is shifted so (3, frames)."""
        up = self.foot.up[:, None]
        if self.hold.on_path:
            goal = self.foot.points[-1] - self.points[-1]
        else:
            goal = np.where(self.planted, self._standing(shift), shift)
        change = self.smoother(np.where(self.unchanged, 0.0, goal))
        return self.joint + change + up * self._guard(change)

    def _turned(self, axes, fps):
        """The turn (4, frames) from how the edit has the foot to how it is to be."""
        foot, up = self.foot, self.foot.up[:, None]
        source = held_flat(foot.axes, self.hold.flat)
        if self.hold.on_path:
            return between(axes, source)
        apart = between(source, axes)
        yaw = np.unwrap(2.0 * np.arctan2(dot(up, apart[1:]), apart[0]))
        heading = np.cumsum(-self.hold.still * foot.turning)
        yaw = self._constant(yaw - heading) + heading
        goal = product(np.moveaxis(matrices(rotation.exp(up * yaw)), 0, -1), source)
        change = np.where(self.planted & ~self.unchanged, turns_to(axes, goal), 0.0)
        weights = np.where(self.planted, FIRM_TURN, 1.0) + PINNED * self.unchanged
        return rotation.exp(Smoother(weights, self.hold.smooth, fps, foot.starts)(change))

    def _drift(self):
        """What is to be added along the ground for the foot to go as it does in the take while it stands, from its start."""
        if self.hold.on_path:
            return None
        foot = self.foot
        return np.cumsum((1.0 - self.hold.still) * foot.steps(foot.points) - foot.steps(self.points), axis=1)

    def _standing(self, shift):
        """What is to be added while the foot stands: along the ground one place for every stand, upwards the take's height."""
        foot, up = self.foot, self.foot.up[:, None]
        along = 0.0 if self.hold.instant else shift - up * dot(up, shift)
        place = self.drift + self._constant(along - self.drift)
        rise = foot.heights[-1] - foot.up @ self.points[-1]
        return place + up * (rise + self.hold.lift)

    def _constant(self, values):
        """One value for every stand, (..., frames): that of frames that do not change, or of its instant, or the mean."""
        result = np.array(values)
        for first, last in self.foot.plants:
            rows = first + np.flatnonzero(self.unchanged[first : last + 1])
            if not len(rows):
                instant = self.hold.instant
                rows = [first + round(INSTANTS[instant] * (last - first))] if instant else np.arange(first, last + 1)
            result[..., first : last + 1] = values[..., rows].mean(axis=-1, keepdims=True)
        return result

    def _guard(self, change):
        """How far up the foot is to go for neither heel nor toe to be deeper than in the take, but softly so, (frames,)."""
        foot, soft = self.foot, DEEP * self.leg
        if foot.end.endswith("hand") or self.hold.on_path:
            return 0.0
        heights = np.einsum("i,pif->pf", foot.up, self.points + change)
        rise = 0.0
        for now, source in ((heights.min(axis=0), foot.lowest), (heights[-1], foot.heights[-1])):
            deeper = np.maximum(source - now, 0.0)
            rise = np.maximum(rise, deeper - approached(deeper, np.maximum(source - source[foot.rows].min(), 0.0), soft))
        return np.where(self.unchanged, 0.0, rise)
