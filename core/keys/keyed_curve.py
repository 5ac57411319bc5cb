# SPDX-License-Identifier: GPL-3.0-or-later
"""A curve as an animator keys it: keys on any frames with handles of any length, and what it is at frames in between.

Where a curve is between two keys depends on the times of keys and handles alone, so that its values are sums of the numbers
of its keys, of each the value and how far up both handles end. Which handles give given values is then least squares.
"""

from dataclasses import replace

import numpy as np

from ..numeric.frozen import frozen
from .sums import weighing

CONSTANT, LINEAR, BEZIER = 0, 1, 2  # Blender's numbers; anything above is an easing
HALVINGS = 40  # of a segment until the moment on it is found that a frame is
EXACT = 1e-13  # of a segment: then it is
NUMBERS = 3  # of a key: value, left and right handle


@frozen
class KeyedCurve:
    """Keys in order of time, each array (keys,): `reach` (keys, 2) is how long the left and the right handle are in time, and
    `rise` (keys, 2) how far above the key they end. `kinds` say how the curve goes on after a key, `smooth` whether both
    handles are one line, `origin` which key of the source it was, -1 for a new one."""

    times: np.ndarray
    values: np.ndarray
    reach: np.ndarray
    rise: np.ndarray
    kinds: np.ndarray
    smooth: np.ndarray
    origin: np.ndarray

    def __len__(self):
        return len(self.times)

    @property
    def numbers(self):
        """All that least squares may change, key by key (keys * 3,)."""
        return np.column_stack([self.values, self.rise]).ravel()

    def with_numbers(self, numbers):
        rows = numbers.reshape(-1, NUMBERS)
        return replace(self, values=rows[:, 0], rise=rows[:, 1:])

    def segments(self, frames):
        """For every frame the key that it comes after, -1 before the first."""
        return np.searchsorted(self.times, frames + 1e-9, side="right") - 1

    def weights(self, frames, eased=None):
        """What each number weighs in the value at each frame, (frames, numbers); before and after all keys it holds.

        `eased` (frames,) is the fraction of the way that easings have gone, which only Blender knows.
        """
        last = len(self) - 1
        segment = self.segments(frames)
        before, after = np.clip(segment, 0, last), np.clip(segment + 1, 0, last)
        span = np.where(after > before, self.times[after] - self.times[before], 1.0)
        along = np.where(after > before, np.clip((frames - self.times[before]) / span, 0.0, 1.0), 0.0)
        kinds = self.kinds[before]
        way = np.where(kinds == CONSTANT, 0.0, along if eased is None else np.where(kinds > BEZIER, eased, along))
        columns = NUMBERS * np.stack([before, before, after, after]) + np.array([[0], [2], [0], [1]])
        values = np.stack([1.0 - way, np.zeros(len(frames)), way, np.zeros(len(frames))])
        curved = np.flatnonzero((kinds == BEZIER) & (after > before))
        if len(curved):
            values[:, curved] = bezier_weights(
                along[curved],
                self.reach[before[curved], 1] / span[curved],
                self.reach[after[curved], 0] / span[curved],
            )
        rows = np.broadcast_to(np.arange(len(frames)), columns.shape)
        shape = len(frames), NUMBERS * len(self)
        return weighing((rows.ravel(), columns.ravel(), values.ravel()), shape)

    def drawn(self, frames, eased=None):
        """The value at each frame."""
        return self.weights(frames, eased) @ self.numbers

    def curved(self, indices):
        """The same with smooth segments after some keys instead of straight, held or eased ones."""
        if not len(indices):
            return self
        kinds, reach, rise = self.kinds.copy(), self.reach.copy(), self.rise.copy()
        for index in indices:
            third = (self.times[index + 1] - self.times[index]) / 3.0
            up = (self.values[index + 1] - self.values[index]) / 3.0
            kinds[index], reach[index, 1], reach[index + 1, 0] = BEZIER, third, third
            rise[index, 1], rise[index + 1, 0] = up, -up
        smooth = self.smooth.copy()
        smooth[indices], smooth[np.asarray(indices) + 1] = False, False
        return replace(self, kinds=kinds, reach=reach, rise=rise, smooth=smooth)

    def split(self, frame):
        """The same curve with one key more, at a frame between two keys or beyond all of them."""
        index = int(self.segments(np.array([frame]))[0])
        if index < 0 or index == len(self) - 1:
            return self._longer(frame, max(index, 0))
        span = self.times[index + 1] - self.times[index]
        if self.kinds[index] != BEZIER:
            along = (frame - self.times[index]) / span if self.kinds[index] != CONSTANT else 0.0
            step = self.values[index + 1] - self.values[index]
            point = frame, self.values[index] + along * step
            reach, rise = np.full(2, span / 6.0), np.array([-1.0, 1.0]) * step / 6.0
            return self._with_key(index + 1, *point, reach, rise, self.kinds[index], False)
        reaches = np.minimum([self.reach[index, 1], self.reach[index + 1, 0]], span)
        scale = reaches / np.maximum([self.reach[index, 1], self.reach[index + 1, 0]], 1e-12)
        moment = moment_at((frame - self.times[index]) / span, *(reaches / span))
        start, end = (np.array([self.times[key], self.values[key]]) for key in (index, index + 1))
        first = start + np.array([reaches[0], self.rise[index, 1] * scale[0]])
        second = end + np.array([-reaches[1], self.rise[index + 1, 0] * scale[1]])
        left, middle, right = (one + moment * (other - one) for one, other in ((start, first), (first, second), (second, end)))
        inner, outer = left + moment * (middle - left), middle + moment * (right - middle)
        point = inner + moment * (outer - inner)
        reach, rise = self.reach.copy(), self.rise.copy()
        (reach[index, 1], rise[index, 1]), (reach[index + 1, 0], rise[index + 1, 0]) = left - start, (end - right) * (1, -1)
        shorter = replace(self, reach=reach, rise=rise)
        own = np.array([point[0] - inner[0], outer[0] - point[0]]), np.array([inner[1] - point[1], outer[1] - point[1]])
        return shorter._with_key(index + 1, frame, point[1], *own, BEZIER, True)

    def _longer(self, frame, index):
        """A key where the curve only holds its first or last value."""
        third, ahead = abs(frame - self.times[index]) / 3.0, int(frame > self.times[index])
        reach, rise, kinds = self.reach.copy(), self.rise.copy(), self.kinds.copy()
        reach[index, ahead], rise[index, ahead] = third, 0.0
        if ahead and kinds[index] != CONSTANT:
            kinds[index] = BEZIER
        smooth = self.smooth.copy()
        smooth[index] = smooth[index] and self.rise[index, 1 - ahead] == 0.0
        longer = replace(self, reach=reach, rise=rise, kinds=kinds, smooth=smooth)
        kind = CONSTANT if kinds[index] == CONSTANT else BEZIER
        return longer._with_key(index + ahead, frame, self.values[index], np.full(2, third), np.zeros(2), kind, True)

    def _with_key(self, index, time, value, reach, rise, kind, smooth):
        return KeyedCurve(
            np.insert(self.times, index, time),
            np.insert(self.values, index, value),
            np.insert(self.reach, index, reach, axis=0),
            np.insert(self.rise, index, rise, axis=0),
            np.insert(self.kinds, index, kind),
            np.insert(self.smooth, index, smooth),
            np.insert(self.origin, index, -1),
        )


