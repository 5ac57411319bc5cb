# SPDX-License-Identifier: GPL-3.0-or-later
"""Calm joints: knees that turn smoothly rather than to bring a foot where it is to be to a fraction of a millimetre.

The straighter a leg is, the farther its knee turns for a millimetre, so that noise of a hip over a foot that is held still
shakes the knee. What is smooth is the change of the knee, so that it trembles no more than it does in the edit: the least of
what is missed, weighed by how little that may be, and of how the change bends in time. Beside frames that do not change
nothing is asked but that: a knee that the take itself has past straight goes through straight on the way to its own side.
"""

import numpy as np

from ..numeric.banded import Smoother
from ..numeric.rotation import wrapped
from ..numeric.smoothing import above
from .foot_goals import PINNED, beside

STIFF = 0.2  # seconds: how stiff the change of a joint is
LEAST = 1.0  # weight, where a limb is straight
TIMES = 4  # that what is missed by more is asked for again, and more strongly
WIDER, WIDEST = 2.0, 3.5e-3  # times that a hasty joint may miss more, and what it may miss at most, of the limb's length


class CalmJoint:
    """How calm joints are over some rows a second, between `cuts`; rows that are `pinned` do not change.

    `near` is what a limb may miss, of its length.
    """

    def __init__(self, pinned, fps, cuts, near):
        self.pinned, self.fps, self.cuts, self.least, self.near = pinned, fps, cuts, near, np.full(len(pinned), near)
        self.asked = beside(pinned, fps)

    def pin(self, rows):
        """Have more rows (rows,) that do not change."""
        self.pinned = self.pinned | rows
        self.asked = beside(self.pinned, self.fps)

    def loosen(self, hasty):
        """Let joints miss more around rows in which they are hasty, (rows,) over 1, for them to turn more smoothly.

        Limbs become shorter for it and no longer: a foot that stands would go into the ground.
        """
        wider = 1.0 + (WIDER - 1.0) * above((hasty >= 1.0).astype(float), max(1, round(STIFF * self.fps)))
        self.near = np.maximum(self.near, np.minimum(self.near * wider, WIDEST))

    def __call__(self, span, angle, distance):
        """Angles of a Span's joint that change smoothly, with which it spans the distance it has at an angle, nearly."""
        bend, change = span.bend, wrapped(angle - span.bend.angle)
        straightest = np.minimum(np.minimum(angle, span.hinge.angle), span.hinge.lowest)
        weights = self.asked * (bend.gained(angle) / (self.near * distance)) ** 2 + LEAST
        for _ in range(TIMES):
            smoother = Smoother(weights + PINNED * self.pinned, STIFF, self.fps, self.cuts)
            calm = np.maximum(bend.angle + smoother(np.where(self.pinned, 0.0, change)[None])[0], straightest)
            beyond = bend.distance(calm) - distance
            missed = self.asked * np.abs(beyond) / (np.where(beyond > 0.0, self.least, self.near) * distance)
            if missed.max() < 1.0:
                break
            weights = weights * np.maximum(1.0, missed) ** 2
        return calm
