# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of a capture put into a clip, and where they are: spikes, flips, gaps and noise.

Rotations are turned by scipy, so that what finds and mends them is held against another arithmetic.
"""

from dataclasses import dataclass, replace

import numpy as np
from motion_signal.core.motion.chart import rotation_groups
from scipy.spatial.transform import Rotation

LOST = 0.3  # degrees: a gap in which a bone would have moved less is none
SPACE = 5  # frames between faults of one bone, and before its first


@dataclass(frozen=True)
class Fault:
    """What was put where: rows first to end of a bone."""

    kind: str
    bone: str
    first: int
    end: int
    size: float  # degrees that it is off

    @property
    def seen(self):
        return self.size > LOST


def bones_of(clip):
    """Columns and mode of every bone that turns, {name: (mode, columns)}."""
    return {
        clip.channels[columns[0]].owner: (mode, list(columns))
        for mode, members in rotation_groups(clip.channels)[0]
        for columns in members
        if np.ptp(clip.values[:, columns], axis=0).max() > 1e-4
    }


def rotations(values, mode):
    """Numbers (frames, size) of a mode as rotations."""
    if mode == "QUATERNION":
        return Rotation.from_quat(values[:, [1, 2, 3, 0]])
    return Rotation.from_euler(mode.lower(), values[:, ["XYZ".index(axis) for axis in mode]])


def numbers(turns, mode):
    """And back."""
    if mode == "QUATERNION":
        return turns.as_quat()[:, [3, 0, 1, 2]]
    angles = turns.as_euler(mode.lower())
    return angles[:, [mode.index(axis) for axis in "XYZ"]]


def faulty(clip, seed, spikes=200, flips=50, gaps=20, noise=0.0, sizes=(12.0, 60.0), longest=20, skip=3):
    """A clip with faults in it, from row `skip` on, and the list of them; `noise` is the deviation about each axis in degrees."""
    draw, bones = np.random.default_rng(seed), bones_of(clip)
    names, values = sorted(bones), np.array(clip.values)
    if noise:
        for mode, columns in bones.values():
            shaken = Rotation.from_rotvec(np.radians(draw.normal(0.0, noise, (clip.frames, 3))))
            near = values[:, columns]
            values[:, columns] = beside(numbers(rotations(near, mode) * shaken, mode), near, mode)
    taken, faults = {name: np.zeros(clip.frames, dtype=bool) for name in names}, []

    def place(length):
        for _ in range(1000):
            name, first = names[draw.integers(len(names))], int(draw.integers(skip + SPACE, clip.frames - length - SPACE))
            if not taken[name][first - SPACE : first + length + SPACE].any():
                taken[name][first : first + length] = True
                return name, first
        raise ValueError("there is no room left for another fault")

    for kind, count in (("gap", gaps), ("flip", flips), ("spike", spikes)):
        for index in range(count):
            length = int(draw.integers(5, longest + 1)) if kind == "gap" else 1
            name, first = place(length)
            mode, columns = bones[name]
            rows = slice(first, first + length)
            if kind == "gap" and index % 2:
                values[rows, columns] = values[first - 1, columns]  # what was seen last is held
                size = 0.0
            elif kind == "gap":
                start, end = values[first - 1, columns], values[first + length, columns]
                share = (np.arange(1, length + 1) / (length + 1.0))[:, None]
                values[rows, columns] = start + share * (end - start)  # drawn straight by somebody
                size = 0.0
            else:
                size = float(draw.uniform(*sizes) if kind == "spike" else draw.uniform(150.0, 180.0))
                axis = draw.normal(size=3)
                turn = Rotation.from_rotvec(np.radians(size) * axis / np.linalg.norm(axis))
                values[rows, columns] = numbers(rotations(values[rows, columns], mode) * turn, mode)
            faults.append(Fault(kind, name, first, first + length, size))
    result = replace(clip, values=values)
    return result, [replace(fault, size=lost(clip, result, fault)) if fault.kind == "gap" else fault for fault in faults]


def lost(clip, result, fault):
    """How far a bone is off in a gap."""
    return float(apart(clip, result, fault.bone)[fault.first : fault.end].max())


def beside(values, near, mode):
    """Numbers that say the same, next to others."""
    if mode == "QUATERNION":
        return values * np.where((values * near).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
    return values + 2.0 * np.pi * np.rint((near - values) / (2.0 * np.pi))


def apart(one, other, bone):
    """How far a bone of two clips is apart, (frames,) degrees."""
    mode, columns = bones_of(one)[bone]
    turn = rotations(one.values[:, columns], mode).inv() * rotations(other.values[:, columns], mode)
    return np.degrees(turn.magnitude())
