# SPDX-License-Identifier: GPL-3.0-or-later
"""One curve fitted to what it is to become, with the keys it has and some more: values and heights of handles are solved."""

from dataclasses import replace

import numpy as np

from ..motion.compare import UNCHANGED
from ..numeric.frozen import frozen
from .handle_lengths import reaching, supple
from .keyed_curve import BEZIER, CONSTANT, NUMBERS
from .sums import is_full, nearest, product, weighing

FAINT = 1e-3  # of a frame's weight: what holds a number that no frame depends on
EDGE = 0.2  # of a gap: no new key is nearer to the keys beside it, if there is room
FAIRER = 4  # times that frames which are farther off count more
ON_KEYS = 3.0  # times as much as at other frames counts what is off where a key is
BESIDE = 0.2  # of a gap: so near to where a curve is off most is a frame that has keys already taken instead
LENGTHS = 4  # times that lengths of handles are looked at
WORTH = 0.7  # of what it was off by, at most, is left where looking at lengths once more is worth it
FLAT = 1e-6  # what a curve changes by that is held


@frozen
class Asked:
    """What one curve is to become: `wanted` (frames,) from `first` on, within `tolerance`, a number or (frames,); `before` is
    what the source is there, None where time has changed. A `loop` leads into its own start, `gap` higher than it began.
    Keys at times that are `firm` keep their values."""

    curve: object
    wanted: np.ndarray
    before: np.ndarray | None
    first: int
    tolerance: float | np.ndarray
    loop: bool = False
    gap: float = 0.0
    firm: tuple = ()


