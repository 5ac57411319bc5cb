# SPDX-License-Identifier: GPL-3.0-or-later
"""Displace: keep the take and push it at a few poses (Bruderlin and Williams 1995, section 5).

Displacements at keys are joined by splines and laid over the motion. The first and last frame are keys of zero unless
they are keyed themselves. On rotations a displacement is a turn in the bone's own space, after what the take does.
"""

from dataclasses import dataclass

import numpy as np

from . import rotation
from .chart import Chart
from .params import flag, records
from .spline import tcb
from .technique import Technique

KNOBS = ("tension", "continuity", "bias")
KINDS = {"rotation": 3, "location": 3, "scale": 3}


@dataclass(frozen=True)
class DisplaceParams:
    """Keys, each with what it moves and by how much."""

    displacement_keys: tuple = records(
        "Keys as JSON: frame, bones (name: rotation in degrees, location, scale), curves (path[index]: value), and for "
        "each key tension, continuity, bias from -1 to 1, reach in seconds either side, and on")
    adjust: bool = flag(False, "Spend the displacement only while the part moves already, so that what stands still stays "
                               "where it is between keys", label="Only While Moving")


def displace(clip, surroundings):
    """Push a take at a few frames and keep everything else of it.

    Keys are worked out into one displacement per channel and frame; where that is zero the take is untouched.
    """
    chart = Chart(clip, surroundings.angles_apart)

    def process(params):
        keys = [read_key(clip, chart, place, key) for place, key in enumerate(params.displacement_keys) if key.get("on", True)]
        check_frames(keys)
        pushes = {target: track(clip, target, keys, chart if params.adjust else None) for target in targets(keys)}

        def turn(q, mode, owners):
            vectors = [pushes.get((owner, "rotation"), np.zeros((clip.frames, 3))) for owner in owners]
            return rotation.multiply(q, rotation.exp(rotation.stack(*np.stack(vectors, axis=2).transpose(1, 0, 2))))

        def move(values, channels):
            result = values.copy()
            for column, channel in enumerate(channels):
                kind = {"LOCATION": "location", "SCALE": "scale"}.get(channel.kind)
                if (channel.owner, kind) in pushes:
                    result[:, column] += pushes[channel.owner, kind][:, channel.index]
                if (str(channel), "curve") in pushes:
                    result[:, column] += pushes[str(channel), "curve"][:, 0]
            return result

        values = chart.values(chart.reshaped(turn, move), heal=False)
        still = ~np.any([np.any(push != 0, axis=1) for push in pushes.values()], axis=0) if pushes else slice(None)
        values[still] = clip.values[still]
        return clip.with_values(values)

    return process


@dataclass(frozen=True)
class Key:
    """A key in the clip's own rows: where it is, what it pushes, and how the spline passes it."""

    row: int
    pushes: dict
    knobs: tuple
    reach: float  # rows, infinite for none


def read_key(clip, chart, place, key):
    """A key from plain data, or a ValueError that says which and why."""
    name = f"displacement_keys[{place}]"
    unknown = set(key) - {"frame", "bones", "curves", "reach", "on", *KNOBS}
    if unknown:
        raise ValueError(f"{name}: there is no {sorted(unknown)[0]}")
    frame = numbers(f"{name} frame", [key.get("frame")], 1)[0]
    if frame != int(frame) or not clip.first_frame <= frame <= clip.last_frame:
        raise ValueError(f"{name}: frame {frame:g} is not one of {clip.first_frame} to {clip.last_frame}")
    knobs = tuple(numbers(f"{name} {knob}", [key.get(knob, 0.0)], 1)[0] for knob in KNOBS)
    if max(map(abs, knobs)) > 1:
        raise ValueError(f"{name}: tension, continuity and bias go from -1 to 1")
    reach = numbers(f"{name} reach", [key.get("reach", 0.0)], 1)[0] * clip.fps
    return Key(int(frame) - clip.first_frame, read_pushes(clip, chart, name, key), knobs, reach if reach > 0 else np.inf)


def read_pushes(clip, chart, name, key):
    turned = {owner for owner, kind in zip(chart.owners, chart.kinds) if kind == "ROTATION"}
    moved = {(channel.owner, channel.kind.lower()) for channel in clip.channels}
    pushes = {}
    for bone, parts in key.get("bones", {}).items():
        for kind, values in parts.items():
            if kind not in KINDS:
                raise ValueError(f"{name}: {bone} has no {kind}; there are {', '.join(KINDS)}")
            if bone not in turned if kind == "rotation" else (bone, kind) not in moved:
                raise ValueError(f"{name}: the {kind} of {bone} is not keyed, or is locked")
            row = numbers(f"{name} {bone} {kind}", values, KINDS[kind])
            pushes[bone, kind] = np.radians(row) if kind == "rotation" else row
    there = {str(channel) for channel in clip.channels}
    for curve, value in key.get("curves", {}).items():
        if curve not in there:
            raise ValueError(f"{name}: there is no curve {curve} in scope")
        pushes[curve, "curve"] = numbers(f"{name} {curve}", [value], 1)
    return pushes


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


def targets(keys):
    return {target for key in keys for target in key.pushes}


def track(clip, target, keys, chart):
    """The displacement of one target at every frame, (frames, components)."""
    touching = sorted((key for key in keys if target in key.pushes), key=lambda key: key.row)
    size = len(touching[0].pushes[target])
    rows = {key.row: (key.pushes[target], key.knobs) for key in touching}
    pinned = np.zeros(size), (0.0, 0.0, 0.0)
    for row in (0, clip.frames - 1):
        rows.setdefault(row, pinned)
    reach = within_reach(touching, clip.frames)
    for row in np.flatnonzero(np.diff(np.concatenate([[False], reach, [False]]).astype(int))):
        rows.setdefault(int(min(max(row - 1 if row and reach[row - 1] else row, 0), clip.frames - 1)), pinned)
    times = np.array(sorted(rows), dtype=np.float64)
    at = np.arange(clip.frames, dtype=np.float64)
    if chart is not None:
        at = spent_while_moving(chart, target, times)
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
