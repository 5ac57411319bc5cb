# SPDX-License-Identifier: GPL-3.0-or-later
"""What an edit did to the feet, in words for whoever applied it."""

import numpy as np

from ..core.contacts import check_contacts, stand
from ..core.controls import known
from ..core.figure import Figure
from ..core.refusal import Refusal
from ..core.report import scaled, slides_of
from .actions import channel_of, channelbag, key_count, read_take
from .body import roles_of
from .planted import contacts_of


def feet_words(scope, original, before, result):
    """How far feet slide, after and in an action before, while they are planted, in millimetres; nothing without feet.

    What is planted is what the animator kept of it with the scope's action or else is found in the original take; in a result
    of another length, what is planted there.
    """
    skeleton = scope.skeleton
    if skeleton is None:
        return ""
    try:
        figure = Figure(skeleton, known(roles_of(scope.owner, skeleton), skeleton))
    except Refusal:  # no feet, or none that could be measured
        return ""
    if tuple(before.frame_range) != tuple(scope.action.frame_range):
        before = scope.action
    legs = {action: read_legs(action, scope, figure) for action in {original, before, scope.action}}
    if None in legs.values():
        return ""
    was, now = legs[before], legs[scope.action]
    places = {action: figure.places(legs[action]) for action in {original, before}}
    if result.frames == now.frames:
        kept = contacts_of(scope.action)
        planted = kept if kept and fit(kept, now) else stand(legs[original], figure, *places[original])[0]
        after = overlaid(now, result, scope.chosen)
        slides = [slide(figure, was, places[before], planted), slide(figure, after, None, planted)]
    else:
        slides = [slide(figure, was, places[before]), slide(figure, result)]
    return "" if None in slides else f"planted feet slide {slides[1]:.0f} mm, they slid {slides[0]:.0f} mm before"


def slide(figure, clip, places=None, contacts=None):
    """How far feet get from where they stand, on average, in millimetres; what is planted is found unless it is given."""
    points, pelvis = places or figure.places(clip)
    contacts = contacts or stand(clip, figure, points, pelvis)[0]
    return scaled(np.mean, slides_of(points, figure, contacts, clip.first_frame))


def fit(contacts, clip):
    """Whether contacts are of this clip's frames; those kept with an action whose keys have since moved are not."""
    try:
        return bool(check_contacts(contacts, clip))
    except Refusal:
        return False


def read_legs(action, scope, figure):
    """The clip of the legs in an action, or None where it has none or the object itself moves and carries them."""
    slot = action.slots.get(scope.slot.identifier)
    bag = channelbag(action, slot)
    if bag is None:
        return None
    names = {bone.name for bone in figure.skeleton.bones}
    channels = {curve: channel_of(curve.data_path, curve.array_index, scope.owner) for curve in bag.fcurves if key_count(curve)}
    curves = [curve for curve, channel in channels.items() if channel.owner in names]
    if not curves or any(not channel.owner and channel.kind != "VALUE" for channel in channels.values()):
        return None
    return read_take(action, slot, curves, scope.owner, scope.first, scope.last, scope.fps).clip


def overlaid(clip, result, chosen):
    """A clip with the channels of a result in place of its own: those chosen, by path and index, and those that it lacks."""
    columns = {channel: column for column, channel in enumerate(result.channels)
               if (channel.path, channel.index) in chosen or channel not in clip.channels}
    owners = {channel.owner for channel in clip.channels}
    added = [channel for channel in result.channels if channel.owner in owners]
    whole = clip.with_channels(added, [0.0] * len(added))
    values = np.array(whole.values, order="F")
    for place, channel in enumerate(whole.channels):
        if channel in columns:
            values[:, place] = result.values[:, columns[channel]]
    return whole.with_values(values)
