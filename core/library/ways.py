# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways: the stretches of a library that go along a curve like one that is drawn, wherever it lies and whichever way it points.

The ways of all takes are laid end to end, by how far they have got: what lies as far on as the drawn curve is long is one
look-up, and laying the one over the other is the angle of a sum of complex numbers.
"""

import numpy as np

from ..numeric import scipy
from ..numeric.refusal import Refusal
from .alike import ARM, UNDERWAY
from .features import POSE, RATE
from .find import CLOSE, Hit, best_rows, check, distinct
from .measures import EVERY

POINTS = 13  # of a curve that are compared
SWAY = 1.0  # seconds: what comes and goes faster is no way
SHORTEST = 0.3  # metres


def find_way(library, points, count=20, mirror=True):
    """The stretches that go along a curve through points (points, 2 or 3) in metres, the nearest first."""
    check(library)
    drawn = evenly(points)
    length = float(np.abs(np.diff(drawn)).sum())
    gone, places = laid_out(library)
    last = library.starts[1:][library.take] - 1
    fitting = np.flatnonzero(gone + length <= gone[last])
    if not len(fitting):
        raise Refusal(f"curve: no take of the library goes as far as it is long, {length:.2f} m")
    marks = gone[fitting][:, None] + length * np.linspace(0.0, 1.0, POINTS)
    there = np.interp(marks, gone, places)
    hits = []
    for side in (False, True) if mirror else (False,):
        apart = laid_over(np.conj(there) if side else there, drawn)
        for row in best_rows(apart, 10 * CLOSE):
            start = int(fitting[row])
            end = int(np.searchsorted(gone, marks[row, -1]))
            index = int(library.take[start])
            entry = library.entries[index]
            frames = (
                entry.first_frame + round(float(moment - library.starts[index]) * EVERY * entry.fps / RATE)
                for moment in (start, min(end, last[start]))
            )
            hits.append(Hit(entry.path, entry.figure, *frames, side, float(apart[row]), index))
    return distinct(hits, count)


def evenly(points):
    """A curve as complex numbers, evenly spaced along it and about its middle."""
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or len(points) < 2 or points.shape[1] < 2 or not np.isfinite(points).all():
        raise Refusal("curve: it needs two points or more")
    line = points[:, 0] + 1j * points[:, 1]
    gone = np.append(0.0, np.cumsum(np.abs(np.diff(line))))
    if gone[-1] < SHORTEST:
        raise Refusal(f"curve: it is {gone[-1]:.2f} m long, and {SHORTEST:g} m is the shortest way that is looked for")
    marks = np.linspace(0.0, gone[-1], POINTS)
    line = np.interp(marks, gone, line.real) + 1j * np.interp(marks, gone, line.imag)
    return line - line.mean()


def laid_over(ways, drawn):
    """How far ways (ways, points) are from a curve, root of the mean square in metres, turned and moved to lie best."""
    ways = ways - ways.mean(axis=1, keepdims=True)
    squares = (np.abs(ways) ** 2).sum(axis=1) + (np.abs(drawn) ** 2).sum()
    return np.sqrt(np.maximum(squares - 2.0 * np.abs(ways @ np.conj(drawn)), 0.0) / len(drawn))


def laid_out(library):
    """How far all takes have got, one after the other, and where, (moments,) each, in metres."""
    if library.ways is None:
        legs = np.array([entry.leg for entry in library.entries])[library.take]
        seconds = EVERY / RATE
        turns = library.moments[:, 2 * POSE + 2].astype(np.float64) / (UNDERWAY * ARM) * seconds
        heading = np.cumsum(turns) - 0.5 * turns
        steps = library.moments[:, 2 * POSE : 2 * POSE + 2].astype(np.float64) / UNDERWAY
        steps = (steps[:, 0] + 1j * steps[:, 1]) * np.exp(1j * heading) * legs * seconds
        places = np.cumsum(steps)
        size = max(1, round(SWAY / seconds))
        smooth = scipy.ndimage.uniform_filter1d(np.stack([places.real, places.imag]), size, axis=1, mode="nearest")
        way = smooth[0] + 1j * smooth[1]
        library.ways = np.append(0.0, np.cumsum(np.abs(np.diff(way)))), way
    return library.ways
