# SPDX-License-Identifier: GPL-3.0-or-later
"""What an edit did to the feet, in words for whoever applied it."""

import numpy as np

from ..core.slide import legs, slides
from .actions import channel_of, channelbag, key_count, read_take


def feet_words(scope, result):
    """How far planted feet slide after and before, in millimetres; empty where there are no feet to speak of."""
    skeleton = scope.skeleton
    if skeleton is None or not all(bone.plain for bone in skeleton.bones):
        return ""
    world = np.array(scope.owner.matrix_world)[:3, :3]
    scale = np.linalg.norm(world, axis=0).mean()
    up = world.T @ (0.0, 0.0, 1.0)
    figure = legs(skeleton, up / np.linalg.norm(up))
    if figure is None:
        return ""
    before = read_legs(scope, figure)
    if before is None:
        return ""
    measured = slides(figure, before, overlaid(before, result), up / np.linalg.norm(up))
    if measured is None:
        return ""
    was, now = (1000.0 * scale * slide for slide in measured)
    return f"planted feet slide {now:.0f} mm, they slid {was:.0f} mm before"


def read_legs(scope, figure):
    """The source's clip of the legs, or None where the object itself moves and carries them."""
    names = {bone.name for bone in figure.skeleton.bones}
    curves, bag = [], channelbag(scope.action, scope.slot)
    for curve in bag.fcurves:
        channel = channel_of(curve.data_path, curve.array_index, scope.owner)
        if not channel.owner and channel.kind != "VALUE":
            return None
        if channel.owner in names and key_count(curve):
            curves.append(curve)
    if not curves:
        return None
    return read_take(scope.action, scope.slot, curves, scope.owner, scope.first, scope.last, scope.fps).clip


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
