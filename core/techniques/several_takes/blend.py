# SPDX-License-Identifier: GPL-3.0-or-later
"""Blend: any number of takes mixed into one (Bruderlin and Williams 1995, section 3.1), band by band if wanted."""

from ...declare.lists import read_take_list
from ...declare.params import choice, flag, records
from ...declare.technique import Technique
from ...mixing.mix import Mix
from ...mixing.weights import BlendTake
from ...numeric.frozen import frozen
from ...retargeting.mixed_feet import feet_among


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
    mix = Mix(clip, surroundings, feet_among(clip, surroundings))

    def process(params):
        return mix(read_take_list(BlendTake, params.takes, surroundings.takes), params.normalise, params.alignment)

    return process


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
