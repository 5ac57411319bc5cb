# SPDX-License-Identifier: GPL-3.0-or-later
"""Bezier curves with keys at chosen rows, many channels at once: drawn, and fitted to dense curves.

A key is its value and its slope a frame; with handles a third of the way along, the curve between two keys is the cubic
that these four numbers give. All channels lie one behind the other in one long row, so that a fit is one banded system.
"""

from functools import cache

import numpy as np

from . import scipy

FAINT = 1e-4  # of a frame's weight: what holds a slope that no frame depends on
FIXED = 1e12  # weight of what may not move


class Bezier:
    """Curves (channels, frames) by keys where `keyed` says so; keys are (keys, 2), `fixed` ones (keys, 2) stay."""

    def __init__(self, keyed):
        self.shape = keyed.shape
        row = keyed.ravel()
        self.indices = np.flatnonzero(row)
        self.channel, self.rows = np.divmod(self.indices, keyed.shape[1])
        self.last = self.rows == keyed.shape[1] - 1  # its channel ends here: no curve leads on
        self.spans = np.where(self.last, 1, np.diff(self.indices, append=0))
        self.segment = np.cumsum(row) - 1
        self.following = np.minimum(self.segment + 1, len(self.indices) - 1)
        along = (np.arange(len(row)) - self.indices[self.segment]) / self.spans[self.segment]
        self.basis = hermite(along, self.spans[self.segment].astype(float))

    def drawn(self, keys):
        """The curves at every frame."""
        (value, slope), (first, leaving, second, arriving) = keys.T, self.basis
        return (
            first * value[self.segment]
            + leaving * slope[self.segment]
            + second * value[self.following]
            + arriving * slope[self.following]
        ).reshape(self.shape)

    def slopes(self, keys, indices):
        """Slopes a frame at some indices of the long row."""
        segment = self.segment[indices]
        (value, slope), (next_value, next_slope) = keys[segment].T, keys[self.following[indices]].T
        span = self.spans[segment]
        along = (indices - self.indices[segment]) / span
        return np.where(
            along == 0.0,
            slope,
            6.0 * along * (1.0 - along) * (next_value - value) / span
            + (1.0 - along) * (1.0 - 3.0 * along) * slope
            + along * (3.0 * along - 2.0) * next_slope,
        )

    def gathered(self, curves):
        """What curves (channels, frames) ask of each key, the transpose of `drawn`."""
        curves = curves.ravel()
        first, leaving, second, arriving = (np.add.reduceat(weight * curves, self.indices) for weight in self.basis)
        result = np.stack([first, leaving], axis=1)
        result[1:, 0] += np.where(self.last, 0.0, second)[:-1]
        result[1:, 1] += np.where(self.last, 0.0, arriving)[:-1]
        return result

    def free_rows(self, step=1):
        """Where (channels, frames) a key fits into the segment, or beside a key, that is so many rows from others."""
        wide = (self.spans > step)[self.segment]
        return (wide | np.roll(wide, 1)).reshape(self.shape)  # every channel ends in a key that nothing follows

    def solver(self, weights, fixed):
        """A function from what is gathered to the keys of the least squares fit, channels weighted by (channels,)."""
        weight = weights[self.channel]
        spans, which = np.unique(self.spans, return_inverse=True)
        segments = weight[:, None, None] * np.array([gram(int(span)) for span in spans])[which]
        segments[self.last, 1:] = segments[self.last, :, 1:] = 0.0
        band = np.zeros((4, len(weight), 2))
        for offset in range(4):
            for row in range(4 - offset):
                target = band[offset, row // 2 :, row % 2]
                target += segments[: len(target), row + offset, row]
        band[0] += np.where(fixed, FIXED * weight[:, None], 0.0)
        band[0, :, 1] += FAINT * weight
        factor = scipy.linalg.cholesky_banded(band.reshape(4, -1), lower=True, overwrite_ab=True, check_finite=False)
        return lambda asked: scipy.linalg.cho_solve_banded((factor, True), asked.ravel(), check_finite=False).reshape(-1, 2)


def hermite(along, span):
    """What value and slope at the start and value and slope at the end weigh, at a part of the way."""
    back = 1.0 - along
    return ((1.0 + 2.0 * along) * back**2, span * along * back**2, (1.0 + 2.0 * back) * along**2, -span * back * along**2)


@cache
def gram(span):
    """The 4 x 4 products of these weights, summed over the frames of a segment, its end left out."""
    weights = np.array(hermite(np.arange(span) / max(span, 1), float(span)))
    return weights @ weights.T
