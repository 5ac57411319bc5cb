# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a result into an action: which curves get which keys."""

import math

import numpy as np

from ...core.keys.per_curve import fewest_keys
from ...core.motion.compare import changed_channels
from ...core.numeric.refusal import Refusal
from .actions import is_stepped, key_count, read_dense
from .keyframes import (
    KEY_ATTRIBUTES,
    attribute,
    dense_keys,
    free_handles,
    move_keys,
    mute_modifiers,
    new_curve,
    set_keys,
    set_straight_keys,
    splice,
)
from .switches import write_switches


class KeysChanged(Exception):
    """A curve has other keys than the writer gave it."""


class Writer:
    """Writes results of one source clip into one action, as often as wanted.

    A curve is first given the keys that the policy asks for, once, when it first differs from the source. After that
    a rewrite is one bulk call a curve. Holds no reference into Blender: the action is looked up by whoever calls.
    """

    def __init__(self, take, keys="AUTO", tolerance=0.001, changing=None):
        """`changing` is the first and last frame that may change, or None for all."""
        self.source, self.dense, self.keys, self.tolerance = take.clip, take.dense, keys, tolerance
        source = take.clip
        self.first, self.last = changing or (source.first_frame, source.last_frame)
        self.partly = changing is not None
        self.grid = None  # first frame and frames of a result that was of another length
        self.rewritten, self.touched, self.keyed, self.stretches = {}, set(), {}, {}
        self.counts = dict.fromkeys(take.dense, source.frames)  # keys of the curves that it knows
        self.columns = {channel: column for column, channel in enumerate(source.channels)}
        self.pairs = np.empty((source.frames, 2), dtype=np.float32)
        self.pairs[:, 0] = np.arange(source.first_frame, source.last_frame + 1)

    def write(self, bag, result):
        """Make the curves of a channelbag show the result; those that do not differ from the source stay as they are.

        Somebody else's keys among its own it does not take for them: then it is KeysChanged.
        """
        if result.switches:
            write_switches(bag, result, self.source, self.touched)
        grid = result.first_frame, result.frames
        if self.grid or grid != (self.source.first_frame, self.source.frames):
            self._write_retimed(bag, result, grid)
            return
        sources = self.source.values.T
        changed = result.channels if self.touched.issuperset(result.channels) else changed_channels(result, self.source)
        for channel, values in zip(result.channels, result.values.T):
            if channel.measured or channel not in self.touched and channel not in changed:
                continue
            known = self.columns.get(channel)
            before = None if known is None else sources[known]
            curve = self._curve(bag, channel)
            if curve is None:
                continue
            if self.counts.get(channel, len(curve.keyframe_points)) != len(curve.keyframe_points):
                raise KeysChanged(channel.path)
            self._write_curve(curve, channel, values, before)
            self.counts[channel] = len(curve.keyframe_points)

    def undisturbed(self, bag):
        """Whether the curves that it wrote still have as many keys as it gave them."""
        curves = {channel: bag.fcurves.find(channel.path, index=channel.index) for channel in self.touched}
        return all(curve and len(curve.keyframe_points) == self.counts.get(channel) for channel, curve in curves.items())

    def every_frame(self, result):
        """Times and values of curves that have just a key on every frame since this result was written, by (path, index)."""
        rows = zip(result.channels, result.values.T)
        return {
            (channel.path, channel.index): (self.pairs[:, 0], values) for channel, values in rows if channel in self.rewritten
        }

    def _write_retimed(self, bag, result, grid):
        """A result of another length: every curve gets new keys, whatever it had, and from then on."""
        if self.keys == "SOURCE":
            raise Refusal(
                f"keys: the source's do not fit a result of {result.frames} frames instead of "
                f"{self.source.frames}; choose another way to key it"
            )
        frames = np.arange(result.first_frame, result.last_frame + 1, dtype=np.float32)
        pairs = np.column_stack([frames, frames])
        for channel, values in zip(result.channels, result.values.T):
            curve = None if channel.measured else self._curve(bag, channel)
            if curve is None:
                continue
            if self.counts.get(channel, len(curve.keyframe_points)) != len(curve.keyframe_points):
                raise KeysChanged(channel.path)
            mute_modifiers(curve)
            pairs[:, 1] = values
            if self.keys == "FEWEST":
                rows, slopes = fewest_keys(values, self.tolerance)
                set_keys(curve, dense_keys(frames[rows], values[rows], slopes))
            elif self.grid == grid:
                curve.keyframe_points.foreach_set("co", pairs.ravel())
            else:
                set_straight_keys(curve, pairs, finished=self.grid is None)
            self.counts[channel] = len(curve.keyframe_points)
        self.grid = grid

    def _curve(self, bag, channel):
        """The curve of a channel, made where there is none; None where it is there but out of scope, and not to be touched."""
        curve = bag.fcurves.find(channel.path, index=channel.index)
        if channel not in self.touched and channel not in self.columns and curve and key_count(curve):
            return None
        self.touched.add(channel)
        return curve or new_curve(bag, channel)

    def _write_curve(self, curve, channel, values, before):
        if channel in self.rewritten:
            self.pairs[:, 1] = values
            curve.keyframe_points.foreach_set("co", self.pairs.ravel())
            if self.rewritten[channel]:
                curve.update()
        elif self.keys == "AUTO" and channel not in self.dense and is_stepped(curve) and len(curve.keyframe_points) > 1:
            self._write_steps(curve, channel, values)
        elif self.keys == "SOURCE" and before is not None and len(curve.keyframe_points):
            keyed = self.keyed.setdefault(
                channel,
                {name: attribute(curve.keyframe_points, name, np.float32, 2) for name in ("co", "handle_left", "handle_right")},
            )
            move_keys(curve, keyed, self.source, values - before)
        elif self.keys == "FEWEST":
            self._rebuild(curve, channel, values, lambda part: fewest_keys(part, self.tolerance))
        else:
            self._every_frame(curve, channel, values)

    def _write_steps(self, curve, channel, values):
        """A curve keyed in steps, as on twos, keeps its keys; they only get other values."""
        pairs = self.keyed.setdefault(channel, attribute(curve.keyframe_points, "co", np.float32, 2).reshape(-1, 2))
        moved = pairs.copy()
        moved[:, 1] = np.interp(pairs[:, 0], np.arange(self.source.first_frame, self.source.last_frame + 1), values)
        curve.keyframe_points.foreach_set("co", moved.ravel())
        curve.update()

    def _every_frame(self, curve, channel, values):
        points = curve.keyframe_points
        smooth = self.dense.get(channel)
        if smooth is not None and not (smooth and self.partly):
            self.rewritten[channel] = smooth
            if smooth:
                free_handles(points)
            self._write_curve(curve, channel, values, None)
            return
        self._rebuild(curve, channel, values, lambda part: (np.arange(len(part)), None))
        if not self.partly and read_dense(curve, self.source.first_frame, np.empty(len(values))) is not None:
            self.rewritten[channel] = False

    def _rebuild(self, curve, channel, values, choose):
        """Replace the keys of the stretch that changes; outside it the curve stays as it was.

        `choose` gives for the values of a stretch the rows that become keys, and their slopes per frame or None for
        straight lines between them.
        """
        if channel not in self.stretches:
            self.stretches[channel] = self._stretch(curve)
        old, start, end = self.stretches[channel]
        first = math.ceil(max(start, self.source.first_frame))
        last = math.floor(min(end, self.source.last_frame))
        part = values[first - self.source.first_frame : last - self.source.first_frame + 1]
        rows, slopes = choose(part)
        splice(curve, old, dense_keys(first + rows, part[rows], slopes), start, end)

    def _stretch(self, curve):
        """The keys of a curve, and the times of those that stay nearest to what changes; infinite without any."""
        if not len(curve.keyframe_points) and len(curve.sampled_points):
            curve.convert_to_keyframes(self.source.first_frame, self.source.last_frame + 1)
        old = {
            name: attribute(curve.keyframe_points, name, kind, width).reshape(-1, width) for name, kind, width in KEY_ATTRIBUTES
        }
        if mute_modifiers(curve):  # what they did is in the values, and outside the stretch it would be lost
            return old, -math.inf, math.inf
        times = old["co"][:, 0]
        return old, times[times < self.first].max(initial=-math.inf), times[times > self.last].min(initial=math.inf)
