# SPDX-License-Identifier: GPL-3.0-or-later
"""Displace: keep the take and push it at a few poses (Bruderlin and Williams 1995, section 5).

Displacements at keys are joined by splines and laid over the motion. The first and last frame are keys of zero unless
they are keyed themselves. On rotations a displacement is a turn in the bone's own space, after what the take does.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from . import rotation
from .blocks import blocks, each
from .chart import BLOCK, Chart, components, rotation_groups
from .orientations import Orientations
from .params import build, flag, number, records, tree, whole
from .scope import FAR
from .spline import tcb
from .technique import Technique

KINDS = {"rotation": 3, "location": 3, "scale": 3}
PINNED = (0.0, 0.0, 0.0)  # tension, continuity and bias of an end without a key


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
    bones: dict = tree("By bone: rotation in degrees about its own axes, location, scale, three numbers each")
    curves: dict = tree("By curve, as path[index]: how much is added")


@dataclass(frozen=True)
class DisplaceParams:
    """Keys, and how the way between them is spent."""

    displacement_keys: tuple = records("Keys as JSON, each with its frame and what it moves", DisplaceKey)
    adjust: bool = flag(False, "Spend the displacement only while the part moves already, so that what stands still stays "
                               "where it is between keys", label="Only While Moving")


def displace(clip, surroundings):
    """Push a take at a few frames and keep everything else of it.

    Keys are worked out into one displacement per channel and frame; where that is zero the take is untouched.
    """
    rotations = rotations_of(clip, surroundings.angles_apart)
    moving = lru_cache(1)(lambda: Chart(clip, surroundings.angles_apart))

    @lru_cache(1)
    def turning(owners):
        """The rotations of these owners, ready to be turned: owners, columns, orientations and quaternions of each mode."""
        found = []
        for mode in sorted({rotations[owner][0] for owner in owners}):
            members = [owner for owner in owners if rotations[owner][0] == mode]
            for part in blocks(len(members), BLOCK):
                columns = [rotations[owner][1] for owner in members[part]]
                orientations = Orientations(mode, components(clip.values, columns))
                found.append((members[part], columns, orientations, orientations.quaternions))
        return found

    def process(params):
        keys = [read_key(clip, rotations, f"displacement_keys[{place}]", key)
                for place, key in enumerate(params.displacement_keys) if key.get("on", True)]
        check_frames(keys)
        pushes = tracks(clip, keys, moving() if params.adjust else None)
        values = clip.values.copy(order="K")

        def turn(some):
            owners, columns, orientations, q = some
            vectors = rotation.stack(*np.stack([pushes[owner, "rotation"] for owner in owners]).transpose(2, 1, 0))
            turned = orientations.back(rotation.multiply(q, rotation.exp(vectors)), heal=False)
            turned = np.where(np.any(vectors != 0, axis=0), turned, orientations.source)
            for component, places in zip(turned, zip(*columns)):
                values[:, list(places)] = component

        each(turn, turning(tuple(owner for owner, kind in pushes if kind == "rotation")))
        for column, channel in enumerate(clip.channels):
            for target, index in (((channel.owner, channel.kind.lower()), channel.index), ((str(channel), "curve"), 0)):
                if target in pushes:
                    values[:, column] += pushes[target][:, index]
        return clip.with_values(values)

    return process


def rotations_of(clip, angles_apart):
    """The rotations that turn as a whole, by owner: their mode and columns."""
    return {clip.channels[columns[0]].owner: (mode, columns)
            for mode, members in rotation_groups(clip.channels, angles_apart)[0] for columns in members}


@dataclass(frozen=True)
class Push:
    """A key in the clip's own rows: where it is, what it pushes, and how the spline passes it."""

    row: int
    amounts: dict
    knobs: tuple
    reach: float  # rows, infinite for none


def read_key(clip, rotations, name, key):
    """A key from plain data, or a ValueError that says which and why."""
    key = build(DisplaceKey, key, f"{name} ")
    if not clip.first_frame <= key.frame <= clip.last_frame:
        raise ValueError(f"{name}: frame {key.frame} is not one of {clip.first_frame} to {clip.last_frame}")
    amounts = {target: key.strength * amount for target, amount in read_amounts(clip, rotations, name, key).items()}
    return Push(key.frame - clip.first_frame, amounts, (key.tension, key.continuity, key.bias),
                key.reach * clip.fps or np.inf)


