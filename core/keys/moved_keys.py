# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that go along when time changes: every key to the frame that its moment is on now, handles and all."""

import math
from dataclasses import replace

import numpy as np

from ..numeric.frozen import frozen
from ..numeric.time_map import stretches
from .keyed_curve import CONSTANT, KeyedCurve

SAME = 1e-3  # frames: keys that are closer are one


@frozen
class Moments:
    """Where the frames of a result, from `first` on, were in what it was made of: frames (frames,) with parts, or nothing a
    number where they are from elsewhere. Time runs forwards, and may jump, as where a loop begins again."""

    frames: np.ndarray
    first: int

    def runs(self):
        """First and one past the last row of every stretch in which time runs on, or stands still."""
        return stretches(self.frames)

    def beyond(self, first, last, start, end):
        """The same for what goes on before and after a take from start to end: all of frames first to last, as far from it as
        ever. A part that was cut out of it has nothing beyond."""
        if not (abs(self.frames[0] - start) < SAME and abs(self.frames[-1] - end) < SAME):
            return self
        before, after = max(0, math.ceil(start - first)), max(0, math.ceil(last - end))
        frames = (self.frames[0] + np.arange(-before, 0), self.frames, self.frames[-1] + np.arange(1, after + 1))
        return Moments(np.concatenate(frames), self.first - before)

    def moved(self, curve):
        """A curve with its keys where their moments are now; None where none of them is."""
        parts = [self._part(curve, *run) for run in self.runs()]
        parts = [part for part in parts if len(part)]
        return joined(parts) if parts else None

    def _part(self, curve, begin, end):
        """The keys of one stretch; what is before and after it is gone."""
        was, first = np.unique(self.frames[begin:end], return_index=True)  # where time stands still nothing more is seen
        now = self.first + begin + first.astype(float)
        kept = np.flatnonzero((curve.times >= was[0] - SAME) & (curve.times <= was[-1] + SAME))
        held = int(np.searchsorted(curve.times, was[0] + SAME)) - 1
        if held >= 0 and held not in kept and curve.kinds[held] == CONSTANT:
            kept = np.insert(kept, 0, held)  # what is held when a stretch begins, it begins with
        sources = np.maximum(curve.times[kept], was[0])
        times = np.interp(sources, was, now)
        ends = ((-1.0, curve.reach[kept, 0]), (1.0, curve.reach[kept, 1]))
        reach = np.column_stack([side * (through(was, now, sources + side * reach) - times) for side, reach in ends])
        rise = curve.rise[kept].copy()
        smooth = curve.smooth[kept] & (reach > 0.0).all(axis=1)
        slopes = (rise / np.maximum(reach, 1e-9) * (-1.0, 1.0))[smooth].mean(axis=1, keepdims=True)
        rise[smooth] = slopes * reach[smooth] * (-1.0, 1.0)
        return KeyedCurve(times, curve.values[kept], reach, rise, curve.kinds[kept], curve.smooth[kept], curve.origin[kept])


def through(was, now, times):
    """Times along a map, which goes on beyond its ends as fast as it gets there."""
    if len(was) == 1:
        return times - was + now
    speeds = [(now[last] - now[first]) / (was[last] - was[first]) for first, last in ((0, 1), (-2, -1))]
    before, after = np.minimum(times - was[0], 0.0), np.maximum(times - was[-1], 0.0)
    return np.interp(times, was, now) + speeds[0] * before + speeds[1] * after


def joined(parts):
    """The keys of stretches one after the other; two on the same frame become the later one."""
    whole = KeyedCurve(*(np.concatenate([getattr(part, name) for part in parts]) for name in KeyedCurve.__dataclass_fields__))
    kept = np.append(np.diff(whole.times) > SAME, True)
    return KeyedCurve(*(getattr(whole, name)[kept] for name in KeyedCurve.__dataclass_fields__))


def on_frames(curve):
    """A curve that is held from key to key with its keys on whole frames, where it is seen to change, if all of them fit."""
    times = np.ceil(curve.times - SAME)
    stepped = (curve.kinds[:-1] == CONSTANT).all() if len(curve) > 1 else False
    return replace(curve, times=times) if stepped and (np.diff(times) > 0.0).all() else curve
