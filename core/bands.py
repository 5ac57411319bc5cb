# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter bank: a signal as octave bands that add up to it (Bruderlin and Williams 1995, section 2.1.1).

Level k smooths with the cubic B-spline kernel [1 4 6 4 1] / 16 dilated by 2^k, whose response is cos(omega 2^k / 2)^4;
a band is what two neighbouring levels differ by. Every band is a multiplication in the cosine domain, whose symmetry is
the reflecting boundary, so any set of gains is one transform, one multiplication and one transform back.

Banks: FRAMES is the paper's own, counted in samples. HZ takes the same responses at a fixed reference rate, so that a
band is the same stretch of Hz at every frame rate; it mirrors about the first and last frame for a second before the
transform's own mirror, which stands half a sample off and would tell frame rates apart.
"""

import functools

import numpy as np
import scipy

REFERENCE_RATE = 256.0  # Hz; the finest HZ band is a quarter to a half of it
HZ_BANDS = 12  # octaves from 64-128 Hz down to 1/32-1/16 Hz
MIRROR_SECONDS = 1.0
KERNEL = (1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16)
WORKERS = -1  # all cores: the transforms of many channels share nothing


def band_edges(bands, fps, frames):
    """The bands of a clip as (low, high) in Hz, finest first."""
    rate, count = (REFERENCE_RATE, HZ_BANDS) if bands == "HZ" else (fps, int(np.log2(frames)))
    return [(rate / 2 ** (level + 2), rate / 2 ** (level + 1)) for level in range(count)]


def visible_bands(bands, fps, frames):
    """The bands that a clip of this rate and length can hold anything in."""
    duration = (frames - 1) / fps
    return [band for band, (low, high) in enumerate(band_edges(bands, fps, frames))
            if bands != "HZ" or (low < 0.5 * fps and high > 0.5 / duration)]


class Bank:
    """The bands of signals (frames, signals), analysed once, to be weighted as often as wanted.

    `gains` are one number a band, finest first, and the constant part last: (bands + 1,) or (bands + 1, signals).
    """

    def __init__(self, signals, fps, bands="HZ", boundary="REFLECT"):
        self.signals = signals
        self.edges = band_edges(bands, fps, len(signals))
        self._parts = EXTENSIONS[boundary](signals, fps, bands, len(self.edges))

    def weighted(self, gains):
        """The signals with every band times its gain; gains of one change nothing, to the bit."""
        result = self._parts.change(np.asarray(gains, dtype=np.float64) - 1.0).astype(np.float64)
        result += self.signals
        return result

    def split(self):
        """All bands and the constant part, (bands + 1, frames, signals), finest first; they add up to the signals."""
        return np.stack([self._parts.part(band) for band in range(len(self.edges) + 1)])

    def energies(self):
        """How much moves in each band and signal: root mean square, (bands, signals)."""
        return np.sqrt(np.mean(self.split()[:-1] ** 2, axis=1))


class Spectral:
    """Bands as multiplications in the cosine or Fourier domain of an extended signal."""

    def __init__(self, signals, forward, backward, responses, before=0, after=0, mode="reflect"):
        """`forward` and `backward` transform (signals, samples); `responses` is (bands + 1, bins)."""
        self.rows, self.pad, self.mode = signals.T, ((0, 0), (before, after)), mode
        self.keep = slice(before, before + len(signals))
        self.forward, self.backward, self.responses = forward, backward, responses

    @functools.cached_property
    def spectrum(self):
        """In single precision: it only ever carries changes, which end as single precision in Blender."""
        return self.forward(np.pad(self.rows.astype(np.float32), self.pad, mode=self.mode))

    def change(self, gains):
        response = np.einsum("b...,bi->...i", gains, self.responses).astype(np.float32)
        return self.backward(self.spectrum * response)[:, self.keep].T

    def part(self, band):
        spectrum = self.forward(np.pad(self.rows, self.pad, mode=self.mode))
        return self.backward(spectrum * self.responses[band])[:, self.keep].T


class Closed:
    """A loop: bands of one period, with the travel from its first to its last frame set aside."""

    def __init__(self, inner, travel, repeats):
        self.inner, self.travel, self.repeats = inner, travel, repeats

    def change(self, gains):
        return self._whole(self.inner.change(gains), self.travel * gains[-1])

    def part(self, band):
        return self._whole(self.inner.part(band), self.travel * (band == len(self.inner.responses) - 1))

    def _whole(self, period, travel):
        return (np.concatenate([period, period[:1]]) if self.repeats else period) + travel


class Layers:
    """Bands held as they are: for boundaries that no transform knows."""

    def __init__(self, parts):
        self.parts = parts

    def change(self, gains):
        return sum(part * gain for part, gain in zip(self.parts, gains))

    def part(self, band):
        return self.parts[band]


def reflected(signals, fps, bands, count):
    if bands == "HZ":
        return cosine(signals, fps, count, round(MIRROR_SECONDS * fps), "reflect")
    return Spectral(signals, cosine_transform, inverse_cosine_transform,
                    responses_in_frames(2 * len(signals), len(signals), count))


def held(signals, fps, bands, count):
    if bands == "HZ":
        return cosine(signals, fps, count, len(signals), "edge")
    lows = [signals]
    frames = np.arange(len(signals))
    for level in range(count):
        taps = (np.clip(frames + 2 ** level * step, 0, len(signals) - 1) for step in range(-2, 3))
        lows.append(sum(weight * lows[-1][rows] for weight, rows in zip(KERNEL, taps)))
    return Layers([fine - coarse for fine, coarse in zip(lows, lows[1:])] + [lows[-1]])


def cycled(signals, fps, bands, count):
    """A last frame that repeats the first is no part of the period; what then still differs is travel."""
    gap = np.abs(signals[-1] - signals[0])
    repeats = bool(np.mean(gap <= 1e-3 * np.ptp(signals, axis=0) + 1e-9) > 0.5)
    ramp = np.linspace(0.0, 1.0, len(signals))[:, None] * (signals[-1] - signals[0]) * repeats
    period = (signals - ramp)[:-1] if repeats else signals
    size = len(period)
    bins = size // 2 + 1
    responses = responses_in_frames(size, bins, count) if bands == "FRAMES" else responses_in_hz(fps / size, bins, count)
    backward = functools.partial(inverse_fourier_transform, size=size)
    return Closed(Spectral(period, fourier_transform, backward, responses), ramp, repeats)


EXTENSIONS = {"REFLECT": reflected, "HOLD": held, "CYCLE": cycled}


def cosine(signals, fps, count, pad, mode):
    """The HZ bank on signals carried on by `pad` frames, and on to a length that transforms fast."""
    size = scipy.fft.next_fast_len(len(signals) + 2 * pad, real=True)
    responses = responses_in_hz(fps / (2 * size), size, count)
    return Spectral(signals, cosine_transform, inverse_cosine_transform, responses, pad, size - len(signals) - pad, mode)


@functools.lru_cache(maxsize=8)
def responses_in_frames(period, bins, count):
    """Responses (bands + 1, bins) for a transform of this period; angles are reduced as whole numbers first."""
    steps = np.arange(bins) * 2 ** np.arange(count)[:, None] % period
    return band_responses(np.cos(np.pi / period * steps))


@functools.lru_cache(maxsize=8)
def responses_in_hz(spacing, bins, count):
    """Responses (bands + 1, bins) at the reference rate, bins `spacing` Hz apart; beyond its reach all is finest band."""
    angles = np.minimum(np.pi / REFERENCE_RATE * spacing * np.arange(bins), np.pi / 2)
    cosines = np.cos(angles * 2.0 ** np.arange(count)[:, None])
    cosines[0, angles == np.pi / 2] = 0.0
    return band_responses(cosines)


def band_responses(cosines):
    squares = cosines * cosines
    lows = np.cumprod(np.concatenate([np.ones_like(squares[:1]), squares * squares]), axis=0)
    return np.concatenate([lows[:-1] - lows[1:], lows[-1:]])


def cosine_transform(rows):
    return scipy.fft.dct(rows, axis=1, workers=WORKERS)


def inverse_cosine_transform(rows):
    return scipy.fft.idct(rows, axis=1, workers=WORKERS, overwrite_x=True)


def fourier_transform(rows):
    return scipy.fft.rfft(rows, axis=1, workers=WORKERS)


def inverse_fourier_transform(rows, size):
    return scipy.fft.irfft(rows, n=size, axis=1, workers=WORKERS)
