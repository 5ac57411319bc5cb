# SPDX-License-Identifier: GPL-3.0-or-later
"""A curve to hold on to: where on it a point that goes along it is nearest. It may lead anywhere, straight up as well."""

import numpy as np

from ..numeric import scipy
from ..numeric.refusal import Refusal
from ..paths.curve import checked, samples

PER_POINT = 16  # samples between two points that a curve passes through
ROUNDS = 4  # of Newton's way to the nearest place, from the nearest sample on
SHORTEST = 1e-6  # metres
ROOM, FASTER = 0.02, 3.0  # metres, and times as far as its point, that a place goes along the curve from frame to frame
FLATTEST = 0.2  # how little the distance may bend along the curve, seen from a point near the centre of a bend


class Rail:
    """A path as plain data, {"control": points of a smooth curve} or {"points": points on it}."""

    def __init__(self, path, name):
        kind = next(iter(path))
        points = checked(name, path[kind])
        places = samples(len(points))[1] @ points if kind == "control" else between(points)
        steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
        places = places[np.append(True, steps > 1e-3 * SHORTEST)]
        along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1)))
        if along[-1] < SHORTEST:
            raise Refusal(f"{name}: the curve has no length to hold on to")
        self.along, self.length = along, along[-1]
        self.curve = scipy.interpolate.make_interp_spline(along, places, k=min(3, len(places) - 1))
        self.tangent, self.bend = self.curve.derivative(1), self.curve.derivative(2)
        self.tree = scipy.spatial.cKDTree(places)

    def nearest(self, points):
        """The nearest places (3, points) on the curve, each by itself."""
        return self.curve(self._closer(points, self.along[self.tree.query(points.T)[1]])).T

    def followed(self, points):
        """The places (3, frames) on the curve of a point that goes along it: nearest, and on one branch."""
        along = self._closer(points, self.along[self.tree.query(points.T)[1]])
        most = ROOM + FASTER * np.linalg.norm(np.diff(points), axis=0)
        jumps = np.flatnonzero(np.abs(np.diff(along)) > most)
        row = jumps[0] + 1 if len(jumps) else len(along)
        while row < len(along):
            if abs(along[row] - along[row - 1]) <= most[row - 1]:  # the nearest is on its branch again, up to the next jump
                row = next((jump + 1 for jump in jumps if jump >= row), len(along))
                continue
            near = slice(*np.searchsorted(self.along, (along[row - 1] - most[row - 1], along[row - 1] + most[row - 1])))
            away = np.linalg.norm(self.tree.data[near] - points[:, row], axis=1)
            start = self.along[near][[away.argmin()]] if len(away) else along[[row - 1]]
            along[row] = self._closer(points[:, [row]], start)[0]
            row += 1
        return self.curve(along).T

    def _closer(self, points, along):
        """How far along the nearest place is, from a place near it on."""
        most = np.diff(self.along).max()
        for _ in range(ROUNDS):
            away, tangent = self.curve(along) - points.T, self.tangent(along)
            slope = (away * tangent).sum(axis=1)
            steep = (tangent * tangent).sum(axis=1) + (away * self.bend(along)).sum(axis=1)
            along = np.clip(along - np.clip(slope / np.maximum(steep, FLATTEST), -most, most), 0.0, self.length)
        return along


def between(points):
    """Points (points, 3) and smooth ways between them, straight where they are in line."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    points = points[np.append(True, steps > SHORTEST)]
    if len(points) < 3:
        return points
    chords = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    at = np.interp(np.arange(PER_POINT * (len(points) - 1) + 1) / PER_POINT, np.arange(len(points)), chords)
    return scipy.interpolate.Akima1DInterpolator(chords, points)(at)
