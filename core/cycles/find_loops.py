# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops: which stretches of a take could be repeated (Molnos 2010, 4.1; the distance is that of Kovar et al. 2002).

A stretch can be repeated if the figure is at its end as it was at its start, in pose and in speed, and above all if the
pelvis is as high over the foot that bears it, else closing the loop would make it limp. How far it is from that
counts against how much it moves on the way, so that standing still is no loop. Of a figure that makes steps it must hold as
many of the left foot as of the right; of two that are as good the shorter is the better.
"""

import numpy as np

from ..body.contacts import events, stand
from ..body.figure import LEGS, Legs
from ..body.roles import find_roles
from ..mixing.transitions import APART_SECONDS, SPEED_SECONDS, moments
from ..motion.ground import Ground
from ..numeric import scipy
from ..numeric.frozen import frozen
from ..numeric.vectors import distances as squared_distances

COARSE = 30.0  # moments a second among which loops are looked for, before the best are placed exactly
FEWEST_STEPS = 2  # of each foot: who makes fewer is not walking
BEARING = 7.0  # how much more the height of the pelvis over the feet counts than that of any joint
WORST_GAP = 0.6  # of what moves in a loop: whose end is farther from its start repeats badly
STILL = 1e-9  # what moves less than this does not move


@frozen
class FoundLoop:
    """Frames from and to which a take repeats itself, and how far it is from doing so.

    `gap` is that distance as a part of how much moves in the loop; `distance` is in metres, or in the chart's units.
    """

    first: int
    last: int
    gap: float
    distance: float


@frozen
class LoopMap:
    """Gaps (starts, ends) of all stretches, infinite where there can be no loop, the frames that they belong to, and the
    best loops, best first: to be drawn and chosen from."""

    gaps: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    best: tuple


def find_loops(clip, surroundings, shortest=0.4, longest=3.0, count=10):
    """Find the stretches of a take that repeat best, between so many seconds long, as a map and a ranked list."""
    ground = Ground([clip], surroundings.skeleton)
    points, steps = moments(clip, ground, surroundings.skeleton), None
    roles = find_roles(surroundings.skeleton).table() if surroundings.skeleton is not None else {}
    if roles and all(roles[segment] for segment in LEGS):
        bearing, steps = footing(clip, surroundings.skeleton)
        points = np.hstack([points, bearing])
    stride = max(1, round(clip.fps / COARSE))
    rows = np.arange(0, clip.frames, stride)
    limits = (shortest * clip.fps, longest * clip.fps)
    score, gaps, _ = compared(points, steps, rows, rows, limits)
    apart = 2 * max(1, round(APART_SECONDS * clip.fps / stride)) + 1
    lowest = (scipy.ndimage.minimum_filter(score, size=apart, mode="nearest") == score) & np.isfinite(score)
    starts, ends = np.nonzero(lowest)
    order = np.argsort(score[starts, ends], kind="stable")[:count]
    found = [refined(clip, points, steps, rows[starts[index]], rows[ends[index]], stride, limits) for index in order]
    best = tuple(loop for _, loop in sorted(found, key=lambda scored: scored[0]))
    return LoopMap(gaps, rows + clip.first_frame, rows + clip.first_frame, best)


def compared(points, steps, starts, ends, limits):
    """For pairs of rows (starts, ends): how they rank, their gaps, and their distances; infinite where there is no loop."""
    length = ends - starts[:, None]
    allowed = (length >= max(limits[0], 1.0)) & (length <= limits[1])
    if steps is not None:
        left, right = (count[ends] - count[starts][:, None] for count in steps)
        allowed &= (left == right) & (left > 0)
    apart = np.sqrt(np.maximum(squared_distances(points[starts], points[ends]), 0.0))
    gaps = apart / np.maximum(spread(points, starts, ends, length), STILL)
    score = gaps * np.sqrt(np.maximum(length, 1))
    return *(np.where(allowed, array, np.inf) for array in (score, gaps)), apart


def spread(points, starts, ends, length):
    """How far moments between rows are, on the whole, from their mean: from running sums of them and of their squares."""
    points = points - points.mean(axis=0)
    sums = np.concatenate([np.zeros((1, points.shape[1])), np.cumsum(points, axis=0)])
    squares = np.concatenate([[0.0], np.cumsum(np.sum(points**2, axis=1))])
    count = np.maximum(length, 1)
    total = squared_distances(sums[starts], sums[ends])
    return np.sqrt(np.maximum((squares[ends] - squares[starts][:, None]) / count - total / count**2, 0.0))


def footing(clip, skeleton):
    """How high the pelvis is over the lowest foot and how fast that changes, (frames, 2), as it counts among moments; and
    how often each foot has come down before every row, (feet, frames), or None where it makes no steps."""
    figure = Legs(skeleton, find_roles(skeleton))
    places, pelvis = figure.places(clip)
    high = (pelvis[:, 2] - places[:, figure.on_foot, 2].min(axis=1)) / np.linalg.norm(figure.world[2, :3])
    bearing = np.column_stack([high, 0.5 * SPEED_SECONDS * clip.fps * np.gradient(high)]) * BEARING
    steps = [foot["strikes"] for foot in events(stand(clip, figure, places, pelvis)[0], clip).values()]
    frames = np.arange(clip.first_frame, clip.last_frame + 1)
    walks = min(map(len, steps)) >= FEWEST_STEPS
    return bearing, np.array([np.searchsorted(strikes, frames) for strikes in steps]) if walks else None


def refined(clip, points, steps, start, end, stride, limits):
    """The best loop near two rows, with how it ranks."""
    starts, ends = (np.arange(max(row - stride, 0), min(row + stride, clip.frames - 1) + 1) for row in (start, end))
    score, gaps, apart = compared(points, steps, starts, ends, limits)
    row, column = np.unravel_index(np.argmin(score), score.shape)
    return float(score[row, column]), FoundLoop(
        int(clip.first_frame + starts[row]),
        int(clip.first_frame + ends[column]),
        float(gaps[row, column]),
        float(apart[row, column]),
    )
