# SPDX-License-Identifier: GPL-3.0-or-later
"""Footprints: where feet stand while they are planted, and how far they slide there."""

from dataclasses import dataclass

import numpy as np

from .figure import FEET


@dataclass(frozen=True, eq=False)
class Footprint:
    """One stand of a foot: where heel and toe are on the whole, (3,) in the world, and how far either strays, in metres."""

    foot: str
    first: int
    last: int
    heel: np.ndarray
    toe: np.ndarray
    slide: float
    strayed: np.ndarray  # the way (rows, 3) of the point that slides most, while it is planted


def footprints(figure, places, contacts, first_frame):
    """The footprints of points (frames, points, 3) of a figure that stand as contacts say, {point: [[first, last], ...]}."""
    columns = dict(zip(figure.points, np.moveaxis(places, 1, 0)))
    found = []
    for foot, points in FEET.items():
        if not all(point in columns for point in points):
            continue
        plants = [(point, *rows_of(span, first_frame, len(places))) for point in points for span in contacts.get(point, ())]
        for first, last in stands(plants):
            here = [(columns[point][start:end], point) for point, start, end in plants if first <= start and end <= last]
            heel, toe = (
                middle([way for way, name in here if name == point] or [columns[point][first:last]]) for point in points
            )
            most = max((way for way, _ in here), key=stray)
            found.append(Footprint(foot, first_frame + first, first_frame + last - 1, heel, toe, stray(most), most))
    return found


def rows_of(span, first_frame, frames):
    """Rows of a contact as start and end, those that there are."""
    start = min(max(0, span[0] - first_frame), frames - 1)
    return start, min(max(start + 1, span[1] - first_frame + 1), frames)


def stands(plants):
    """Spans (start, end) of rows in which heel or toe is planted."""
    result = []
    for start, end in sorted((start, end) for _, start, end in plants):
        if result and start <= result[-1][1]:
            result[-1][1] = max(end, result[-1][1])
        else:
            result.append([start, end])
    return result


def middle(ways):
    return np.median(np.concatenate(ways), axis=0)


def stray(way):
    """The largest distance over the ground from where a way is on the whole."""
    return float(np.linalg.norm(way[:, :2] - np.median(way[:, :2], axis=0), axis=1).max())
