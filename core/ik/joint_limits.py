# SPDX-License-Identifier: GPL-3.0-or-later
"""Room: a change goes no farther than joints do, and the nearer they are to their limits the less of it is left.

Only the change is held back, softly as in Bruderlin and Williams 1995, section 4: what the take itself does stays, even
where that is beyond a limit.
"""

import numpy as np

from ..motion.chart import Chart
from ..numeric import rotation
from ..numeric.rotation import EULER_ORDERS
from ..numeric.smoothing import softened

DEGREE = np.pi / 180.0


def within_room(clip, changed, skeleton, softness):
    """A changed clip whose bones come no closer to their rig's limits than softness, in degrees, lets them.

    Both clips have the same frames; bones without limits, and channels that `changed` alone has, stay as they are there.
    """
    limits = {bone.name: np.reshape(bone.limits, (3, 2)) * DEGREE for bone in skeleton.bones if bone.limits}
    if not limits:
        return changed
    chart, sources = Chart(changed), of_owners(Chart(clip))

    def turn(q, mode, owners):
        order = mode if mode in EULER_ORDERS else "XYZ"
        held = np.array(q)
        for index, owner in enumerate(owners):
            if owner in limits and owner in sources:
                held[:, :, index] = kept_inside(sources[owner], q[:, :, index], order, limits[owner], softness * DEGREE)
        return held

    return changed.with_values(chart.values(chart.reshaped(turn, lambda values, channels: values)))


def of_owners(chart):
    """The quaternions (4, frames) of every owner that turns as a whole."""
    return {
        chart.clip.channels[columns[0]].owner: orientation.quaternions[:, :, index]
        for orientation, (_, members) in zip(chart.orientations, chart.groups)
        for index, columns in enumerate(members)
    }


def kept_inside(source, q, order, limits, softness):
    """Rotations (4, frames) whose Euler angles go from those of the source no farther than there is room."""
    before = rotation.to_euler(source[:, :, None], order, np.zeros((3, source.shape[1], 1)))
    after = rotation.to_euler(q[:, :, None], order, before)
    inside = np.array(
        [
            angles + softened(change, low - angles, high - angles, softness)
            for angles, change, (low, high) in zip(before, after - before, limits)
        ]
    )
    held = rotation.from_euler(inside, order)[:, :, 0]
    return held * np.where(np.einsum("cf,cf->f", held, q) < 0, -1.0, 1.0)
