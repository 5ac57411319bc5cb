# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions in and out: the only place that reads and writes F-curves, in bulk."""

import math
import re
from dataclasses import dataclass
from functools import lru_cache

import bpy
import numpy as np

from ..core.clip import EULER_ORDERS, ROTATION_SIZES, Channel, Clip
from ..core.keys import fewest_keys

BONE_PATH = re.compile(r'^pose\.bones\["(?P<bone>(?:[^"\\]|\\.)*)"\]\.(?P<name>.+)$')
LINEAR, BEZIER = 1, 2
FREE, AUTO, ALIGNED, AUTO_CLAMPED = 0, 1, 3, 4
SAME_TIME = 0.01  # frames; Blender makes one key of two that are closer
REST_ROTATIONS = {"QUATERNION": (1.0, 0.0, 0.0, 0.0), "AXIS_ANGLE": (0.0, 0.0, 1.0, 0.0)}
UNCHANGED = 1e-7  # of a curve's size: nothing that single precision keeps
KEY_ATTRIBUTES = (("co", np.float32, 2), ("handle_left", np.float32, 2), ("handle_right", np.float32, 2),
                  ("interpolation", np.uint8, 1), ("handle_left_type", np.uint8, 1), ("handle_right_type", np.uint8, 1),
                  ("easing", np.uint8, 1), ("type", np.uint8, 1),
                  ("amplitude", np.float32, 1), ("back", np.float32, 1), ("period", np.float32, 1),
                  ("select_control_point", bool, 1), ("select_left_handle", bool, 1), ("select_right_handle", bool, 1))


def channelbag(action, slot):
    """The curves of a slot, or None; one path for Blender 4.5, 5.0 and 5.2."""
    if action is None or slot is None or not action.layers or not action.layers[0].strips:
        return None
    return action.layers[0].strips[0].channelbag(slot)


def slot_of(action, handle):
    """The slot of a handle, which copies of an action share and no renaming changes, or None."""
    return next((slot for slot in action.slots if slot.handle == handle), None)


def channel_of(path, index, owner):
    """What an F-curve of `owner` animates."""
    match = BONE_PATH.match(path)
    bone, name = (bpy.utils.unescape_identifier(match["bone"]), match["name"]) if match else ("", path)
    posed = owner.pose.bones.get(bone) if bone and getattr(owner, "pose", None) else owner
    return Channel(path, index, kind_of(name, getattr(posed, "rotation_mode", "XYZ")), bone)


def kind_of(name, mode):
    if name.endswith("rotation_euler"):
        return mode if mode in EULER_ORDERS else "XYZ"
    return {"rotation_quaternion": "QUATERNION", "delta_rotation_quaternion": "QUATERNION",
            "rotation_axis_angle": "AXIS_ANGLE", "location": "LOCATION", "delta_location": "LOCATION",
            "scale": "SCALE", "delta_scale": "SCALE"}.get(name, "VALUE")


def key_count(curve):
    return len(curve.keyframe_points) or len(curve.sampled_points)


@dataclass(frozen=True)
class Take:
    """A clip as it was read, and the channels whose curves have one key on each of its frames and nothing else."""

    clip: Clip
    dense: frozenset


def read_take(action, slot, curves, owner, first, last, fps):
    """The curves over frames first to last, as Blender shows them.

    Rotations that lack a component (no curve for it anywhere) get it as a constant from what the owner holds.
    """
    frames = last - first + 1
    rows = np.empty((len(curves), frames))
    sparse = [place for place, curve in enumerate(curves) if not read_dense(curve, first, rows[place])]
    if sparse:
        sample(action, slot, [curves[place] for place in sparse], first, last, rows, sparse)
    channels = [channel_of(curve.data_path, curve.array_index, owner) for curve in curves]
    dense = frozenset(channels) - {channels[place] for place in sparse}
    extra = missing_components(channels, owner)
    if extra:
        rows = np.vstack([rows, np.repeat([[value] for _, value in extra], frames, axis=1)])
        channels += [channel for channel, _ in extra]
    return Take(Clip(rows.T, tuple(channels), fps, first), dense)


def read_dense(curve, first, row):
    """Read a curve that has one key on every frame and nothing else; False if it is no such curve."""
    points = curve.keyframe_points
    if len(points) != len(row) or len(curve.modifiers):
        return False
    pairs = np.empty((len(row), 2), dtype=np.float32)
    points.foreach_get("co", pairs.ravel())
    if not np.array_equal(pairs[:, 0], whole_frames(first, len(row))):
        return False
    row[:] = pairs[:, 1]
    return True


@lru_cache(maxsize=4)
def whole_frames(first, count):
    return np.arange(first, first + count, dtype=np.float32)


def sample(action, slot, curves, first, last, rows, places):
    """Curves at every frame, handles, easing, extrapolation and modifiers included, by Blender's own evaluation."""
    copy = action.copy()
    try:
        bag = channelbag(copy, copy.slots[slot.identifier])
        buffer = np.empty(2 * rows.shape[1], dtype=np.float32)
        for curve, place in zip(curves, places):
            twin = bag.fcurves.find(curve.data_path, index=curve.array_index)
            if len(twin.keyframe_points):
                twin.convert_to_samples(first, last + 1)
                twin.sampled_points.foreach_get("co", buffer)
                rows[place] = buffer[1::2]
            else:
                rows[place] = [curve.evaluate(frame) for frame in range(first, last + 1)]
    finally:
        bpy.data.actions.remove(copy)


