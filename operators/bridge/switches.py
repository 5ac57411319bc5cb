# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches: which curves are no signals, and their keys when time changes around them."""

import re

import numpy as np

from ...core.keys.as_keyed import retimed
from ...core.motion.clip import Channel
from ...core.motion.switches import CLOCK, STEP, Switches
from .actions import channel_of, is_stepped, read_take
from .keyframes import (
    CONSTANT,
    LINEAR,
    as_curve,
    attribute,
    dense_keys,
    keys_of,
    mute_modifiers,
    new_curve,
    put_keys,
    set_keys,
)

CUSTOM = re.compile(r'\["(?:[^"\\]|\\.)*"\]$')  # how the path of a custom property ends
CLOSE = 0.02  # of its range: how far a switch that goes evenly may be off before it gets a key more
FEW = 3  # values that something keyed in steps takes if it is switched, and not moved
INFLUENCE = re.compile(r'(^|\.)constraints\["(?:[^"\\]|\\.)*"\]\.influence$')


class SwitchFinder:
    """Tells of the curves of an owner which are switches; what the owner's drivers read is looked up once."""

    def __init__(self, owner):
        self.owner, self.driving = owner, driving_paths(owner)

    def __call__(self, curve):
        """Whether a curve animates no signal: on or off, a whole number, a choice, how much a constraint holds, a custom
        property that drives the rig, or any value that is keyed in steps between a few."""
        path = curve.data_path
        if channel_of(path, curve.array_index, self.owner).kind != "VALUE":
            return False
        drives = CUSTOM.search(path) and path in self.driving
        return bool(drives or INFLUENCE.search(path) or is_switched(curve, whole=True) or in_whole_numbers(curve, self.owner))

    def among(self, curves):
        """The switches among curves: those of whom each is one, and all curves of a place, a rotation or a size that jumps
        between a few. One that only holds a pose, as importers write it, is as good as smooth; what takes more values
        moves, if only on twos."""
        moving = {curve: curve.data_path for curve in curves if is_stepped(curve) and moves(curve)}
        jumping = set(moving.values()) - {path for curve, path in moving.items() if not is_switched(curve)}
        return [curve for curve in curves if self(curve) or curve.data_path in jumping and is_stepped(curve)]


def driving_paths(owner):
    """Paths of the owner's own properties that drivers of it or of its data read."""
    found = set()
    for driven in (owner, getattr(owner, "data", None)):
        for curve in getattr(getattr(driven, "animation_data", None), "drivers", ()):
            found.update(
                target.data_path.replace("'", '"')
                for variable in curve.driver.variables
                for target in variable.targets
                if target.id == owner
            )
    return found | {re.sub(r"\[\d+\]$", "", path) for path in found}


def in_whole_numbers(curve, owner):
    """Whether what a curve animates is on or off, counts, or is a choice."""
    try:
        value = owner.path_resolve(curve.data_path)
        value = value if isinstance(value, str) or not hasattr(value, "__getitem__") else value[curve.array_index]
    except (ValueError, IndexError, KeyError):  # what it animates is not there
        return False
    return isinstance(value, (bool, int, str))


def is_switched(curve, whole=False):
    """Whether a curve is keyed in steps between a few values, or between numbers that are all `whole`."""
    if not is_stepped(curve):
        return False
    values = attribute(curve.keyframe_points, "co", np.float32, 2)[1::2]
    return bool(len(np.unique(values)) <= FEW or whole and (values == np.rint(values)).all())


def moves(curve):
    return np.ptp(attribute(curve.keyframe_points, "co", np.float32, 2)[1::2]) > 0.0


def read_switches(action, slot, curves, owner, first, last, fps):
    """What switches are over frames first to last, to go along with a clip; None without any."""
    if not curves:
        return None
    clip = read_take(action, slot, curves, owner, first, last, fps, as_shown=True).clip
    smooth = [
        channel_of(curve.data_path, 0, owner).kind == "VALUE" and not is_stepped(curve) and not in_whole_numbers(curve, owner)
        for curve in curves
    ]
    channels = tuple(
        Channel(channel.path, channel.index, "VALUE" if evenly else STEP, channel.owner)
        for channel, evenly in zip(clip.channels, smooth)
    )
    return Switches(channels, clip.values[:, : len(curves)])


def write_switches(bag, result, source, touched, moments=None):
    """Give switches the keys that they have in a result of other moments; those that did not change stay as they are.

    Those `touched` once are written from then on. Where it is known which `moments` of the take those of the result are, keys
    go along with them.
    """
    frames = result.first_frame + np.arange(result.frames, dtype=float)
    for index, channel in enumerate(result.switches.channels if result.switches else ()):
        if channel.kind == CLOCK:
            continue
        values, before = result.switches.values[:, index], source.switches.values[:, index]
        if channel not in touched and result.first_frame == source.first_frame and np.array_equal(values, before):
            continue
        touched.add(channel)
        curve = bag.fcurves.find(channel.path, index=channel.index) or new_curve(bag, channel)
        if moments is not None and move_keys_of(curve, moments, frames, values):
            continue
        mute_modifiers(curve)
        rows = changes(values, channel.kind == STEP)
        keys = dense_keys(result.first_frame + rows, values[rows], None)
        keys["interpolation"][:] = CONSTANT if channel.kind == STEP else LINEAR
        set_keys(curve, keys)


def move_keys_of(curve, moments, frames, values):
    """Move the keys of a switch along in time, if it then is what it should be, or all of it is there still and goes evenly;
    whether that is so."""
    old, steps = keys_of(curve), is_stepped(curve)
    close = CLOSE * max(float(np.ptp(values)), 1e-6)
    moved = retimed(as_curve(old), moments, close) if len(old["co"]) else None
    own = moved is not None and np.isfinite(moments.frames).all() and set(range(len(old["co"]))) <= set(moved.origin)
    if moved is None or (steps or not own) and np.abs(moved.drawn(frames) - values).max() > close:
        return False
    put_keys(curve, old, moved)
    return True


def changes(values, stepped):
    """The rows at which a switch needs keys: where it changes, and before that too where it goes evenly."""
    turns = np.flatnonzero(np.diff(values)) + 1
    return np.unique(np.concatenate([[0], turns, [] if stepped else turns - 1]).astype(int))
