# SPDX-License-Identifier: GPL-3.0-or-later
"""Beats: the tempo of a sound and when its beats are, after Ellis 2007 (beat tracking by dynamic programming).

Tempo from how well the envelope of onsets agrees with itself a time later, rather a usual tempo than twice or half of it; beats
are the path through the envelope that is on onsets and keeps that time, which may drift; each is then on the onset beside it.
Detectors are often off by a factor of two: what is found is a proposal, to be doubled, halved, typed, tapped or dragged.
"""

import numpy as np

from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from .onsets import envelope, mono, onsets

USUAL, OCTAVES = 110.0, 1.2  # beats a minute that are likeliest, and how far others may be from it
SLOWEST, FASTEST = 40.0, 240.0
STEADY = 120.0  # how much a beat counts for being on time, beside being on an onset
BESIDE = 0.07  # seconds within which a beat is on an onset
AS_WELL, MIDDLE = 0.85, 105.0  # of how well it agrees, half or twice a tempo is taken instead, on the way to that tempo
WIDE, DRIFT = 6, 0.03  # moments, and of a period: how far around it two beats agree that drift
AGREE = 0.12  # of the envelope: what agrees with itself less has no beat


@frozen
class FoundBeats:
    """Tempo in beats a minute, and beats and onsets in seconds."""

    tempo: float
    beats: np.ndarray
    onsets: np.ndarray


def find_beats(samples, rate):
    """The beats of a sound, samples (samples,) or (samples, channels) at so many a second; or a Refusal if it has none."""
    samples = mono(samples, rate)
    rises = envelope(samples, rate)
    starts = onsets(samples, rate, rises)
    if len(starts) < 3:
        raise Refusal(f"sound: {len(starts)} sounds begin in it, and a beat needs three or more")
    period = period_of(rises)
    beats = rises.seconds(tracked(rises.values, period * rises.rate))
    beats = settled(beats, starts)
    steps = np.diff(beats)
    return FoundBeats(60.0 / float(np.median(steps) if len(steps) < 4 else slope(beats)), beats, starts)


def slope(beats):
    """The time from beat to beat, by the straight line through all of them."""
    return np.polyfit(np.arange(len(beats)), beats, 1)[0]


def period_of(rises):
    """Seconds from beat to beat, as far as the envelope tells."""
    values = rises.values - rises.values.mean()
    size = 2 ** int(np.ceil(np.log2(2 * len(values))))
    again = np.fft.irfft(np.abs(np.fft.rfft(values, size)) ** 2)[: len(values)]
    again /= max(again[0], 1e-12) * np.linspace(1.0, 0.5, len(again))
    lags = np.arange(int(60.0 / FASTEST * rises.rate), min(len(again) - 2, int(60.0 / SLOWEST * rises.rate) + 1))
    if len(lags) < 3:
        raise Refusal("sound: it is too short for a beat")
    smooth = np.convolve(again, np.hanning(9) / np.hanning(9).sum(), "same")
    double = np.interp(2 * lags, np.arange(len(smooth)), smooth)
    if (smooth[lags] + 0.5 * double).max() < AGREE:
        raise Refusal("sound: no beat is heard in it; type the beats a minute, or tap them")
    usual = np.exp(-0.5 * np.square(np.log2(60.0 * rises.rate / lags / USUAL) / OCTAVES))
    score = (smooth[lags] + 0.5 * double) * usual
    best = int(score.argmax())
    own = drifting(smooth, lags)
    faster = [at for at in range(len(lags)) if abs(2 * lags[at] - lags[best]) <= 2 and own[at] > AS_WELL * own[best]]
    slower = [at for at in range(len(lags)) if abs(lags[at] - 2 * lags[best]) <= 3 and AS_WELL * own[at] > own[best]]
    if faster and 60.0 * rises.rate / lags[best] < MIDDLE:  # as much in every half: these are the beats
        best = max(faster, key=lambda at: own[at])
    elif slower and 60.0 * rises.rate / lags[best] > MIDDLE:
        best = max(slower, key=lambda at: own[at])
    return float(lags[best] + vertex(smooth[lags], best)) / rises.rate


def drifting(values, lags):
    """How well it agrees at lags, with all that a drift spreads around each: more around longer ones."""
    total = np.concatenate([[0.0], np.cumsum(np.maximum(values, 0.0))])
    reach = np.rint(WIDE + DRIFT * lags).astype(int)
    return total[np.minimum(lags + reach + 1, len(values))] - total[np.maximum(lags - reach, 0)]


def vertex(values, at):
    """How far beside a highest value the parabola through it and its neighbours is highest."""
    if not 0 < at < len(values) - 1:
        return 0.0
    before, here, after = values[at - 1 : at + 2]
    bend = before - 2.0 * here + after
    return 0.5 * (before - after) / bend if bend < 0.0 else 0.0


def tracked(values, period):
    """Moments of beats: the path with the best sum of envelope and steadiness."""
    values = values / max(values.std(), 1e-12)
    near, far = int(round(0.5 * period)), int(round(2.0 * period))
    back = np.arange(-far, -near + 1)
    steady = -STEADY * np.square(np.log(-back / period))
    score, before = values.copy(), np.full(len(values), -1)
    for moment in range(near, len(values)):
        own = back[moment + back >= 0]
        past = score[moment + own] + steady[len(back) - len(own) :]
        best = int(past.argmax())
        if past[best] > 0.0:
            score[moment] += past[best]
            before[moment] = moment + own[best]
    last = len(score) - far + int(score[len(score) - far :].argmax()) if len(score) > far else int(score.argmax())
    path = [last]
    while before[path[-1]] >= 0:
        path.append(int(before[path[-1]]))
    return np.array(path[::-1])


def settled(beats, starts):
    """Beats on the onsets that they are beside; those without one are where their neighbours say."""
    nearest = starts[np.abs(starts[:, None] - beats).argmin(axis=0)]
    off = nearest - beats
    on = np.abs(off - np.median(off)) < BESIDE
    if not on.any():
        return beats
    at = np.arange(len(beats))
    beats = beats + np.interp(at, at[on], off[on])
    first, last = np.flatnonzero(on)[[0, -1]]
    return beats[first : last + 1] if last > first else beats


def doubled(beats):
    """A beat between every two."""
    beats = np.asarray(beats, dtype=float)
    return np.sort(np.concatenate([beats, 0.5 * (beats[1:] + beats[:-1])]))


def halved(beats, second=False):
    """Every second beat, from the first or the second on."""
    return np.asarray(beats, dtype=float)[int(second) :: 2]


def tapped(times):
    """Tempo and the first of taps, from the line through all of them; or a Refusal where they are too few."""
    if len(times) < 3:
        raise Refusal(f"{len(times)} tap(s) make no tempo: tap at least three times, on the beat")
    period, start = np.polyfit(np.arange(len(times)), times, 1)
    if not 60.0 / 1000.0 < period < 60.0:
        raise Refusal(f"taps {period:g} s apart are no tempo")
    return 60.0 / float(period), float(start)
