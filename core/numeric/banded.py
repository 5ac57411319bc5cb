# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves over time that are as near to goals, and as little bent, as weights say: one banded solve for a whole take.

The least of sum weight |x - goal|^2 + stiffness |x''|^2, second differences across a cut left out. The matrix is symmetric
with two bands above its diagonal, so that a solve takes time in proportion to the frames.
"""

import numpy as np

from . import scipy


class Smoother:
    """Curves (size, frames) drawn to goals by weights (frames,) and stiff by seconds, factored once for many goals.

    `starts` are the rows at which a new stretch begins after a cut.
    """

    def __init__(self, weights, seconds, fps, starts=()):
        self.weights = np.asarray(weights, dtype=np.float64)
        matrix = bands(self.weights, (seconds * fps) ** 4, starts)
        self.factor = scipy.linalg.cholesky_banded(matrix, check_finite=False)
        (self.solve,) = scipy.linalg.get_lapack_funcs(("pbtrs",), (self.factor,))

    def __call__(self, goals):
        """The smooth curves for goals (size, frames)."""
        return self.solved(self.weights * goals)

    def solved(self, right):
        """What the matrix takes to a right side (size, frames)."""
        return self.solve(self.factor, right.T)[0].T  # scipy's own way there takes as long again for short takes


def bands(weights, stiffness, starts=()):
    """The upper bands (3, frames) of diag(weights) + stiffness D'D, D being second differences within stretches."""
    matrix = np.zeros((3, len(weights)))
    matrix[2] = weights
    if len(weights) > 2:
        stiff = np.full(len(weights) - 2, float(stiffness))
        for start in starts:
            stiff[max(0, start - 2) : start] = 0.0
        matrix[2, :-2] += stiff
        matrix[2, 1:-1] += 4.0 * stiff
        matrix[2, 2:] += stiff
        matrix[1, 1:-1] -= 2.0 * stiff
        matrix[1, 2:] -= 2.0 * stiff
        matrix[0, 2:] += stiff
    return matrix
