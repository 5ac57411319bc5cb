# SPDX-License-Identifier: GPL-3.0-or-later
"""Find: the stretches of a library that are most like a stretch of motion, or like a pose.

First all moments of the library are held against some moments of the query, at three paces, as one product of matrices; what is
near by that is held against all of the query by dynamic time warping. Both times the mirror is tried too. Place and heading are
not in the features, so that they make no difference.
"""

from itertools import islice, zip_longest
from typing import NamedTuple

import numpy as np

from ..numeric import scipy
from ..numeric.refusal import Refusal
from .alike import mirrored, moments, poses, shown
from .measures import EVERY
from .subsequence import best_parts

MOMENTS = 12  # of the query that are held against everything
PACES = (0.82, 1.0, 1.22)
NEAR = 1000  # moments that are looked at again, at each pace
BESIDE = 2  # moments next to which one is the best of its kind
CLOSE = 200  # stretches that are held against all of the query
LONGEST = 90  # rows of a query: of a longer one every so manieth
SLACK = 8  # rows before and after where a stretch should be
SAME = 0.5  # of the shorter: stretches that share more are one


class Hit(NamedTuple):
    """A stretch that was found: whose, its first and last frame, in the mirror or not, and how far from what was asked."""

    path: str
    figure: str
    first: int
    last: int
    mirrored: bool
    distance: float  # metres that places of the body are apart, on average; of words how far beyond them
    take: int = -1  # its number in the library


def find_like(library, query, count=20, mirror=True):
    """The stretches most like a query, Features of at least two rows, the most alike first."""
    if query.rows < 2:
        raise Refusal("frames: a stretch of one frame is a pose; search for the pose, or take more frames")
    check(library)
    rows = moments(query)
    sides = (False, True) if mirror else (False,)
    asked = {side: mirrored(rows) if side else rows for side in sides}
    near = [(cost, start, span, side) for side in sides for cost, start, span in near_stretches(library, asked[side])]
    chosen = apart(library, sorted(near))
    if not chosen:
        raise Refusal(f"frames: no take of the library is as long as what is looked for, {query.rows / 30:.1f} s")
    return distinct(closely(library, asked, chosen, query), count)


def find_pose(library, query, count=20, mirror=True):
    """The moments most like a pose: Features, of which the first row is looked at."""
    check(library)
    row = poses(query)[:1]
    hits = []
    for side in (False, True) if mirror else (False,):
        asked = mirrored(row) if side else row
        size = int(np.flatnonzero(asked[0]).max(initial=0)) + 1
        gap = library.moments[:, :size] - asked[:, :size]
        nearest = best_rows(np.einsum("rn,rn->r", gap, gap), CLOSE)
        library.fetch({int(library.take[start]) for start in nearest})
        for start in nearest:
            index = int(library.take[start])
            features = library.features(index)
            middle = EVERY * int(start - library.starts[index])
            around = slice(max(0, middle - EVERY), middle + EVERY + 1)
            costs = ((poses(features)[around] - asked) ** 2).sum(axis=1)
            frame = features.frame(around.start + int(costs.argmin()))
            hits.append(hit(library, index, frame, frame, side, costs.min(), query.leg))
    return distinct(hits, count, round(0.5 * 30))


def check(library):
    if not library.entries:
        raise Refusal(f"{library.path.parent}: its index has no takes in it")


