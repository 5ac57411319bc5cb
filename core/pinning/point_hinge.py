# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb that reaches with a point of its hand or foot, which goes along with the lower bone as if they were one."""

from dataclasses import replace

import numpy as np

from ..ik.hinge import Hinge
from ..numeric.vectors import cross, dot, unit


class PointHinge(Hinge):
    """The joint in the middle of a limb whose end is a point `reach` along the axis of its last bone."""

    def __init__(self, body, end, rows, reach):
        self.reach = reach
        super().__init__(body, end, rows)

    def _seen(self, body):
        """The limb in a pose of the body as it is, up to the point."""
        bend = super()._seen(body)
        lower = bend.lower + self.reach * body.axes[body.limbs[self.end][2]][:, 1]
        along, down = unit(bend.upper), unit(lower)
        angle = np.arctan2(dot(cross(bend.axis, along), down), dot(along, down))
        return replace(bend, lower=lower, angle=angle, aside=np.clip(dot(bend.axis, down), -1.0, 1.0))
