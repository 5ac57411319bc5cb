# SPDX-License-Identifier: GPL-3.0-or-later
"""Another take in the terms of this one: its channels by name, its frame rate, its own length."""

from dataclasses import replace

import numpy as np

from ..numeric.refusal import Refusal
from .chart import rotation_groups
from .clip import Clip
from .resample import resampled
from .switches import of_take


def matched(clip, other):
    """`other` with the channels and the frame rate of `clip`, as long as it is, and how many channels they have in common.

    A channel that `other` lacks has the motion of `clip` there, stretched over its length: `common` tells which those are.
    """
    shared = common(clip, other)
    if not shared.any():
        raise Refusal(f"none of the {len(clip.channels)} curves of the take is in the other one")
    other.check()
    names = [(channel.path, channel.index) for channel in other.channels]
    own = [channel for channel, here in zip(clip.channels, shared) if here]
    values = other.values[:, [names.index((channel.path, channel.index)) for channel in own]]
    rows = np.arange(int((other.frames - 1) * clip.fps / other.fps + 1e-6) + 1) * (other.fps / clip.fps)
    if other.fps != clip.fps:
        values = resampled(Clip(values, tuple(own), other.fps, other.first_frame), rows).values
    result = np.empty((len(rows), len(clip.channels)), order="F")
    result[:, shared] = values
    if not shared.all():
        stretched = resampled(clip, np.linspace(0.0, clip.frames - 1.0, len(rows)))
        result[:, ~shared] = stretched.values[:, ~shared]
    switches = of_take(clip.switches, other.switches, rows, len(rows))
    return replace(clip, values=result, first_frame=other.first_frame, switches=switches), int(shared.sum())


def common(clip, other):
    """Which channels of `clip` (channels,) are in `other` too, by path and index; a rotation is there as a whole or not."""
    names = {(channel.path, channel.index) for channel in other.channels}
    shared = np.array([(channel.path, channel.index) in names for channel in clip.channels], dtype=bool)
    for _, members in rotation_groups(clip.channels)[0]:
        for columns in members:
            shared[columns] = shared[columns].all()
    return shared
