# SPDX-License-Identifier: GPL-3.0-or-later
"""Fades: a part of a take changes, and its borders stay whole in value and slope."""

from dataclasses import replace

import numpy as np

from .chart import Chart
from .refusal import Refusal


class Fade:
    """The source where the weight is 0, a result where it is 1, along the shortest rotation between.

    Frames of weight 0 are the source's to the bit. Channels that only the result has start from what the bone holds.
    """

    def __init__(self, source, weights, angles_apart=False, skeleton=None):
        self.source, self.weights, self.angles_apart, self.skeleton = source, weights, angles_apart, skeleton
        self.chart = None

    def __call__(self, result):
        chart = self._chart_of(result.channels)
        change = chart.signals_of(result.values) - chart.signals
        values = chart.values(chart.signals + self.weights[:, None] * change, heal=False)
        outside = self.weights == 0
        values[outside] = chart.clip.values[outside]
        return result.with_values(values)

    def _chart_of(self, channels):
        """The source with the channels of the result, in their order, charted once."""
        if self.chart is None or self.chart.clip.channels != channels:
            added = [channel for channel in channels if channel not in self.source.channels]
            whole = self.source.with_channels(added, [self.skeleton.held(channel) for channel in added])
            order = [whole.channels.index(channel) for channel in channels]
            self.chart = Chart(replace(whole, values=whole.values[:, order], channels=channels), self.angles_apart)
        return self.chart


def range_weights(frames, start, end, fade_in, fade_out):
    """Weights (frames,): 0 outside rows start to end, 1 inside, rising and falling smoothly within the range.

    `fade_in` and `fade_out` count frames; fades that meet share the range between them.
    """
    if end < start:
        raise Refusal(f"the range ends at {end}, before its start at {start}")
    length = end - start
    if fade_in + fade_out > length:
        fade_in, fade_out = (fade * length / (fade_in + fade_out) for fade in (fade_in, fade_out))
    time = np.arange(frames, dtype=np.float64)
    rise = smooth((time - start) / fade_in) if fade_in else time >= start
    fall = smooth((end - time) / fade_out) if fade_out else time <= end
    return rise * fall


def smooth(position):
    """From 0 to 1 with level ends."""
    position = np.clip(position, 0.0, 1.0)
    return position * position * (3.0 - 2.0 * position)
