# SPDX-License-Identifier: GPL-3.0-or-later
"""Smoothing: weights that come and go without a corner, and smooth curves above others."""

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
