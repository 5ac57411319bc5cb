# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of a curve, read and written in bulk."""

import numpy as np

from ...core.keys.keyed_curve import KeyedCurve
from ...core.motion.compare import UNCHANGED
from .actions import BEZIER, SAME_TIME, STAYING

CONSTANT, LINEAR = 0, 1
FREE, AUTO, VECTOR, ALIGNED, AUTO_CLAMPED = 0, 1, 2, 3, 4
GENERATED = 5  # the type of a key that no animator set
LINE = 1e-3  # of their rise: handles that lean alike are one line
JOINED = (AUTO, AUTO_CLAMPED, ALIGNED)
KEY_ATTRIBUTES = (
    ("co", np.float32, 2),
    ("handle_left", np.float32, 2),
    ("handle_right", np.float32, 2),
    ("interpolation", np.uint8, 1),
    ("handle_left_type", np.uint8, 1),
    ("handle_right_type", np.uint8, 1),
    ("easing", np.uint8, 1),
    ("type", np.uint8, 1),
    ("amplitude", np.float32, 1),
    ("back", np.float32, 1),
    ("period", np.float32, 1),
    ("select_control_point", bool, 1),
    ("select_left_handle", bool, 1),
    ("select_right_handle", bool, 1),
)


def attribute(points, name, kind, width):
    buffer = np.empty(len(points) * width, dtype=kind)
    points.foreach_get(name, buffer)
    return buffer


def keys_of(curve):
    """All that the keys of a curve have, arrays (keys, numbers) by attribute."""
    points = curve.keyframe_points
    return {name: attribute(points, name, kind, width).reshape(-1, width) for name, kind, width in KEY_ATTRIBUTES}


def key_total(bag):
    """How many keys all curves have."""
    return sum(len(curve.keyframe_points) for curve in bag.fcurves)


def new_curve(bag, channel):
    curve = bag.fcurves.new(channel.path, index=channel.index)
    if channel.owner:
        curve.group = bag.groups.get(channel.owner) or bag.groups.new(channel.owner)
    return curve


def mute_modifiers(curve):
    """Values that already hold what modifiers do must not have it twice; cycles act outside the keys, and steps are left out
    of the values: these stay.

    True if there was one to mute.
    """
    active = [modifier for modifier in curve.modifiers if modifier.type not in STAYING and not modifier.mute]
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
    for name, away in (("co", np.zeros(count)), ("handle_left", -gaps[:-1]), ("handle_right", gaps[1:])):
        keys[name][:, 0] = frames + away
        keys[name][:, 1] = values + (0.0 if slopes is None else slopes * away)
    return keys


def splice(curve, old, new, start, end):
    """Give a curve its old keys up to the one at `start` and from the one at `end` on, and new keys between.

    Those two keys turn towards the new ones on one side and stay as they were on the other.
    """
    times, frames = old["co"][:, 0], new["co"][:, 0]
    keep, fresh = (times <= start) | (times >= end), (frames > start + SAME_TIME) & (frames < end - SAME_TIME)
    kept = {name: rows[keep] for name, rows in old.items()}
    for border, index, handle in ((times[keep] == start, 0, "handle_right"), (times[keep] == end, -1, "handle_left")):
        kept["handle_left_type"][border] = kept["handle_right_type"][border] = FREE
        kept[handle][border] = kept["co"][border] + new[handle][index] - new["co"][index]
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


def set_straight_keys(curve, pairs, finished=True):
    """Give a curve keys (keys, 2) with straight lines between them: all that such keys need, and nothing else.

    Without `finished` their handles, which straight lines do not use, stay where they come from: for keys soon written anew.
    """
    points = curve.keyframe_points
    points.clear()
    points.add(len(pairs))
    points.foreach_set("co", pairs.ravel())
    points.foreach_set("interpolation", np.full(len(pairs), LINEAR, dtype=np.uint8))
    points.foreach_set("select_control_point", np.zeros(len(pairs), dtype=bool))
    if finished:
        curve.update()


def hold_handles(curve, keys, kept):
    """Set kept keys' automatic handles by hand if beside new keys they come out elsewhere than where they were."""
    sides = ("handle_left", "handle_right")
    handles = (attribute(curve.keyframe_points, side, np.float32, 2).reshape(-1, 2) for side in sides)
    if all(np.allclose(handle[kept], keys[side][kept], UNCHANGED, UNCHANGED) for handle, side in zip(handles, sides)):
        return
    for side in sides:
        kinds = keys[side + "_type"]
        kinds[kept[:, None] & ((kinds == AUTO) | (kinds == AUTO_CLAMPED))] = FREE
    set_keys(curve, keys)


def as_curve(keys):
    """Keys as Blender has them, for core."""
    points = keys["co"].astype(float)
    left, right = (keys[side].astype(float) - points for side in ("handle_left", "handle_right"))
    reach = np.maximum(np.column_stack([-left[:, 0], right[:, 0]]), 0.0)
    rise = np.column_stack([left[:, 1], right[:, 1]])
    slopes = rise / np.maximum(reach, 1e-6) * (-1.0, 1.0)
    types = np.column_stack([keys["handle_left_type"], keys["handle_right_type"]])
    alike = np.abs(slopes[:, 0] - slopes[:, 1]) <= LINE * np.abs(slopes).max(axis=1) + 1e-7
    smooth = (np.isin(types, JOINED).all(axis=1) | alike & (types != VECTOR).all(axis=1)) & (reach > 0.0).all(axis=1)
    return KeyedCurve(
        points[:, 0], points[:, 1], reach, rise, keys["interpolation"][:, 0].astype(int), smooth, np.arange(len(points))
    )


def put_keys(curve, old, found):
    """Write keys; those that are as they were keep all that they had, the others their kinds but not automatic handles."""
    count, known = len(found), found.origin >= 0
    keys = dense_keys(found.times, found.values, np.zeros(count))
    for name in keys:
        if len(old[name]):
            keys[name][known] = old[name][found.origin[known]]
    keys["type"][~known] = GENERATED
    points = np.column_stack([found.times, found.values])
    places = {
        "co": points,
        "handle_left": points + np.column_stack([-found.reach[:, 0], found.rise[:, 0]]),
        "handle_right": points + np.column_stack([found.reach[:, 1], found.rise[:, 1]]),
    }
    same = known & (np.abs(places["co"] - keys["co"]).max(axis=1) == 0.0)
    same &= np.all([np.abs(places[side] - keys[side]).max(axis=1) <= 1e-6 for side in ("handle_left", "handle_right")], axis=0)
    for name, rows in places.items():
        keys[name][~same] = rows[~same]
    keys["interpolation"][:, 0] = found.kinds
    leads = found.kinds == BEZIER
    shaped = leads | np.concatenate([[False], leads[:-1]])
    hold_shape(keys, found, ~same & shaped)
    mute_modifiers(curve)
    set_keys(curve, keys)
    moved_on = [
        np.abs(row - keys[side]).max(axis=1) > 1e-5 * (1.0 + np.abs(keys[side]).max(axis=1))
        for side in ("handle_left", "handle_right")
        for row in [keys_of(curve)[side]]
    ]
    astray = np.any(moved_on, axis=0) & shaped
    if astray.any():
        hold_shape(keys, found, astray)
        set_keys(curve, keys)


def hold_shape(keys, found, rows):
    """Handles of some keys stay as they are written, in one line where they were."""
    kinds = np.where(found.smooth & (found.reach > 0.0).all(axis=1), ALIGNED, FREE)
    for side in ("handle_left_type", "handle_right_type"):
        keys[side][rows, 0] = kinds[rows]
