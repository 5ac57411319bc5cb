# SPDX-License-Identifier: GPL-3.0-or-later
"""Wavelets: signals taken apart into levels, each an octave and local in time, and put together again (Ahmed 2001, 3 and 4).

The finest level holds the fastest changes; what is left under the last is the coarse part, the pattern of the motion. A
take goes on beyond its ends in the mirror, a cycle goes round and round.
"""

from functools import lru_cache

import numpy as np

from . import scipy
from .refusal import Refusal

MOST = 8  # levels; what is slower than that is coarse
INEXACT = ("dmey",)  # its filters are cut off, so that it does not give a signal back
ENDS = {False: "symmetric", True: "periodization"}


class Wavelets:
    """Signals (frames, signals) as levels, finest first, and the coarse part last.

    Those of a cycle are one period, without the frame that repeats the first.
    """

    def __init__(self, signals, family, cyclic=False):
        import pywt

        self.frames, self.cyclic, self.wavelet = len(signals), cyclic, pywt.Wavelet(checked(family))
        self.count = level_count(self.frames, family)
        self.samples = self.frames
        if cyclic:  # halved as often as there are levels, a period must come out even
            self.samples = -(-self.frames // 2**self.count) * 2**self.count
            signals = scipy.signal.resample(signals, self.samples) if self.samples > self.frames else signals
        coarse, *details = pywt.wavedec(signals, self.wavelet, ENDS[cyclic], self.count, axis=0)
        self.details = [*details[::-1], coarse]

    def weighted(self, factors):
        """The signals with each level as large as its factor says, finest first, coarse last.

        A factor is a number, or a function of frames (frames,) where it changes over time.
        """
        import pywt

        *details, coarse = (
            detail * (factor(self.times(level))[:, None] if callable(factor) else factor)
            for level, (detail, factor) in enumerate(zip(self.details, factors, strict=True))
        )
        signals = pywt.waverec([coarse, *details[::-1]], self.wavelet, ENDS[self.cyclic], axis=0)[: self.samples]
        return scipy.signal.resample(signals, self.frames) if self.samples > self.frames else signals

    def times(self, level):
        """Where in time the entries of a level are: the frames that their filters are centred on."""
        octaves = min(level + 1, self.count)
        first = 0.5 if self.cyclic else 0.5 * (3 - self.wavelet.dec_len)
        rows = 2**octaves * np.arange(len(self.details[level])) + (2**octaves - 1) * first
        return rows * (self.frames / self.samples)


def families():
    """Names of all wavelets that there are."""
    import pywt

    return tuple(name for name in pywt.wavelist(kind="discrete") if name not in INEXACT)


def checked(family):
    if family not in families():
        raise Refusal(f"family: there is no wavelet {family!r}; there are {', '.join(families())}")
    return family


@lru_cache(maxsize=32)
def level_count(frames, family):
    """How many levels signals of so many frames have, beside the coarse part."""
    import pywt

    return min(MOST, pywt.dwt_max_level(frames, checked(family)))


def level_edges(count, fps):
    """From and to how many Hz each level reaches, finest first, [(low, high), ...]."""
    return [(fps / 2.0 ** (level + 2), fps / 2.0 ** (level + 1)) for level in range(count)]
