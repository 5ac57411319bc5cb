# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths made of paths: straight, mirrored, leading to a given place, or pulled by handles that lie on them. Control points
(points, 3) in, control points out."""

import numpy as np

from .curve import basis, led, samples, spline

FEWEST = 6  # control points that a path needs to bend towards a place without swinging
CLOSED = 0.2  # of its length: a path that ends so near to its start has no direction of its own


def straightened(control):
    """A straight path of the same length and with the same timing, the way that the path leads on the whole."""
    control = np.asarray(control, dtype=np.float64)
    legs = np.linalg.norm(np.diff(control[:, :2], axis=0), axis=1)
    gone = np.concatenate([[0.0], np.cumsum(legs)])
    length = spline(control * (1.0, 1.0, 0.0)).length
    way = control[-1, :2] - control[0, :2]
    if np.linalg.norm(way) < CLOSED * length:
        way = direction(ends(control)[0])
    result = control.copy()
    result[:, :2] = control[0, :2] + np.outer(gone * length / gone[-1], way / np.linalg.norm(way))
    return result


def mirrored(control):
    """The path that starts the same way and then turns right wherever it turned left."""
    control = np.asarray(control, dtype=np.float64)
    ahead = direction(ends(control)[0])
    mirror = 2.0 * np.outer(ahead, ahead) - np.eye(2)
    result = control.copy()
    result[:, :2] = control[0, :2] + (control[:, :2] - control[0, :2]) @ mirror.T
    return result


def ended(control, place, heading=None):
    """The path that starts as it does and ends at a place (x, y), leading in a heading in radians, or as it did if None."""
    control = refined(np.asarray(control, dtype=np.float64))
    heading = ends(control)[1] if heading is None else heading
    share = np.linspace(0.0, 1.0, len(control)) ** 2
    result = control.copy()
    result[:, :2] += np.outer(share * (3.0 - 2.0 * np.sqrt(share)), np.asarray(place, dtype=np.float64)[:2] - control[-1, :2])
    result[-2, :2] = result[-1, :2] - direction(heading) * np.linalg.norm(result[-1, :2] - result[-2, :2])
    return result


def handles(control):
    """Points (points, 3) on the path, one for each control point, where that counts most."""
    return basis(len(control))(averages(len(control))) @ np.asarray(control, dtype=np.float64)


def pulled_to(control, index, place):
    """The path whose handle at an index is at a place (3,): it goes exactly as far as it is pulled."""
    result = np.array(control, dtype=np.float64)
    weight = basis(len(result))(averages(len(result))[index])[index]
    result[index] += (np.asarray(place) - handles(result)[index]) / weight
    return result


def turned(control, angle):
    """The path turned about its start, in radians."""
    result = np.array(control, dtype=np.float64)
    (x, y), (across, up) = direction(angle), direction(angle + 0.5 * np.pi)
    result[:, :2] = result[0, :2] + (result[:, :2] - result[0, :2]) @ np.array([(x, y), (across, up)])
    return result


def faced(control, heading):
    """The path that ends where it does, leading in a heading in radians."""
    result = np.array(control, dtype=np.float64)
    result[-2, :2] = result[-1, :2] - direction(heading) * np.linalg.norm(result[-1, :2] - result[-2, :2])
    return result


def with_handles(control, count):
    """The same path with so many control points, as nearly as these can."""
    parameters, values, _ = samples(len(control))
    result = np.linalg.lstsq(basis(count)(parameters), values @ np.asarray(control, dtype=np.float64), rcond=None)[0]
    result[0], result[-1] = control[0], control[-1]
    return result


def averages(count):
    """The parameters where so many control points each count most (Greville 1967)."""
    curve = basis(count)
    return np.array([curve.t[index + 1 : index + curve.k + 1].mean() for index in range(count)])


def refined(control):
    """The same curve with at least as many control points as it needs to be bent."""
    return control if len(control) >= FEWEST else with_handles(control, FEWEST)


def ends(control):
    """The headings in radians at the start and at the end of a path."""
    headings = led(samples(len(control))[2] @ control)
    return headings[0], headings[-1]


def direction(heading):
    return np.array([np.cos(heading), np.sin(heading)])