def missing_components(channels, owner):
    """Components of quaternions and axis-angles that have no curve, each with its constant value."""
    have = {(channel.path, channel.index) for channel in channels}
    extra = []
    for channel in channels:
        if channel.kind not in REST_ROTATIONS:
            continue
        for index in range(ROTATION_SIZES[channel.kind]):
            if (channel.path, index) not in have:
                have.add((channel.path, index))
                extra.append((Channel(channel.path, index, channel.kind, channel.owner),
                              held_value(owner, channel, index)))
    return extra


def held_value(owner, channel, index):
    try:
        return owner.path_resolve(channel.path)[index]
    except ValueError:  # a curve of a bone that this figure does not have
        return REST_ROTATIONS[channel.kind][index]


class Meddled(Exception):
    """A curve has other keys than the writer gave it."""


class Writer:
    """Writes results of one source clip into one action, as often as wanted.

    A curve is first given the keys that the policy asks for, once, when it first differs from the source. After that
    a rewrite is one bulk call a curve. Holds no reference into Blender: the action is looked up by whoever calls.
    """

    def __init__(self, take, keys="EVERY_FRAME", tolerance=0.001, changing=None):
        """`changing` is the first and last frame that may change, or None for all."""
        self.source, self.dense, self.keys, self.tolerance = take.clip, take.dense, keys, tolerance
        source = take.clip
        self.first, self.last = changing or (source.first_frame, source.last_frame)
        self.partly = changing is not None
        self.in_place, self.touched, self.keyed, self.stretches = {}, set(), {}, {}
        self.counts = dict.fromkeys(take.dense, source.frames)  # keys of the curves that it knows
        self.columns = {channel: column for column, channel in enumerate(source.channels)}
        self.pairs = np.empty((source.frames, 2), dtype=np.float32)
        self.pairs[:, 0] = np.arange(source.first_frame, source.last_frame + 1)

    def write(self, bag, result):
        """Make the curves of a channelbag show the result; those that do not differ from the source stay as they are.

        Somebody else's keys among its own it does not take for them: then it is Meddled.
        """
        rows, sources = result.values.T, self.source.values.T
        for column, channel in enumerate(result.channels):
            values = rows[column]
            known = self.columns.get(channel)
            before = values[:1] if known is None else sources[known]
            if channel not in self.touched and unchanged(values, before):
                continue
            self.touched.add(channel)
            curve = bag.fcurves.find(channel.path, index=channel.index) or new_curve(bag, channel)
            if self.counts.get(channel, len(curve.keyframe_points)) != len(curve.keyframe_points):
                raise Meddled(channel.path)
            self._write_curve(curve, channel, values, None if known is None else before)
            self.counts[channel] = len(curve.keyframe_points)

    def _write_curve(self, curve, channel, values, before):
        if channel in self.in_place:
            self.pairs[:, 1] = values
            curve.keyframe_points.foreach_set("co", self.pairs.ravel())
            if self.in_place[channel]:
                curve.update()
        elif self.keys == "SOURCE" and before is not None and len(curve.keyframe_points):
            keyed = self.keyed.setdefault(channel, {name: attribute(curve.keyframe_points, name, np.float32, 2)
                                                    for name in ("co", "handle_left", "handle_right")})
            move_keys(curve, keyed, self.source, values - before)
        elif self.keys == "FEWEST":
            self._rebuild(curve, channel, values, lambda part: fewest_keys(part, self.tolerance))
        else:
            self._every_frame(curve, channel, values)

    def _every_frame(self, curve, channel, values):
        points = curve.keyframe_points
        smooth = bool((attribute(points, "interpolation", np.uint8, 1) == BEZIER).any())
        if channel in self.dense and not (smooth and self.partly):
            self.in_place[channel] = smooth
            if smooth:
                free_handles(points)
            self._write_curve(curve, channel, values, None)
            return
        self._rebuild(curve, channel, values, lambda part: (np.arange(len(part)), None))
        if not self.partly and read_dense(curve, self.source.first_frame, np.empty(len(values))):
            self.in_place[channel] = False

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
        part = values[first - self.source.first_frame:last - self.source.first_frame + 1]
        rows, slopes = choose(part)
        splice(curve, old, dense_keys(first + rows, part[rows], slopes), start, end)

    def _stretch(self, curve):
        """The keys of a curve, and the times of those that stay nearest to what changes; infinite without any."""
        if not len(curve.keyframe_points) and len(curve.sampled_points):
            curve.convert_to_keyframes(self.source.first_frame, self.source.last_frame + 1)
        old = {name: attribute(curve.keyframe_points, name, kind, width).reshape(-1, width)
               for name, kind, width in KEY_ATTRIBUTES}
        if mute_modifiers(curve):  # what they did is in the values, and outside the stretch it would be lost
            return old, -math.inf, math.inf
        times = old["co"][:, 0]
        return old, times[times < self.first].max(initial=-math.inf), times[times > self.last].min(initial=math.inf)


