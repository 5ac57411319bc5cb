# SPDX-License-Identifier: GPL-3.0-or-later
"""Results keyed as their take is: few keys stay few, steps stay steps, and keys go along when time changes."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from ...core.keys.as_keyed import Asked, as_keyed
from ...core.keys.keyed_curve import BEZIER, CONSTANT, between, plain
from ...core.keys.moved_keys import on_frames
from ...core.motion.compare import unchanged
from ...core.motion.resample import resampled
from ...core.numeric.rotation import ROTATION_SIZES
from ...core.recipes.knees import Knees
from .actions import SAME_TIME, channelbag, is_stepped, key_count
from .keyframes import as_curve, attribute, key_total, keys_of, new_curve, put_keys
from .levers import KNEES, Levers

DENSE = 0.6  # keys a frame: a curve with more is keyed on every frame
MEETS = 0.1  # of what may be off: ends that are as close meet
ALTERED = 0.02  # of what may be off: what differs by less is seen as it was before


def is_dense(curve, frames):
    """Whether a curve is keyed on every frame, of so many, or what modifiers do is."""
    shaped = any(not modifier.mute and modifier.type not in ("CYCLES", "STEPPED") for modifier in curve.modifiers)
    return bool(shaped or len(curve.sampled_points) or len(curve.keyframe_points) > DENSE * frames)


class KeyedAlike:
    """Writes what came of a Run into an action whose curves still have the keys of its take."""

    def __init__(self, bag, owner, run, dense, closer, fits):
        """`dense` are the channels that have a key on every frame and nothing else, `closer` {bone: (frames,)} is
        how many times as near as usual keys must come, `fits` what was found of curves before, which the same need not
        be found for again."""
        self.bag, self.owner, self.moments, self.every_frame = bag, owner, run.moments, dense
        self.own = [channel for channel in run.before.clip.channels if channel not in run.before.held]
        self.before, self.frames, self.used = replace(run.before.clip, switches=None), run.before.clip.frames, 0
        self.run, self.closer, self.fits = run, closer, fits
        self.altered = np.zeros(run.whole.clip.frames, dtype=bool)  # where what is written is other than it was before

    def dense(self, channel):
        """Whether a channel is keyed on every frame; one that the take does not key goes with most of the others."""
        curve = self.bag.fcurves.find(channel.path, index=channel.index)
        if channel in self.every_frame or curve is None or not key_count(curve):
            return channel in self.every_frame or 2 * len(self.every_frame) > len(self.own)
        return is_dense(curve, self.frames)

    def words(self, scope):
        """How many keys there are, in words, where there are few."""
        before = channelbag(scope.action, scope.slot)
        return f"{key_total(self.bag):,} keys, {key_total(before):,} in the take" if self.used else ""

    @cached_property
    def levers(self):
        return Levers(self.owner)

    @cached_property
    def knees(self):
        """How straight limbs are in the result, where it has any; None for what has none."""
        skeleton = self.run.figure.skeleton
        return Knees(self.run.whole.clip, skeleton) if skeleton is not None else None

    def allowed(self, channel, values, source, first):
        """How far off a channel may be at each frame of values (frames,) that begin at a frame; `source` is what it was."""
        either = values if source is None else np.append(values, source)
        tolerance = self.levers.tolerance(channel, either, self.millimetres)
        slack = self.knees.slack(channel.owner, KNEES) if channel.kind == "LOCATION" and channel.owner and self.knees else 1.0
        slack = slack / self.closer.get(channel.owner, 1.0)
        if np.ndim(slack):
            rows = first - self.run.whole.clip.first_frame + np.arange(len(values))
            slack = slack[np.clip(rows, 0, len(slack) - 1)]
        return np.broadcast_to(tolerance * slack, values.shape)

    @cached_property
    def retimed(self):
        """The take's own channels if nothing but time had changed, {channel: (frames,)}; nothing a number for other moments."""
        rows = self.moments.frames - self.before.first_frame
        moved = resampled(self.before, np.nan_to_num(rows)).values.T
        return {channel: np.where(np.isfinite(rows), values, np.nan) for channel, values in zip(self.before.channels, moved)}

    @cached_property
    def on_steps(self):
        """Whether the figure moves in steps: most of what is keyed more than once holds its keys."""
        moving = [curve for curve in self.bag.fcurves if len(curve.keyframe_points) > 2]
        return 2 * sum(map(is_stepped, moving)) > len(moving)

    @property
    def in_steps(self):
        """Whether anything moves in steps, and is not to be where it is with a key on every frame."""
        modifiers = (modifier for curve in self.bag.fcurves for modifier in curve.modifiers)
        return self.on_steps or any(modifier.type == "STEPPED" and not modifier.mute for modifier in modifiers)

    @cached_property
    def beats(self):
        """Whole frames on which the figure has keys, as time is now."""
        sparse = [curve for curve in self.bag.fcurves if len(curve.keyframe_points) > 1 and not is_dense(curve, self.frames)]
        times = [attribute(curve.keyframe_points, "co", np.float32, 2)[::2] for curve in sparse]
        times = np.unique(np.concatenate([np.zeros(0), *times])).astype(float)
        moved = self.moments.moved(plain(times)) if self.moments and len(times) else None
        times = times if self.moments is None else moved.times if moved is not None else ()
        return {float(round(time)) for time in times}

    def write(self, before, result, millimetres, changing=None):
        """Give curves the keys of a result, within so many millimetres; `before` is the take's own clip, of the same frames
        unless time has changed. Where only frames that are `changing` may change, keys at their borders keep the rest."""
        self.millimetres, self.borders, self.used = millimetres, changing or (), self.used + len(result.channels)
        columns = {channel: values for channel, values in zip(before.channels, before.values.T)}
        groups = {}
        for channel, values in zip(result.channels, result.values.T):
            curve = self.bag.fcurves.find(channel.path, index=channel.index)
            if channel not in columns and curve and key_count(curve):
                continue  # out of scope
            whole = channel.path if ROTATION_SIZES.get(channel.kind) == 4 else (channel.path, channel.index)
            groups.setdefault(whole, []).append((channel, curve, values, columns.get(channel)))
        for group in groups.values():
            self._write_group(group, before, result)

    def _write_group(self, group, before, result):
        asked, kept = [], []
        for channel, curve, values, source in group:
            same = self.moments is None and (result.first_frame, result.frames) == (before.first_frame, before.frames)
            if same and source is not None and unchanged(values, source):
                continue
            allowed = self.allowed(channel, values, source, result.first_frame)
            if curve and same and len(curve.keyframe_points) == 1 and (np.abs(values - source) <= allowed).all():
                continue  # a pose that is held, and would be
            curve = curve or new_curve(self.bag, channel)
            old = keys_of(curve)
            asked.append(self._asked(channel, curve, old, values, source if same else None, result.first_frame, allowed))
            kept.append((curve, old))
        if not asked:
            return
        name = tuple(channel for channel, *_ in group)
        known = name in self.fits and self.fits[name][1]
        for (curve, old), found in zip(kept, self._fitted(asked, name)):
            put_keys(curve, old, found)
        if known is not self.fits[name][1] and any(len(curve.modifiers) for curve, _ in kept):
            self.altered[:] = True

    def _fitted(self, asked, name):
        """What fits what is asked of the curves of a group: as it was found before, if the same was asked."""
        allowed, found = self.fits.get(name, (None, ()))[:2]
        now = np.concatenate([np.ravel(one.tolerance) for one in asked])
        if allowed is not None and np.array_equal(allowed, now):
            return found
        again = as_keyed(asked, self.beats)
        frames = self.run.whole.clip.first_frame + np.arange(len(self.altered), dtype=float)
        for one, other, wanted in zip(found, again, asked):
            self.altered |= np.abs(one.drawn(frames) - other.drawn(frames)) > ALTERED * np.min(wanted.tolerance)
        self.fits[name] = now, again, [self._apart(channel, *each) for channel, *each in zip(name, asked, again)]
        return again

    def _apart(self, channel, asked, found):
        """How far in millimetres what a channel moves may be off by it, {bone: (frames,)}."""
        frames = self.run.whole.clip.first_frame + np.arange(len(self.altered), dtype=float)
        wanted = np.interp(frames, asked.first + np.arange(len(asked.wanted)), asked.wanted)
        return channel.owner, 1e3 * self.levers.moves(channel) * np.abs(found.drawn(frames) - wanted)

    @property
    def apart(self):
        """How far in millimetres what bones carry may be off by their keys, {bone: (frames,)}."""
        found = {}
        for *_, parts in self.fits.values():
            for owner, apart in parts:
                found[owner] = found.get(owner, 0.0) + apart
        return found

    def _asked(self, channel, curve, old, values, source, first, allowed):
        last, tolerance = first + len(values) - 1, allowed.min()
        keyed = as_curve(old)
        if self.moments is not None and len(keyed):
            moved = self.moments.moved(keyed)
            keyed = moved if moved is not None else keyed if len(keyed) == 1 else plain(())
            if is_stepped(curve) and len(keyed) > 1:
                rows = first - self.moments.first + np.arange(len(values))
                return stepped(keyed, values, self.retimed[channel][rows], first, tolerance)
        if len(keyed) < 2 and self.on_steps and np.ptp(values) > MEETS * tolerance:
            return Asked(in_steps(values, first, sorted(self.beats), tolerance), values, None, first, tolerance)
        if not len(keyed):
            keyed = (
                plain((first,), values[:1])
                if np.ptp(values) <= MEETS * tolerance
                else between(first, last, values[0], values[-1])
            )
            source = None
        if source is not None and (keyed.kinds <= BEZIER).all():
            held = (first, last) if curve.extrapolation == "CONSTANT" and not curve.modifiers else keyed.times[[0, -1]]
            for border in self.borders:
                if held[0] < border < held[1] and np.abs(keyed.times - border).min() > SAME_TIME:
                    keyed = keyed.split(float(border))
        cycles = [modifier for modifier in curve.modifiers if modifier.type == "CYCLES" and not modifier.mute]
        own = int(round(keyed.times[0])) - first, int(round(keyed.times[-1])) - first
        if cycles and own != (0, len(values) - 1) and own[1] > own[0] >= 0:
            if repeats(values, own, cycles[0].mode_after == "REPEAT_OFFSET", tolerance):
                values, allowed, first = values[own[0] : own[1] + 1], allowed[own[0] : own[1] + 1], first + own[0]
                source = source[own[0] : own[1] + 1] if source is not None else None
            else:
                for modifier in cycles:
                    modifier.mute = True
        gap = values[-1] - values[0]
        whole = len(keyed) > 1 and abs(keyed.times[0] - first) < 0.5 and abs(keyed.times[-1] - first - len(values) + 1) < 0.5
        meets = abs(gap) <= MEETS * tolerance and abs(keyed.values[-1] - keyed.values[0]) <= MEETS * tolerance
        loop = whole and bool(meets or cycles and not cycles[0].mute)
        if loop and not (cycles and cycles[0].mode_after == "REPEAT_OFFSET"):
            gap = keyed.values[-1] - keyed.values[0]
        firm = ()
        if self.moments is not None:  # what only moved in time is what it was
            off = np.abs(np.interp(keyed.times, first + np.arange(len(values)), values) - keyed.values)
            firm = tuple(keyed.times[(off <= tolerance) & (keyed.origin >= 0)])
        return Asked(keyed, values, source, first, allowed, loop, gap, firm)