class Fit:
    """One curve on its way, `error` (frames,) how far it is off in parts of what is allowed.

    `curve` is the source's own shape with more and more keys, to which a change is added."""

    def __init__(self, asked):
        self.asked, self.curve, self.source, self.bends = asked, asked.curve, asked.curve, []
        self.frames = asked.first + np.arange(len(asked.wanted), dtype=float)
        self.allowed = np.broadcast_to(np.asarray(asked.tolerance, dtype=float), self.frames.shape)
        self.eased = None
        drawn, self.moved = self.curve.drawn(self.frames), np.ones(len(self.frames), dtype=bool)
        self.wanted = asked.wanted
        if asked.before is not None:
            self.eased = self.part_of_way(asked.before)
            drawn = self.curve.drawn(self.frames, self.eased)
            inside = (self.frames >= self.curve.times[0]) & (self.frames <= self.curve.times[-1])
            self.wanted = asked.wanted + np.where(inside, drawn - asked.before, 0.0)  # what Blender draws differently
            self.moved = np.abs(asked.wanted - asked.before) > UNCHANGED * max(1.0, np.abs(asked.before).max())

    def part_of_way(self, values):
        """How much of the way to the next key the source has gone at each frame."""
        segment = np.clip(self.curve.segments(self.frames), 0, len(self.curve) - 1)
        after = np.minimum(segment + 1, len(self.curve) - 1)
        step = self.curve.values[after] - self.curve.values[segment]
        span = np.maximum(self.curve.times[after] - self.curve.times[segment], 1e-6)
        flat = np.abs(step) < 1e-9
        return np.where(
            flat, (self.frames - self.curve.times[segment]) / span, (values - self.curve.values[segment]) / (step + flat)
        )

    def solve(self):
        """The curve of the keys that there are which is nearest to what is wanted; handles are as long as they were where that
        is enough."""
        found = self.solve_heights()
        nearest = self.excess(), self.curve, found, self.error
        for _ in range(LENGTHS):
            sides = supple(self.curve, self.segment, self.error, self.free_numbers())
            if not sides.any():
                break
            self.curve = self.with_lengths(found, sides)
            found, before = self.solve_heights(), nearest[0]
            if self.excess() < before:
                nearest = self.excess(), self.curve, found, self.error
            if nearest[0] > WORTH * before:
                break
        _, self.curve, found, self.error = nearest
        return found

    def excess(self):
        """How far the curve is off by more than is allowed, all in all."""
        return np.square(np.maximum(self.error - 1.0, 0.0)).sum()

    def with_lengths(self, found, sides):
        """The keys with handles on `sides` as long as brings what was `found` nearer."""
        ties, hold = self.ties(self.full)
        least = self.allowed.min() ** 2  # what is off is counted in what is allowed
        counts = np.where(self.counted, 1.0, 0.0) / self.allowed**2
        return reaching(self.curve, found, sides, self.frames, self.eased, self.wanted, ties, hold / least, counts)

    def solve_heights(self):
        """The same with handles as long as they are: least squares."""
        self.held = self.holds()
        curve = self.curve
        weights, segment = curve.weights(self.frames, self.eased), curve.segments(self.frames)
        self.segment, stepped = segment, curve.kinds[np.maximum(segment, 0)] == CONSTANT
        self.counted = ~stepped | (segment < 0)
        change = self.wanted - weights @ curve.numbers
        start = curve.numbers + self.guess(change)
        start = self.tied(start)
        self.full = is_full(weights)
        ties, hold = self.ties(self.full)
        drawing, off = product(weights, ties), self.wanted - weights @ start
        counts = np.where(self.counted, np.where(np.isin(self.frames, curve.times), ON_KEYS, 1.0), 0.0)
        counts = counts * (self.allowed.min() / self.allowed) ** 2
        for _ in range(FAIRER if ties.shape[1] else 0):
            solved = nearest(drawing, counts, hold, off)
            self.error = np.where(self.counted, np.abs(drawing @ solved - off), 0.0) / self.allowed
            if self.error.max() <= 1.0:
                break
            counts = counts * (0.25 + self.error / self.error.max())  # Lawson's way to what is nowhere far off
        else:
            if not ties.shape[1]:
                solved, self.error = np.zeros(0), np.where(self.counted, np.abs(off), 0.0) / self.allowed
        solved = start + ties @ solved
        return curve.with_numbers(solved)

    def holds(self):
        """Which segments (keys - 1,) the source holds and the result does as well, as near as may be."""
        curve, within = self.curve, self.curve.segments(self.frames)
        steps, rises = np.diff(curve.values), np.column_stack([curve.rise[:-1, 1], curve.rise[1:, 0]])
        held = (np.abs(steps) <= FLAT) & (np.abs(rises) <= FLAT).all(axis=1)
        for key in np.flatnonzero(held):
            rows = self.wanted[(within == key) | (np.abs(self.frames - curve.times[key + 1]) < 1e-6)]
            held[key] = len(rows) > 1 and np.ptp(rows) <= self.allowed.min()
        if held.any():  # a handle that is flat on the side that is held leaves the other one alone
            edges = np.append(held, False) != np.append(False, held)
            edges[[0, -1]] = False
            self.curve = replace(curve, smooth=curve.smooth & ~edges)
        return held

    def guess(self, change):
        """How each number of each key changes if the curve is moved by a change (frames,) as it is."""
        curve, slope = self.curve, np.gradient(change) if len(change) > 1 else np.zeros(len(change))
        up, lean = (np.interp(curve.times, self.frames, row) for row in (change, slope))
        turned = np.column_stack([up, -lean * curve.reach[:, 0], lean * curve.reach[:, 1]])
        return np.where(self.free_numbers(), turned, 0.0).ravel()

    def free_numbers(self):
        """Which numbers (keys, 3) may change: those of keys where nothing changes may not, on either side for itself unless
        both handles are one line."""
        times = self.curve.times
        counted = np.concatenate([[0], np.cumsum(self.moved)])
        rows = np.clip(np.concatenate([[-np.inf], times, [np.inf]]) - self.frames[0], 0, len(self.frames) - 1)
        touched = counted[np.ceil(rows[1:]).astype(int) + 1] > counted[np.floor(rows[:-1]).astype(int)]
        left, right = touched[:-1].copy(), touched[1:].copy()
        if self.frames[0] >= times[0]:  # nothing is seen of what comes before
            left[0] = right[0]
        if self.frames[-1] <= times[-1]:
            right[-1] = left[-1]
        both = left & right
        free = np.column_stack(
            [
                both & ~np.isin(self.curve.times, self.asked.firm),
                *(np.where(self.curve.smooth, both, side) for side in (left, right)),
            ]
        )
        free[1:, 1] &= ~self.held
        free[:-1, 2] &= ~self.held
        return free

    def ties(self, full=None):
        """How free numbers move the keys' numbers, (numbers, free), and how firmly each is held where it starts."""
        curve, free = self.curve, self.free_numbers()
        rows, columns, values, hold = [], [], [], []
        last = len(curve) - 1
        closed, runs = self.closed(free), self.runs(free)

        def add(entries, weight):
            for row, value in entries:
                rows.append(row)
                columns.append(len(hold))
                values.append(value)
            hold.append(weight)

        def turning(key):
            reach = curve.reach[key]
            return [(NUMBERS * key + 1, -reach[0]), (NUMBERS * key + 2, reach[1])]

        for key in range(len(curve)):
            together = [key, last] if closed and key == 0 else [key]
            if free[key, 0] and runs[key] == key and not (closed and runs[last] == key != 0):
                level = {each for start in together for each in np.flatnonzero(runs == runs[start])}
                add([(NUMBERS * each, 1.0) for each in sorted(level)], FAINT)
            if closed and key == last:
                continue
            if (curve.smooth[key] or closed and key == 0) and free[key, 1:].all():
                add([entry for each in together for entry in turning(each)], FAINT * max(curve.reach[key].max(), 1e-3) ** 2)
            else:
                for side in np.flatnonzero(free[key, 1:]):
                    add([(NUMBERS * key + 1 + side, 1.0)], FAINT)
        shape = NUMBERS * len(curve), len(hold)
        return weighing((rows, columns, values), shape, full), np.array(hold)

    def runs(self, free):
        """Of every key the first one of those that are held with it, itself where there is none."""
        runs = np.arange(len(self.curve))
        for key in np.flatnonzero(self.held):
            if free[[key, key + 1], 0].all():
                runs[key + 1] = runs[key]
        return runs

    def closed(self, free):
        """Whether the last key is to be as the first."""
        return self.asked.loop and len(self.curve) > 1 and free[[0, -1]].all() and not self.held[[0, -1]].any()

    def tied(self, numbers):
        """Numbers with a loop's last key as its first, where it is closed."""
        free, last = self.free_numbers(), len(self.curve) - 1
        rows, runs = numbers.reshape(-1, NUMBERS).copy(), self.runs(free)
        for first in np.unique(runs[:-1][self.held & (runs[1:] == runs[:-1])]) if len(runs) > 1 else ():
            rows[runs == first, 0] = rows[runs == first, 0].mean()
        smooth = np.flatnonzero(self.curve.smooth & free[:, 1:].all(axis=1) & (self.curve.reach > 1e-6).all(axis=1))
        closed = self.closed(free)
        slopes = rows[:, 1:] / np.maximum(self.curve.reach, 1e-6) * (-1.0, 1.0)
        if closed:
            slope, value = 0.5 * (slopes[0, 1] + slopes[last, 0]), 0.5 * (rows[0, 0] + rows[last, 0] - self.asked.gap)
            for key, up in ((0, value), (last, value + self.asked.gap)):
                rows[key] = up, -slope * self.curve.reach[key, 0], slope * self.curve.reach[key, 1]
            smooth = np.setdiff1d(smooth, (0, last))
        ends = np.where(
            smooth == 0, slopes[smooth, 1], np.where(smooth == last, slopes[smooth, 0], slopes[smooth].mean(axis=1))
        )
        rows[smooth, 1:] = ends[:, None] * self.curve.reach[smooth] * (-1.0, 1.0)
        return rows.ravel()

    def bent(self):
        """Make segments smooth that are straight or eased and too far off; whether there was any."""
        far = np.unique(self.segment[self.error > 1.0])
        straight = [key for key in far if 0 <= key < len(self.curve) - 1 and self.curve.kinds[key] not in (BEZIER, CONSTANT)]
        self.bends += [self.curve.times[key] for key in straight]
        self.curve = self.curve.curved(straight)
        return bool(straight)

    def missing(self, preferred):
        """Frames that need a key: in every gap that is off somewhere, where it is most or where the figure has one near."""
        off, times = {}, self.curve.times
        for key in np.unique(self.segment[self.error > 1.0]):
            within = self.segment == key
            start, end = times[max(key, 0)], times[min(key + 1, len(times) - 1)]
            room = [frame for frame in self.frames[within] if start + 0.5 < frame < end - 0.5]
            if key < 0 or key == len(times) - 1:
                room = self.frames[[0 if key < 0 else -1]]
            if len(room):
                off[key] = (
                    self.error[within].max(),
                    self.frames[within][np.argmax(self.error[within])],
                    room,
                    EDGE * (end - start),
                )
        wanted = set()
        for key, (far, worst, room, edge) in off.items():
            if all(far >= off[beside][0] for beside in (key - 1, key + 1) if beside in off):  # what helps there may do here
                inner = [frame for frame in room if room[0] + edge <= frame + 1 and frame - 1 <= room[-1] - edge] or room
                near = max(1.0, BESIDE * (room[-1] - room[0]))
                known = [frame for frame in inner if frame in preferred and abs(frame - worst) <= near]
                wanted.add(float(min(known or inner, key=lambda frame, worst=worst: abs(frame - worst))))
        return wanted

    def split(self, frames):
        """Add keys; whether any was new."""
        before = len(self.curve)
        for frame in frames:
            if np.abs(self.curve.times - frame).min() > 0.5 - 1e-6:
                self.curve = self.curve.split(frame)
        return len(self.curve) > before

    @property
    def added(self):
        """Frames of keys that the source has not."""
        return set(self.curve.times[~np.isin(self.curve.times, self.source.times)])

    def drop(self, frames):
        """Take added keys away."""
        left, self.curve = sorted(self.added - set(frames)), self.source
        for frame in left:
            self.curve = self.curve.split(frame)
        for start in self.bends:
            key = int(self.curve.segments(np.array([start]))[0])
            if 0 <= key < len(self.curve) - 1 and self.curve.kinds[key] not in (BEZIER, CONSTANT):
                self.curve = self.curve.curved([key])

    def off_at(self, frames, most):
        """Those of frames without a key now around which the curve is off by more than `most`."""
        far = set(self.segment[self.error > most])
        beside = {key + side for key in far for side in (-1, 0, 1)}
        return [frame for frame, key in zip(frames, self.curve.segments(np.array(frames))) if key in beside]

    def kept(self, curve):
        """What was solved, with the source's own numbers to the bit where nothing may change."""
        free = self.free_numbers()
        rise = np.where(free[:, 1:], curve.rise, self.curve.rise)
        return replace(curve, values=np.where(free[:, 0], curve.values, self.curve.values), rise=rise)