def near_stretches(library, rows):
    """(cost, first moment, how many) of stretches that are near a query by some of its moments, at one pace or another."""
    picked = np.unique(np.linspace(0, len(rows) - 1, min(MOMENTS, 1 + len(rows) // EVERY)).round().astype(int))
    asked = rows[picked].astype(np.float32)
    apart = (-2.0 * asked) @ library.moments.T  # in place from here on: it is as large as the library
    apart += library.squares
    apart += np.einsum("an,an->a", asked, asked)[:, None]
    apart[:, 1:] = np.minimum(apart[:, 1:], apart[:, :-1])  # a moment between two is near one of them
    total = len(library.moments)
    last = library.starts[1:][library.take] - 1
    found = []
    for pace in PACES:
        offsets = np.ceil(pace * (picked - picked[0]) / EVERY).astype(int)
        span = int(offsets[-1])
        if span >= total:
            continue
        cost = np.zeros(total - span, np.float32)
        for line, offset in zip(apart, offsets):
            cost += line[offset : total - span + offset]
        cost /= len(offsets)
        cost[np.arange(total - span) + span > last[: total - span]] = np.inf
        lowest = scipy.ndimage.minimum_filter1d(cost, 2 * BESIDE + 1, mode="nearest") == cost
        found += [(float(cost[start]), int(start), span) for start in best_rows(np.where(lowest, cost, np.inf), NEAR)]
    return found


def best_rows(costs, count):
    """The indices of the lowest, at most so many, those that are infinite left out."""
    lowest = np.argpartition(costs, count)[:count] if len(costs) > count else np.arange(len(costs))
    return lowest[np.isfinite(costs[lowest])]


def apart(library, near):
    """Of stretches, the best first, which are looked at closely: (first moment, how many, side), none beside a better one.

    These are the best of all, and then the best of every take, so that one of many alike does not hide the others.
    """
    chosen, rounds, taken = [], {}, {}
    for _, start, span, side in near:
        take = int(library.take[start])
        others = taken.setdefault((take, side), [])
        if all(abs(start - other) > max(1, span // 4) for other in others):
            others.append(start)
            if len(chosen) < CLOSE // 2:
                chosen.append((start, span, side))
            else:
                rounds.setdefault(take, []).append((start, span, side))
    rest = (each for together in zip_longest(*rounds.values()) for each in together if each)
    return chosen + list(islice(rest, CLOSE - len(chosen)))


def closely(library, asked, chosen, query):
    """Hits: stretches held against all rows of a query."""
    every = max(1, -(-query.rows // LONGEST))
    rows = {side: each[::every] for side, each in asked.items()}
    slack = SLACK + query.rows // 8
    library.fetch({int(library.take[start]) for start, _, _ in chosen})
    parts = []
    for start, span, side in chosen:
        index = int(library.take[start])
        there = library.close(index)
        first = max(0, EVERY * int(start - library.starts[index]) - slack)
        end = min(len(there), EVERY * int(start + span - library.starts[index]) + slack + 1)
        parts.append((index, side, first, there[first:end:every]))
    costs = np.full((len(parts), query.rows if every == 1 else len(rows[False]), max(len(part[3]) for part in parts)), np.inf)
    for row, (_, side, _, there) in enumerate(parts):
        costs[row, :, : len(there)] = scipy.spatial.distance.cdist(rows[side], there, "sqeuclidean")
    return [
        hit(
            library,
            index,
            library.features(index).frame(first + every * begin),
            library.features(index).frame(first + every * end),
            side,
            cost,
            query.leg,
        )
        for (index, side, first, _), cost, begin, end in zip(parts, *best_parts(costs))
        if np.isfinite(cost)
    ]


def hit(library, index, first, last, side, cost, leg):
    entry = library.entries[index]
    return Hit(entry.path, entry.figure, first, last, side, shown(cost, leg), index)


def distinct(hits, count, near=0):
    """Hits in order, the most alike first, without those that are mostly the same frames as a better one."""
    kept, taken = [], {}
    for one in sorted(hits, key=lambda each: each.distance):
        others = taken.setdefault(one.take, [])
        if all(not same(one, other, near) for other in others):
            others.append(one)
            kept.append(one)
            if len(kept) == count:
                break
    return kept


def same(one, other, near):
    shared = min(one.last, other.last) - max(one.first, other.first) + 1
    return shared > (SAME * min(one.last - one.first + 1, other.last - other.first + 1) if not near else -near)
