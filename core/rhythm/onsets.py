# SPDX-License-Identifier: GPL-3.0-or-later
"""Onsets: when something begins in a sound, from samples (samples,) or (samples, channels) to seconds.

How much louder the bands of a sound become from one moment to the next, each held against the loudest of its neighbours a
moment ago, so that a tone with vibrato begins only once (Boeck and Widmer 2013, after the spectral flux of Masri 1996). What is
found so is late by part of a window; each onset is then taken back to where the sound itself rises fastest.
"""

import numpy as np

from ..numeric import scipy
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal

HOP = 0.005  # seconds from one moment to the next
WINDOW = 0.032  # seconds
BANDS, LOWEST, HIGHEST = 60, 30.0, 10000.0  # Hz
LOUD = 30.0  # by how much quiet is heard beside loud
BEFORE = 2  # moments ago
AROUND, WAIT = 0.1, 0.05  # seconds around which an onset is the clearest, and between two of them
CLEAR = 0.12  # of the clearest onsets: what is less is none
EARLIER, LATER = 0.045, 0.03  # seconds within which a sound rises that is found to begin
RISE = 0.003  # seconds over which its loudness is taken
SHORTEST = 1.0  # seconds of a sound in which beats can be looked for


@frozen
class Envelope:
    """How much begins at each moment: values (moments,), `rate` of them a second, the first at `start` seconds."""

    values: np.ndarray
    rate: float
    start: float = 0.0

    def seconds(self, moments):
        return self.start + np.asarray(moments) / self.rate


def mono(samples, rate):
    """Samples of one channel as numbers between -1 and 1, or a Refusal that says why there is nothing to be heard."""
    samples = np.asarray(samples)
    if samples.ndim == 2:
        samples = samples.astype(np.float64).mean(axis=1)
    if samples.ndim != 1 or not np.isfinite(rate) or rate < 1000.0:
        raise Refusal(f"sound: samples of shape {samples.shape} at {rate:g} a second are no sound")
    samples = samples.astype(np.float64)
    if len(samples) < SHORTEST * rate:
        raise Refusal(f"sound: it lasts {len(samples) / rate:.2f} s, and beats cannot be told in less than {SHORTEST:g} s")
    if not np.isfinite(samples).all() or np.ptp(samples) < 1e-9:
        raise Refusal("sound: there is nothing to be heard in it")
    return (samples - samples.mean()) / np.abs(samples - samples.mean()).max()


def envelope(samples, rate):
    """How much begins at each moment of a sound (samples,) of one channel."""
    hop, window = max(1, round(HOP * rate)), max(16, round(WINDOW * rate))
    padded = np.pad(samples, window // 2)
    count = (len(padded) - window) // hop + 1
    frames = np.lib.stride_tricks.sliding_window_view(padded, window)[::hop][:count]
    bank, shape = filters(window, rate), np.hanning(window)
    loud = np.concatenate([np.abs(np.fft.rfft(some * shape)) @ bank for some in np.array_split(frames, max(1, count // 2000))])
    loud = np.log1p(LOUD * loud / max(loud.max(), 1e-12))
    before = scipy.ndimage.maximum_filter1d(loud, 3, axis=1)
    rise = np.maximum(loud[BEFORE:] - before[:-BEFORE], 0.0).sum(axis=1)
    rise = np.concatenate([np.zeros(BEFORE), rise])
    rate_ = rate / hop
    slow = scipy.ndimage.uniform_filter1d(rise, max(3, round(0.8 * rate_)))
    return Envelope(np.maximum(rise - 0.5 * slow, 0.0), rate_)


def filters(window, rate):
    """Triangles (bins, bands) that overlap, evenly on a scale of octaves."""
    bins = np.fft.rfftfreq(window, 1.0 / rate)
    edges = np.geomspace(LOWEST, min(HIGHEST, 0.45 * rate), BANDS + 2)
    rise = (bins[:, None] - edges[:-2]) / (edges[1:-1] - edges[:-2])
    fall = (edges[2:] - bins[:, None]) / (edges[2:] - edges[1:-1])
    bank = np.maximum(np.minimum(rise, fall), 0.0)
    nearest = np.abs(bins[:, None] - edges[1:-1]).argmin(axis=0)
    bank[nearest, np.arange(BANDS)] = np.maximum(bank[nearest, np.arange(BANDS)], 1e-3)
    return bank / bank.sum(axis=0)


def onsets(samples, rate, found=None):
    """Seconds at which something begins, in order."""
    found = envelope(samples, rate) if found is None else found
    values, wide = found.values, max(1, round(AROUND * found.rate))
    highest = scipy.ndimage.maximum_filter1d(values, 2 * wide + 1) if len(values) else values
    least = CLEAR * np.percentile(values[values > 0.0], 99) if (values > 0.0).any() else np.inf
    peaks = np.flatnonzero(
        (values >= least) & (values >= scipy.ndimage.maximum_filter1d(values, 2 * round(WAIT * found.rate) + 1))
    )
    peaks = peaks[values[peaks] > 0.2 * highest[peaks]]
    times = np.array([risen(samples, rate, float(found.seconds(peak))) for peak in peaks])
    return times[np.concatenate([[True], np.diff(times) > WAIT])] if len(times) else times


def risen(samples, rate, time):
    """The time near another at which a sound rises fastest."""
    first, last = (round((time + step) * rate) for step in (-EARLIER, LATER))
    width = max(2, round(RISE * rate))
    first, last = max(0, first - width), min(len(samples), last + width)
    some = np.square(samples[first:last])
    if len(some) < 4 * width:
        return time
    loud = np.cumsum(some)
    power = np.log(1e-7 + (loud[width:] - loud[:-width]) / width)
    steps = power[width:] - power[:-width]
    return (first + width + float(np.argmax(steps))) / rate
