# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions: whose curves are where, and reading them in bulk, as Blender shows them."""

import re
from collections.abc import Mapping
from functools import lru_cache

import bpy
import numpy as np

from ...core.motion.clip import Channel, Clip
from ...core.numeric import scipy
from ...core.numeric.frozen import frozen
from ...core.numeric.rotation import EULER_ORDERS, ROTATION_SIZES
from .unanimated import standing

BONE_PATH = re.compile(r'^pose\.bones\["(?P<bone>(?:[^"\\]|\\.)*)"\]\.(?P<name>.+)$')
CONSTANT, BEZIER = 0, 2  # of a key's interpolation, as numbers
STAYING = ("CYCLES", "STEPPED")  # modifiers that stay at work: one acts outside the keys, the other shows a motion on twos
SAME_TIME = 0.01  # frames; Blender makes one key of two that are closer
MODES = {"QUATERNION": "quaternion", "AXIS_ANGLE": "axis_angle"}
REST_ROTATIONS = {"QUATERNION": (1.0, 0.0, 0.0, 0.0), "AXIS_ANGLE": (0.0, 0.0, 1.0, 0.0)}


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
    bone, name = bone_and_property(path)
    posed = owner.pose.bones.get(bone) if bone and getattr(owner, "pose", None) else owner
    return Channel(path, index, kind_of(name, getattr(posed, "rotation_mode", "XYZ")), bone)


@lru_cache(maxsize=4096)
def bone_and_property(path):
    """The bone that a path leads to, if it does, and the rest of the path."""
    match = BONE_PATH.match(path)
    return (bpy.utils.unescape_identifier(match["bone"]), match["name"]) if match else ("", path)


def kind_of(name, mode):
    if name.endswith("rotation_euler"):
        return mode if mode in EULER_ORDERS else "XYZ"
    return {
        "rotation_quaternion": "QUATERNION",
        "delta_rotation_quaternion": "QUATERNION",
        "rotation_axis_angle": "AXIS_ANGLE",
        "location": "LOCATION",
        "delta_location": "LOCATION",
        "scale": "SCALE",
        "delta_scale": "SCALE",
    }.get(name, "VALUE")


def repeats(curves):
    """Whether curves are those of a loop: most of them have a Cycles modifier that begins again."""
    again = [
        any(
            modifier.type == "CYCLES" and not modifier.mute and modifier.mode_after in ("REPEAT", "REPEAT_OFFSET")
            for modifier in curve.modifiers
        )
        for curve in curves
    ]
    return 2 * sum(again) > len(again)


def key_count(curve):
    return len(curve.keyframe_points) or len(curve.sampled_points)


@frozen
class Take:
    """A clip as it was read, and the channels whose curves have one key on each of its frames and nothing else: whether any
    of these keys is smooth."""

    clip: Clip
    dense: Mapping
    held: frozenset = frozenset()  # channels that have no curve, and are what the owner holds


def read_take(action, slot, curves, owner, first, last, fps, whole=(), as_shown=False):
    """The curves over frames first to last, as Blender shows them; what is keyed in steps, as on twos, goes smoothly from step
    to step unless it is wanted `as_shown`.

    Rotations that lack a component (no curve for it anywhere) get it as a constant from what the owner holds, and so do
    locations and rotations of bones that are keyed in place, so that they can be carried anywhere, and those that are named
    `whole`.
    """
    frames, there = last - first + 1, channelbag(action, slot).fcurves
    curves = alone(curves, there) if frames > len(there) else curves
    rows, pairs = np.empty((len(curves), frames)), np.empty((frames, 2), dtype=np.float32)
    smooth = [read_dense(curve, first, row, pairs) for curve, row in zip(curves, rows)]
    sparse = [index for index, known in enumerate(smooth) if known is None]
    if sparse:
        sample(action, slot, [curves[index] for index in sparse], first, last, rows, sparse)
    for index in () if as_shown else sparse:
        if len(curves[index].keyframe_points) > 1 and is_stepped(curves[index]):
            rows[index] = from_step_to_step(curves[index], np.arange(first, last + 1))
    channels = [channel_of(curve.data_path, curve.array_index, owner) for curve in curves]
    dense = {channel: known for channel, known in zip(channels, smooth) if known is not None}
    keyed = {(curve.data_path, curve.array_index) for curve in there if key_count(curve)}
    extra = missing_components(channels, owner, keyed, whole)
    if extra:
        rows = np.vstack([rows, np.repeat([[value] for _, value in extra], frames, axis=1)])
        channels += [channel for channel, _ in extra]
    return Take(Clip(rows.T, tuple(channels), fps, first), dense, frozenset(channel for channel, _ in extra))


