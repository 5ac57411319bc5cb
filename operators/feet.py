# SPDX-License-Identifier: GPL-3.0-or-later
"""What an edit did to the feet, in words for whoever applied it."""

import numpy as np

from ..core.slide import legs, slides
from .actions import channel_of, channelbag, key_count, read_take


def feet_words(scope, original, result):
    """How far feet slide, after and before, while they are planted in the original take, in millimetres.

    Empty where there are no feet to speak of.
    """
    skeleton = scope.skeleton
    if skeleton is None or not all(bone.plain for bone in skeleton.bones):
        return ""
    world = np.array(scope.owner.matrix_world)[:3, :3]
    up = world.T @ (0.0, 0.0, 1.0)
    up /= np.linalg.norm(up)
    figure = legs(skeleton, up)
    clips = [read_legs(action, scope, figure) if figure else None for action in (original, scope.action)]
    if None in clips:
        return ""
    measured = slides(figure, *clips, overlaid(clips[1], result), up)
    if measured is None:
        return ""
    was, now = (1000.0 * np.linalg.norm(world, axis=0).mean() * slide for slide in measured)
    return f"planted feet slide {now:.0f} mm, they slid {was:.0f} mm before"


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


def overlaid(clip, result):
    """A clip with the channels of a result in place of its own."""
    columns = {channel: column for column, channel in enumerate(result.channels)}
    owners = {channel.owner for channel in clip.channels}
    added = [channel for channel in result.channels if channel.owner in owners]
    whole = clip.with_channels(added, [0.0] * len(added))
    values = np.array(whole.values, order="F")
    for place, channel in enumerate(whole.channels):
        if channel in columns:
            values[:, place] = result.values[:, columns[channel]]
    return whole.with_values(values)
