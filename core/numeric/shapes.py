# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes: functions from what a channel says to what it shall say (Bruderlin and Williams 1995, section 4).

Each maker takes the numbers that describe the shape and gives back a function on arrays of any size. All are continuous;
what is said of their slopes stands with each.
"""

from functools import partial

import numpy as np

from . import scipy
from .refusal import Refusal

STEEPEST = 1e9  # what no curve that is drawn rises by from one unit to the next, and a spline can still go through


def curve(points, steady=False):
    """A smooth curve through points (x, y): the natural cubic spline, straight on beyond its ends.

    A `steady` one is never above or below the points on either side (Fritsch and Carlson 1980), and flat between two that are
    at one height, where a spline swings.
    """
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1:] != (2,) or len(points) < 2:
        raise Refusal(f"points: {len(points)} given; a curve needs at least two")
    x, y = points[np.argsort(points[:, 0], kind="stable")].T
    if (np.diff(x) <= 0).any():
        raise Refusal(f"points: two stand at {x[:-1][np.diff(x) <= 0][0]:g}")
    steep = ~(np.abs(np.diff(y)) < STEEPEST * np.diff(x))
    if steep.any():
        raise Refusal(f"points: the curve from {x[:-1][steep][0]:g} to {x[1:][steep][0]:g} is too steep")
    through = scipy.interpolate.PchipInterpolator if steady else partial(scipy.interpolate.CubicSpline, bc_type="natural")
    spline = through(x, y)
    slopes = spline(x[[0, -1]], 1)

    def shape(value):
        inside = np.clip(value, x[0], x[-1])
        return spline(inside) + np.where(value < x[0], slopes[0], slopes[1]) * (value - inside)

    return shape


def hard_limit(low, high):
    """Nothing below low or above high."""
    check_limits(low, high)
    return lambda value: np.clip(value, low, high)


def soft_limit(low, high, softness):
    """As hard_limit, but approached ever more slowly within `softness` of a limit, with a slope that never jumps.

    Farther inside nothing changes. Softness is at most half of what lies between the limits.
    """
    check_limits(low, high)
    border = min(softness, 0.5 * (high - low))
    if border <= 0:
        return hard_limit(low, high)

    def shape(value):
        over, under = np.maximum(value - (high - border), 0.0), np.maximum(low + border - value, 0.0)
        bent = np.where(over > 0, high - border * np.exp(-over / border), value)
        return np.where(under > 0, low + border * np.exp(-under / border), bent)

    return shape


def compressor(center, threshold, ratio):
    """Beyond threshold from the center, `ratio` times as much is needed for the same way."""
    return around(center, lambda away: np.where(away > threshold, threshold + (away - threshold) / ratio, away))


def expander(center, threshold, ratio):
    """Beyond threshold from the center, every way is `ratio` times as long."""
    return around(center, lambda away: np.where(away > threshold, threshold + (away - threshold) * ratio, away))


def gate(center, threshold, ratio):
    """Within threshold of the center, small ways become smaller, the more so the higher the ratio; others stay."""

    def shrink(away):
        share = np.minimum(away / threshold, 1.0) if threshold > 0 else np.ones_like(away)
        return away * share ** (ratio - 1.0)

    return around(center, shrink)


def limiter(center, threshold, softness):
    """A soft limit at threshold on either side of the center."""
    return soft_limit(center - threshold, center + threshold, softness)


def around(center, away):
    """The same on both sides of a center: `away` maps distances to distances."""
    return lambda value: center + np.sign(value - center) * away(np.abs(value - center))


def check_limits(low, high):
    if not np.all(np.asarray(low) < np.asarray(high)):
        raise Refusal(f"limits: low {low:g} is not below high {high:g}")
