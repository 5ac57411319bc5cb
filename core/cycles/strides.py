# SPDX-License-Identifier: GPL-3.0-or-later
"""Strides: a gait once round, begun at a strike of the left foot, with its events (Ahmed 2001, section 5).

A take that is a cycle already is taken as it is; of any other the stretch that repeats best is closed.
"""

from dataclasses import replace

import numpy as np

from ..body.gait_events import KEYS, Event, gait_events
from ..motion.chart import Chart
from ..motion.clip import Clip
from ..motion.cycle import cycle_of
from ..motion.ground import Ground
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from .cut import cut_cycle, mirrored_cycle
from .find_loops import WORST_GAP, find_loops

FIRST = "left strike"
CLOSED = 1e-3  # radians or metres: a take that ends closer to where it began is a cycle
AROUND = 1  # rounds before and after one whose events are looked for, as a step may begin in one and end in the next
MANY = 40  # loops among which one that turns is looked for
TURNS = np.radians(25.0)  # in a stride: what turns less goes straight on
CHANCE = 4.0  # times that the gap of the best loop may be that of a shorter one


@frozen
class Stride:
    """A cycle from a strike of the left foot to the next, straight on, its events in rows from its start, and how far it
    turned on the way, in radians to the left."""

    name: str
    clip: Clip
    events: tuple
    turn: float = 0.0

    @property
    def steps(self):
        """How often feet strike in it."""
        return sum(event.name.endswith("strike") for event in self.events)


def stride_of(clip, name, surroundings, marked=()):
    """One time round of the gait in a take; `marked` are events in frames of the take, instead of those that are found."""
    return stride_in(*cycle_in(clip, name, surroundings), name, surroundings, marked)


def turning_stride(clip, name, surroundings):
    """One time round of the gait where the take turns most, or None where it does not turn."""
    headings = Ground([clip], surroundings.skeleton).taken_off(clip.values)[1].headings
    loops = [loop for loop in find_loops(clip, surroundings, count=MANY).best if loop.gap <= WORST_GAP]
    shortest = min((loop.last - loop.first for loop in loops), default=0)

    def turned(loop):
        return float(np.subtract(*headings[[loop.last - clip.first_frame, loop.first - clip.first_frame]]))

    turns = [loop for loop in loops if loop.last - loop.first < 1.5 * shortest and abs(turned(loop)) > TURNS]
    if not turns:
        return None
    best = max(turns, key=lambda loop: abs(turned(loop)) * (1.0 - loop.gap))
    once = cut_cycle(clip, surroundings, best.first - clip.first_frame, best.last - clip.first_frame)
    return stride_in(once, best.first, name, surroundings)


def mirrored_stride(stride, surroundings):
    """A stride with left and right exchanged, which turns the other way."""
    once = mirrored_cycle(stride.clip, surroundings)
    return replace(stride_in(once, once.first_frame, stride.name, surroundings), turn=-stride.turn)


def stride_in(once, first, name, surroundings, marked=()):
    """A cycle that begins at a frame of its take as a stride."""
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
    turn = float(cycle.turns.sum())
    return Stride(name, placed(cycle.shifted(start), ground, path, once), tuple(events), turn)


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
    way = "TRAVEL" if abs(cycle.turns.sum()) > TURNS else "STRAIGHT"  # feet stand only where a turn is turned
    many = placed(cycle.repeated(1 + 2 * AROUND), ground, path, once, way)
    events = gait_events(many, surroundings.skeleton, kinds=KEYS, name=name)
    return in_cycle(events, many.first_frame + AROUND * cycle.length, cycle.length)


def begun_alike(own, others, length):
    """Events of another cycle, counted on from the first that has the name of the first of these."""
    first = next((index for index, event in enumerate(others) if own and event.name == own[0].name), 0)
    return [*others[first:], *(Event(event.name, event.frame + length) for event in others[:first])]


def placed(cycle, ground, path, once, way="STRAIGHT"):
    """A cycle from the start of a path, straight on or as it turns."""
    near = once.values[np.arange(cycle.length + 1) % (once.frames - 1)]
    return cycle.clip_on(ground, cycle.going(way, path.places[0], path.headings[0], ground.up), near)
