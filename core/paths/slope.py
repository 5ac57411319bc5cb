# SPDX-License-Identifier: GPL-3.0-or-later
"""Slope: the ground that a path makes where it goes up and down: how high it is under each foot, and how it leans there.

A foot stands where it is put, not where the hips are: on a slope of ten degrees that is centimetres. The ground is as high
everywhere as the path is beside it, and goes on evenly under feet that are still before its start or already beyond its end.
"""

import numpy as np

from ..numeric import rotation
from ..numeric.height_field import HeightField
from ..numeric.vectors import cross, turned, unit

AHEAD = 1.5  # metres before and behind the figure within which the path passes its feet
NEAR = 0.05  # metres on each side over which the lean is taken
STEPS = 61  # places that are looked at there, before it is told between them


def ribbon(curve, height):
    """The ground of a curve as a surface, as high as the curve and so much more, a way to each side of it."""
    along = np.arange(-AHEAD, curve.length + AHEAD, NEAR)
    places, headings = curve.at(along)
    ends = np.clip(along, 0.0, curve.length)
    slopes = [(curve.at(np.array([NEAR]))[0] - curve.at(np.zeros(1))[0])[0, 2] / NEAR]
    slopes += [(curve.at(np.array([curve.length]))[0] - curve.at(np.array([curve.length - NEAR]))[0])[0, 2] / NEAR]
    places[:, 2] += height + (along - ends) * np.where(along < 0.0, *slopes)
    aside = AHEAD * np.column_stack([-np.sin(headings), np.cos(headings), np.zeros_like(headings)])
    first = 2 * np.arange(len(along) - 1)[:, None]
    corners = np.stack([places - aside, places + aside], axis=1).reshape(-1, 3)
    return HeightField(corners, np.concatenate([first + [0, 1, 2], first + [1, 3, 2]]))


class Slope:
    """The ground of a curve under a figure that is so far along it, `distances` (frames,), in an armature or the world."""

    def __init__(self, curve, distances, world, up):
        self.curve, self.distances, self.world, self.up = curve, distances, world, up
        self.scale = np.cbrt(abs(np.linalg.det(world[:3, :3])))
        self.under = self._height(distances)
        self.inside = (distances >= 0.0) & (distances <= curve.length)

    def at(self, points):
        """How much higher the ground is under points (3, frames) than under the figure, and turns (4, frames) to its lean."""
        along = self._nearest((points.T @ self.world[:3, :3].T + self.world[:3, 3])[:, :2])
        on = np.where(self.inside, along.clip(0.0, self.curve.length), along)
        headings = self.curve.at(on)[1]
        before, after = on - NEAR, on + NEAR
        before, after = (np.where(self.inside, ends.clip(0.0, self.curve.length), ends) for ends in (before, after))
        way = self.curve.at(after)[0] - self.curve.at(before)[0]
        rise = way[:, 2] / np.hypot(*way[:, :2].T)
        height = self._height(on) + (along - on) * rise
        ahead = np.stack([np.cos(headings), np.sin(headings), np.zeros_like(headings)])
        ahead = unit(np.linalg.solve(self.world[:3, :3], ahead))
        turns = rotation.exp(unit(cross(ahead, self.up[:, None])) * np.arctan(rise))
        return (height - self.under) / self.scale, turns

    def onto(self, level):
        """A function that puts a foot (3, frames), which stands on ground of one height, onto the slope: where it is to be
        while the figure itself stays as high as it is, and how it is turned (4, frames)."""
        up = self.up[:, None]

        def foot(end, place):
            below = place - up * (self.up @ place - level)
            higher, turns = self.at(below)
            return below + up * higher + turned(turns, place - below), turns

        return foot

    def _height(self, along):
        return self.curve.at(along)[0][:, 2]

    def _nearest(self, places):
        """How far along the curve it passes places (frames, 2), near the figure."""
        offsets = np.linspace(-AHEAD, AHEAD, STEPS)
        found = self.distances
        for width in (1.0, 2.0 / (STEPS - 1)):
            tried = found[:, None] + width * offsets
            there = self.curve.at(tried.ravel())[0][:, :2].reshape(*tried.shape, 2)
            apart = np.square(there - places[:, None]).sum(axis=2)
            index = apart.argmin(axis=1).clip(1, STEPS - 2)
            before, middle, after = (apart[np.arange(len(index)), index + step] for step in (-1, 0, 1))
            bend = before - 2.0 * middle + after
            fraction = np.where(bend > 0.0, 0.5 * (before - after) / np.where(bend > 0.0, bend, 1.0), 0.0).clip(-1.0, 1.0)
            found = found + width * (offsets[index] + fraction * (offsets[1] - offsets[0]))
        return found
