# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter bank: a signal as octave bands that add up to it (Bruderlin and Williams 1995, section 2.1.1).

Level k smooths with the cubic B-spline kernel [1 4 6 4 1] / 16 dilated by 2^k, whose response is cos(omega 2^k / 2)^4;
a band is what two neighbouring levels differ by. Every band is a multiplication in the cosine domain, whose symmetry is
the reflecting boundary, so any set of gains is one transform, one multiplication and one transform back.

Banks: FRAMES is the paper's own, counted in samples. HZ takes the same responses at a fixed reference rate, so that a
band is the same stretch of Hz at every frame rate. Two things differ at its ends, where the paper's mirror makes a kink
that a raised high band turns into a jerk, and stands half a sample off, which would tell frame rates apart: the straight
line that fits the signal best stays with the constant part, and the rest is carried on turned over, so that its slope
holds, and fades into that line within a second.
SHARP has the octaves of HZ, but each level lets everything pass up to half an octave below where the band ends and nothing from
half an octave above: the middle of an octave is in its band alone. The price is time: beside a sudden step a level swings over
by 8 % of it, by under 1 % after 1.3 swings of where the band ends, where the paper's kernel never does. So that its octaves are
parted up to the very ends, a signal goes on there as it swings, by linear prediction, and its line is that of its middle.
"""

import functools
import math

import numpy as np

from . import scipy
from .linear_prediction import carried_on
from .parallel import blocks, each

BANDS = ("HZ", "SHARP", "FRAMES")
TOP = 128.0  # Hz, where the finest HZ band ends
HZ_BANDS = 12  # octaves from 64-128 Hz down to 1/32-1/16 Hz
REFERENCE_RATE = TOP * 2**1.5  # Hz; a band is loudest at a quarter of its rate, which so is the middle of its octave
CARRY_SECONDS = 1.0  # how far a signal is carried on beyond its ends
CARRY_PART, CARRY_MOST = 0.35, 8  # the same where bands are sharp: of its length, and seconds
KERNEL = (1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16)
GREGORY = np.array([3 / 8, 7 / 6, 23 / 24])
STILL, CLOSED = 1e-6, 1e-3  # what moves less stands still; of its reach, what ends closer to where it began comes round
BLOCK = 16  # channels; fewer are not worth a thread


def band_edges(bands, fps, frames):
    """The bands of a clip as (low, high) in Hz, finest first."""
    top, count = (fps / 2, int(np.log2(frames))) if bands == "FRAMES" else (TOP, HZ_BANDS)
    return [(top / 2 ** (level + 1), top / 2**level) for level in range(count)]


def visible_bands(bands, fps, frames):
    """The bands that a clip of this rate and length can hold anything in."""
    duration = (frames - 1) / fps
    return [
        band
        for band, (low, high) in enumerate(band_edges(bands, fps, frames))
        if bands == "FRAMES" or (low < 0.5 * fps and high > 0.5 / duration)
    ]


class Bank:
    """The bands of signals (frames, signals), analysed once, to be weighted as often as wanted.

    `gains` are one number a band, finest first, and the constant part last: (bands + 1,) or (bands + 1, signals).
    """

    def __init__(self, signals, fps, bands="HZ", boundary="AUTO"):
        self.signals = signals
        self.edges = band_edges(bands, fps, len(signals))
        self._bands = EXTENSIONS[boundary](signals, fps, bands, len(self.edges))

    def weighted(self, gains):
        """The signals with every band times its gain; gains of one change nothing, to the bit."""
        return self._bands.plus(self.signals, np.asarray(gains, dtype=np.float64) - 1.0)

    def in_band(self, band):
        """One band, (frames, signals); after the last one comes the constant part."""
        return self._bands.in_band(band)

    def split(self):
        """All bands and the constant part, (bands + 1, frames, signals), finest first; they add up to the signals."""
        return np.stack([self.in_band(band) for band in range(len(self.edges) + 1)])

    def energies(self):
        """How much moves in each band and signal: root mean square, (bands, signals)."""
        return np.sqrt(np.mean(self.split()[:-1] ** 2, axis=1))


class Spectral:
    """Bands as multiplications in the cosine or Fourier domain.

    `forward` and `backward` transform rows (signals, samples); `extend` carries rows on beyond their ends, `before`
    samples of it in front. `straight`, a value at the start, a way to go and a line (frames,) from 0 to 1 to go it along,
    is set aside with the constant part.
    """

    def __init__(self, signals, forward, backward, responses, extend=None, before=0, straight=None):
        self.rows, self.responses = signals.T, responses
        self.first, self.way, self.line = straight or (None, None, None)
        self.forward, self.backward, self.extend = forward, backward, extend or (lambda rows: rows)
        self.keep = slice(before, before + len(signals))

    @functools.cached_property
    def spectra(self):
        """Blocks with their spectra, in single precision: they carry changes, which end as single precision anyway."""
        return each(lambda channels: (channels, self._spectrum(channels, np.float32)), blocks(len(self.rows), BLOCK))

    @functools.cached_property
    def exact(self):
        """The spectrum of all signals in double precision, for single bands."""
        return self._spectrum(slice(0, len(self.rows)), np.float64)

    def plus(self, signals, gains):
        """The signals and as much of each band as gains, (bands + 1,) or (bands + 1, signals), say."""
        response = np.einsum("b...,bi->...i", gains, self.responses).astype(np.float32)
        result = np.empty(self.rows.shape)

        def fill(block):
            channels, spectrum = block
            change = self.backward(spectrum * (response if response.ndim == 1 else response[channels]))[:, self.keep]
            np.add(signals.T[channels], change, out=result[channels])
            if self.line is not None and np.any(gains[-1]):
                result[channels] += self._straight(channels) * (gains[-1, channels, None] if gains.ndim == 2 else gains[-1])

        each(fill, self.spectra)
        return result.T

    def in_band(self, band):
        whole = slice(0, len(self.rows))
        result = self.backward(self.exact * self.responses[band])[:, self.keep]
        constant = band == len(self.responses) - 1 and self.line is not None
        return (result + self._straight(whole) if constant else result).T

    def _spectrum(self, channels, kind):
        rows = self.rows[channels].astype(kind)
        if self.line is not None:
            rows -= self._straight(channels, kind)
        return self.forward(self.extend(rows))

    def _straight(self, channels, kind=np.float64):
        straight = np.outer(self.way[channels].astype(kind), self.line.astype(kind))
        straight += self.first[channels, None].astype(kind)
        return straight


class Closed:
    """A loop whose last frame repeats its first: the bands of one period, and that frame again."""

    def __init__(self, period):
        self.period = period

    def plus(self, signals, gains):
        return self._whole(self.period.plus(signals[:-1], gains), self.period.way * (1.0 + gains[-1]))

    def in_band(self, band):
        return self._whole(self.period.in_band(band), self.period.way * (band == len(self.period.responses) - 1))

    def _whole(self, rows, way):
        return np.concatenate([rows, rows[:1] + way])


class Layers:
    """Bands held as they are: for boundaries that no transform knows."""

    def __init__(self, layers):
        self.layers = layers

    def plus(self, signals, gains):
        return signals + sum(layer * gain for layer, gain in zip(self.layers, gains))

    def in_band(self, band):
        return self.layers[band]


def reflected(signals, fps, bands, count):
    frames = len(signals)
    if bands == "FRAMES":
        return Spectral(signals, scipy.fft.dct, inverse_cosine, responses_in_frames(2 * frames, frames, count))
    fade = max(1, round(CARRY_SECONDS * fps))
    if bands == "SHARP":
        reach = min(CARRY_PART * frames, CARRY_MOST * fade)
        swinging = functools.partial(swinging_on, fps=fps, reach=reach, fade=fade)
        pad = max(2 * fade, int(reach))  # what rings for longer needs more room, or frame rates would tell apart
        return carried(signals, fps, bands, count, pad, swinging, middle_line(signals))
    return carried(signals, fps, bands, count, fade, functools.partial(turned_over, fade=fade), fitted_line(signals))


def held(signals, fps, bands, count):
    if bands != "FRAMES":
        return carried(signals, fps, bands, count, len(signals), standing, None)
    lows = [signals]
    frames = np.arange(len(signals))
    for level in range(count):
        taps = (np.clip(frames + 2**level * step, 0, len(signals) - 1) for step in range(-2, 3))
        lows.append(sum(weight * lows[-1][rows] for weight, rows in zip(KERNEL, taps)))
    return Layers([fine - coarse for fine, coarse in zip(lows, lows[1:])] + [lows[-1]])


def cycled(signals, fps, bands, count):
    """A last frame that repeats the first is no part of the period; channels that then still differ there travel."""
    gap = np.abs(signals[-1] - signals[0])
    repeats = bool(np.mean(gap <= 1e-3 * np.ptp(signals, axis=0) + 1e-9) > 0.5)
    size = len(signals) - repeats
    bins = size // 2 + 1
    responses = responses_in_frames(size, bins, count) if bands == "FRAMES" else IN_HZ[bands](fps / size, bins, count)
    way = (signals[0], signals[-1] - signals[0], np.arange(size) / size) if repeats else None
    period = Spectral(signals[:size], scipy.fft.rfft, functools.partial(scipy.fft.irfft, n=size), responses, straight=way)
    return Closed(period) if repeats else period


def as_it_is(signals, fps, bands, count):
    """A loop goes on as a loop, so that it stays closed; everything else swings back."""
    return (cycled if comes_round(signals) else reflected)(signals, fps, bands, count)


EXTENSIONS = {"AUTO": as_it_is, "REFLECT": reflected, "HOLD": held, "CYCLE": cycled}


def comes_round(signals):
    """Whether signals (frames, signals) are those of a loop: most that move end where they began; some may travel."""
    extent = np.ptp(signals, axis=0)
    moving = extent > STILL
    ended = np.abs(signals[-1] - signals[0]) <= CLOSED * extent
    return bool(moving.any() and np.mean(ended[moving]) > 0.5)


def fitted_line(signals):
    """The straight line nearest to each signal: where it starts, how far it goes, along what.

    Frames count as in an integral, with Gregory's weights at the ends, so that the line is the same at every frame rate.
    """
    line = np.linspace(0.0, 1.0, len(signals))
    share = np.ones(len(signals))
    ends = GREGORY if len(signals) >= 2 * len(GREGORY) else GREGORY[:0]
    share[: len(ends)], share[len(share) - len(ends) :] = ends, ends[::-1]
    share /= share.sum()
    lean = share * (line - 0.5)
    way = summed(signals, lean / (lean @ line))
    return summed(signals, share) - 0.5 * way, way, line


def middle_line(signals):
    """The straight line that fits the middle of each signal best: swings at its ends, cut anywhere, do not tilt it."""
    line = np.linspace(0.0, 1.0, len(signals))
    share = np.sin(np.pi * line) ** 2
    if len(signals) < 2 * len(GREGORY):
        return fitted_line(signals)
    share /= share.sum()
    lean = share * (line - 0.5)
    way = summed(signals, lean / (lean @ line))
    return summed(signals, share) - 0.5 * way, way, line


def summed(signals, shares):
    """Shares (frames,) of signals added up, (signals,); BLAS would wake its own threads for it, and wait for them."""
    return np.einsum("sf,f->s", signals.T, shares)


def carried(signals, fps, bands, count, pad, extension, straight):
    """A bank in Hz on signals carried on by `pad` frames at least, before and after."""
    frames = len(signals)
    size = carried_size(frames, fps, pad)
    before = (size - frames) // 2
    extend = functools.partial(extension, before=before, after=size - frames - before)
    responses = IN_HZ[bands](fps / (2 * size), size, count)
    return Spectral(signals, scipy.fft.dct, inverse_cosine, responses, extend, before, straight)


def carried_size(frames, fps, pad):
    """How many samples to transform: a number of half seconds that is the same at every frame rate.

    It has no prime factor above five, so that neither has its number of samples at the usual frame rates, which then
    transform fast.
    """
    half_seconds = scipy.fft.next_fast_len(math.ceil(2.0 * (frames - 1 + 2 * pad) / fps), real=True)
    size = half_seconds * fps / 2.0
    return round(size) if abs(size - round(size)) < 1e-6 else scipy.fft.next_fast_len(math.ceil(size), real=True)


def turned_over(rows, before, after, fade):
    extended = np.pad(rows, ((0, 0), (before, after)), mode="reflect", reflect_type="odd")
    falling = (0.5 + 0.5 * np.cos(np.pi * np.minimum(np.arange(1, max(before, after) + 1) / fade, 1.0))).astype(rows.dtype)
    extended[:, :before] *= falling[:before][::-1]
    extended[:, before + rows.shape[1] :] *= falling[:after]
    return extended


def swinging_on(rows, before, after, fps, reach, fade):
    """Rows that go on as they swing for so many frames, half of these in full; turned over where they are too short to tell."""
    extended = carried_on(rows, before, after, fps)
    if extended is None:
        return turned_over(rows, before, after, fade)
    for count, there in ((before, slice(before - 1, None, -1)), (after, slice(before + rows.shape[1], None))):
        falling = 0.5 + 0.5 * np.cos(np.pi * np.clip(2.0 * np.arange(1, count + 1) / reach - 1.0, 0.0, 1.0))
        extended[:, there][:, :count] *= falling
    return extended.astype(rows.dtype)


def standing(rows, before, after):
    return np.pad(rows, ((0, 0), (before, after)), mode="edge")


def inverse_cosine(rows):
    return scipy.fft.idct(rows, overwrite_x=True)


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
    return differences(np.cumprod(squares * squares, axis=0))


@functools.lru_cache(maxsize=8)
def sharp_responses(spacing, bins, count):
    """Responses (bands + 1, bins) that hand over from octave to octave along a cosine, bins `spacing` Hz apart."""
    ends = TOP / 2.0 ** np.arange(1, count + 1)
    octaves = np.log2(np.maximum(np.arange(bins), 1e-9) * (spacing / ends[:, None]))  # above where each level ends
    return differences(0.5 - 0.5 * np.sin(np.pi * np.clip(octaves, -0.5, 0.5)))


IN_HZ = {"HZ": responses_in_hz, "SHARP": sharp_responses}


def differences(lows):
    """Responses of bands from those of levels, each coarser than the last: they add up to one."""
    lows = np.concatenate([np.ones_like(lows[:1]), lows])
    return np.concatenate([lows[:-1] - lows[1:], lows[-1:]])


def band_label(low, high):
    """A band's range in Hz, as short as it can be said: 2-4 Hz, 1/8-1/4 Hz, 7.5-15 Hz."""
    return f"{frequency(low)}-{frequency(high)} Hz"


def frequency(value):
    return f"1/{1 / value:g}" if value < 1 and (1 / value).is_integer() else f"{value:.3g}"
