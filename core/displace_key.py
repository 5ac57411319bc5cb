# SPDX-License-Identifier: GPL-3.0-or-later
"""A displacement key: what an animator or a script says of it, and what that means for the rows of a clip."""

from dataclasses import dataclass

import numpy as np

from .params import build, flag, number, tree, whole
from .refusal import Refusal
from .scope import FAR

KINDS = {"rotation": 3, "location": 3, "scale": 3}


@dataclass(frozen=True)
class DisplaceKey:
    """One key: where it stands, what it moves and by how much, and how the motion passes through it."""

    frame: int = whole(1, "Frame that the key stands on", -FAR, FAR)
    on: bool = flag(True, "Use this key")
    strength: float = number(1.0, "How much of the displacement is used: 1 as it was posed, 0 none", -100, 100, reach=(0, 2))
    tension: float = number(0.0, "How tightly the motion passes the key: 1 stops at it, -1 swings through", -1, 1)
    continuity: float = number(0.0, "How smoothly it passes: below 0 it turns a corner, above 0 it overshoots", -1, 1)
    bias: float = number(0.0, "Where it swings out: -1 before the key, 1 after it", -1, 1)
    reach: float = number(0.0, "How long before and after the key the take is changed; 0 as far as the next key", 0,
                          unit="s", reach=(0, 5))
    bones: dict = tree("By bone: rotation in degrees about its resting axes (its own where it has no parent), location, "
                       "scale, three numbers each")
    curves: dict = tree("By curve, as path[index]: how much is added")


@dataclass(frozen=True)
class Push:
    """A key in the clip's own rows: where it is, what it pushes, and how the spline passes it."""

    row: int
    amounts: dict
    knobs: tuple
    reach: float  # rows, infinite for none


def read_key(clip, rotations, name, key):
    """A key from plain data, or a Refusal that says which and why."""
    key = build(DisplaceKey, key, f"{name} ")
    if not clip.first_frame <= key.frame <= clip.last_frame:
        raise Refusal(f"{name}: frame {key.frame} is not one of {clip.first_frame} to {clip.last_frame}")
    amounts = {target: key.strength * amount for target, amount in read_amounts(clip, rotations, name, key).items()}
    return Push(key.frame - clip.first_frame, amounts, (key.tension, key.continuity, key.bias),
                key.reach * clip.fps or np.inf)


def read_amounts(clip, rotations, name, key):
    moved = {(channel.owner, channel.kind.lower()) for channel in clip.channels}
    amounts = {}
    for bone, parts in key.bones.items():
        if not isinstance(parts, dict):
            raise Refusal(f"{name}: {bone} has {parts!r}, not rotation, location or scale")
        for kind, values in parts.items():
            if kind not in KINDS:
                raise Refusal(f"{name}: {bone} has no {kind}; there are {', '.join(KINDS)}")
            if bone not in rotations if kind == "rotation" else (bone, kind) not in moved:
                raise Refusal(f"{name}: the {kind} of {bone or 'the object'} is not keyed, or is locked")
            row = numbers(f"{name} {bone} {kind}", values, KINDS[kind])
            amounts[bone, kind] = np.radians(row) if kind == "rotation" else row
    there = {str(channel) for channel in clip.channels}
    for curve, value in key.curves.items():
        if curve not in there:
            raise Refusal(f"{name}: there is no curve {curve} in scope")
        amounts[curve, "curve"] = numbers(f"{name} {curve}", [value], 1)
    return amounts


def numbers(name, values, count):
    good = isinstance(values, (list, tuple)) and len(values) == count and all(
        isinstance(value, (int, float)) and not isinstance(value, bool) and np.isfinite(value) for value in values)
    if not good:
        raise Refusal(f"{name}: {values!r} is not {count} number(s)")
    return np.array(values, dtype=np.float64)


def check_frames(keys):
    rows = [key.row for key in keys]
    if len(set(rows)) < len(rows):
        raise Refusal(f"displacement_keys: two stand on one frame ({len(rows)} keys on {len(set(rows))} frames)")
