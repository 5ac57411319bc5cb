# SPDX-License-Identifier: GPL-3.0-or-later
"""Flights: when nothing of a figure touches the ground, and how its centre of mass should go then.

A flight lies between contacts, with both feet off the ground. Its own acceleration says when it begins and ends: as long as
the ground still pushes, a body does not fall. How a captured body falls is not quite how the masses of a table say; what a take
shows of that is kept, and gravity is what it should be.
"""

import numpy as np

from ..numeric import scipy
from ..numeric.frozen import frozen

GRAVITY = 9.81
SHORTEST = 0.1  # seconds that a flight lasts
OFF = 0.025  # metres for a leg of 82 cm: how high both feet get in a flight
FALLING = 0.5  # of gravity: what accelerates less is still carried
MOSTLY = 0.5  # of a time without contacts that a body falls, for that to say when the flight is
HOLE = 0.05  # seconds: as long a flight may seem to be interrupted
CARRIED, THROWN = 0.4, 3.0  # of gravity: who falls slower sits, hangs or is carried, and nobody falls faster
STEADY = 0.012  # seconds over which acceleration is looked at
LIKE = 0.2  # of gravity: a take that falls so nearly right was captured
NEAR = 0.015  # of gravity: what is so near is right
ARC = 0.006  # metres: so is one whose arc is so nearly right, short as it is
DETAIL = 0.015  # metres: how far from a parabola a captured body may seem to be
LEG = 0.82


@frozen
class Flight:
    """First and last row of a flight, and how its centre of mass should accelerate there, (rows, 3)."""

    first: int
    last: int
    wanted: np.ndarray

    @property
    def rows(self):
        return slice(self.first, self.last + 1)


@frozen
class FoundFlights:
    """The flights of a take, and those that are none to be mended, as (row, why)."""

    flights: tuple
    broken: tuple


def find_flights(contacts, places, centre, clip, leg, edited=True):
    """The flights of a take: places (frames, points, 3) of feet, and the centre of mass (frames, 3), in the world.

    What was captured and not `edited` since falls as that body did, whatever the table of masses says.
    """
    frames, fps = clip.frames, clip.fps
    down = np.zeros(frames, dtype=bool)
    for intervals in contacts.values():
        for first, last in intervals:
            down[max(0, first - clip.first_frame) : max(0, last - clip.first_frame + 1)] = True
    heights = places[..., 2].min(axis=1)
    ground = np.median(heights[down]) if down.any() else heights.min()
    falls = smoothed(accelerations(centre[:, 2], fps), fps) < -FALLING * GRAVITY
    edges = np.flatnonzero(np.diff(down.astype(np.int8), prepend=1, append=1))
    flights, broken, fast = [], [], []
    for first, end in zip(edges[::2], edges[1::2]):
        high = heights[first:end] - ground
        if end - first < round(SHORTEST * fps) or high.max() < OFF * leg / LEG:
            continue
        for start, last in in_the_air(centre[first:end], falls[first:end], high, leg, fps):
            start, last = first + start, first + last
            falling = gravity_of(centre[start : last + 1], fps)
            if falling > THROWN * GRAVITY:
                fast.append((falling, start))
            elif start == 0 or last == frames - 1:
                broken.append((start, "has no take-off" if start == 0 else "has no landing"))
            else:
                flights.append(Flight(start, last, wanted(centre[start : last + 1], fps, leg, edited)))
    if fast:
        falling, start = max(fast)
        times = np.sqrt(falling / GRAVITY)
        broken.insert(0, (start, f"falls at {falling:.0f} m/s², as in a take that is played {times:.1f} times too fast"))
    return FoundFlights(tuple(flights), tuple(broken))


def in_the_air(centre, falls, high, leg, fps):
    """First and last row of each flight in a time without contacts.

    Where all of it falls, one. Else somebody is carried, or stands where nobody saw it: then, what falls as gravity says, or
    faster than anything could.
    """
    fewest, hole, off = max(round(SHORTEST * fps), 4), max(1, round(HOLE * fps)), OFF * leg / LEG
    (first, last), longest = borders(falls, high, off, hole)
    if last - first + 1 >= fewest and gravity_of(centre[first : last + 1], fps) > CARRIED * GRAVITY:
        return [longest] if longest[1] - longest[0] + 1 >= fewest else []
    return [
        (start, end - 1)
        for start, end in runs(falls, hole)
        if end - start >= fewest and high[start:end].max() > off and falls_freely(centre[start:end], fps, leg)
    ]


def borders(falls, high, off, hole):
    """First and last row of a flight in a time without contacts, first as all of it together and then the longest time in it:
    while the body falls, or while feet are off the ground.

    They differ where a step that is too quick to be seen as a contact comes before a jump, and where a body is carried.
    """
    up = falls if falls.mean() > MOSTLY else high > 0.4 * off
    rows = np.flatnonzero(up)
    first, end = max(runs(up, hole), key=lambda run: run[1] - run[0], default=(0, 0))
    return ((int(rows[0]), int(rows[-1])) if len(rows) else (0, -1)), (first, end - 1)


def runs(up, hole):
    """First row and end row of each time that something lasts, but for holes."""
    up = scipy.ndimage.binary_closing(np.pad(up, hole), np.ones(hole + 1))[hole : hole + len(up)]
    edges = np.flatnonzero(np.diff(up.astype(np.int8), prepend=0, append=0))
    return [(int(first), int(end)) for first, end in zip(edges[::2], edges[1::2])]


def wanted(centre, fps, leg, edited):
    """How a centre of mass (rows, 3) should accelerate: as gravity says, and beside that as a captured take shows it."""
    own = accelerations(centre, fps)
    fit, off = parabola(centre, fps)
    wrong, long = abs(-fit[2] - GRAVITY), len(centre) / fps
    near = wrong < LIKE * GRAVITY or wrong * long**2 / 16.0 < ARC * leg / LEG
    captured = near and np.abs(off).max() < DETAIL * leg / LEG
    if captured and not edited:
        return own
    fall = np.clip(-fit[2], (1.0 - NEAR) * GRAVITY, (1.0 + NEAR) * GRAVITY) if captured else GRAVITY
    return (own - fit if captured else np.zeros_like(own)) + (0.0, 0.0, -fall)


def falls_freely(centre, fps, leg):
    """Whether a centre of mass (rows, 3) falls as gravity says, by itself; or would, if it were not played too fast."""
    fit, off = parabola(centre, fps)
    return -fit[2] > THROWN * GRAVITY or abs(-fit[2] - GRAVITY) < LIKE * GRAVITY and np.abs(off).max() < DETAIL * leg / LEG


def parabola(centre, fps):
    """The accelerations (3,) of the parabolas that a centre of mass (rows, 3) follows best, and how far it is from them."""
    times = np.arange(len(centre)) / fps
    shapes = np.vander(times - times.mean(), 3)
    found = np.linalg.lstsq(shapes, centre, rcond=None)[0]
    return 2.0 * found[0], centre - shapes @ found


def gravity_of(centre, fps):
    """With which gravity a centre of mass (rows, 3) falls."""
    return float(-parabola(centre, fps)[0][2])


def accelerations(track, fps):
    """Accelerations of a track (frames, ...), those of the ends as beside them."""
    inner = np.diff(track, 2, axis=0) * fps**2
    return np.concatenate([inner[:1], inner, inner[-1:]]) if len(inner) else np.zeros_like(track)


def smoothed(values, fps):
    return scipy.ndimage.gaussian_filter1d(values, max(STEADY * fps, 0.5), axis=0, mode="nearest")
