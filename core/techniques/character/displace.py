# SPDX-License-Identifier: GPL-3.0-or-later
"""Displace: keep the take and push it at a few poses (Bruderlin and Williams 1995, section 5).

Displacements at keys are joined by splines and laid over the motion. The first and last frame are keys of zero unless
they are keyed themselves. On rotations a displacement is a turn: about the bone's own axes where it has no parent, so that
it goes with a figure that turns, and about its resting axes in the parent where it has one, so that a limb that twists
along itself, as straight ones do in captured motion, does not whirl it around.
"""

import re
from functools import lru_cache

import numpy as np

from ...declare.params import build, flag, number, records, tree, whole
from ...declare.scope import FAR
from ...declare.technique import Technique
from ...motion.chart import BLOCK, Chart, components, rotation_groups
from ...motion.orientations import Orientations, as_quaternions
from ...motion.rejoin import homed
from ...motion.skeleton import hanging
from ...numeric import rotation
from ...numeric.frozen import frozen
from ...numeric.parallel import blocks, each
from ...numeric.refusal import Refusal
from ...numeric.tcb import tcb

KINDS = {"rotation": 3, "location": 3, "scale": 3}
OWNER = re.compile(r"pose\.bones\[\"(.+?)\"\]")  # in the path of a curve


@frozen
class DisplaceKey:
    """One key: where it stands, what it moves and by how much, and how the motion passes through it."""

    frame: int = whole(1, "Frame that the key stands on", -FAR, FAR)
    on: bool = flag(True, "Use this key")
    strength: float = number(
        1.0, "How much of the displacement is used: 1 as it was posed, 0 none", -100, 100, slider_range=(0, 2)
    )
    tension: float = number(0.0, "How tightly the motion passes the key: 1 stops at it, -1 swings through", -1, 1)
    continuity: float = number(0.0, "How smoothly it passes: below 0 it turns a corner, above 0 it overshoots", -1, 1)
    bias: float = number(0.0, "Where it swings out: -1 before the key, 1 after it", -1, 1)
    reach: float = number(
        0.0, "How long before and after the key the take is changed; 0 as far as the next key", 0, unit="s", slider_range=(0, 5)
    )
    bones: dict = tree(
        "By bone: rotation in degrees about its resting axes (its own where it has no parent), location, "
        "scale, three numbers each"
    )
    curves: dict = tree("By curve, as path[index]: how much is added")


@frozen
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
    return Push(key.frame - clip.first_frame, amounts, (key.tension, key.continuity, key.bias), key.reach * clip.fps or np.inf)


def read_amounts(clip, rotations, name, key):
    moved = {(channel.owner, channel.kind.lower()) for channel in clip.channels}
    amounts = {}
    for bone, kinds in key.bones.items():
        if not isinstance(kinds, dict):
            raise Refusal(f"{name}: {bone} has {kinds!r}, not rotation, location or scale")
        for kind, values in kinds.items():
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
    good = (
        isinstance(values, (list, tuple))
        and len(values) == count
        and all(isinstance(value, (int, float)) and not isinstance(value, bool) and np.isfinite(value) for value in values)
    )
    if not good:
        raise Refusal(f"{name}: {values!r} is not {count} number(s)")
    return np.array(values, dtype=np.float64)


def check_frames(keys):
    rows = [key.row for key in keys]
    if len(set(rows)) < len(rows):
        raise Refusal(f"displacement_keys: two stand on one frame ({len(rows)} keys on {len(set(rows))} frames)")


VECTORS = ("LOCATION", "SCALE")


def difference(clip, frame, posed, touched, angles_apart=False, hung=frozenset()):
    """What a pose (channels,) changes of the take at a frame, for the channels (columns) that were touched.

    `hung` are the bones that have a parent. Gives {"bones": {bone: {"rotation": degrees, "location": ..., "scale": ...}},
    "curves": {curve: ...}}.
    """
    row = clip.values[frame - clip.first_frame]
    by_mode, plain = rotation_groups(clip.channels, angles_apart)
    bones, curves = {}, {}
    for mode, members in by_mode:
        for columns in members:
            if touched.intersection(columns):
                owner = clip.channels[columns[0]].owner
                bones.setdefault(owner, {})["rotation"] = turned(mode, row, posed, columns, owner in hung)
    for column in touched.intersection(plain):
        channel, change = clip.channels[column], float(posed[column] - row[column])
        if channel.kind in VECTORS:
            kinds = bones.setdefault(channel.owner, {})
            kinds.setdefault(channel.kind.lower(), [0.0, 0.0, 0.0])[channel.index] = change
        else:
            curves[str(channel)] = change
    return {"bones": bones, "curves": curves}


def turned(mode, row, posed, columns, hangs):
    """How far a rotation was turned the short way, in degrees about X, Y and Z, at rest if it hangs, else its own."""
    before, after = (
        rotation.normalized(as_quaternions(mode, components(values[None], [columns])))[0] for values in (row, posed)
    )
    before = rotation.conjugate(before)
    change = rotation.multiply(after, before) if hangs else rotation.multiply(before, after)
    return np.degrees(rotation.log(change * np.where(change[0] < 0, -1.0, 1.0)))[:, 0, 0].tolist()


def merged(key, change):
    """A key with a pose taken on top: what was touched is replaced, the rest stays as strong as it was."""
    strength = key.get("strength", 1.0)
    bones = {
        bone: {kind: [strength * value for value in values] for kind, values in kinds.items()}
        for bone, kinds in key.get("bones", {}).items()
    }
    for bone, kinds in change["bones"].items():
        bones[bone] = {**bones.get(bone, {}), **kinds}
    curves = {curve: strength * value for curve, value in key.get("curves", {}).items()} | change["curves"]
    rest = {name: value for name, value in key.items() if name not in ("strength", "bones", "curves")}
    return {**rest, "bones": bones, "curves": curves}


