# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows over time: runs of them, weights that come and go without a corner, curves above others, ways that slow down."""

import numpy as np

from . import scipy


def smooth(position):
    """From 0 to 1 with level ends."""
    position = np.clip(position, 0.0, 1.0)
    return position * position * (3.0 - 2.0 * position)


def above(values, radius):
    """A smooth curve (frames,) that is nowhere below the values and looks so many frames ahead and back."""
    highest = scipy.ndimage.maximum_filter1d(values, 2 * radius + 1, mode="nearest")
    kernel = np.hanning(2 * radius + 3)[1:-1]
    return scipy.ndimage.convolve1d(highest, kernel / kernel.sum(), mode="nearest")


def runs(mask):
    """First and last row of every stretch that is true."""
    edges = np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0))
    return [(int(first), int(end) - 1) for first, end in zip(edges[::2], edges[1::2])]


def softened(change, low, high, softness):
    """Changes that approach the room below and above them, each ever more slowly from `softness` before its end."""
    up, down = np.maximum(change, 0.0), np.maximum(-change, 0.0)
    return approached(up, np.maximum(high, 0.0), softness) - approached(down, np.maximum(-low, 0.0), softness)


def approached(way, room, softness):
    """Ways of no more than their room: as they are until softness before its end, and slower and slower from there."""
    reach = np.maximum(np.minimum(room, softness), 1e-12)
    beyond = np.maximum(way - (room - reach), 0.0)
    return np.where(beyond > 0.0, room - reach * np.exp(-beyond / reach), way)
