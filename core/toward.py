# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses part of the way to others: rotations on the sphere, along the turn that leads from the one to the other."""

import numpy as np

from . import rotation
from .chart import Chart
from .clip import ROTATION_SIZES


def toward(clip, other, amount, shared):
    """The clip with its poses moved by `amount` towards those of another with the same channels and frames.

    0 is the clip, 1 the other one, beyond is farther. Channels that are not `shared` (channels,) stay as they are.
    """
    chart, goals = Chart(clip), iter(Chart(other).parts)  # of the same channels, and so the same parts in the same order

    def turn(q, mode, owners):
        way = rotation.multiply(rotation.conjugate(q), next(goals).quaternions)
        way *= np.where(way[0] < 0, -1.0, 1.0)
        way *= rotation.lifted(way)  # near half a turn the shorter way would change sides from frame to frame
        return rotation.multiply(q, rotation.exp(amount * rotation.log(way)))

    def move(values, channels):
        way = other.values[:, chart.plain] - values
        angles = [channel.kind in ROTATION_SIZES for channel in channels]
        return values + amount * np.where(angles, np.remainder(way + np.pi, 2 * np.pi) - np.pi, way)

    values = chart.values(chart.reshaped(turn, move))
    values[:, ~shared] = clip.values[:, ~shared]
    return clip.with_values(values)
