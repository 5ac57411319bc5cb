# SPDX-License-Identifier: GPL-3.0-or-later
"""Few keys for a dense curve: smooth segments that stay within a tolerance of every frame."""

import numpy as np

from ..numeric import scipy


def fewest_keys(values, tolerance):
    """Rows of values (frames,) that become keys, and their slopes per frame.

    Starts from the ends and splits every segment at its worst frame until none is off by more than the tolerance.
    Between keys the curve is the cubic with the given slopes, which is what Blender draws for handles a third of the
    way along.
    """
    slopes = scipy.interpolate.CubicSpline(np.arange(len(values)), values)(np.arange(len(values)), 1)
    rows = np.array([0, len(values) - 1])
    while True:
        error = np.abs(cubic(values, slopes, rows) - values)
        starts = rows[:-1]
        worst = np.maximum.reduceat(error[:-1], starts)
        splits = [
            start + int(np.argmax(error[start:end])) for start, end, off in zip(starts, rows[1:], worst) if off > tolerance
        ]
        if not splits:
            return rows, slopes[rows]
        rows = np.union1d(rows, splits)


def cubic(values, slopes, rows):
    """The cubics through the chosen rows, at every frame."""
    frames = np.arange(len(values))
    segment = np.clip(np.searchsorted(rows, frames, side="right") - 1, 0, len(rows) - 2)
    start, end = rows[segment], rows[segment + 1]
    span = end - start
    t = (frames - start) / span
    return (
        (1 + 2 * t) * (1 - t) ** 2 * values[start]
        + t**2 * (3 - 2 * t) * values[end]
        + span * (t * (1 - t) ** 2 * slopes[start] - t**2 * (1 - t) * slopes[end])
    )