def stepped(keyed, values, moved, first, tolerance):
    """What a curve in steps is to become whose keys have moved in time, and by how much it is other than `moved` alone."""
    frames = first + np.arange(len(values), dtype=float)
    change = np.interp(keyed.times, frames, np.nan_to_num(values - moved))
    keyed = on_frames(replace(keyed, values=keyed.values + np.where(np.abs(change) <= tolerance, 0.0, change)))
    return Asked(keyed, keyed.drawn(frames), None, first, tolerance)


def in_steps(values, first, beats, tolerance):
    """Keys that hold values on beats, where they are others than before."""
    rows = [row for row in (round(beat) - first for beat in beats) if 0 <= row < len(values)] or [0]
    kept = rows[:1]
    for row in rows[1:]:
        if abs(values[row] - values[kept[-1]]) > tolerance:
            kept.append(row)
    keys = plain(first + np.array(kept), values[kept])
    return replace(keys, kinds=np.full(len(kept), CONSTANT))


def repeats(values, own, offset, tolerance):
    """Whether values are the same again before and after rows first to last of them."""
    first, last = own
    rows = np.arange(len(values)) - first
    rounds, inner = np.divmod(rows, last - first)
    rise = (values[last] - values[first]) if offset else 0.0
    return bool(np.abs(values - values[first + inner] - rise * rounds).max() <= tolerance)
