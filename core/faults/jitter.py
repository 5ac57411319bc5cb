# SPDX-License-Identifier: GPL-3.0-or-later
"""Jitter: how much a bone trembles from frame to frame, where, and the same without it.

Noise changes its mind every frame: neighbouring accelerations are opposed, by four times its variance, while those of a body
go on. What is left of a take without it is a noise gate in bands, an octave each: a band is let through as far as there is
more in it, around each moment, than noise would be. It opens for fast motion: where an octave below swings far, what is above
belongs to it. Nothing is delayed, and a blow keeps its speed.
"""

from functools import lru_cache

import numpy as np

from ..numeric import scipy
from ..numeric.vectors import length

WINDOW, FEWEST = 0.8, 31  # seconds and frames over which noise is measured
TREMBLES, WANDERS = 1.0 / 12.0, 0.25  # of what is seen at all, half a degree or 4 mm: less is not worth a word
OPPOSED, STILL_OPPOSED = 0.4, 0.15  # of neighbouring accelerations: less is motion (noise alone has two thirds)
BRIDGED, SHORTEST, FEW = 1.0, 0.25, 24  # seconds between stretches that are one, seconds and frames of the shortest
KERNEL = (1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16)  # B3 spline
LOWEST = 2.0  # Hz: slower is no tremble
SURE = 2.5  # times the variance of noise that must be there to be let through
BELOW = 0.3  # of what swings an octave lower: motion that belongs to it
MOMENT = 0.7  # of a band's own period over which it is looked at


def noise_of(tracks, fps):
    """The deviation (frames, tracks) of noise of each of three numbers, and how opposed accelerations are."""
    steps = tracks.way(tracks.values[:, :-1], tracks.values[:, 1:])
    bends = np.diff(steps, axis=1)
    if bends.shape[1] < 5:
        return np.zeros(tracks.values.shape[1:]), np.zeros(tracks.values.shape[1:])
    window = min(max(FEWEST, round(WINDOW * fps) | 1), bends.shape[1] - 2)
    opposed = -np.einsum("cft,cft->ft", bends[:, 1:], bends[:, :-1])
    most = 4.0 * scipy.ndimage.median_filter(np.abs(opposed), size=(window, 1), mode="nearest")
    power = np.minimum(np.square(length(bends))[1:], 2.0 * most)
    opposed, power = (mean(each, window) for each in (np.clip(opposed, -most, most), power))
    share = opposed / np.maximum(power, 1e-30)
    return tuple(np.pad(each, ((1, 2), (0, 0)), mode="edge") for each in (np.sqrt(np.maximum(opposed, 0.0) / 12.0), share))


def mean(values, window):
    return scipy.ndimage.uniform_filter1d(values, window, axis=0, mode="nearest")


def jitters(tracks, fps):
    """First row, end row, track and size of every stretch that trembles, and the noise (frames, tracks) in them."""
    noise, opposed = noise_of(tracks, fps)
    least = (TREMBLES if tracks.turning else WANDERS) * tracks.least
    sure, still = (((noise > least) & (opposed > limit)) for limit in (OPPOSED, STILL_OPPOSED))
    found = []
    for track in np.flatnonzero(sure.any(axis=0)):
        rows = scipy.ndimage.binary_propagation(sure[:, track], mask=still[:, track])
        rows |= scipy.ndimage.binary_closing(rows, np.ones(max(3, round(BRIDGED * fps)) | 1))
        edges = np.flatnonzero(np.diff(rows.astype(np.int8), prepend=0, append=0))
        for first, end in zip(edges[::2], edges[1::2]):
            if end - first >= max(SHORTEST * fps, FEW):
                first, end = first if first > BRIDGED * fps else 0, end if end < len(rows) - BRIDGED * fps else len(rows)
                found.append((int(first), int(end), int(track), float(np.median(noise[first:end, track]))))
    return found, noise


def calmed(signals, noise, fps):
    """Signals (frames, tracks, size) without noise of a deviation (frames, tracks)."""
    levels = max(1, int(np.ceil(np.log2(fps / (2.0 * LOWEST)))))
    levels = min(levels, int(np.log2(max(2, (len(signals) - 1) / 2))))
    shares, bands, low = white(levels), [], signals
    for level in range(levels):
        slower = smoothed(low, level)
        bands.append(low - slower)
        low = slower
    below = np.zeros(noise.shape)
    for level in reversed(range(levels)):
        band, variance = bands[level], np.square(noise * shares[level])
        moment = MOMENT * 2.0 ** (level + 1)
        energy = around(np.square(band).mean(axis=2), moment) + BELOW * below
        open_ = np.clip(1.0 - SURE * variance / np.maximum(energy, 1e-30), 0.0, 1.0)
        power = around(np.square(open_[..., None] * band).mean(axis=2), 0.5 * moment) + BELOW * below
        open_ = np.where(variance > 0.0, power / np.maximum(power + variance, 1e-30), 1.0)
        low = low + open_[..., None] * band
        below = np.maximum(energy - SURE * variance, 0.0)
    return low


def around(values, deviation):
    return scipy.ndimage.gaussian_filter1d(values, deviation, axis=0, mode="nearest")


def smoothed(signals, level):
    """Signals without their band of this level, ends turned over so that they go on as fast as they were."""
    step = 2**level
    wide = np.pad(signals, ((2 * step, 2 * step), *((0, 0),) * (signals.ndim - 1)), mode="reflect", reflect_type="odd")
    return sum(share * wide[index * step : index * step + len(signals)] for index, share in enumerate(KERNEL))


@lru_cache(maxsize=16)
def white(levels):
    """The deviations that white noise of 1 has in each band."""
    rest, shares = np.zeros(2 ** (levels + 4) + 1), []
    rest[len(rest) // 2] = 1.0
    for level in range(levels):
        low = smoothed(rest, level)
        shares.append(float(np.sqrt(np.square(rest - low).sum())))
        rest = low
    return shares
