# SPDX-License-Identifier: GPL-3.0-or-later
"""What an edit did to the feet, in words for whoever applied it."""

import numpy as np

from ...core.body.contacts import carried, stand
from ...core.body.figure import Figure
from ...core.body.report import scaled, size_words, slides_of
from ...core.body.roles import find_roles, known
from ...core.numeric.refusal import Refusal
from ..bridge.actions import channel_of, channelbag, key_count, read_take
from ..bridge.provenance import judged_by

STILL = 1e-5  # what an object's keys differ by, in metres and radians, without moving it


def feet_words(scope, original, before, result, origins=()):
    """How far feet slide, after and in an action before, while they are planted, in millimetres, and what is planted after.

    Nothing without feet. What is planted is what the animator kept of it with the scope's action, or else is found in the
    original take; in a result whose frames were moved in time, what was planted where they are from (contacts.Origin); in one
    of another length of which that is not known, what is found there.
    """
    skeleton = scope.skeleton
    if skeleton is None:
        return "", None
    try:
        figure = Figure(skeleton, known(find_roles(skeleton), skeleton))
    except Refusal:  # no feet, or none that could be measured
        return "", None
    if tuple(before.frame_range) != tuple(scope.action.frame_range):
        before = scope.action
    if tuple(original.frame_range) != tuple(scope.action.frame_range):
        original = scope.action
    legs = {action: read_legs(action, scope, figure) for action in {original, before, scope.action}}
    if None in legs.values():
        return "", None
    if any(map(carried_about, (*legs.values(), result))):
        return "planted feet are not measured: keys move the object itself, and them with it", None
    was, now = legs[before], legs[scope.action]
    places = {action: figure.places(legs[action]) for action in {original, before}}
    planted = judged_by(scope.action, now) or stand(legs[original], figure, *places[original])[0]
    same = result.frames == now.frames
    then = moved_in_time(origins, planted, figure, result) if origins else planted if same else None
    after = overlaid(now, result, scope.chosen) if same else result
    slides = [slide(figure, was, places[before], planted), slide(figure, after, None, then)]
    words = "" if None in slides else f"planted feet slide {slides[1]:.0f} mm, they slid {slides[0]:.0f} mm before"
    return "; ".join(filter(None, (words, words and size_words(figure.leg)))), then if origins else None


def moved_in_time(origins, planted, figure, result):
    """What should stand when in a result: what is planted in its take, and is found in others, where its frames are from."""
    take = origins[0].clip
    return carried(
        origins, lambda clip: planted if clip is take else stand(clip, figure, *figure.places(clip))[0], result.first_frame
    )


def slide(figure, clip, places=None, contacts=None):
    """How far feet get from where they stand, on average, in millimetres; what is planted is found unless it is given."""
    points, pelvis = places or figure.places(clip)
    contacts = contacts or stand(clip, figure, points, pelvis)[0]
    return scaled(np.mean, slides_of(points, figure, contacts, clip.first_frame))


def read_legs(action, scope, figure):
    """The clip of the legs in an action, and of the object itself, or None where it has none."""
    slot = action.slots.get(scope.slot.identifier)
    bag = channelbag(action, slot)
    if bag is None:
        return None
    names = {bone.name for bone in figure.skeleton.bones}
    channels = {curve: channel_of(curve.data_path, curve.array_index, scope.owner) for curve in bag.fcurves if key_count(curve)}
    curves = [
        curve for curve, channel in channels.items() if channel.owner in names or not channel.owner and channel.kind != "VALUE"
    ]
    if not any(channels[curve].owner for curve in curves):
        return None
    return read_take(action, slot, curves, scope.owner, scope.first, scope.last, scope.fps).clip


def carried_about(clip):
    """Whether the object itself moves, and its bones with it; keys that all say the same, as FBX files have, move nothing."""
    own = [column for column, channel in enumerate(clip.channels) if not channel.owner and channel.kind != "VALUE"]
    return bool(own) and bool((np.ptp(clip.values[:, own], axis=0) > STILL).any())


def overlaid(clip, result, chosen):
    """A clip with the channels of a result in place of its own: those chosen, by path and index, and those that it lacks."""
    columns = {
        channel: column
        for column, channel in enumerate(result.channels)
        if (channel.path, channel.index) in chosen or channel not in clip.channels
    }
    owners = {channel.owner for channel in clip.channels}
    added = [channel for channel in result.channels if channel.owner in owners]
    whole = clip.with_channels(added, [0.0] * len(added))
    values = np.array(whole.values, order="F")
    for place, channel in enumerate(whole.channels):
        if channel in columns:
            values[:, place] = result.values[:, columns[channel]]
    return whole.with_values(values)
