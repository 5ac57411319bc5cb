# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks: what bones of a clip do over time, in a form in which a frame can be held against its neighbours.

A rotation is a quaternion and a place a point; between two frames lies a vector either way, the shortest turn or the way, so
that faults of both are found and mended by the same arithmetic. Raw Euler angles and signs of quaternions never count.
"""

from dataclasses import replace

import numpy as np

from ..motion.chart import components, rotation_groups
from ..motion.orientations import as_quaternions
from ..motion.skeleton import size_of
from ..numeric import rotation
from ..numeric.frozen import frozen

DEGREE = np.pi / 180.0
FASTEST = 40000.0 * DEGREE  # radians a second, a second: joints of a body hardly turn faster than that
DRIVEN = 35.0  # figures a second, a second: nor is a body driven faster
SEEN, SEEN_PLACE = 6.0 * DEGREE, 0.01  # radians, figures: what is less is no spike that one would see


@frozen
class Tracks:
    """Values (4 or 3, frames, tracks), the bone and the columns of the clip that each is of, and how fast they may be.

    `least` is how far out a frame must be to be seen, `fastest` the acceleration that a body is capable of.
    """

    values: np.ndarray
    owners: tuple
    columns: tuple
    modes: tuple
    least: np.ndarray
    fastest: float

    @property
    def turning(self):
        return len(self.values) == 4

    def some(self, chosen):
        """Some of the tracks, by a slice or indices."""
        indices = np.arange(len(self.owners))[chosen]
        own = {name: tuple(getattr(self, name)[index] for index in indices) for name in ("owners", "columns", "modes")}
        return replace(self, values=self.values[:, :, indices], least=self.least[indices], **own)

    def way(self, start, end):
        """The vectors (3, ...) that lead from values (4 or 3, ...) to others."""
        if not self.turning:
            return end - start
        turn = rotation.multiply(rotation.conjugate(start), end)
        return rotation.log(turn * np.where(turn[0] < 0.0, -1.0, 1.0))

    def gone(self, start, way):
        """The values that are a way from others."""
        return rotation.multiply(start, rotation.exp(way)) if self.turning else start + way


def tracks_of(clip, skeleton=None):
    """The rotations and the places of a clip as Tracks, those that there are."""
    by_mode, _ = rotation_groups(clip.channels)
    rows = [(mode, tuple(columns)) for mode, members in by_mode for columns in members]
    found = []
    if rows:
        q = [rotation.normalized(as_quaternions(mode, components(clip.values, members)))[0] for mode, members in by_mode]
        found.append(made(clip, np.concatenate(q, axis=2), rows, np.full(len(rows), SEEN), FASTEST))
    rows = [("LOCATION", columns) for columns in places(clip.channels)]
    if rows:
        values = np.stack([clip.values[:, columns].T for _, columns in rows], axis=-1)
        size = size_of(skeleton) if skeleton is not None and skeleton.bones else 0.0
        extent = np.percentile(values, 90, axis=1) - np.percentile(values, 10, axis=1)
        least = np.where(size > 0.0, SEEN_PLACE * size, 0.05 * np.linalg.norm(extent, axis=0))
        found.append(made(clip, values, rows, np.maximum(least, 1e-9), DRIVEN * size))
    return found


def made(clip, values, rows, least, fastest):
    modes, columns = zip(*rows)
    return Tracks(values, tuple(clip.channels[own[0]].owner for own in columns), columns, modes, least, fastest)


def places(channels):
    """The columns of each location that is keyed along all three axes."""
    found = {}
    for column, channel in enumerate(channels):
        if channel.kind == "LOCATION" and not channel.measured:
            found.setdefault(channel.path, {})[channel.index] = column
    return [tuple(own[index] for index in range(3)) for own in found.values() if sorted(own) == [0, 1, 2]]


def written(clip, tracks, changed, healed=()):
    """A clip with rows of some tracks changed, where `changed` (frames, tracks) says so; all else stays to the bit.

    Numbers follow those beside them; of `healed` tracks, by index, no number jumps where the rotation does not.
    """
    values = np.array(clip.values, order="F")
    for index in sorted({*np.flatnonzero(changed.any(axis=0)), *healed}):
        columns, heal, rows = list(tracks.columns[index]), index in healed, changed[:, index]
        near = bridged(clip.values[:, columns], rows)
        if tracks.modes[index] == "QUATERNION":  # halfway between two it is shorter than both
            lengths = bridged(np.linalg.norm(clip.values[:, columns], axis=1)[:, None], rows)
            near = near * (lengths / np.maximum(np.linalg.norm(near, axis=1), 1e-12)[:, None])
        numbers = NUMBERS.get(tracks.modes[index], eulers)(tracks.values[:, :, index], near, tracks.modes[index], heal)
        write = np.ones(clip.frames, dtype=bool) if heal else rows
        values[np.ix_(write, columns)] = numbers[write]
    return clip.with_values(values)


def bridged(values, rows):
    """Values (frames, size) with those of some rows drawn straight from the ones before to the ones after."""
    if not rows.any() or rows.all():
        return values
    at, known = np.arange(len(values)), np.flatnonzero(~rows)
    return np.stack([np.interp(at, known, column[known]) for column in values.T], axis=1)


def quaternions(q, near, mode, heal):
    lengths = np.linalg.norm(near, axis=1)
    signs = rotation.lifted(q[:, :, None])[:, 0] if heal else np.where((q.T * near).sum(axis=1) < 0.0, -1.0, 1.0)
    return q.T * (signs * np.where(lengths > 1e-6, lengths, 1.0))[:, None]


def axis_angles(q, near, mode, heal):
    return rotation.to_axis_angle(q[:, :, None], near.T[:, :, None], heal)[:, :, 0].T


def eulers(q, near, mode, heal):
    return rotation.to_euler(q[:, :, None], mode, near.T[:, :, None], heal)[:, :, 0].T


NUMBERS = {"QUATERNION": quaternions, "AXIS_ANGLE": axis_angles, "LOCATION": lambda values, *_: values.T}