def between(first, last, start, end):
    """A curve with two keys and nothing else."""
    third = (last - first) / 3.0
    return KeyedCurve(
        np.array([first, last], dtype=float),
        np.array([start, end], dtype=float),
        np.full((2, 2), third),
        np.zeros((2, 2)),
        np.full(2, BEZIER),
        np.ones(2, dtype=bool),
        np.full(2, -1),
    )


def plain(times, values=None):
    """Keys without a shape, to be moved in time or fitted."""
    count = len(times)
    values = np.zeros(count) if values is None else np.asarray(values, dtype=float)
    return KeyedCurve(
        np.array(times, dtype=float),
        values,
        np.ones((count, 2)),
        np.zeros((count, 2)),
        np.full(count, BEZIER),
        np.ones(count, dtype=bool),
        np.full(count, -1),
    )


def bezier_weights(along, leaving, arriving):
    """What the value and right handle of a key, and the value and left handle of the next, weigh at a fraction of the way
    between them; handles that are `leaving` and `arriving` parts of the way long are no longer than it, as Blender has them."""
    longest = np.maximum(leaving, 1.0), np.maximum(arriving, 1.0)
    fraction = moments(along, leaving / longest[0], arriving / longest[1])
    rest = 1.0 - fraction
    near, far = 3.0 * rest**2 * fraction, 3.0 * rest * fraction**2
    return np.stack([rest**3 + near, near / longest[0], fraction**3 + far, far / longest[1]])


def moment_at(along, leaving, arriving):
    """The same as `moments` for one, which is much faster in plain numbers."""
    along, leaving, arriving = float(along), float(leaving), float(arriving)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        fraction = 0.5 * (low + high)
        rest = 1.0 - fraction
        early = 3.0 * rest**2 * fraction * leaving + 3.0 * rest * fraction**2 * (1.0 - arriving) + fraction**3 < along
        low, high = (fraction, high) if early else (low, fraction)
    return 0.5 * (low + high)


def moments(along, leaving, arriving):
    """How much of a Bezier segment has been drawn at a fraction of its time (moments,)."""
    low, high, fraction = np.zeros(len(along)), np.ones(len(along)), along
    for _ in range(HALVINGS):
        rest = 1.0 - fraction
        late = 3.0 * rest**2 * fraction * leaving + 3.0 * rest * fraction**2 * (1.0 - arriving) + fraction**3 - along
        if np.abs(late).max(initial=0.0) < EXACT:
            break
        low, high = np.where(late < 0.0, fraction, low), np.where(late < 0.0, high, fraction)
        speed = 3.0 * (rest**2 * leaving + 2.0 * rest * fraction * (1.0 - arriving - leaving) + fraction**2 * arriving)
        nearer = fraction - late / np.maximum(speed, 1e-6)  # Newton's way, as long as it stays between what is known
        fraction = np.where((nearer > low) & (nearer < high), nearer, 0.5 * (low + high))
    return fraction
