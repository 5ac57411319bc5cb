# SPDX-License-Identifier: GPL-3.0-or-later
"""Homing: rotations that change for a while leave the source's curves and come back to them without a jump.

The same rotation has many names in angles, and a motion that passes a joint's pole on the other side than the source does
comes back under another name: a whole turn off, or half a turn about all three axes. So a changed stretch goes on from the name
that the source has before it, and ends with the name that it has after. Where these differ, the one becomes the other between
the two frames between which the joint moves least while it does: close to the pole, where all names lie side by side.
"""

import numpy as np

from ..numeric import rotation
from ..numeric.rotation import EULER_ORDERS
from ..numeric.smoothing import runs
from .orientations import as_quaternions

ANOTHER = 1e-6  # farther from the source, where nothing has changed, is another name


def homed(mode, changed, source, rows):
    """Channels (components, frames, rotations) of a change in its `rows` (frames, rotations or 1), else the source's."""
    rows = np.broadcast_to(rows, changed.shape[1:])
    result = np.where(rows, changed, source)
    away = np.abs(changed - source).max(axis=0) > ANOTHER
    for index in np.flatnonzero((away & ~rows).any(axis=0)):
        for first, last in runs(rows[:, index]):
            around = slice(max(first - 1, 0), last + 2)
            result[:, around, index] = both_ends(
                mode, changed[:, around, index], source[:, around, index], first > 0, last + 1 < len(rows)
            )
    return result


def both_ends(mode, changed, source, has_start, has_end):
    """A stretch (components, frames) under the names that the source has in its first and last frame, those that there are."""
    start, end = (named_as(mode, changed, row, source[:, row]) for row in (0, -1))
    if not (has_start and has_end):
        return start if has_start else end
    turn = np.argmin(astray(mode, start[:, :-1], end[:, 1:]))
    return np.concatenate([start[:, : turn + 1], end[:, turn + 1 :]], axis=1)


def named_as(mode, channels, row, there):
    """The same rotations (components, frames), continuous as they are, under the names closest to `there` at a row."""
    angles = slice(*ANGLES.get(mode, (0, 3)))
    found = [channels.copy(), -channels]
    if mode in EULER_ORDERS:
        found[1] = channels + np.pi
        middle = rotation.euler_axes(mode)[0][1]
        found[1][middle] = np.pi - channels[middle]
    for named in found:
        named[angles] += 2.0 * np.pi * np.rint((there - named[:, row])[angles] / (2.0 * np.pi))[:, None]
    return min(found, key=lambda named: np.abs(named[:, row] - there).sum())


ANGLES = {"QUATERNION": (0, 0), "AXIS_ANGLE": (0, 1)}


def astray(mode, before, after):
    """How far from the way between them rotations (components, steps) are halfway from one to the other, as 1 - cosine."""
    one, other, middle = (
        rotation.normalized(as_quaternions(mode, values))[0] for values in (before, after, 0.5 * (before + after))
    )
    halfway = rotation.normalized(one + other * np.where(np.einsum("cf,cf->f", one, other) < 0, -1.0, 1.0))[0]
    return 1.0 - np.abs(np.einsum("cf,cf->f", halfway, middle))
