# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycle: once round, apart from where it goes: poses on the spot, and the steps that lead on from each to the next.

Steps and turns are as seen by who takes them (Molnos 2010, 4.2 and 4.4), so that rounds follow one another whichever way the
figure has come to face, and a turning walk turns for ever.
"""

import numpy as np

from ..numeric.frozen import frozen
from ..numeric.rotation import ROTATION_SIZES
from .chart import rotation_groups
from .clip import Clip
from .ground import Ground, Path, walked
from .rejoin import named_as


@frozen
class Cycle:
    """A clip on the spot whose last frame is its first, and the steps (frames - 1, 3) and turns (frames - 1,) between."""

    clip: Clip
    steps: np.ndarray
    turns: np.ndarray

    @property
    def length(self):
        """How many frames until it begins again."""
        return self.clip.frames - 1

    def shifted(self, rows):
        """The cycle begun so many rows later; what leaves at the front comes back at the end."""
        rows %= self.length
        if not rows:
            return self
        twice, later = repeated(self.clip, 2), np.arange(rows, rows + self.length + 1)
        going = (np.roll(array, -rows, axis=0) for array in (self.steps, self.turns))
        return Cycle(twice.with_values(twice.values[later], later), *going)

    def mirrored(self, mirror):
        """The cycle in the mirror, half of it later, so that the same foot is in front as before."""
        seen = Cycle(self.clip.with_values(mirror.values(self.clip)), mirror.steps(self.steps), -self.turns)
        return seen.shifted(round(0.5 * self.length))

    def repeated(self, count):
        """The cycle several times, as one clip on the spot with all its steps."""
        return Cycle(repeated(self.clip, count), np.tile(self.steps, (count, 1)), np.tile(self.turns, count))

    def going(self, way, place, heading, up):
        """The path that it goes from a place and heading."""
        return WAYS[way](self, place, heading, up)

    def clip_on(self, ground, path, near):
        """The clip carried along a path, angles close to those of `near`."""
        return self.clip.with_values(ground.put_on(self.clip.values, path, near) if ground.roots else self.clip.values)


def cycle_of(clip, ground):
    """A clip that comes round, its last frame being its first, as a cycle; and the path that it goes."""
    values, path = ground.taken_off(clip.values)
    steps, turns = path.steps(ground.up)
    return Cycle(clip.with_values(values), steps, turns), path


def repeated(clip, count):
    """A clip whose last frame is its first several times over; what has come round by whole turns goes on turning."""
    if count == 1:
        return clip
    rounds = [clip.values]
    while len(rounds) < count:
        rounds.append(going_on(clip, rounds[-1][-1]))
    rows = np.append(np.tile(np.arange(clip.frames - 1), count), 0)
    return clip.with_values(np.concatenate([*(values[:-1] for values in rounds[:-1]), rounds[-1]]), rows)


def going_on(clip, last):
    """The values of a clip when it begins again after a frame `last` (channels,) that is its first.

    Rotations are the same poses to the bit, but for whole turns, half turns that mean the same, and signs. What is no rotation
    goes on from where it has come to.
    """
    values = clip.values + (last - clip.values[0])
    by_mode, plain = rotation_groups(clip.channels)
    for mode, members in by_mode:
        for columns in members:
            values[:, columns] = named_as(mode, clip.values[:, columns].T, 0, last[columns]).T
    angles = [column for column in plain if clip.channels[column].kind in ROTATION_SIZES]
    turns = np.rint((last - clip.values[0])[angles] / (2.0 * np.pi))
    values[:, angles] = clip.values[:, angles] + 2.0 * np.pi * turns
    return values


def pace(clip, skeleton):
    """How a cycle goes: metres a second, and degrees a second that it turns, left positive."""
    ground = Ground([clip], skeleton)
    cycle, _ = cycle_of(clip, ground)
    bone = skeleton is not None and ground.roots and ground.roots[0].owner
    metre = float(np.linalg.norm(np.array(skeleton.world)[2, :3])) if bone else 1.0
    return (
        metre * clip.fps * float(np.linalg.norm(cycle.steps.mean(axis=0))),
        float(np.degrees(cycle.turns.mean())) * clip.fps,
    )


def as_it_goes(cycle, place, heading, up):
    return walked(place, heading, cycle.steps, cycle.turns, up)


def straight(cycle, place, heading, up):
    """Without what it turns from round to round, and on along the line that one round makes."""
    return walked(place, heading, cycle.steps, cycle.turns - cycle.turns.mean(), up)


def in_place(cycle, place, heading, up):
    """Back at its place after every round, swaying as it does."""
    path = straight(cycle, place, heading, up)
    gone = np.linspace(0.0, 1.0, len(path.places))[:, None] * (path.places[-1] - path.places[0])
    return Path(path.places - gone, path.headings)


WAYS = {"TRAVEL": as_it_goes, "STRAIGHT": straight, "PLACE": in_place}