def read_amounts(clip, rotations, name, key):
    moved = {(channel.owner, channel.kind.lower()) for channel in clip.channels}
    amounts = {}
    for bone, parts in key.bones.items():
        if not isinstance(parts, dict):
            raise ValueError(f"{name}: {bone} has {parts!r}, not rotation, location or scale")
        for kind, values in parts.items():
            if kind not in KINDS:
                raise ValueError(f"{name}: {bone} has no {kind}; there are {', '.join(KINDS)}")
            if bone not in rotations if kind == "rotation" else (bone, kind) not in moved:
                raise ValueError(f"{name}: the {kind} of {bone or 'the object'} is not keyed, or is locked")
            row = numbers(f"{name} {bone} {kind}", values, KINDS[kind])
            amounts[bone, kind] = np.radians(row) if kind == "rotation" else row
    there = {str(channel) for channel in clip.channels}
    for curve, value in key.curves.items():
        if curve not in there:
            raise ValueError(f"{name}: there is no curve {curve} in scope")
        amounts[curve, "curve"] = numbers(f"{name} {curve}", [value], 1)
    return amounts


def numbers(name, values, count):
    good = isinstance(values, (list, tuple)) and len(values) == count and all(
        isinstance(value, (int, float)) and not isinstance(value, bool) and np.isfinite(value) for value in values)
    if not good:
        raise ValueError(f"{name}: {values!r} is not {count} number(s)")
    return np.array(values, dtype=np.float64)


def check_frames(keys):
    rows = [key.row for key in keys]
    if len(set(rows)) < len(rows):
        raise ValueError(f"displacement_keys: two stand on one frame ({len(rows)} keys on {len(set(rows))} frames)")


def tracks(clip, keys, chart):
    """The displacement of every target at every frame, {target: (frames, components)}; those of the same keys at once."""
    together = {}
    for target in sorted({target for key in keys for target in key.amounts}):
        touching = tuple(place for place, key in enumerate(keys) if target in key.amounts)
        together.setdefault((touching, None if chart is None else target), []).append(target)
    result = {}
    for (touching, _), targets in together.items():
        rows = track(clip, targets, [keys[place] for place in touching], chart)
        ends = np.cumsum([len(keys[touching[0]].amounts[target]) for target in targets])
        result.update(zip(targets, np.split(rows, ends[:-1], axis=1)))
    return result


def track(clip, targets, keys, chart):
    """The displacement of targets that the same keys push, side by side, (frames, components)."""
    rows = {key.row: (np.concatenate([key.amounts[target] for target in targets]), key.knobs) for key in keys}
    pinned = np.zeros(len(rows[keys[0].row][0])), PINNED
    for row in (0, clip.frames - 1):
        rows.setdefault(row, pinned)
    reach = within_reach(keys, clip.frames)
    for row in np.flatnonzero(np.diff(np.concatenate([[False], reach, [False]]).astype(int))):
        rows.setdefault(int(min(max(row - 1 if row and reach[row - 1] else row, 0), clip.frames - 1)), pinned)
    times = np.array(sorted(rows), dtype=np.float64)
    at = np.arange(clip.frames, dtype=np.float64) if chart is None else spent_while_moving(chart, targets[0], times)
    values = tcb(times, [rows[int(row)][0] for row in times], *zip(*(rows[int(row)][1] for row in times)), at)
    values[~reach] = 0.0
    return values


def within_reach(keys, frames):
    """The frames that some key reaches."""
    at = np.arange(frames)
    return np.any([np.abs(at - key.row) <= key.reach for key in keys], axis=0)


def spent_while_moving(chart, target, times):
    """Frames moved along between keys so that time passes only as the target moves, and evenly where it never does."""
    columns = [column for column, owner in enumerate(chart.owners) if owner == target[0]]
    signals = chart.signals[:, columns] if columns else chart.signals
    path = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(signals, axis=0), axis=1))])
    at = np.arange(len(path), dtype=np.float64)
    for start, end in zip(times[:-1].astype(int), times[1:].astype(int)):
        way = path[end] - path[start]
        if way > 1e-9:
            at[start:end + 1] = start + (end - start) * (path[start:end + 1] - path[start]) / way
    return at


DISPLACE = Technique("displace", "Displacement", DisplaceParams, displace)
