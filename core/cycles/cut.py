# SPDX-License-Identifier: GPL-3.0-or-later
"""Cut: rows of a take as a closed cycle."""

from dataclasses import replace

import numpy as np

from ..body.mirror import Mirror
from ..motion.chart import Chart
from ..motion.cycle import Cycle, cycle_of, going_on
from ..motion.ground import Ground
from ..numeric import rotation
from .closing import closed, closed_steps, refuse_open
from .undo_limp import limp_undone

FEWEST = 4  # frames: a cycle of fewer is none


def cut_cycle(clip, surroundings, start, end, closing="VELOCITY", undo_limp=True):
    """The rows from start to end as a closed cycle that travels on."""
    ground = Ground([clip], surroundings.skeleton)
    cycle, path = closed_cycle(clip, ground, start, end, closing, undo_limp, surroundings)
    return travelling(cycle, path, ground, clip.values[start : end + 1])


def mirrored_cycle(clip, surroundings):
    """A cycle with left and right exchanged, half a cycle later."""
    ground = Ground([clip], surroundings.skeleton)
    cycle, path = whole_cycle(clip, ground, surroundings)
    return travelling(cycle.mirrored(Mirror(surroundings.skeleton)), path, ground, clip.values)


def travelling(cycle, path, ground, near, way="TRAVEL"):
    """A cycle as a clip that goes on from the start of a path, angles near those of rows (frames + 1, channels)."""
    rows = np.arange(cycle.length + 1) % (len(near) - 1)
    return cycle.clip_on(ground, cycle.going(way, path.places[0], path.headings[0], ground.up), near[rows])


def whole_cycle(clip, ground, surroundings):
    """The clip, which must come round, as a cycle, and the path that it goes."""
    cycle, path = cycle_of(clip, ground)
    refuse_open(Chart(cycle.clip, surroundings.angles_apart), "the take")
    return cycle, path


def closed_cycle(clip, ground, start, end, way, limp, surroundings):
    """The rows from start to end as a closed cycle, and the path that they went."""
    values, path = ground.taken_off(clip.values)
    before = clip.with_values(values[start : end + 1], np.arange(start, end + 1))
    chart = come_round(Chart(before, surroundings.angles_apart), surroundings.angles_apart)
    after = before.with_values(chart.values(closed(chart.signals, clip.fps, way, chart.turns())))
    if limp:
        after = limp_undone(before, after, surroundings.skeleton)
    steps, turns = path.steps(ground.up)
    inner = slice(start, end)
    cycle = Cycle(ended(after), closed_steps(steps, inner), closed_steps(turns, inner))
    return cycle, replace(path, places=path.places[start : end + 1], headings=path.headings[start : end + 1])


def come_round(chart, angles_apart):
    """The chart with every rotation led to exactly where it began, both ends half of the way, the short way.

    In signals those that have turned whole turns on the way would only come close, as a turn about another axis.
    """

    def led(q, mode, owners):
        gap = rotation.multiply(rotation.conjugate(q[:, -1:]), q[:, :1])
        ramp = np.linspace(-0.5, 0.5, q.shape[1])[:, None]
        return rotation.multiply(q, rotation.exp(rotation.log(np.where(gap[0] < 0, -gap, gap)) * ramp))

    values = chart.values(chart.reshaped(led, lambda values, channels: values))
    return Chart(chart.clip.with_values(values), angles_apart)


def ended(clip):
    """A closed clip whose last frame is its first, but for whole turns, half turns that mean the same, and signs."""
    return clip.with_values(np.concatenate([clip.values[:-1], going_on(clip, clip.values[-1])[:1]]))
