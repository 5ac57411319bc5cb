# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles in the Fourier domain: a cycle as waves, blended wave by wave, heard at any moment (Molnos 2010, 3, 4.6-5.2).

A wave is a complex number: how large, and where in the cycle its crest is. What a cycle is at phase t, from 0 to 1, is the
real part of the sum of waves[k] exp(2 pi i k t). As nothing in that says how many frames there were, waves of cycles of
any length go together, and come back at any length.
"""

from functools import lru_cache

import numpy as np

from . import scipy

STEADY = 0.2  # where the crests of blended waves agree less than this they have no common place, and the wave dies away
BLOCK = 64  # moments of a moving blend that are worked out at a time
FINE = 16  # shifts between two frames at which an alignment is looked for


def waves_of(signals, moment=0.0):
    """The waves (harmonics + 1, signals) of a cycle (frames, signals), sampled a part `moment` of a frame late."""
    frames = len(signals)
    waves = scipy.fft.rfft(signals, axis=0)
    waves *= 2.0 / frames
    waves[0] *= 0.5
    if frames % 2 == 0:
        waves[-1] *= 0.5  # the fastest wave of an even number of frames is there once, not twice
    return shifted(waves, -moment / frames) if moment else waves


def played(waves, frames, moment=0.0):
    """The cycle (frames, signals) in so many frames, sampled a part `moment` of a frame late."""
    return frame_basis(frames, len(waves), moment) @ apart(waves)


@lru_cache(maxsize=32)
def frame_basis(frames, count, moment=0.0):
    """What real and imaginary parts of waves 0 to count - 1 are worth (frames, 2 * count), over so many frames."""
    return basis((np.arange(frames) + moment) / frames, count)


def basis(phases, count):
    """What real and imaginary parts of waves 0 to count - 1 are worth at phases, (moments, 2 * count)."""
    angles = 2.0 * np.pi * (np.multiply.outer(phases, np.arange(count)) % 1.0)
    return np.concatenate([np.cos(angles), -np.sin(angles)], axis=1)


def apart(waves):
    """Waves as real parts above imaginary ones."""
    return np.concatenate([waves.real, waves.imag])


def together(numbers):
    """Real parts above imaginary ones as waves."""
    real, imaginary = np.split(numbers, 2)
    return real + 1j * imaginary


def shifted(waves, shift):
    """The waves of a cycle that begins a part `shift` of the cycle later."""
    return waves * np.exp(2j * np.pi * shift * np.arange(len(waves)))[:, None]


def padded(waves, count):
    """Waves 0 to count - 1; those that a cycle does not have are none."""
    result = np.zeros((count, *waves.shape[1:]), dtype=complex)
    result[: min(count, len(waves))] = waves[:count]
    return result


class Palette:
    """Cycles taken apart into sizes, sines and cosines once, so that a blend of them costs a few products (3, 4.8, 5.1)."""

    def __init__(self, cycles):
        count = max(map(len, cycles))
        waves = np.stack([padded(cycle, count) for cycle in cycles])
        sizes = np.abs(waves[:, 1:])
        crests = waves[:, 1:] / np.where(sizes > 0.0, sizes, 1.0)  # a wave that a cycle does not have has no crest
        self.shape = waves.shape[1:]
        self._table = np.concatenate(
            [array.reshape(len(cycles), -1) for array in (waves[:, :1].real, sizes, crests.real, crests.imag)], axis=1
        )

    def blended(self, weights):
        """The waves of blends, real parts above imaginary ones (..., 2 * (harmonics + 1), signals), for weights (..., cycles).

        Sizes are weighted sums; so are sines and cosines, whose direction is where the crest is (equation 2). Where crests
        lie opposite each other there is no such place: rather than jump from one side to the other the wave dies away.
        """
        count, signals = self.shape
        row = np.dot(weights, self._table)
        mean, size = row[..., :signals], row[..., signals : count * signals]
        crest = row[..., count * signals :].reshape(*row.shape[:-1], 2, -1)
        agreeing = np.sqrt(np.einsum("...ij,...ij->...j", crest, crest))
        crest *= (size / np.maximum(agreeing, STEADY))[..., None, :]
        result = np.zeros((*row.shape[:-1], 2, count, signals))
        result[..., 0, 0, :] = mean
        result[..., 1:, :] = crest.reshape(*crest.shape[:-1], count - 1, signals)
        return result.reshape(*row.shape[:-1], 2 * count, signals)

    def played(self, weights, frames, moment=0.0):
        """A blend (frames, signals) over so many frames."""
        return frame_basis(frames, self.shape[0], moment) @ self.blended(weights)

    def moving(self, weights, phases):
        """A blend whose weights (moments, cycles) change as it goes through phases, (moments, signals)."""
        table = basis(phases, self.shape[0])
        result = np.empty((len(phases), self.shape[1]))
        for start in range(0, len(phases), BLOCK):
            rows = slice(start, start + BLOCK)
            result[rows] = np.einsum("fk,fks->fs", table[rows], self.blended(weights[rows]))
        return result


def best_shift(one, other, importance):
    """By how much of a cycle `other` must begin later to be most like `one`, from -0.5 to 0.5 (4.6).

    `importance` (signals,) says how much each signal counts. All shifts are compared at once: how alike two cycles are over
    the shift is a sum of waves again.
    """
    count = min(len(one), len(other))
    alike = np.sum(np.conj(one[1:count]) * other[1:count] * importance**2, axis=1)
    shifts = 2 * FINE * count
    likeness = played(np.concatenate([[0.0], alike])[:, None], shifts)[:, 0]
    best = int(np.argmax(likeness)) / shifts
    return best - np.rint(best)
