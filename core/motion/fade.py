# SPDX-License-Identifier: GPL-3.0-or-later
"""Fades: a part of a take changes, and its borders stay whole in value and slope."""

import numpy as np

from ..numeric import rotation
from ..numeric.parallel import each
from ..numeric.refusal import Refusal
from ..numeric.smoothing import smooth
from .chart import Chart, components, rotation_groups
from .orientations import as_quaternions
from .rejoin import homed

BEGINNING = 0.25  # seconds in which a change comes in after poses that stay as they are


class Fade:
    """The source where the weight is 0, a result where it is 1, along the shortest rotation between.

    Frames of weight 0 are the source's to the bit. Channels that only the result has start from what the bone holds.
    """

    def __init__(self, source, weights, angles_apart=False, skeleton=None):
        self.source, self.weights, self.angles_apart, self.skeleton = source, weights, angles_apart, skeleton
        self.chart = self.turns = None

    def __call__(self, result):
        chart = self._chart_of(result)
        before, rows = chart.clip.values, (self.weights > 0)[:, None]
        values = np.array(before, order="F")
        values[:, chart.plain] += self.weights[:, None] * (result.values - before)[:, chart.plain]

        def turn(index):
            orientations, (mode, members) = chart.orientations[index], chart.groups[index]
            goal = rotation.normalized(as_quaternions(mode, components(result.values, members)))[0]
            turned = orientations.back(turned_towards(self.turns[index], goal, self.weights), heal=False)
            for columns, component in zip(zip(*members), homed(mode, turned, orientations.source, rows)):
                values[:, list(columns)] = component

        each(turn, range(len(chart.orientations)))
        return result.with_values(values)

    def _chart_of(self, result):
        """The source with the channels of the result, in their order, charted once."""
        if self.chart is None or self.chart.clip.channels != result.channels:
            self.chart = Chart(self.source.like(result, self.skeleton), self.angles_apart)
            self.turns = [orientations.quaternions for orientations in self.chart.orientations]
        return self.chart


def begun(source, result, angles_apart=False):
    """Values of a result that begins as its source does: the change comes in over its first moments."""
    head = slice(min(result.frames, round(BEGINNING * result.fps) + 1))
    left = 1.0 - smooth(np.arange(head.stop) / (BEGINNING * result.fps))
    first, goal = (clip.with_values(clip.values[head]) for clip in (result, source))
    values = np.concatenate([Fade(first, left, angles_apart)(goal).values, result.values[head.stop :]])
    moved = (first.values != goal.values).any(axis=0)
    for _, members in rotation_groups(result.channels)[0]:  # what did not change stays as it is, to the bit
        still = [column for columns in members if not moved[columns].any() for column in columns]
        values[:, still] = result.values[:, still]
    return values


def turned_towards(q, goal, weights):
    """Quaternions (4, frames, rotations) turned towards others by so much of the way (frames,), without a jump in between.

    What is less than half a turn away when a fade begins, or ends, may get farther within it, and still is gone to the same
    way round. Both ways meet where the weight is greatest and the goal is reached either way.
    """
    way = rotation.multiply(rotation.conjugate(q), goal)
    way *= rotation.lifted(way)
    fading, most = np.flatnonzero(weights), int(np.argmax(weights))
    first, last = (fading[0], fading[-1]) if len(fading) else (0, 0)
    begun, ended = (np.where(way[0, row] < 0, -1.0, 1.0) for row in (first, last))
    way[:, :most] *= begun
    way[:, most:] *= ended
    turned = rotation.multiply(q, rotation.exp(weights[:, None] * rotation.log(way)))
    turned[:, most:] *= begun * ended
    return turned


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
