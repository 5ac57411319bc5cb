# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that reach softly: ever less as they near straight, or folded, and about the hinge that they have in the take.

Where a limb is pulled farther than is easy it follows less and less, and never gets straighter than its hinge allows, or than
it is in the take: it rather misses a little than popping.
"""

import numpy as np

from ..numeric import rotation
from ..numeric.frozen import frozen
from ..numeric.matrix import inside
from ..numeric.rotation import shortest
from ..numeric.vectors import SMALL, dot, length, turned, unit
from .hinge import DEGREE

EASY = 8.0 * DEGREE  # how long before the end of its range a limb begins to resist
FOLDED = 0.9  # of the least distance: how much farther a limb folds where it must


@frozen
class Reached:
    """A limb brought to its goal: turns (4, frames) of upper and lower bone, how far it misses, how much of that is out of its
    reach, and how far it swings."""

    upper: np.ndarray
    lower: np.ndarray
    missing: np.ndarray
    beyond: np.ndarray
    swing: np.ndarray


class Span:
    """How far a limb reaches, as it is bent in an edit: from `nearest` to `farthest` with ease, and a little beyond."""

    def __init__(self, hinge, bend):
        self.hinge, self.bend = hinge, bend
        own = np.minimum(length(hinge.source.upper + hinge.source.lower), bend.distance(0.0))
        self.longest = np.maximum(bend.distance(hinge.lowest), own)
        self.farthest = np.maximum(bend.distance(hinge.lowest + EASY), np.minimum(own, self.longest))
        folded = np.where(hinge.backwards, own, bend.distance(hinge.highest))  # what is bent backwards goes no farther
        self.nearest = np.minimum(folded, own)
        if hinge.stiff:
            self.nearest = self.farthest = own

    def within(self, fraction):
        """How far the limb reaches, a fraction of the way from where it begins to resist to where it reaches no farther."""
        return self.farthest + fraction * (self.longest - self.farthest) if not self.hinge.stiff else self.farthest

    def softened(self, distance):
        """Distances as they are while they are easy, and never beyond what the limb can do."""
        if self.hinge.stiff:
            return self.nearest
        room, beyond = np.maximum(self.longest - self.farthest, SMALL), np.maximum(distance - self.farthest, 0.0)
        fold, within = np.maximum((1.0 - FOLDED) * self.nearest, SMALL), np.maximum(self.nearest - distance, 0.0)
        return (
            np.clip(distance, self.nearest, self.farthest) - room * np.expm1(-beyond / room) + fold * np.expm1(-within / fold)
        )

    def reached(self, start, goal, calm=None):
        """The limb brought from a start, where its root is to be, to a goal for its end.

        A `calm` joint, a CalmJoint, turns smoothly rather than to reach to a fraction of a millimetre.
        """
        bend, way = self.bend, goal - start
        distance = length(way)
        within = self.softened(distance)
        beyond = np.abs(distance - within)
        angle = np.where(self.hinge.backwards, -1.0, 1.0) * bend.angle_at(within)
        if calm is not None and not self.hinge.stiff:
            angle = calm(self, angle, within)
            within = bend.distance(angle)
        turn = rotation.exp(bend.axis * (angle - bend.angle))
        limb = unit(bend.upper + turned(turn, bend.lower))
        swing = shortest(limb, unit(way))
        cosine = np.clip(dot(limb, unit(way)), -1.0, 1.0)
        missing = np.abs(distance - within)
        lower = rotation.multiply(swing, rotation.multiply(turn, bend.upright))
        return Reached(swing, lower, missing, beyond, np.arccos(cosine))


def own_turns(body, end, upper, lower, tip):
    """Turns (4, frames) of a limb's three bones in the armature as turns in their own spaces, {bone: turns}."""
    turns, before = (upper, lower, tip), (np.eye(4)[0][:, None], upper, lower)
    return {
        bone: inside(rotation.multiply(rotation.conjugate(carried), turn), basis)
        for bone, turn, carried, basis in zip(body.limbs[end], turns, before, body.axes_of(end))
    }
