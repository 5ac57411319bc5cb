# SPDX-License-Identifier: GPL-3.0-or-later
"""Filling a longer path: the take's cycle of steps again and again, at its own speed (Gleicher 2001, section 7.2).

The cycle is found by contacts, and cut where pose and speed of two moments a cycle apart are most alike. Towards the end of
the cycle the take goes over into what came before its start, so that the jump back is none. All of that happens beside the
path, so that no turn and no sway adds up from cycle to cycle.
"""

from dataclasses import fields

import numpy as np

from ..body.contacts import events
from ..mixing.transitions import compared
from ..motion.chart import Chart
from ..numeric.refusal import Refusal
from ..numeric.rotation import EULER_ORDERS
from ..numeric.smoothing import smooth
from .follow import Aside

TRANSITION = 0.3  # seconds
LIKE_A_CYCLE = 0.2  # of a cycle: how much longer or shorter a repeated part may be
TRAVELLING = 0.7  # of the usual speed: a part that is slower is no walking
MOST = 200_000  # frames


class StepLoop:
    """A take beside its path whose cycle can be repeated: rows of `aside` are the take's own, then those that lead back."""

    def __init__(self, walk, skeleton, contacts):
        self.frames = walk.clip.frames
        self.enter, self.leave = cycle(walk, skeleton, contacts)
        back = led_back(walk, self.enter, self.leave)
        self.aside = Aside(
            *(np.concatenate([getattr(aside, field.name) for aside in (walk.aside, back)]) for field in fields(Aside))
        )
        self.length = float(back.steps[self.enter + 1 : self.leave + 1].sum())

    def rows(self, times):
        """The rows of the take with its cycle repeated so many times more."""
        if times == 0:
            return np.arange(self.frames)
        before, again = np.split(self.frames + np.arange(self.leave + 1), [self.enter + 1])
        return np.concatenate([before, *[again] * times, np.arange(self.enter + 1, self.frames)])

    def fill(self, missing):
        """How many times the cycle must be repeated to get so many metres farther."""
        times = int(np.ceil(max(missing, 0.0) / self.length - 1e-9))
        if times * (self.leave - self.enter) > MOST:
            raise Refusal(f"ends: filling {missing:.0f} m more takes over {MOST} frames; make the path shorter")
        return times

    def taken(self, rows, channels):
        """Such rows beside the path, with whole turns and signs continued where they jump back."""
        aside = self.aside.at(rows)
        jumps = np.flatnonzero(np.diff(rows % self.frames) != 1)
        return Aside(
            continued(aside.values, jumps, channels),
            continued(aside.near, jumps, channels),
            aside.places,
            aside.turned,
            aside.steps,
        )


def cycle(walk, skeleton, contacts):
    """The rows at which the cycle that is repeated is entered and left."""
    clip, distances = walk.clip, np.cumsum(walk.aside.steps)
    cycles = [end - start for foot in events(contacts, clip).values() for start, end in foot["cycles"]]
    if not cycles:
        raise Refusal("ends: the take has no cycle of steps that could be repeated to fill the path; stop where it ends")
    period, span = np.median(cycles), transition(clip)
    first = min(frame for intervals in contacts.values() for frame, _ in intervals) - clip.first_frame + span
    entering, leaving = np.arange(first, clip.frames), np.arange(first, clip.frames)
    cuts = compared(clip, clip, walk.ground, skeleton, leaving, entering, 0.5 * period)
    apart = leaving[:, None] - entering
    whole = np.abs(apart / period - np.rint(apart / period)) < LIKE_A_CYCLE
    usual = (
        np.median(
            [
                distances[end - clip.first_frame] - distances[start - clip.first_frame]
                for foot in events(contacts, clip).values()
                for start, end in foot["cycles"]
            ]
        )
        / period
    )
    moving = distances[leaving][:, None] - distances[entering] > TRAVELLING * usual * apart
    cuts.distances[~(whole & moving)] = np.inf
    found = cuts.best()
    if not found:
        raise Refusal("ends: the take has no two moments a cycle of steps apart that are alike; stop where it ends")
    leave, enter, _ = found[0]
    return enter, leave


def led_back(walk, enter, leave):
    """The take beside its path as it goes over, before it leaves the cycle, into what comes before it enters."""
    span = transition(walk.clip)
    rows = np.arange(leave - span, leave + 1)
    share = smooth(np.linspace(0.0, 1.0, len(rows)))
    chart = Chart(walk.clip.with_values(walk.aside.values))
    signals = mixed(chart.signals, rows, leave - enter, share, whole_turns(chart))
    values = chart.values(signals, heal=False)
    arrays = [mixed(array, rows, leave - enter, share) for array in (walk.aside.places, walk.aside.turned, walk.aside.steps)]
    return Aside(values, walk.aside.near, *arrays)


def mixed(signals, rows, apart, share, turning=()):
    """Signals (frames, ...) that go over, at some rows, into those so many rows before."""
    result = signals.copy()
    change = signals[rows - apart] - signals[rows]
    if len(turning):
        change[:, turning] -= 2 * np.pi * np.rint(change[-1, turning] / (2 * np.pi))
    result[rows] += share.reshape(-1, *[1] * (signals.ndim - 1)) * change
    return result


def whole_turns(chart):
    """The columns of a chart that count whole turns."""
    columns = [column for column, kind in enumerate(chart.kinds) if kind == "ANGLE"]
    for orientations, signals in zip(chart.orientations, chart.orientation_columns()):
        columns += range(signals.start + 3 * orientations.count, signals.stop)
    return columns


def continued(values, jumps, channels):
    """Values whose Euler angles and quaternions go on, after jumps, on the branch that they were on."""
    values = np.array(values, order="F")
    angles = [column for column, channel in enumerate(channels) if channel.kind in EULER_ORDERS]
    spins = {}
    for column, channel in enumerate(channels):
        if channel.kind == "QUATERNION":
            spins.setdefault(channel.path, []).append(column)
    for jump in jumps:
        gap = values[jump + 1, angles] - values[jump, angles]
        values[jump + 1 :, angles] -= 2 * np.pi * np.rint(gap / (2 * np.pi))
        for columns in spins.values():
            if values[jump + 1, columns] @ values[jump, columns] < 0:
                values[jump + 1 :, columns] *= -1.0
    return values


def transition(clip):
    return max(1, round(TRANSITION * clip.fps))
