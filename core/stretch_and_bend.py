# SPDX-License-Identifier: GPL-3.0-or-later
"""What it costs to deform one take into another: the stretching and bending work of Sederberg and Greenwood (1992).

A take is a wire through the space of all its signals and time: from one frame to the next it has an edge, and at every
frame it turns. Where an edge a becomes an edge b, stretching costs

    |a - b|^2 / ((1 - c) min(|a|, |b|) + c max(|a|, |b|)),    c = 1/2

and an edge that shrinks to nothing costs |a| / c. Edges count with their direction, so that rising is not mistaken for
falling. Where frames meet that the wire passes at turns p and q (the angles at which each signal, drawn over time, bends up
or down), bending costs |p - q|^2: angles are inverted where one bends up and the other down, as the paper does at opposite
extremes. Bending is charged at every node of the path, by the angles between neighbouring frames.
"""

import numpy as np
import scipy

COLLAPSE = 0.5  # c: the less, the dearer the edge that shrinks to nothing
SMALL = 1e-30  # edges of no length at all cost nothing


class Wire:
    """A take as edges (frames, signals), the edge that leads to each frame, and turns (frames, signals)."""

    def __init__(self, edges, turns):
        self.edges, self.turns = edges, turns
        self.lengths = np.sqrt(np.einsum("fs,fs->f", edges, edges))

    def part(self, rows):
        return Wire(self.edges[rows], self.turns[rows])

    def halved(self):
        return Wire(paired(self.edges), paired(self.turns))


class StretchAndBend:
    """The work of moves between the frames of two wires, as a correspondence asks for it."""

    def __init__(self, one, other):
        self.one, self.other = one, other
        self.shape = (len(one.edges), len(other.edges))
        self.down, self.across = one.lengths / COLLAPSE, other.lengths / COLLAPSE

    def block(self, rows, columns):
        bend = distances(self.one.turns[rows], self.other.turns[columns])
        work = distances(self.one.edges[rows], self.other.edges[columns])
        long, wide = self.one.lengths[rows, None], self.other.lengths[columns]
        work /= (1 - COLLAPSE) * np.minimum(long, wide) + COLLAPSE * np.maximum(long, wide) + SMALL
        work += bend
        return work, bend

    def part(self, rows, columns):
        return StretchAndBend(self.one.part(rows), self.other.part(columns))

    def halved(self):
        return StretchAndBend(self.one.halved(), self.other.halved())


def distances(a, b):
    """Squared distances (rows of a, rows of b), in one product of matrices."""
    multiply = scipy.linalg.get_blas_funcs("gemm", (a, b))  # numpy's own product may be without BLAS
    product = multiply(-2.0, b.T, a.T, trans_a=True).T
    product += np.einsum("fs,fs->f", a, a)[:, None]
    product += np.einsum("fs,fs->f", b, b)
    return np.maximum(product, 0.0, out=product)


def paired(rows):
    """Means of neighbouring rows, the last one alone where their number is odd."""
    result = rows[::2].copy()
    result[:len(rows) // 2] += rows[1::2]
    result[:len(rows) // 2] *= 0.5
    return result
