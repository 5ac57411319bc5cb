# SPDX-License-Identifier: GPL-3.0-or-later
"""Height field: how high a surface of triangles is over places, exactly, many places at once.

Where surfaces lie one above the other the highest counts. Beyond its rim a surface goes on as high as its nearest corner.
"""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from . import scipy
from .refusal import Refusal

FLAT = 1e-12  # of the surface's area: what is less, seen from above, carries nothing
RIM = 1e-9  # how far outside of a triangle a place on its edge may be found
CELLS = 512  # along an axis, at most


class HeightField:
    """A surface of corners (corners, 3), Z up, and triangles (triangles, 3) of them; `name` is what refusals call it."""

    def __init__(self, corners: npt.ArrayLike, triangles: npt.ArrayLike, name: str = "ground"):
        self.corners = np.asarray(corners, dtype=np.float64)
        self.triangles = triangles = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
        a, b, c = (self.corners[triangles[:, corner]] for corner in range(3))
        area = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
        lying = np.abs(area) > FLAT * max(float(np.abs(area).sum()), FLAT)
        if not lying.any():
            raise Refusal(f"{name}: the mesh has no face that anything could stand on")
        if not np.isfinite(self.corners).all():
            raise Refusal(f"{name}: the mesh has corners that are nowhere")
        self.start, self.sides = a[lying], np.stack([b - a, c - a], axis=1)[lying]
        self.area = area[lying]
        self.low, self.high = self._bounds()

    def raised(self, height: float) -> "HeightField":
        """The same surface higher by so much."""
        return HeightField(self.corners + np.array([0.0, 0.0, height]), self.triangles)

    def heights(self, places: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """How high the surface is over places (..., 2), and which of them are over it at all."""
        places = np.asarray(places, dtype=np.float64)
        flat = places.reshape(-1, 2)
        found = self._over(flat)
        outside = np.isnan(found)
        if outside.any():
            found[outside] = self._rim[1][self._rim[0].query(flat[outside])[1]]
        return found.reshape(places.shape[:-1]), ~outside.reshape(places.shape[:-1])

    def _over(self, places):
        """The highest triangle over each place (places, 2), NaN where there is none."""
        starts, owners = self._cells
        cell = np.floor((places - self.low) / self.size).astype(np.int64)
        inside = ((cell >= 0) & (cell < self.count)).all(axis=1)
        number = np.where(inside, cell[:, 0] * self.count[1] + cell[:, 1], 0)
        here, end = starts[number], np.where(inside, starts[number + 1], starts[number])
        found, rows = np.full(len(places), -np.inf), np.arange(len(places))
        while (more := here < end).any():
            rows, here, end = rows[more], here[more], end[more]
            triangle = owners[here]
            away = places[rows] - self.start[triangle, :2]
            first, second = self.sides[triangle, 0], self.sides[triangle, 1]
            u = (away[:, 0] * second[:, 1] - away[:, 1] * second[:, 0]) / self.area[triangle]
            v = (first[:, 0] * away[:, 1] - first[:, 1] * away[:, 0]) / self.area[triangle]
            over = (u >= -RIM) & (v >= -RIM) & (u + v <= 1.0 + RIM)
            height = self.start[triangle, 2] + u * first[:, 2] + v * second[:, 2]
            found[rows] = np.where(over, np.maximum(found[rows], height), found[rows])
            here = here + 1
        return np.where(np.isfinite(found), found, np.nan)

    def _bounds(self):
        """Where each triangle is between, seen from above; the cells that all of it is parted into."""
        corners = np.stack([self.start, self.start + self.sides[:, 0], self.start + self.sides[:, 1]])[..., :2]
        self.between = corners.min(axis=0), corners.max(axis=0)
        low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        across = int(np.clip(np.sqrt(len(self.start)), 1, CELLS))
        self.count = np.array([across, across])
        self.size = np.maximum(high - low, 1e-12) * (1.0 + 1e-9) / across
        return low, high

    @cached_property
    def _cells(self):
        """For each cell the triangles that may be over it: where they begin in a list (cells + 1,), and that list."""
        first, last = (np.clip((ends - self.low) // self.size, 0, self.count - 1).astype(np.int64) for ends in self.between)
        wide = last - first + 1
        owners = np.repeat(np.arange(len(first)), wide.prod(axis=1))
        step = np.arange(len(owners)) - np.repeat(np.cumsum(wide.prod(axis=1)) - wide.prod(axis=1), wide.prod(axis=1))
        cells = first[owners] + np.stack([step // wide[owners, 1], step % wide[owners, 1]], axis=1)
        numbers = cells[:, 0] * self.count[1] + cells[:, 1]
        order = np.argsort(numbers, kind="stable")
        return np.searchsorted(numbers[order], np.arange(self.count.prod() + 1)), owners[order]

    @cached_property
    def _rim(self):
        """The corners of what lies, seen from above, to be asked which is nearest, and their heights."""
        corners = np.concatenate([self.start, self.start + self.sides[:, 0], self.start + self.sides[:, 1]])
        return scipy.spatial.cKDTree(corners[:, :2]), corners[:, 2]