def attribute(points, name, kind, width):
    buffer = np.empty(len(points) * width, dtype=kind)
    points.foreach_get(name, buffer)
    return buffer


def unchanged(values, before):
    """Whether two curves are the same to single precision; most that differ do so at any few frames."""
    few = slice(None, None, len(before) // 16 + 1)
    return close(values[few], before[few]) and close(values, before)


def close(values, before):
    return np.abs(values - before).max() <= UNCHANGED * max(1.0, np.abs(before).max())


def new_curve(bag, channel):
    curve = bag.fcurves.new(channel.path, index=channel.index)
    if channel.owner:
        curve.group = bag.groups.get(channel.owner) or bag.groups.new(channel.owner)
    return curve


def mute_modifiers(curve):
    """Values that already hold what modifiers do must not have it twice; cycles act outside the keys and stay.

    True if there was one to mute.
    """
    active = [modifier for modifier in curve.modifiers if modifier.type != "CYCLES" and not modifier.mute]
    for modifier in active:
        modifier.mute = True
    return bool(active)


def free_handles(points):
    """Handles set by hand would stay behind when the keys of a dense curve move: let them follow."""
    for side in ("handle_left_type", "handle_right_type"):
        kinds = attribute(points, side, np.uint8, 1)
        kinds[(kinds == FREE) | (kinds == ALIGNED)] = AUTO_CLAMPED
        points.foreach_set(side, kinds)


def move_keys(curve, keyed, source, change):
    """Add a change (frames,) to keys and handles where they stood; keys keep times, kinds and shape."""
    frames = np.arange(source.first_frame, source.last_frame + 1)
    for name, pairs in keyed.items():
        moved = pairs.copy()
        moved[1::2] += np.interp(pairs[::2], frames, change).astype(np.float32)
        curve.keyframe_points.foreach_set(name, moved)
    curve.update()


def dense_keys(frames, values, slopes):
    """Keys as arrays by attribute: straight between frames, or smooth with handles a third of the way to the next."""
    count = len(frames)
    keys = {name: np.zeros((count, width), dtype=kind) for name, kind, width in KEY_ATTRIBUTES}
    keys["amplitude"][:], keys["back"][:], keys["period"][:] = 0.8, 1.70158, 4.1
    keys["interpolation"][:] = LINEAR if slopes is None else BEZIER
    kind = AUTO_CLAMPED if slopes is None else FREE
    keys["handle_left_type"][:] = keys["handle_right_type"][:] = kind
    gaps = np.diff(frames, prepend=frames[0] - 1.0, append=frames[-1] + 1.0) / 3.0
    for name, reach in (("co", np.zeros(count)), ("handle_left", -gaps[:-1]), ("handle_right", gaps[1:])):
        keys[name][:, 0] = frames + reach
        keys[name][:, 1] = values + (0.0 if slopes is None else slopes * reach)
    return keys


def splice(curve, old, new, start, end):
    """Give a curve its old keys up to the one at `start` and from the one at `end` on, and new keys between.

    Those two keys turn towards the new ones on one side and stay as they were on the other.
    """
    times, frames = old["co"][:, 0], new["co"][:, 0]
    keep, fresh = (times <= start) | (times >= end), (frames > start + SAME_TIME) & (frames < end - SAME_TIME)
    kept = {name: rows[keep] for name, rows in old.items()}
    for border, place, handle in ((times[keep] == start, 0, "handle_right"), (times[keep] == end, -1, "handle_left")):
        kept["handle_left_type"][border] = kept["handle_right_type"][border] = FREE
        kept[handle][border] = kept["co"][border] + new[handle][place] - new["co"][place]
    kept["interpolation"][times[keep] == start] = new["interpolation"][0]
    order = np.argsort(np.concatenate([times[keep], frames[fresh]]), kind="stable")
    merged = {name: np.concatenate([kept[name], new[name][fresh]])[order] for name in old}
    set_keys(curve, merged)
    hold_handles(curve, merged, order < keep.sum())


def set_keys(curve, keys):
    points = curve.keyframe_points
    points.clear()
    points.add(len(keys["co"]))
    for name, rows in keys.items():
        points.foreach_set(name, rows.ravel())
    curve.update()


def hold_handles(curve, keys, kept):
    """Set kept keys' automatic handles by hand if beside new keys they come out elsewhere than where they were."""
    sides = ("handle_left", "handle_right")
    places = (attribute(curve.keyframe_points, side, np.float32, 2).reshape(-1, 2) for side in sides)
    if all(np.allclose(place[kept], keys[side][kept], UNCHANGED, UNCHANGED) for place, side in zip(places, sides)):
        return
    for side in sides:
        kinds = keys[side + "_type"]
        kinds[kept[:, None] & ((kinds == AUTO) | (kinds == AUTO_CLAMPED))] = FREE
    set_keys(curve, keys)
