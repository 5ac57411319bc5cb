# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles: how much each of some points on a plane counts at any place of it (Molnos 2010, 5.1 and 6.1).

Within a triangle weights are barycentric. Outside all of them the nearest triangle's go on, so that some become negative;
beyond a corner, where the nearest changes, one triangle's weights go over into the other's. Weights sum to one and are
continuous everywhere.
"""

import numpy as np

from . import scipy
from .refusal import Refusal

FLAT = 1e-6  # of the extent of the points: a thinner triangle is a line
INSIDE = 1e-12


class Triangles:
    """Points (points, 2) joined to triangles (triangles, 3) in counter-clockwise order."""

    def __init__(self, points):
        self.points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        refuse(self.points)
        corners = scipy.spatial.Delaunay(self.points).simplices
        areas = doubled_areas(self.points[corners])
        corners = corners[np.abs(areas) > FLAT * np.abs(areas).max()]
        areas = doubled_areas(self.points[corners])
        self.corners = np.where(areas[:, None] > 0.0, corners, corners[:, ::-1])
        self._starts = self.points[self.corners[:, 0]]
        sides = self.points[self.corners[:, 1:]] - self._starts[:, None]
        self._inverse = np.linalg.inv(sides.transpose(0, 2, 1))
        self.border = self._border()

    def weights(self, place):
        """How much each point counts at a place, (points,), summing to one."""
        place = np.asarray(place, dtype=np.float64)
        shares = self._shares(place)
        best = int(np.argmax(shares.min(axis=1)))
        if shares[best].min() >= -INSIDE:
            return self._spread([(1.0, best)], shares)
        return self._spread(self._nearest(place), shares)

    def _shares(self, place):
        """Barycentric weights of a place in every triangle, (triangles, 3)."""
        second_third = np.einsum("tij,tj->ti", self._inverse, place - self._starts)
        return np.column_stack([1.0 - second_third.sum(axis=1), second_third])

    def _spread(self, triangles, shares):
        weights = np.zeros(len(self.points))
        for fraction, triangle in triangles:
            weights[self.corners[triangle]] += fraction * shares[triangle]
        return weights

    def _border(self):
        """The edges around all triangles, in order: (start, end, triangle)."""
        edges = {
            (int(row[side]), int(row[(side + 1) % 3])): number for number, row in enumerate(self.corners) for side in range(3)
        }
        outer = {start: (end, number) for (start, end), number in edges.items() if (end, start) not in edges}
        start, border = next(iter(outer)), []
        for _ in outer:
            end, number = outer[start]
            border.append((start, end, number))
            start = end
        return border

    def _nearest(self, place):
        """The fractions of one or two triangles that go on at a place outside, as (fraction, triangle)."""
        starts, ends = (self.points[[edge[side] for edge in self.border]] for side in (0, 1))
        along = ends - starts
        fraction = np.einsum("ei,ei->e", place - starts, along) / np.einsum("ei,ei->e", along, along)
        apart = np.linalg.norm(starts + np.clip(fraction, 0.0, 1.0)[:, None] * along - place, axis=1)
        edge = int(np.argmin(apart))
        if 0.0 < fraction[edge] < 1.0:
            return [(1.0, self.border[edge][2])]
        before = edge if fraction[edge] >= 1.0 else edge - 1
        after = (before + 1) % len(self.border)
        return self._around(place - starts[after], along[before], along[after], self.border[before][2], self.border[after][2])

    def _around(self, away, arriving, leaving, before, after):
        """Beyond a corner: by the angle between the directions straight out of the edges that meet there."""
        total, turned = angle(arriving, leaving), angle(outward(arriving), away)
        fraction = np.clip(turned / total, 0.0, 1.0) if total > INSIDE else 0.5
        return [(1.0 - fraction, before), (fraction, after)]


def refuse(points):
    """Say what is wrong with points that make no triangles."""
    if len(points) < 3:
        raise Refusal(
            f"points: a network needs three or more, there is {len(points) or 'none'}"
            if len(points) < 2
            else f"points: a network needs three or more, there are {len(points)}"
        )
    for index, point in enumerate(points):
        same = np.flatnonzero((points[:index] == point).all(axis=1))
        if len(same):
            raise Refusal(f"points: {same[0] + 1} and {index + 1} lie on one place, ({point[0]:g}, {point[1]:g})")
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if sizes[1] <= FLAT * sizes[0]:
        raise Refusal(
            f"points: all {len(points)} lie on one line, from {written(points.min(axis=0))} to "
            f"{written(points.max(axis=0))}; a network needs three that do not"
        )


def written(point):
    return f"({point[0]:g}, {point[1]:g})"


def doubled_areas(triangles):
    """Twice the areas of triangles (triangles, 3, 2), negative for those that go clockwise."""
    (ax, ay), (bx, by) = (triangles[:, 1] - triangles[:, 0]).T, (triangles[:, 2] - triangles[:, 0]).T
    return ax * by - ay * bx


def outward(edge):
    """At right angles to an edge of a border that goes round counter-clockwise."""
    return np.array([edge[1], -edge[0]])


def angle(one, other):
    """From one direction to the other, counter-clockwise positive."""
    return np.arctan2(one[0] * other[1] - one[1] * other[0], one @ other)
