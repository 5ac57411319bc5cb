# SPDX-License-Identifier: GPL-3.0-or-later
"""Time spent where it is seen least: a take made longer or shorter, its timing learnt from an example (Hsu, da Silva and
Popovic 2007, guided time warping for motion editing).

Slowed or hurried, a moment moves at other speeds and with other accelerations. What that costs is how far these are from those
of moments of the example that look alike, so that holds cost little and a swing costs much. One pass of dynamic programming
over the paces that are allowed finds the cheapest way through the take for each of a row of prices of time; dearer time makes a
shorter take. The prices are tried once: every length in between lies between two of them.
"""

import numpy as np

from ..numeric import scipy

STEP = 1.0 / 30.0  # seconds of the take that have one pace
PACES = 15  # from the slowest to the fastest
PRICES = np.concatenate([-np.geomspace(100.0, 0.01, 20), [0.0], np.geomspace(0.01, 100.0, 20)])
LIKE = 8  # moments of the example that look most alike, of which the nearest counts
STEADY = 0.05  # seconds over which speeds are looked at
SMOOTH = 0.08  # seconds over which paces are smoothed out
CHANGE = 0.02  # what a change of pace costs beside what is seen of it, as a fraction of how much the take moves on the whole
TURN = 0.3  # what it costs that a pace is another from one step to the next
OWN = 0.1  # how much the take's own timing counts beside that of an example


class SeenTake:
    """What is seen at every step of a take: poses, speeds and pulls (steps, numbers), all in one unit.

    `points` (frames, numbers) are poses and then speeds, as the distance made in so many seconds as `moment` says.
    """

    def __init__(self, points, fps, moment):
        points = scipy.ndimage.gaussian_filter1d(points, STEADY * fps, axis=0, mode="nearest")
        poses, speeds = np.split(points, 2, axis=1)
        pulls = np.gradient(speeds, axis=0) * (moment * fps)
        self.moment, self.last = moment, len(points) - 1.0
        self.ends = np.linspace(0.0, self.last, max(2, round(self.last / (STEP * fps)) + 1))
        rows = 0.5 * (self.ends[1:] + self.ends[:-1])
        before = np.minimum(rows.astype(int), len(points) - 2)
        fraction = (rows - before)[:, None]
        self.poses, self.speeds, self.pulls = (
            (1.0 - fraction) * values[before] + fraction * values[before + 1] for values in (poses, speeds, pulls)
        )

    @property
    def size(self):
        """How much there is to be seen on the whole."""
        return float(np.mean(dot(self.speeds, self.speeds) + dot(self.pulls, self.pulls)))


class Spending:
    """The ways through a take, from the shortest to the longest, each the cheapest of its length."""

    def __init__(self, take, slowest, fastest, example=None):
        self.take = take
        self.paces = paces_between(slowest, fastest)
        size = max(take.size, 1e-12)
        costs = costs_of(take, take, np.arange(len(take.poses))[:, None], self.paces) / size
        if example is not None:
            costs = OWN * costs + costs_of(take, example, alike(take, example), self.paces) / size
        logs = np.log(self.paces)
        costs += CHANGE * np.square(logs)[:, None] + TURN * np.square(logs - logs[:, None])
        self.ways = np.log(self.paces)[cheapest(costs, 1.0 / self.paces, PRICES)]
        width = SMOOTH / STEP
        self.ways = scipy.ndimage.gaussian_filter1d(self.ways, width, axis=1, mode="nearest")
        self.lengths = np.array([self.lasts(way).sum() for way in self.ways])
        order = np.argsort(self.lengths, kind="stable")
        self.natural = float(self.lengths[PRICES == 0.0][0])  # where time costs nothing
        self.ways, self.lengths = self.ways[order], self.lengths[order]

    def lasts(self, way):
        """How many frames each step lasts, by the logarithms of its paces."""
        return np.diff(self.take.ends) * np.exp(-way)

    def bounds(self):
        """The fewest and the most frames that it can last."""
        return self.lengths[0], self.lengths[-1]

    def way(self, frames):
        """The way (steps,) that lasts so many frames, between the two that are nearest to it."""
        after = int(np.clip(np.searchsorted(self.lengths, frames), 1, len(self.lengths) - 1))
        one, other = self.ways[after - 1], self.ways[after]
        if self.lengths[after] - self.lengths[after - 1] < 1e-9:
            return one

        def off(fraction):
            return self.lasts(one + fraction * (other - one)).sum() - frames

        fraction = scipy.optimize.brentq(off, 0.0, 1.0) if off(0.0) * off(1.0) < 0.0 else float(abs(off(1.0)) < abs(off(0.0)))
        return one + fraction * (other - one)


def paces_between(slowest, fastest):
    """Paces from the slowest to the fastest, the take's own among them."""
    below = max(2, round(PACES * np.log(slowest) / np.log(slowest / fastest))) if slowest < 1.0 else 1
    above = max(2, PACES - below) if fastest > 1.0 else 1
    return np.unique(np.concatenate([np.geomspace(slowest, 1.0, below), np.geomspace(1.0, fastest, above)]))


def costs_of(take, example, moments, paces):
    """What each step of a take costs at a pace, the next being another (steps, paces, paces).

    `moments` (steps, moments) are those of the example that it may be like; the likest counts.
    """
    speeds, pulls = example.speeds[moments], example.pulls[moments]
    own, own_pulls = take.speeds[:, None], take.pulls[:, None]
    change = paces[:, None] * (paces - paces[:, None]) * (take.moment / STEP)
    pace = np.broadcast_to(paces[:, None], change.shape)

    def wide(products):
        return products[..., None, None]

    still = wide(dot(speeds, speeds) + dot(pulls, pulls))
    along, across = wide(dot(own, own)), wide(dot(own, own_pulls))
    costs = (
        still
        + along * (pace**2 + change**2)
        + wide(dot(own_pulls, own_pulls)) * pace**4
        + 2.0 * across * pace**2 * change
        - 2.0 * pace * wide(dot(own, speeds))
        - 2.0 * pace**2 * wide(dot(own_pulls, pulls))
        - 2.0 * change * wide(dot(own, pulls))
    )
    return np.maximum(costs.min(axis=1), 0.0) / paces[:, None]


def alike(take, example):
    """For each step of a take the moments (steps, moments) of an example that look most like it, and move the same way."""
    usual = [max(np.sqrt(np.mean(dot(seen.speeds, seen.speeds))), 1e-12) for seen in (take, example)]
    ways = [np.hstack([seen.poses, seen.speeds * (usual[0] / own)]) for seen, own in zip((take, example), usual)]
    count = min(LIKE, len(ways[1]))
    return scipy.spatial.cKDTree(ways[1]).query(ways[0], count)[1].reshape(len(ways[0]), count)


def cheapest(costs, lasts, prices):
    """The paces (prices, steps), by their index, of the cheapest way at each price of time."""
    dear = np.multiply.outer(prices, lasts)
    total, chosen = np.zeros_like(dear), []
    for ways in costs[:-1]:
        ways = (total + dear)[:, :, None] + ways
        chosen.append(ways.argmin(axis=1))
        total = ways.min(axis=1)
    total += dear + np.diagonal(costs[-1])
    rows, now = np.arange(len(prices)), total.argmin(axis=1)
    result = [now]
    for before in reversed(chosen):
        now = before[rows, now]
        result.append(now)
    return np.array(result[::-1]).T


def dot(one, other):
    return np.einsum("...n,...n->...", one, other)
