# SPDX-License-Identifier: GPL-3.0-or-later
"""Homing: rotations that change for a while leave the source's curves and come back to them without a jump.

The same rotation has many names in angles, and a motion that passes a joint's pole on the other side than the source does
comes back under another name: a whole turn off, or half a turn about all three axes. So a changed stretch goes on from the name
that the source has before it, and ends with the name that it has after. Where these differ, the one becomes the other between
the two frames between which the joint moves least while it does: close to the pole, where all names lie side by side.
"""

import numpy as np

from . import rotation
from .orientations import as_quaternions

ANOTHER = 1e-6  # farther from the source, where nothing has changed, is another name


def homed(mode, changed, source, rows):
    """Channels (components, frames, rotations) of a change in its `rows` (frames, rotations or 1), else the source's."""
    rows = np.broadcast_to(rows, changed.shape[1:])
    result = np.where(rows, changed, source)
    away = np.abs(changed - source).max(axis=0) > ANOTHER
    for place in np.flatnonzero((away & ~rows).any(axis=0)):
        for first, last in stretches(rows[:, place]):
            around = slice(max(first - 1, 0), last + 2)
            result[:, around, place] = both_ends(mode, changed[:, around, place], source[:, around, place],
                                                 first > 0, last + 1 < len(rows))
    return result


def stretches(marked):
    """First and last row of every run of marked rows."""
    edges = np.flatnonzero(np.diff(marked.astype(np.int8), prepend=0, append=0))
    return [(int(first), int(end) - 1) for first, end in zip(edges[::2], edges[1::2])]


def both_ends(mode, changed, source, has_start, has_end):
    """A stretch (components, frames) under the names that the source has in its first and last frame, those that there are."""
    start, end = (named_as(mode, changed, source, row) for row in (0, -1))
    if not (has_start and has_end):
        return start if has_start else end
    turn = np.argmin(astray(mode, start[:, :-1], end[:, 1:]))
    return np.concatenate([start[:, :turn + 1], end[:, turn + 1:]], axis=1)


def named_as(mode, changed, source, row):
    """The same rotations, continuous as they are, under the names that make them the source's at a row."""
    sides = SIDES.get(mode, euler_sides)(mode, changed[:, row], source[:, row])[:, None]
    return sides * changed + (source[:, [row]] - sides * changed[:, [row]])


def euler_sides(mode, here, there):
    """Angles half a turn apart mean the same if the middle one is counted the other way."""
    outer, middle, _ = rotation.euler_axes(mode)[0]
    sides = np.ones(3)
    sides[middle] = 1.0 - 2.0 * (np.rint((there[outer] - here[outer]) / np.pi) % 2)
    return sides


def vector_sides(mode, here, there):
    """Axes, or quaternions, that point the other way, count the other way."""
    part = slice(1, None) if mode == "AXIS_ANGLE" else slice(None)
    return np.full(4, -1.0 if here[part] @ there[part] < 0 else 1.0)


SIDES = {"QUATERNION": vector_sides, "AXIS_ANGLE": vector_sides}


def astray(mode, before, after):
    """How far from the way between them rotations (components, steps) are halfway from one to the other, as 1 - cosine."""
    one, other, middle = (rotation.normalized(as_quaternions(mode, part))[0]
                          for part in (before, after, 0.5 * (before + after)))
    halfway = rotation.normalized(one + other * np.where(np.einsum("cf,cf->f", one, other) < 0, -1.0, 1.0))[0]
    return 1.0 - np.abs(np.einsum("cf,cf->f", halfway, middle))
