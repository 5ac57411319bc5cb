# SPDX-License-Identifier: GPL-3.0-or-later
"""Mix: takes as they are listed, their moments brought together, into one; kept open, so that another weight costs one mean."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from ..motion.match import common, matched
from ..numeric.refusal import Refusal
from ..timing.align import ALIGNMENTS, paced
from .mixer import Mixer
from .weights import BlendTake, BlendWeights

MOST = 32  # takes that are kept at hand


class Mix:
    """A clip and the takes that it is mixed with, by the names that the surroundings know them by.

    `feet(names, clips)` may give what puts the feet of a mix on the ground, from its times and shares.
    """

    def __init__(self, clip, surroundings, feet=lambda names, clips: None):
        self.clip, self.surroundings = clip, surroundings
        self.standing = lru_cache(maxsize=2)(lambda names: feet(names, [clip, *map(self.matching, names)]))
        self.matching = lru_cache(maxsize=MOST)(lambda name: matched(clip, surroundings.takes[name])[0])
        self.opened = lru_cache(maxsize=2)(self._opened)
        self.aligned = lru_cache(maxsize=MOST)(self._aligned)

    def __call__(self, takes, normalise=True, alignment="TIMEWARP", to_the_end=True):
        """The mix of BlendTakes, the clip itself first, at the pace that they share (see `paced`)."""
        clip = self.clip
        takes = [followed(take, clip) for take in takes]
        if len(takes) == 1:
            return clip
        names = tuple(take.action for take in takes[1:])
        mixer, feet = self.opened(names), self.standing(names)
        shares = BlendWeights(takes, normalise, mixer.owners, self.surroundings.skeleton, clip.first_frame)
        if alignment == "NONE":
            lengths = [own.frames for own, heard in zip(mixer.clips, shares.heard()) if heard]
            rows = np.arange(min(lengths, default=clip.frames), dtype=np.float64)
            times = np.repeat(rows[None], len(takes), axis=0)
        else:
            own = np.arange(clip.frames, dtype=np.float64)
            alignments = [own, *(self.aligned(alignment, take.action, take.anchors) for take in takes[1:])]
            rows, times = paced(np.stack(alignments), mixer.lead(*of_column(0, *shares.at(own))), to_the_end)
        result = mixer.mixed(times, *of_column(shares.columns, *shares.at(rows)))
        return feet(result, times, mixer.lead(*of_column(0, *shares.at(rows)))) if feet else result

    def _opened(self, names):
        missing = [~common(self.clip, self.surroundings.takes[name]) for name in names]
        return Mixer([self.clip, *map(self.matching, names)], [np.zeros_like(missing[0]), *missing], self.surroundings)

    def _aligned(self, alignment, action, anchors):
        take = BlendTake(action, anchors=anchors)  # without weights, of which it knows nothing
        return ALIGNMENTS[alignment](self.clip, self.matching(action), take, self.surroundings)


def of_column(column, posture, bands):
    return posture[:, :, column], [(chosen, shares[:, :, column]) for chosen, shares in bands]


def followed(take, clip):
    """A take whose weight is a curve of the clip, with the keys of that; any other as it is."""
    if not take.weight_from:
        return take
    values = clip.curve(take.weight_from)
    if values is None:
        raise Refusal(f"weight_from: there is no curve {take.weight_from} in scope")
    return replace(take, weight_curve=tuple(enumerate(values.tolist(), clip.first_frame)))
