# SPDX-License-Identifier: GPL-3.0-or-later
"""Balance: the zero-moment point of a body, the ground that it stands on, and the shift that brings the one onto the other.

The zero-moment point is where the ground's push goes through; a body that stands cannot push outside its feet. How far its
centre of mass must be shifted for that point to move is a linear equation in time, solved at once for a whole take (Shin, Kovar
and Gleicher 2003, closed form): c - h c'' = d, h being how high the centre of mass is over how hard it pushes.
"""

from itertools import combinations

import numpy as np

from ..numeric import scipy
from .flights import GRAVITY, LEG, accelerations

STEADY = 0.08  # seconds over which masses are smoothed before they are differentiated twice
WIDTH = 0.05  # metres for a leg of 82 cm: how far beyond the line from heel to ball a foot carries
HEEL, TOES = 0.04, 0.06  # metres for such a leg: how far a foot goes on behind the heel's point and beyond the ball
ROLLS = 0.06  # seconds that a foot carries before and after it stands still
WITHIN = 0.5  # of that: where the zero-moment point is brought to
LIGHT = 0.3  # of gravity: who pushes less does not stand
RETURN = 0.6  # seconds over which a shift is forgotten where nothing asks for it


def zero_moment(points, masses, fps, ground):
    """The zero-moment point (frames, 2) of masses at points (parts, frames, 3), how high the centre is over how hard it pushes
    (frames,), and whether it pushes at all."""
    points = np.ascontiguousarray(points.transpose(0, 2, 1))
    calm = scipy.ndimage.gaussian_filter1d(points, max(STEADY * fps, 0.5), axis=2, mode="nearest")
    rates = accelerations(calm.T, fps).T
    heights, pushes = calm[:, 2] - ground, rates[:, 2] + GRAVITY
    push = masses @ pushes
    standing = push > LIGHT * GRAVITY
    push = np.maximum(push, LIGHT * GRAVITY)
    moments = np.einsum("p,pif->fi", masses, pushes[:, None] * calm[:, :2] - rates[:, :2] * heights[:, None])
    return moments / push[:, None], masses @ heights / push, standing


def support(places, downs, points):
    """How far points (frames, 2) are outside the hull of what is down, and the nearest places in it.

    `places` (frames, corners, 2) and `downs` (frames, corners) say what is down; nothing is outside where nothing is. All is
    worked out in the complex plane, (..., frames).
    """
    rows, corners = np.arange(len(downs)), downs.shape[1]
    places, points = as_complex(places).T, as_complex(points)
    spots = np.where(downs.T, places, places[np.argmax(downs, axis=1), rows])
    ones, others = np.triu_indices(corners)
    found = on_segment(points, spots[ones], spots[others])
    away = np.abs(points - found)
    best = away.argmin(axis=0)
    triangles = np.array(list(combinations(range(corners), 3)), dtype=int).reshape(-1, 3)
    still = in_triangle(points, *(spots[each] for each in triangles.T)).any(axis=0) | ~downs.any(axis=1)
    nearest = np.where(still, points, found[best, rows])
    return np.where(still, 0.0, away[best, rows]), np.stack([nearest.real, nearest.imag], axis=1)


def as_complex(places):
    """Places (..., 2) as complex numbers."""
    return places[..., 0] + 1j * places[..., 1]


def soles(places, leg):
    """Corners (frames, corners, 2) of feet, heel and ball in turn, out to where heels and toes end."""
    heel, ball = places[:, ::2], places[:, 1::2]
    ahead = ball - heel
    ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=2, keepdims=True), 1e-9) * leg / LEG
    result = np.array(places)
    result[:, ::2], result[:, 1::2] = heel - HEEL * ahead, ball + TOES * ahead
    return result


def carrying(downs, fps):
    """When corners (frames, corners) carry: while they are down, and a moment before and after."""
    return scipy.ndimage.binary_dilation(downs, np.ones((2 * round(ROLLS * fps) + 1, 1)))


def on_segment(points, start, end):
    """The nearest places on segments."""
    way = end - start
    along = ((points - start) * way.conj()).real / np.maximum((way * way.conj()).real, 1e-12)
    return start + np.clip(along, 0.0, 1.0) * way


def in_triangle(points, *corners):
    """Whether points lie in triangles that have an area."""
    sides = [cross(after - before, points - before) for before, after in zip(corners, (*corners[1:], corners[0]))]
    area = np.abs(cross(corners[1] - corners[0], corners[2] - corners[0])) > 1e-9
    return area & (np.all([side >= 0 for side in sides], axis=0) | np.all([side <= 0 for side in sides], axis=0))


def cross(a, b):
    return (a.conj() * b).imag


def wanted_moves(zero, places, downs, leg):
    """How far the zero-moment point (frames, 2) is out of the support, in metres, and the way (frames, 2) to within it."""
    width = WIDTH * leg / LEG
    away, nearest = support(places, downs, zero)
    back = (zero - nearest) / np.maximum(away, 1e-9)[:, None]
    inside = nearest + back * np.minimum(away, WITHIN * width)[:, None]
    return np.maximum(away - width, 0.0), np.where((away > WITHIN * width)[:, None], inside - zero, 0.0)


def centre_shift(moves, arm, asked, fps):
    """The shift c (frames, 2) of the centre of mass with c - h c'' = d, where that is asked; elsewhere it is let go."""
    frames = len(moves)
    stiff = np.where(asked, arm, RETURN**2) * fps**2
    matrix = np.zeros((3, frames))
    matrix[0, 1:], matrix[2, :-1] = -stiff[:-1], -stiff[1:]
    matrix[1] = 1.0 + 2.0 * stiff
    matrix[1, 0] -= stiff[0]
    matrix[1, -1] -= stiff[-1]
    return scipy.linalg.solve_banded((1, 1), matrix, np.where(asked[:, None], moves, 0.0), check_finite=False)
