# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves to walk along: where they are and which way they lead, by the distance that was walked (Gleicher 2001, 3.1 and 4.1).

A curve is plain data in world metres with Z up: {"control": [[x, y, z], ...]}, the control points of a clamped uniform cubic
B-spline, or {"points": [[x, y, z], ...]}, points that the curve passes through. It leads along its tangent on the ground,
which stays what it was where the curve stands still or goes straight up. Beyond its ends it goes on straight.
"""

from functools import lru_cache

import numpy as np

from ..numeric import scipy
from ..numeric.refusal import Refusal

DEGREE = 3
PER_CONTROL, PER_POINT = 64, 8  # samples of the curve
STILL = 1e-6  # of the fastest: slower than that it leads nowhere
SHORTEST, NOWHERE = 1e-6, 1e-12  # metres, and of a curve's length


class PathCurve:
    """A curve by samples of its parameter from 0 to 1: points (samples, 3) and their derivatives."""

    def __init__(self, parameters, points, derivatives):
        speeds = np.linalg.norm(derivatives, axis=1)
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        along = np.concatenate([[0.0], np.cumsum(steps)])
        self.length, self._parameters = float(along[-1]), parameters
        self._lengths = scipy.interpolate.CubicHermiteSpline(parameters, along, speeds)
        headings = led(derivatives)
        moving = np.concatenate([[True], steps > NOWHERE * self.length])
        ways = derivatives[moving] / np.maximum(speeds[moving], STILL * speeds.max())[:, None]
        self._places = scipy.interpolate.CubicHermiteSpline(along[moving], points[moving], ways)
        self._along, self._headings = along[moving], headings[moving]

    def along(self, parameters):
        """How far along the curve parameters (moments,) are, in metres."""
        return self._lengths(parameters)

    def parameters(self, gone):
        """The parameters at which such parts of the curve's length, from 0 to 1, are gone."""
        return np.interp(gone * self.length, self.along(self._parameters), self._parameters)

    def evenly(self, gone):
        """Places and headings where such parts of the curve's length, from 0 to 1, are gone."""
        return self.at(gone * self.length)

    def at(self, along):
        """Places (moments, 3) and headings (moments,) in radians so far along the curve."""
        on = np.clip(along, 0.0, self.length)
        headings = np.interp(on, self._along, self._headings)
        beyond = (along - on)[:, None] * np.column_stack([np.cos(headings), np.sin(headings), np.zeros_like(headings)])
        return self._places(on) + beyond, headings


def read_curve(name, data, flat=True):
    """The curve that plain data stands for, or a Refusal that says under this name why it is none.

    A `flat` one stays on the ground and its heights count for nothing.
    """
    kinds = [kind for kind in CURVES if kind in data]
    if len(data) != 1 or not kinds:
        raise Refusal(f"{name}: {shortened(data)} is no JSON object with 'control' or with 'points'")
    points = checked(name, data[kinds[0]])
    if flat:
        points = points * (1.0, 1.0, 0.0)
    if np.ptp(points[:, :2], axis=0).max() < SHORTEST:
        raise Refusal(f"{name}: the curve has no length on the ground, so that it leads nowhere")
    return CURVES[kinds[0]](points)


def checked(name, points):
    """Points (points, 3) of a list, or a Refusal."""
    if isinstance(points, (list, tuple)) and len(points) == 0:
        raise Refusal(f"{name}: the curve is empty")
    try:
        result = np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        result = np.empty(0)
    if result.ndim != 2 or result.shape[1] != 3 or not np.isfinite(result).all():
        raise Refusal(f"{name}: {shortened(points)} is no list of points [x, y, z]")
    if len(result) < 2:
        raise Refusal(f"{name}: the curve is a single point, so that it leads nowhere")
    return result


def shortened(data):
    text = repr(data)
    return text if len(text) < 60 else text[:56] + " ..."


def spline(control):
    """The curve of control points (points, 3)."""
    parameters, values, derivatives = samples(len(control))
    return PathCurve(parameters, values @ control, derivatives @ control)


def through(points):
    """The curve that passes through points (points, 3), straight where they are in line."""
    points = points[np.concatenate([[True], np.linalg.norm(np.diff(points, axis=0), axis=1) > SHORTEST])]
    if len(points) == 2:
        return spline(points)
    chords = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    curve = scipy.interpolate.Akima1DInterpolator(chords / chords[-1], points)
    parameters = np.interp(np.arange(PER_POINT * (len(points) - 1) + 1) / PER_POINT, np.arange(len(points)), curve.x)
    return PathCurve(parameters, curve(parameters), curve(parameters, 1))


CURVES = {"control": spline, "points": through}


@lru_cache(maxsize=16)
def samples(count):
    """Parameters from 0 to 1, and what every control point counts there (samples, count), as such and in the derivative."""
    parameters = np.linspace(0.0, 1.0, PER_CONTROL * count + 1)
    whole = basis(count)
    return parameters, whole(parameters), whole.derivative()(parameters)


def basis(count):
    """What every one of so many control points counts at a parameter, as a function of it."""
    degree = min(DEGREE, count - 1)
    inner = np.linspace(0.0, 1.0, count - degree + 1)
    return scipy.interpolate.BSpline(np.concatenate([[0.0] * degree, inner, [1.0] * degree]), np.eye(count), degree)


def led(derivatives):
    """Headings (samples,) in radians, whole turns counted; where nothing moves on the ground, on the way between its
    neighbours."""
    ahead, aside, _ = derivatives.T
    speeds = np.hypot(ahead, aside)
    moving = np.flatnonzero(speeds > STILL * speeds.max())
    return np.interp(np.arange(len(speeds)), moving, np.unwrap(np.arctan2(aside[moving], ahead[moving])))
