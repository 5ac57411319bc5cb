# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of holding that several ways of it share: instants of a stand, and easing between what is known."""

import numpy as np

from ..numeric.smoothing import runs

INSTANTS = {"START": 0.0, "MIDDLE": 0.5, "END": 1.0}
TILT = np.radians(8.0)  # how far a foot that is down is kept from tilting as in the take


class Ease:
    """Fades over a span of frames, within stretches (slices) of frames that have no cuts."""

    def __init__(self, stretches, span):
        self.stretches, self.span = stretches, max(1.0, span)

    def times(self, fraction):
        return Ease(self.stretches, fraction * self.span)

    def __call__(self, values, known):
        """Values (size, frames) as they are where known, fading to nothing from there, or into each other."""
        result = np.where(known, values, 0.0)
        for rows in self.stretches:
            found = [(rows.start + first, rows.start + last) for first, last in runs(known[rows])]
            gaps = [np.inf, *(after[0] - before[1] for before, after in zip(found, found[1:])), np.inf]
            for (first, last), before, after in zip(found, gaps, gaps[1:]):
                self._fade(result, values, first, -1, before, rows, first < last)
                self._fade(result, values, last, 1, after, rows, first < last)
        return result

    def _fade(self, result, values, edge, way, gap, rows, sloped):
        """Add what is left of value and slope at an edge to the frames beyond it: a cubic that ends level."""
        span = min(self.span, gap)
        at = edge + way * np.arange(1, int(np.ceil(span)))
        at = at[(at >= rows.start) & (at < rows.stop)]
        fraction = np.abs(at - edge) / span
        slope = (values[:, edge] - values[:, edge - way]) * span if sloped else np.zeros(len(values))
        left = (1.0 - fraction) ** 2
        result[:, at] += values[:, edge, None] * (left * (1.0 + 2.0 * fraction)) + slope[:, None] * (left * fraction)


def yielding(vectors, limit):
    """Vectors (size, frames) as they are while short, never longer than a limit."""
    return vectors / np.sqrt(1.0 + (vectors * vectors).sum(axis=0) / np.square(limit))