PINNED, EASED = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)  # tension, continuity and bias at an end of the take, and of a reach


@frozen
class DisplaceParams:
    """Keys, and how the way between them is spent."""

    displacement_keys: tuple = records("Keys as JSON, each with its frame and what it moves", DisplaceKey)
    adjust: bool = flag(
        False,
        "Spend the displacement only while the part moves already, so that what stands still stays where it is between keys",
        label="Only While Moving",
    )


def displace(clip, surroundings):
    """Push a take at a few frames and keep everything else of it.

    Keys are worked out into one displacement per channel and frame; where that is zero the take is untouched.
    """
    rotations, hung = rotations_of(clip, surroundings.angles_apart), hanging(surroundings.skeleton)
    moving = lru_cache(1)(lambda: Chart(clip, surroundings.angles_apart))

    @lru_cache(1)
    def turning(owners):
        """The rotations of these owners, ready to be turned: owners, columns, orientations and quaternions of each mode."""
        found = []
        for mode, hangs in sorted({(rotations[owner][0], owner in hung) for owner in owners}):
            members = [owner for owner in owners if (rotations[owner][0], owner in hung) == (mode, hangs)]
            for block in blocks(len(members), BLOCK):
                columns = [rotations[owner][1] for owner in members[block]]
                orientations = Orientations(mode, components(clip.values, columns))
                found.append((members[block], columns, orientations, orientations.quaternions))
        return found

    def process(params):
        keys = [
            read_key(clip, rotations, f"displacement_keys[{number}]", key)
            for number, key in enumerate(params.displacement_keys)
            if key.get("on", True)
        ]
        check_frames(keys)
        pushes = tracks(clip, keys, moving() if params.adjust else None)
        values = clip.values.copy(order="K")

        def turn(some):
            owners, columns, orientations, q = some
            vectors = rotation.stack(*np.stack([pushes[owner, "rotation"] for owner in owners]).transpose(2, 1, 0))
            turns = rotation.exp(vectors)
            q = rotation.multiply(turns, q) if owners[0] in hung else rotation.multiply(q, turns)
            turned = orientations.back(q, heal=False)
            turned = homed(orientations.mode, turned, orientations.source, np.any(vectors != 0, axis=0))
            for component, own in zip(turned, zip(*columns)):
                values[:, list(own)] = component

        each(turn, turning(tuple(owner for owner, kind in pushes if kind == "rotation")))
        for column, channel in enumerate(clip.channels):
            for target, index in (((channel.owner, channel.kind.lower()), channel.index), ((str(channel), "curve"), 0)):
                if target in pushes:
                    values[:, column] += pushes[target][:, index]
        return clip.with_values(values)

    return process


def posed_bones(params):
    """Names of the bones that keys pose, by their curves too."""
    keys = [key for key in params.displacement_keys if key.get("on", True)]
    curves = {curve for key in keys for curve, value in key.get("curves", {}).items() if value}
    posed = [key.get("bones", {}) for key in keys]
    turned = {bone for bones in posed for bone, kinds in bones.items() if any(np.any(values) for values in kinds.values())}
    return turned | {match[1] for match in map(OWNER.match, curves) if match}


def rotations_of(clip, angles_apart):
    """The rotations that turn as a whole, by owner: their mode and columns."""
    return {
        clip.channels[columns[0]].owner: (mode, columns)
        for mode, members in rotation_groups(clip.channels, angles_apart)[0]
        for columns in members
    }


def tracks(clip, keys, chart):
    """The displacement of every target at every frame, {target: (frames, components)}; those of the same keys at once."""
    together = {}
    for target in sorted({target for key in keys for target in key.amounts}):
        touching = tuple(index for index, key in enumerate(keys) if target in key.amounts)
        together.setdefault((touching, None if chart is None else target), []).append(target)
    result = {}
    for (touching, _), targets in together.items():
        rows = track(clip, targets, [keys[index] for index in touching], chart)
        ends = np.cumsum([len(keys[touching[0]].amounts[target]) for target in targets])
        result.update(zip(targets, np.split(rows, ends[:-1], axis=1)))
    return result


def track(clip, targets, keys, chart):
    """The displacement of targets that the same keys push, side by side, (frames, components)."""
    rows = {key.row: (np.concatenate([key.amounts[target] for target in targets]), key.knobs) for key in keys}
    nothing, reached = np.zeros(len(rows[keys[0].row][0])), reached_frames(keys, clip.frames)
    for row in 1 + np.flatnonzero(reached[1:-1] & ~(reached[:-2] & reached[2:])):
        rows.setdefault(int(row), (nothing, EASED))
    for row in (0, clip.frames - 1):
        rows.setdefault(row, (nothing, PINNED if reached[row] else EASED))
    times = np.array(sorted(rows), dtype=np.float64)
    at = np.arange(clip.frames, dtype=np.float64) if chart is None else spent_while_moving(chart, targets[0], times)
    values = tcb(times, [rows[int(row)][0] for row in times], *zip(*(rows[int(row)][1] for row in times)), at)
    values[~reached] = 0.0
    return values


def reached_frames(keys, frames):
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
            at[start : end + 1] = start + (end - start) * (path[start : end + 1] - path[start]) / way
    return at


DISPLACE = Technique(
    "displace",
    "Displacement",
    DisplaceParams,
    displace,
    needs=frozenset({"skeleton"}),
    plants=True,
    poses=posed_bones,
    waits="pose the figure over the take and add a key",
    wants=("displacement_keys",),
)
