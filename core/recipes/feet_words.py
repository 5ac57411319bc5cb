# SPDX-License-Identifier: GPL-3.0-or-later
"""What steps did to the feet, in words for whoever applied them."""

import numpy as np

from ..body.contacts import stand
from ..body.figure import Figure as Legs
from ..body.report import scaled, size_words, slides_of
from ..numeric.refusal import Refusal

STILL = 1e-5  # what an object's keys differ by, in metres and radians, without moving it


def feet_words(run):
    """How far feet slide while they are planted, after the steps and before them, in millimetres; nothing without feet.

    What is planted is what the animator keeps of it, or else is found in the take; where frames were moved in time, what was
    planted where they are from; in another length of which that is not known, what is found there.
    """
    if run.figure.skeleton is None:
        return ""
    try:
        legs = Legs(run.figure.skeleton, run.figure.roles)
    except Refusal:  # no feet, or none that could be measured
        return ""
    names = {bone.name for bone in legs.skeleton.bones}
    before, after = run.before.clip, run.whole.clip
    if not any(channel.owner in names for channel in before.channels if channel not in run.before.held):
        return ""
    if any(map(carried_about, (before, after))):
        return "planted feet are not measured: keys move the object itself, and them with it"
    was, now = slide(legs, before, run.stood_before), slide(legs, after, run.standing)
    if None in (was, now):
        return ""
    return "; ".join(filter(None, (f"planted feet slide {now:.0f} mm, they slid {was:.0f} mm before", size_words(legs.leg))))


def slide(legs, clip, contacts=None):
    """How far feet get from where they stand, on average, in millimetres; what is planted is found unless it is given."""
    points, pelvis = legs.places(clip)
    contacts = contacts or stand(clip, legs, points, pelvis)[0]
    return scaled(np.mean, slides_of(points, legs, contacts, clip.first_frame))


def carried_about(clip):
    """Whether the object itself moves, and its bones with it; keys that all say the same, as FBX files have, move nothing."""
    own = [column for column, channel in enumerate(clip.channels) if not channel.owner and channel.kind != "VALUE"]
    return bool(own) and bool((np.ptp(clip.values[:, own], axis=0) > STILL).any())
