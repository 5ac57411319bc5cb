# SPDX-License-Identifier: GPL-3.0-or-later
"""Strides: a gait once round, begun at a strike of the left foot, with its events (Ahmed 2001, section 5).

A take that is a cycle already is taken as it is; of any other the stretch that repeats best is closed.
"""

import numpy as np

from ..body.gait_events import KEYS, Event, gait_events
from ..motion.chart import Chart
from ..motion.clip import Clip
from ..motion.cycle import cycle_of
from ..motion.ground import Ground
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from .cut import cut_cycle
from .find_loops import WORST_GAP, find_loops

FIRST = "left strike"
CLOSED = 1e-3  # radians or metres: a take that ends closer to where it began is a cycle
AROUND = 1  # rounds before and after one whose events are looked for, as a step may begin in one and end in the next
CHANCE = 4.0  # times that the gap of the best loop may be that of a shorter one


@frozen
class Stride:
    """A cycle from a strike of the left foot to the next, as it travels, and its events in rows from its start."""

    name: str
    clip: Clip
    events: tuple

    @property
    def steps(self):
        """How often feet strike in it."""
        return sum(event.name.endswith("strike") for event in self.events)


def stride_of(clip, name, surroundings, marked=()):
    """One time round of the gait in a take; `marked` are events in frames of the take, instead of those that are found."""
    once, first = cycle_in(clip, name, surroundings)
    ground = Ground([once], surroundings.skeleton)
    cycle, path = cycle_of(once, ground)
    events = in_cycle(marked, first, cycle.length) if marked else cycle_events(once, name, surroundings)
    start = next((event.frame for event in events if event.name == FIRST), None)
    if start is None:
        raise Refusal(
            f"events: no gait found in {name}, as its cycle from frame {first} to {first + cycle.length} has no {FIRST}"
        )
    events = sorted(
        (Event(event.name, (event.frame - start) % cycle.length) for event in events), key=lambda event: event.frame
    )
    return Stride(name, placed(cycle.shifted(start), ground, path, once), tuple(events))


def cycle_in(clip, name, surroundings):
    """The take if it is a cycle, or the best that there is in it, and the frame where that begins."""
    on_spot = clip.with_values(Ground([clip], surroundings.skeleton).taken_off(clip.values)[0])
    chart = Chart(on_spot, surroundings.angles_apart)
    gaps = chart.signals[-1] - chart.signals[0] - chart.turns()
    if np.abs(gaps).max() < CLOSED < np.ptp(chart.signals, axis=0).max():
        return clip, clip.first_frame
    best = find_loops(clip, surroundings).best
    if not best or best[0].gap > WORST_GAP:
        raise Refusal(f"events: no gait found in {name}, as nothing in its {clip.frames} frames repeats itself")
    once = one_time_round(best)
    first, last = once.first, once.last
    return cut_cycle(clip, surroundings, first - clip.first_frame, last - clip.first_frame), first


def one_time_round(loops):
    """The best of loops, the best first, that goes round no more often than the others: a few times round may close a little
    better by chance."""
    good = [loop for loop in loops if loop.gap <= min(CHANCE * loops[0].gap, WORST_GAP)]
    shortest = min(loop.last - loop.first for loop in good)
    return next(loop for loop in good if loop.last - loop.first < 1.5 * shortest)


def in_cycle(marked, first, length):
    return [Event(event.name, event.frame - first) for event in marked if first <= event.frame < first + length]


def cycle_events(once, name, surroundings):
    """Events of a cycle in rows, looked for as it goes on and on."""
    ground = Ground([once], surroundings.skeleton)
    cycle, path = cycle_of(once, ground)
    many = placed(cycle.repeated(1 + 2 * AROUND), ground, path, once)
    events = gait_events(many, surroundings.skeleton, kinds=KEYS, name=name)
    return in_cycle(events, many.first_frame + AROUND * cycle.length, cycle.length)


def begun_alike(own, others, length):
    """Events of another cycle, counted on from the first that has the name of the first of these."""
    first = next((index for index, event in enumerate(others) if own and event.name == own[0].name), 0)
    return [*others[first:], *(Event(event.name, event.frame + length) for event in others[:first])]


def placed(cycle, ground, path, once):
    """A cycle from the start of a path, straight on."""
    near = once.values[np.arange(cycle.length + 1) % (once.frames - 1)]
    return cycle.clip_on(ground, cycle.going("STRAIGHT", path.places[0], path.headings[0], ground.up), near)
