# SPDX-License-Identifier: GPL-3.0-or-later
"""Anchoring: the lower foot stands still and pushes the figure on (Molnos 2010, 5.3).

Where both feet are as low they share, so that the figure does not jerk from one to the other. Heels and balls of feet count
apart, so that it rolls over them, and a point that would move on if the figure went as the cycle goes counts less: it is
low, but lifted. While no foot is near the ground the figure does go as the cycle goes.
"""

import numpy as np

from ..body.figure import Legs, walks
from ..body.roles import find_roles
from ..motion.ground import Path, rotated, turning

SHARING = 0.006  # of the leg: points whose heights differ less share the weight
MOVING = 0.5  # legs a second: a point that moves so fast bears a third as much
GROUND = 5  # percent: the ground is this low among the heights of the lowest points
FLIGHT = (0.06, 0.12)  # of the leg: how high the lowest foot is when the figure begins to fly, and when it does


class FootDrive:
    """The feet of a figure, and where the ground is under motions of it."""

    def __init__(self, skeleton, ground):
        self.roles, self.up = find_roles(skeleton), ground.up
        self.figure = Legs(skeleton, self.roles)
        self.unit = self.figure.leg / float(np.linalg.norm(np.array(skeleton.world)[2, :3]))

    def path(self, clip, place, headings, steps):
        """The path from a place, of a clip on the spot that turns through headings, along which feet stand still.

        `steps` (frames - 1, 3), as seen by who takes them, are those that the cycle makes.
        """
        axes, heads = self.figure.skeleton.posed(clip)
        bones, feet = np.array(self.figure.bones)[self.figure.on_foot], self.figure.on_foot
        points = heads[:, bones] + np.einsum("fpij,pj->fpi", axes[:, bones], self.figure.offsets[feet])
        heights = points @ self.up
        points = rotated(turning(headings, self.up)[:, :, None], points.transpose(2, 0, 1)).transpose(1, 2, 0)
        between, pushes = 0.5 * (heights[1:] + heights[:-1]), points[:-1] - points[1:]
        flown = rotated(turning(0.5 * (headings[1:] + headings[:-1]), self.up), steps.T).T
        speeds = np.linalg.norm(flown[:, None] - pushes, axis=2) * clip.fps
        pushed = np.einsum("fp,fpc->fc", self._shares(between, speeds), pushes)
        flying = self._flying(between.min(axis=1))[:, None]
        moves = (1.0 - flying) * pushed + flying * flown
        moves -= np.outer(moves @ self.up, self.up)
        return Path(place + np.concatenate([np.zeros((1, 3)), np.cumsum(moves, axis=0)]), headings)

    def _shares(self, heights, speeds):
        """How much each point bears (frames, points): the lowest and slowest most."""
        lifted = (heights / SHARING + speeds / MOVING) / self.unit
        shares = np.exp(lifted.min(axis=1, keepdims=True) - lifted)
        return shares / shares.sum(axis=1, keepdims=True)

    def _flying(self, lowest):
        low, high = (lowest - np.percentile(lowest, GROUND) - limit * self.unit for limit in FLIGHT)
        fraction = np.clip(low / (low - high), 0.0, 1.0)
        return fraction * fraction * (3.0 - 2.0 * fraction)


def anchor(clip, ground, skeleton):
    """The feet that anchor a clip's figure, or None where it has none or something else moves it."""
    if not ground.roots or not ground.roots[0].owner or not walks(clip, skeleton):
        return None
    return FootDrive(skeleton, ground)
