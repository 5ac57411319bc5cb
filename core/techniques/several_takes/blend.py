# SPDX-License-Identifier: GPL-3.0-or-later
"""Blend: any number of takes mixed into one (Bruderlin and Williams 1995, section 3.1), band by band if wanted."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from ...body.figure import walks
from ...declare.lists import read_take_list
from ...declare.params import choice, flag, records
from ...declare.technique import Technique
from ...mixing.mixer import Mixer
from ...mixing.weights import BlendTake, BlendWeights
from ...motion.match import common, matched
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...retargeting.foreign import Brought
from ...retargeting.mixed_feet import Standing
from ...timing.align import ALIGNMENTS, paced

MOST = 32  # takes that are kept at hand


@frozen
class BlendParams:
    """Takes with their weights, and how their moments go together."""

    takes: tuple = records("Takes as JSON, each with its action and its weights", BlendTake)
    normalise: bool = flag(
        True,
        "Divide weights by their sum, so that only their proportions count. Without it they count "
        "as they are, measured from the mean posture of the take itself",
    )
    alignment: str = choice(
        "TIMEWARP",
        "Which moments of the takes go together",
        (
            ("NONE", "None", "Frame by frame from the start, as long as the shortest take that has a weight"),
            ("STRETCH", "Stretch", "Start with start and end with end; the length is mixed as well"),
            ("TIMEWARP", "Timewarp", "Moments that look alike, such as steps, found by themselves; the pace is mixed as well"),
            ("ANCHORS", "Anchors", "The frames listed as anchors, smoothly in between; the pace is mixed as well"),
        ),
    )


def blend(clip, surroundings):
    """Mix takes by weight: as a whole, limb by limb, band by band and over time.

    Charts, bands and alignments are kept for as long as the takes are the same, so that a weight costs one mean.
    """
    matching = lru_cache(maxsize=MOST)(lambda name: matched(clip, surroundings.takes[name])[0])

    @lru_cache(maxsize=2)
    def opened(names):
        missing = [~common(clip, surroundings.takes[name]) for name in names]
        return Mixer([clip, *map(matching, names)], [np.zeros_like(missing[0]), *missing], surroundings)

    @lru_cache(maxsize=MOST)
    def aligned(alignment, action, anchors):
        take = BlendTake(action, anchors=anchors)  # without weights, of which it knows nothing
        return ALIGNMENTS[alignment](clip, matching(action), take, surroundings)

    @lru_cache(maxsize=2)
    def standing(names):
        """What puts the feet of a mix on the ground, where takes of other figures are in it; else nothing."""
        others, walking = surroundings.takes, surroundings.feet != "FREE" and walks(clip, surroundings.skeleton)
        if not walking or not isinstance(others, Brought) or not any(others.foreign(name) for name in names):
            return None
        return Standing([clip, *map(matching, names)], surroundings.skeleton)

    def process(params):
        takes = [followed(take, clip) for take in read_take_list(BlendTake, params.takes, surroundings.takes)]
        if len(takes) == 1:
            return clip
        names = tuple(take.action for take in takes[1:])
        mixer, feet = opened(names), standing(names)
        shares = BlendWeights(takes, params.normalise, mixer.owners, surroundings.skeleton, clip.first_frame)
        if params.alignment == "NONE":
            lengths = [own.frames for own, heard in zip(mixer.clips, shares.heard()) if heard]
            rows = np.arange(min(lengths, default=clip.frames), dtype=np.float64)
            times = np.repeat(rows[None], len(takes), axis=0)
        else:
            own = np.arange(clip.frames, dtype=np.float64)
            alignments = [own, *(aligned(params.alignment, take.action, take.anchors) for take in takes[1:])]
            rows, times = paced(np.stack(alignments), mixer.lead(*of_column(0, *shares.at(own))))
        result = mixer.mixed(times, *of_column(shares.columns, *shares.at(rows)))
        return feet(result, times, mixer.lead(*of_column(0, *shares.at(rows)))) if feet else result

    return process


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


BLEND = Technique(
    "blend",
    "Blend",
    BlendParams,
    blend,
    needs=frozenset({"skeleton"}),
    retimes=True,
    waits="add a take to its list and give it some weight",
    wants=("takes",),
)
