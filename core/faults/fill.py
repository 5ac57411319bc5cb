# SPDX-License-Identifier: GPL-3.0-or-later
"""Fill: frames that are known to be wrong, drawn anew through those around them.

The smoothest way there is, of least jerk, through what is known on both sides (a quintic spline, Woltring 1986), which gives
way to the noise of single frames. Where there is too little on one side to tell how it went on, the nearest pose is held.
"""

from functools import lru_cache

import numpy as np

from .jitter import TREMBLES, noise_of

CARRIED, SHAKEN = 12.0, 7.0  # Hz: what is faster in the frames around is not carried on, less of it where they tremble
FEWEST, MORE = 5, 0.5  # known frames on each side, and as many more for each that is missing


def fill(tracks, bad, fps):
    """Values (4 or 3, frames, tracks) of tracks with those drawn anew where `bad` (frames, tracks) says so."""
    values = np.array(tracks.values)
    if not bad.any():
        return values
    shaken = np.median(noise_of(tracks, fps)[0], axis=0) > TREMBLES * tracks.least
    for index in np.flatnonzero(bad.any(axis=0)):
        column, cut = bad[:, index], SHAKEN if shaken[index] else CARRIED
        edges = np.flatnonzero(np.diff(column.astype(np.int8), prepend=0, append=0))
        for first, end in zip(edges[::2], edges[1::2]):
            values[:, first:end, index] = filled(tracks, values[:, :, index], column, int(first), int(end), fps / cut)
    return values


def filled(tracks, values, bad, first, end, period):
    """What belongs into rows first to end, from the rows around them that are not bad; `period` frames are carried on."""
    reach = FEWEST + int(np.ceil(MORE * (end - first)))
    start, stop = max(0, first - 2 * reach), min(len(bad), end + 2 * reach)
    known = np.flatnonzero(~bad[start:stop])
    before, after = known[known < first - start][-reach:], known[known >= end - start][:reach]
    if not len(before) and not len(after):
        return values[:, first:end]
    if len(before) < 2 or len(after) < 2:
        nearest = start + (before[-1] if len(before) else after[0])
        return np.repeat(values[:, nearest : nearest + 1], end - first, axis=1)
    low, high = int(before[0]), int(after[-1]) + 1
    used = np.concatenate([before, after])
    here = values[:, start + before[-1], None]
    ways = tracks.way(np.repeat(here, len(used), axis=1), values[:, start + used])
    weights = carried(tuple((used - low).tolist()), high - low, round(period, 3))
    rows = slice(first - start - low, end - start - low)
    drawn = ways @ weights[rows].T
    drawn = drawn + meeting(ways, weights, used - low, first - start - low, end - start - low)
    return tracks.gone(np.repeat(here, end - first, axis=1), drawn)


def meeting(ways, weights, used, first, end):
    """What is left at both ends between the smooth way and the frames that stay, half of it: neither jumps much."""
    left = (ways - ways @ weights[used].T)[:, [np.searchsorted(used, first) - 1, np.searchsorted(used, end)]]
    share = (np.arange(first, end) - first + 1.0) / (end - first + 1.0)
    return 0.5 * (left[:, :1] * (1.0 - share) + left[:, 1:] * share)


@lru_cache(maxsize=256)
def carried(known, rows, period):
    """The matrix (rows, known) that draws the smoothest way through what is known at some of the rows."""
    bend = np.diff(np.eye(rows), 3, axis=0)
    stiff = max((period / (2.0 * np.pi)) ** 6, 1e-6)
    weight = np.zeros(rows)
    weight[list(known)] = 1.0
    return np.linalg.solve(np.diag(weight) + stiff * bend.T @ bend, np.eye(rows)[:, list(known)])
