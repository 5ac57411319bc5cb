# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of a mix with takes of other figures: on the ground, and in place where they are in all of the takes.

Legs that are bent halfway between two poses do not reach halfway between two heights. So feet come as high over the ground of
the first take as they are in the takes over theirs, by weight; and where they stand in all that are heard they are held.
"""

import numpy as np

from ..body.contacts import find_footing
from ..body.figure import Legs, walks
from ..body.roles import find_roles
from ..body.roles_by_shape import SIDES
from ..numeric.smoothing import runs
from .feet import FootHeights, lowest
from .foreign import Brought

HEARD = 1e-3  # of all weights: what is less does not count
LONG = 0.1  # seconds that feet stand


def feet_among(clip, surroundings):
    """A function from names and clips of a mix to what puts its feet on the ground, where takes of other figures are in it."""
    others, walking = surroundings.takes, surroundings.feet != "FREE" and walks(clip, surroundings.skeleton)

    def feet(names, clips):
        foreign = isinstance(others, Brought) and any(others.foreign(name) for name in names)
        return Standing(clips, surroundings.skeleton) if walking and foreign else None

    return feet


class Standing:
    """Takes of one figure, opened once: how high their feet are, and when they stand."""

    def __init__(self, clips, skeleton):
        self.skeleton, figure = skeleton, Legs(skeleton, find_roles(skeleton))
        self.points = [point for point, foot in zip(figure.points, figure.on_foot) if foot]
        self.heights, self.downs = [], []
        for clip in clips:
            contacts, ground = find_footing(clip, skeleton, find_roles(skeleton))
            places = figure.places(clip)[0]
            self.heights.append({side: lowest(places, figure, side) - ground for side in SIDES})
            self.downs.append({point: rows_down(contacts.get(point, ()), clip) for point in self.points})
            self.ground = ground if len(self.heights) == 1 else self.ground

    def __call__(self, clip, times, shares):
        """A mix that shows each take at its `times` (takes, frames), in rows, by its shares (takes, frames or 1), with its
        feet on the ground."""
        shares = np.broadcast_to(shares, times.shape)
        shares = shares / np.where(shares.sum(axis=0) > HEARD, shares.sum(axis=0), 1.0)
        heard = shares > HEARD
        if not heard[1:].any():
            return clip
        heights = {
            side: sum(
                share * np.interp(rows, range(len(own[side])), own[side])
                for share, rows, own in zip(shares, times, self.heights)
            )
            for side in SIDES
        }
        contacts, held = {}, {}
        for point in self.points:
            down = [
                own[point][np.clip(np.rint(rows).astype(int), 0, len(own[point]) - 1)] for rows, own in zip(times, self.downs)
            ]
            stands = np.all(np.array(down) | ~heard, axis=0)
            for found, rows in ((contacts, stands), (held, stands & (heard.sum(axis=0) > 1))):
                long = [(first, last) for first, last in runs(rows) if last - first + 1 >= LONG * clip.fps]
                found[point] = [[clip.first_frame + first, clip.first_frame + last] for first, last in long]
        return FootHeights(self.ground, heights, contacts, held)(clip, self.skeleton)


def rows_down(intervals, clip):
    """When a point stands, (frames,)."""
    down = np.zeros(clip.frames, dtype=bool)
    for first, last in intervals:
        down[first - clip.first_frame : last - clip.first_frame + 1] = True
    return down
