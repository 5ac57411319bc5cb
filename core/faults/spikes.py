# SPDX-License-Identifier: GPL-3.0-or-later
"""Spikes: single frames, or very few, in which a bone is somewhere else and then back, as no body moves.

Every short run of frames is left out and drawn through its neighbours. It is a spike if all around becomes smooth by that, as
it does not for a blow or a kick, however fast; and if it was farther out than frames of this bone are from their neighbours
here (a Hampel test with the median around) and anywhere (the tail of the whole take). What a body could do in so little time
must become smooth to a hair, or to what it trembles by anyway. The clearest are taken first, mended, and the rest is looked at
again.
"""

from functools import lru_cache

import numpy as np

from ..numeric import scipy
from ..numeric.vectors import length
from .jitter import noise_of

SMOOTH, HAIR = 0.12, 0.08  # of how rough it is with the run: how rough it may be without
TREMBLING = 3.0  # times as rough as noise leaves it at the median: what is smoother may be noise
HERE, ANYWHERE = 4.0, 2.9  # times the median of what frames are out around, and times the tail of what they are at all
TAIL = 80  # percent
AROUND, TOUCHED = 0.15, 2  # seconds on each side, and frames on each side that a spike brings out too
LONGEST = 0.025  # seconds
PASSES = 20
APART = 6  # frames: no two of one pass are closer


def spikes(tracks, fps, sensitivity=1.0):
    """First row, end row, track and size of every spike of some tracks, and which cells (frames, tracks) are wrong."""
    values, wrong, found = np.array(tracks.values), np.zeros(tracks.values.shape[1:], dtype=bool), []
    if values.shape[1] < 5:
        return found, wrong
    widths = range(1, max(1, round(LONGEST * fps)) + 1)
    noise = noise_of(tracks, fps)[0]
    for _ in range(PASSES):
        best, width, size = clearest(tracks, values, widths, fps, sensitivity, noise)
        peaks = (best > 0.0) & (best == scipy.ndimage.maximum_filter1d(best, 2 * APART + 1, axis=0))
        if not peaks.any():
            break
        for row, track in np.argwhere(peaks):
            end = row + width[row, track]
            wrong[row:end, track] = True
            found.append((int(row), int(end), int(track), float(size[row, track])))
            here = values[:, row - 1, track, None]
            ways = tracks.way(np.repeat(here, 4, axis=1), values[:, [row - 2, row - 1, end, end + 1], track])
            values[:, row:end, track] = tracks.gone(np.repeat(here, end - row, axis=1), ways @ through(end - row).T)
    return found, wrong


def clearest(tracks, values, widths, fps, sensitivity, noise):
    """How much smoother it gets (frames, tracks) without the run that begins in each row, how long that is, how far out.

    `noise` (frames, tracks) is how much each trembles anyway.
    """
    shape = values.shape[1:]
    best, width, size = np.zeros(shape), np.ones(shape, dtype=int), np.zeros(shape)
    for wide in widths:
        rows = shape[0] - wide - 3
        if rows < 1:
            break
        rough, left, least, most, back = without(tracks, values, wide, rows)
        if wide == 1:
            limit = limits(tracks, least, shape, fps) / sensitivity
        out = least > limit[2 : 2 + rows]
        able = least < tracks.fastest / (2.0 * fps * fps)
        able_at_all = least < tracks.fastest / (4.0 * fps * fps)
        calm = np.clip(TREMBLING * left_by_noise(wide) * np.square(noise[2 : 2 + rows]), HAIR * rough, SMOOTH * rough)
        smooth = left < np.where(able, calm, SMOOTH * rough)
        gain = np.where(out & smooth & back & ~able_at_all, (rough - left) / np.sqrt(wide), 0.0)
        better = gain > best[2 : 2 + rows]
        for whole, own in ((best, gain), (width, wide), (size, most)):
            whole[2 : 2 + rows][better] = own if np.isscalar(own) else own[better]
    return best, width, size


def without(tracks, values, wide, rows):
    """How rough it is around each run of so many frames, how rough without it, how far its frames are out at least and at
    most, and whether after it the bone is back where it was: otherwise it is a jump."""
    here = values[:, 1 : 1 + rows]
    way = {step: tracks.way(here, values[:, 2 + step : 2 + step + rows]) for step in range(-2, wide + 2)}
    ends = [way[step] for step in (-2, -1, wide, wide + 1)]
    drawn = {step: sum(share * end for share, end in zip(shares, ends)) for step, shares in enumerate(through(wide))}
    out = [length(way[step] - drawn[step]) for step in range(wide)]
    least = np.min(out, axis=0)
    gone = way[wide] - 0.5 * (wide + 1.0) * (way[wide + 1] - way[wide] - way[-2])  # but for what it would have gone anyway
    return rough(way, wide), rough({**way, **drawn}, wide), least, np.max(out, axis=0), length(gone) < least


def rough(way, wide):
    return sum(np.square(way[at - 1] - 2.0 * way[at] + way[at + 1]).sum(axis=0) for at in range(-1, wide + 1))


def limits(tracks, out, shape, fps):
    """How far out a frame must be (frames, tracks) to be a spike, from how far out (frames - 4, tracks) single ones are."""
    reach = min(max(6, round(AROUND * fps)), (len(out) - 1) // 2)
    beside = np.abs(np.arange(-reach, reach + 1))[:, None] > TOUCHED
    here = scipy.ndimage.median_filter(out, footprint=beside if beside.any() else ~beside, mode="nearest")
    anywhere = np.percentile(out, TAIL, axis=0)
    limit = np.maximum(np.maximum(HERE * here, ANYWHERE * anywhere), tracks.least)
    return np.pad(limit, ((2, shape[0] - len(limit) - 2), (0, 0)), mode="edge")


@lru_cache(maxsize=8)
def left_by_noise(wide):
    """How rough noise of 1 in each of three numbers leaves it around a run of frames that is drawn through the others."""
    drawn = np.eye(wide + 4)
    drawn[2:-2] = 0.0
    drawn[2:-2, [0, 1, -2, -1]] = through(wide)
    return 3.0 * np.square(np.diff(drawn, 2, axis=0)).sum()


def through(wide):
    """Shares (wide, 4) of two frames before and two after in the cubic through them, at the frames between."""
    at = np.array([-2.0, -1.0, wide, wide + 1.0])
    return np.array(
        [
            [np.prod([(row - at[other]) / (at[own] - at[other]) for other in range(4) if other != own]) for own in range(4)]
            for row in range(wide)
        ]
    )
