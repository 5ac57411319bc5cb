# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip with some bones turned, shifted or stretched on top of what it does, each channel in its own mode and branch."""

import numpy as np

from ..numeric import rotation
from .clip import Channel
from .orientations import Orientations

SAME = 1e-12
TOGETHER = 1 << 18  # frames times rotations: on their way through the chart these are many times as large


def reposed(clip, skeleton, turns, shifts=(), stretches=(), own=None):
    """Change a clip's bones: {name: turns (4, frames) in the bone's own space}, {name: (3, frames) added to its location},
    {name: (frames,) factors of its length}; `own` are frames (frames,) that are as in another clip.

    Channels that the clip lacks are added at what the bone holds. Where a bone is not turned it keeps the source's values.
    """
    bones = {bone.name: bone for bone in skeleton.bones}
    turned = {
        name: [Channel(bones[name].rotation_path, index, bones[name].mode, name) for index in range(len(bones[name].rotation))]
        for name in turns
    }
    shifted = {
        name: [Channel(bones[name].path + ".location", index, "LOCATION", name) for index in range(3)] for name in shifts
    }
    longer = {name: [Channel(bones[name].path + ".scale", 1, "SCALE", name)] for name in stretches}
    needed = [channel for changes in (turned, shifted, longer) for channels in changes.values() for channel in channels]
    whole = clip.with_channels(needed, [skeleton.held(channel) for channel in needed])
    columns = {channel: column for column, channel in enumerate(whole.channels)}
    values = np.array(whole.values, order="F")
    for mode in {bones[name].mode for name in turns}:
        names = [name for name in turns if bones[name].mode == mode]
        for few in parted(names, max(1, TOGETHER // clip.frames)):
            turn(
                values,
                mode,
                [[columns[channel] for channel in turned[name]] for name in few],
                np.stack([turns[name] for name in few], axis=-1),
            )
    for name, channels in shifted.items():
        values[:, [columns[channel] for channel in channels]] += shifts[name].T
    for name, channels in longer.items():
        values[:, columns[channels[0]]] *= stretches[name]
    if own:
        rows, other = own
        held = [skeleton.held(channel) if channel.owner else 0.0 for channel in whole.channels]
        values[rows] = other.with_channels(whole.channels, held).values[rows]
    return whole.with_values(values)


def parted(names, size):
    """Names in groups of so many at most."""
    return [names[start : start + size] for start in range(0, len(names), size)]


def turn(values, mode, columns, turns):
    """Turn rotations of one mode in their own spaces by (4, frames, rotations), in place."""
    source = rotation.stack(*(values.T[list(rows)].T for rows in zip(*columns)))
    these = Orientations(mode, source)
    result = these.channels(these.signals_from(rotation.multiply(these.quaternions, turns)), heal=False)
    result = np.where(np.abs(turns[1:]).max(axis=0) < SAME, source, result)
    for index, rows in enumerate(columns):
        values[:, rows] = result[:, :, index].T
