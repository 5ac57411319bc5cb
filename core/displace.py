# SPDX-License-Identifier: GPL-3.0-or-later
"""Displace: keep the take and push it at a few poses (Bruderlin and Williams 1995, section 5).

Displacements at keys are joined by splines and laid over the motion. The first and last frame are keys of zero unless
they are keyed themselves. On rotations a displacement is a turn: about the bone's own axes where it has no parent, so that
it goes with a figure that turns, and about its resting axes in the parent where it has one, so that a limb that twists
along itself, as straight ones do in captured motion, does not whirl it around.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from . import rotation
from .blocks import blocks, each
from .chart import BLOCK, Chart, components, rotation_groups
from .displace_key import DisplaceKey, check_frames, read_key
from .homing import homed
from .orientations import Orientations
from .params import flag, records
from .spline import tcb
from .technique import Technique

PINNED, EASED = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)  # tension, continuity and bias at an end of the take, and of a reach


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
    rotations, hung = rotations_of(clip, surroundings.angles_apart), hanging(surroundings.skeleton)
    moving = lru_cache(1)(lambda: Chart(clip, surroundings.angles_apart))

    @lru_cache(1)
    def turning(owners):
        """The rotations of these owners, ready to be turned: owners, columns, orientations and quaternions of each mode."""
        found = []
        for mode, hangs in sorted({(rotations[owner][0], owner in hung) for owner in owners}):
            members = [owner for owner in owners if (rotations[owner][0], owner in hung) == (mode, hangs)]
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
            turns = rotation.exp(vectors)
            q = rotation.multiply(turns, q) if owners[0] in hung else rotation.multiply(q, turns)
            turned = orientations.back(q, heal=False)
            turned = homed(orientations.mode, turned, orientations.source, np.any(vectors != 0, axis=0))
            for component, places in zip(turned, zip(*columns)):
                values[:, list(places)] = component

        each(turn, turning(tuple(owner for owner, kind in pushes if kind == "rotation")))
        for column, channel in enumerate(clip.channels):
            for target, index in (((channel.owner, channel.kind.lower()), channel.index), ((str(channel), "curve"), 0)):
                if target in pushes:
                    values[:, column] += pushes[target][:, index]
        return clip.with_values(values)

    return process


def hanging(skeleton):
    """The names of bones that hang on another."""
    return frozenset(bone.name for bone in skeleton.bones if bone.parent >= 0) if skeleton else frozenset()


def rotations_of(clip, angles_apart):
    """The rotations that turn as a whole, by owner: their mode and columns."""
    return {clip.channels[columns[0]].owner: (mode, columns)
            for mode, members in rotation_groups(clip.channels, angles_apart)[0] for columns in members}


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
    nothing, reach = np.zeros(len(rows[keys[0].row][0])), within_reach(keys, clip.frames)
    for row in 1 + np.flatnonzero(reach[1:-1] & ~(reach[:-2] & reach[2:])):
        rows.setdefault(int(row), (nothing, EASED))
    for row in (0, clip.frames - 1):
        rows.setdefault(row, (nothing, PINNED if reach[row] else EASED))
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


DISPLACE = Technique("displace", "Displacement", DisplaceParams, displace, needs=frozenset({"skeleton"}),
                     waits="pose the figure over the take and add a key", wants=("displacement_keys",))