def alone(curves, there):
    """The same curves, found by name among those of a channelbag: their keys are read faster.

    Blender hands every key out with a list of what it was reached through, and a curve that was found was reached through
    nothing. The list of one that was reached by way of layers and strips makes reading five times slower.
    """
    return [there.find(curve.data_path, index=curve.array_index) for curve in curves]


def read_dense(curve, first, row, pairs=None):
    """Read a curve that has one key on every frame and nothing else, and tell whether any is smooth; None if it is no such.

    `pairs` (frames, 2), in single precision, is to read its keys into.
    """
    points = curve.keyframe_points
    if len(points) != len(row) or len(curve.modifiers):
        return None
    pairs = np.empty((len(row), 2), dtype=np.float32) if pairs is None else pairs
    points.foreach_get("co", pairs.ravel())
    if not (pairs[:, 0] == whole_frames(first, len(row))).all():
        return None
    row[:] = pairs[:, 1]
    return any_smooth(points)


def is_stepped(curve):
    """Whether a curve holds every key until the next; what the last key would do after it does not count."""
    points = curve.keyframe_points
    if not len(points) or points[0].interpolation != "CONSTANT":
        return False
    shapes = np.empty(len(points), dtype=np.uint8)
    points.foreach_get("interpolation", shapes)
    return bool((shapes[:-1] == CONSTANT).all())


def from_step_to_step(curve, frames):
    """What a curve keyed in steps would be at frames if it were not: through all its keys, without going beyond them."""
    pairs = np.empty((len(curve.keyframe_points), 2), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", pairs.ravel())
    return scipy.interpolate.PchipInterpolator(*pairs.astype(float).T)(np.clip(frames, *pairs[[0, -1], 0]))


def any_smooth(points):
    shapes = np.empty(len(points), dtype=np.uint8)
    points.foreach_get("interpolation", shapes)
    return bool((shapes == BEZIER).any())


@lru_cache(maxsize=4)
def whole_frames(first, count):
    return np.arange(first, first + count, dtype=np.float32)


def sample(action, slot, curves, first, last, rows, indices):
    """Curves at every frame, handles, easing, extrapolation and modifiers included, by Blender's own evaluation."""
    copy = action.copy()
    try:
        bag = channelbag(copy, copy.slots[slot.identifier])
        buffer = np.empty(2 * rows.shape[1], dtype=np.float32)
        for curve, index in zip(curves, indices):
            twin = bag.fcurves.find(curve.data_path, index=curve.array_index)
            for modifier in twin.modifiers:
                modifier.mute = modifier.mute or modifier.type == "STEPPED"
            if len(twin.keyframe_points):
                twin.convert_to_samples(first, last + 1)
                twin.sampled_points.foreach_get("co", buffer)
                rows[index] = buffer[1::2]
            else:
                rows[index] = [curve.evaluate(frame) for frame in range(first, last + 1)]
    finally:
        bpy.data.actions.remove(copy)


def missing_components(channels, owner, keyed, whole=()):
    """Components that have no curve, each with its constant value: of quaternions and axis-angles, and of the locations and
    Euler angles of bones that are keyed in place or named `whole`, or of the armature itself."""
    have = {(channel.path, channel.index) for channel in channels} | keyed
    carries = {"", *(channel.owner for channel in channels)} if getattr(owner, "pose", None) else set()
    located = {channel.owner for channel in channels if channel.kind == "LOCATION" and channel.owner in carries}
    extra = []
    turning = rotation_name(owner) if "" in located else ""
    if turning and not any(path == turning for path, _ in have):  # what travels can turn where it goes
        channels = [*channels, channel_of(turning, 0, owner)]
    located |= set(whole)
    for channel in (*channels, *(each for name in sorted(whole) for each in placing(owner, name))):
        if channel.kind not in REST_ROTATIONS and (channel.owner not in located or channel.kind in ("SCALE", "VALUE")):
            continue
        for index in range(ROTATION_SIZES.get(channel.kind, 3)):
            if (channel.path, index) not in have:
                have.add((channel.path, index))
                extra.append((Channel(channel.path, index, channel.kind, channel.owner), held_value(owner, channel, index)))
    return extra


def rotation_name(owner):
    """The name of the property that holds the rotation of a bone or an object in its mode."""
    return f"rotation_{MODES.get(owner.rotation_mode, 'euler')}"


def placing(owner, name):
    """The channels of a bone's location and rotation, the first of each."""
    pose = owner.pose.bones[name]
    return [channel_of(f"{pose.path_from_id()}.{part}", 0, owner) for part in ("location", rotation_name(pose))]


def held_value(owner, channel, index):
    value = standing(owner, channel.path, index)
    if value is None:  # a bone that this figure does not have
        return REST_ROTATIONS.get(channel.kind, (0.0, 0.0, 0.0))[index]
    return value
