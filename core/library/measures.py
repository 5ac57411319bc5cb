# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures: what words can be asked for, measured from the features of a take, several times a second.

Nobody types labels: how fast, how far round, how high, hands above the head, how lively, and whether it comes round again.
"""

from typing import NamedTuple

import numpy as np

from ..numeric import scipy
from .alike import moments, shown
from .features import AIR, COLUMNS, PLANTED, POSE, RATE

EVERY = 4  # rows between two moments that are kept
SPAN = 1.0  # seconds over which speed and turn are taken
LOWEST = 0.2  # legs: hips that never are higher do not stand at all
FLIGHT = 1.0  # seconds: who is off the ground for longer stands on something higher
SHORTEST, LONGEST = 0.4, 2.5  # seconds of a cycle
ROUND = 0.4  # seconds that must come again, and not a pose alone
STILL = 0.05  # legs: what moves less than that comes round by standing still


class Measure(NamedTuple):
    """A word that can be asked for, its unit and what it says."""

    name: str
    unit: str
    text: str


MEASURES = (
    Measure("speed", "m/s", "How fast the hips get on over the ground"),
    Measure("turn", "°/s", "How fast the body turns, to either side"),
    Measure("jump", "m", "How far the hips are above where they are in standing, in the air"),
    Measure("hands", "", "How many hands are above the head"),
    Measure("energy", "m/s", "How fast head, hands and feet move beside the hips, on average"),
    Measure("loops", "", "How little is left until it comes round again: 0 not at all, 1 a perfect cycle"),
    Measure("hips", "", "How high the hips are, of what they are in standing: 0.5 and less is sitting"),
    Measure("steps", "", "How many times a foot strikes"),
)
NAMES = tuple(measure.name for measure in MEASURES)


def measured(features):
    """Measures (moments, measures) of every so manieth row."""
    values, leg = features.values, features.leg
    if not len(values):
        return np.zeros((0, len(MEASURES)), np.float32)
    size = max(1, round(SPAN * RATE))
    way = scipy.ndimage.uniform_filter1d(travelled(values), size, axis=0, mode="nearest")
    standing = standing_height(features)
    columns = (
        np.linalg.norm(way[:, :2], axis=1) * leg,
        np.degrees(np.abs(way[:, 2])),
        jumps(features, standing) * leg,
        above_head(values),
        energy(values) * leg,
        comes_round(features),
        values[:, 0] / max(standing, LOWEST),
    )
    kept = np.stack(columns, axis=1)[::EVERY]
    return np.column_stack([kept, strikes(features, len(kept))]).astype(np.float32)


def travelled(values):
    """Steps over the ground in directions that stay, and turns, (rows, 3): their means are the straight way that is made."""
    heading = np.cumsum(values[:, POSE + 2]) / RATE
    steps = (values[:, POSE] + 1j * values[:, POSE + 1]) * np.exp(1j * heading)
    return np.stack([steps.real, steps.imag, values[:, POSE + 2]], axis=1)


def standing_height(features):
    """How high the hips are above the ground in standing, in legs: nearly the highest that they are with a foot down."""
    down = features.marks & AIR == 0
    return float(np.percentile(features.values[down if down.any() else slice(None), 0], 90))


def jumps(features, standing):
    """How high the hips are above standing, in legs, all through every time in the air: its highest."""
    values = features.values
    flights, count = scipy.ndimage.label(features.marks & AIR > 0)
    if not count:
        return np.zeros(len(values))
    lasting = np.bincount(flights.ravel())[1:] / RATE
    highest = scipy.ndimage.maximum(values[:, 0] - standing, flights, np.arange(1, count + 1))
    return np.append(0.0, np.where(lasting < FLIGHT, np.maximum(highest, 0.0), 0.0))[flights]


def above_head(values):
    head = values[:, COLUMNS.index("head_z")]
    return sum((values[:, COLUMNS.index(f"{side}_hand_z")] > head).astype(float) for side in ("left", "right"))


def energy(values):
    """How fast the places of the body move beside the hips, the mean of all of them over a moment."""
    if len(values) < 2:
        return np.zeros(len(values))
    places = values[:, COLUMNS.index("head_x") : POSE].reshape(len(values), -1, 3)
    speeds = np.linalg.norm(np.gradient(places, axis=0) * RATE, axis=2).mean(axis=1)
    return scipy.ndimage.uniform_filter1d(speeds, round(0.5 * RATE), mode="nearest")


def comes_round(features):
    """How nearly what is done now is done again a cycle later, (rows,): 1 less what is left of the way that lies between."""
    rows = moments(features)
    shortest, longest, span = (round(seconds * RATE) for seconds in (SHORTEST, LONGEST, ROUND))
    longest = min(longest, len(rows) - span - 1)
    result = np.zeros(len(rows))
    if longest < shortest:
        return result
    apart = np.full((longest + 1, len(rows)), np.inf)
    for lag in range(1, longest + 1):
        gap = ((rows[lag:] - rows[:-lag]) ** 2).sum(axis=1)
        sums = np.convolve(gap, np.full(span, 1.0 / span), "valid")
        apart[lag, : len(sums)] = sums
    farthest = np.where(np.isfinite(apart[1:]), apart[1:], 0.0).max(axis=0)
    nearest = apart[shortest:].min(axis=0)
    moves = farthest > (STILL / shown(1.0)) ** 2
    result[moves] = 1.0 - np.sqrt(np.minimum(nearest[moves] / farthest[moves], 1.0))
    return result


def strikes(features, count):
    """How many feet strike in the rows of each moment, (moments,)."""
    result = np.zeros(count)
    for mark in PLANTED.values():
        down = (features.marks & mark > 0).astype(np.int8)
        np.add.at(result, np.flatnonzero(np.diff(down) > 0) // EVERY, 1.0)
    return result
