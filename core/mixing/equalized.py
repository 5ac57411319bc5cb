# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion with other gains for its octaves, the same over the take or moving."""

from functools import lru_cache

from ..body.targets import DOMAINS
from ..declare.faders import ends_of, gain_matrix
from ..numeric.bands import Bank
from .moving_gains import moving


def equalized(clip, surroundings):
    """A process from faders to the changed clip: charts, spectra and bands are kept, so that a fader costs one transform, and a
    key one product; nothing is where that is asked for once."""

    @lru_cache(maxsize=0 if surroundings.once else 4)
    def opened(target, bands, boundary):
        domain = DOMAINS[target](clip, surroundings, boundary)
        bank = Bank(domain.signals, clip.fps, bands, boundary)
        return domain, bank, lru_cache(maxsize=len(bank.edges) + 1)(bank.in_band)

    def process(params):
        domain, bank, band_of = opened(params.target, params.bands, ends_of(params, surroundings))
        if params.automation:
            return moving(clip, params, surroundings.skeleton, domain, bank, band_of)
        gains = gain_matrix(params, len(bank.edges), domain.owners, surroundings.skeleton)
        return domain.clip_of(bank.weighted(gains), gains[-1].flat[0])

    return process
