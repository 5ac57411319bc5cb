# SPDX-License-Identifier: GPL-3.0-or-later
"""Chart: a clip as plain signals that any filter may touch, and the way back.

A rotation becomes a continuous 3-vector: the logarithm about the take's own mean orientation, plus the mean's own
rotation vector, so that the constant part of the signal is the posture measured from rest. A rotation that spins far
from its mean (a dancer turning round and round) first gives its turning about one axis to a signal of its own. On the
way back every rotation returns in its own mode, free of flips, on the branch that the source was on. Equal signals
give the source back.
"""

import numpy as np

from . import rotation
from .blocks import blocks, each
from .clip import ROTATION_SIZES

BLOCK = 8  # rotations; fewer are not worth a thread
SPIN = np.radians(200.0)  # farther than this from the mean, the logarithm begins to distort


class Chart:
    """The signals (frames, signals) of a clip, who owns each, and how to return from them.

    Columns: first components of all rotations, second, third, then spins, then the channels that are plain numbers.
    """

    def __init__(self, clip, angles_apart=False):
        self.clip = clip
        by_mode, plain = rotation_groups(clip.channels, angles_apart)
        self.groups, first = [], 0  # mode, place of the first rotation, columns of each, their source values
        for mode, members in by_mode:
            self.groups.append((mode, first, members, components(clip.values, members)))
            first += len(members)
        self.rotations, self.plain = first, np.array(plain, dtype=int)
        self._open_rotations()
        owners = [clip.channels[columns[0]].owner for _, members in by_mode for columns in members]
        spins = [owners[index] for index in self.spinning]
        self.signals = self._side_by_side(self.vectors, self.spin, clip.values)
        self.owners = tuple(owners * 3 + spins + [clip.channels[column].owner for column in plain])
        self.kinds = ("ROTATION",) * (3 * len(owners) + len(spins)) + tuple(
            "ANGLE" if clip.channels[column].kind in ROTATION_SIZES else clip.channels[column].kind for column in plain)

    def _side_by_side(self, vectors, spin, values):
        rows = [*(vectors + self.mean_vector).transpose(0, 2, 1), spin.T, values.T[self.plain]]
        return np.concatenate(rows).T

    def values(self, signals):
        """Signals back to the clip's channels, (frames, channels)."""
        result = np.empty(self.clip.values.shape[::-1])
        each(lambda part: self._return(signals, part, result), blocks(self.rotations, BLOCK))
        result[self.plain] = signals[:, 3 * self.rotations + len(self.spinning):].T
        return result.T

    def _return(self, signals, part, result):
        """Write the channels of some rotations into result (channels, frames)."""
        count = self.rotations
        vectors = [signals[:, axis * count:(axis + 1) * count][:, part] - self.mean_vector[axis, :, part] for axis in range(3)]
        q = rotation.multiply(self.mean[:, :, part], rotation.exp(vectors))
        for place, spinning in enumerate(self.spinning):
            if part.start <= spinning < part.stop:
                turn = rotation.exp(self.spin_axes[:, :, place] * signals[:, 3 * count + place])
                q[:, :, spinning - part.start] = rotation.multiply(turn, q[:, :, spinning - part.start])
        for mode, first, members, source in self.groups:
            start, stop = max(part.start, first), min(part.stop, first + len(members))
            if start < stop:
                here = slice(start - first, stop - first)
                turned = q[:, :, start - part.start:stop - part.start]
                for columns, component in zip(zip(*members[here]), self._in_mode(mode, turned, source[:, :, here], start, stop)):
                    result[list(columns)] = component.T

    def _in_mode(self, mode, q, source, start, stop):
        if mode == "QUATERNION":
            return q * self.lengths[:, start:stop]
        return rotation.to_axis_angle(q, source) if mode == "AXIS_ANGLE" else rotation.to_euler(q, mode, source)

    def signals_of(self, values):
        """Another motion of the same channels, close to this one, in this chart."""
        q = rotation.normalized(self._quaternions(values))[0]
        spin = np.empty((len(values), 0))
        if self.spinning:
            left = rotation.multiply(rotation.exp(-self.spin_axes * self.spin), q[:, :, self.spinning])
            spin = self.spin + unwrapped_twist(left, self.spin_axes)
            q[:, :, self.spinning] = rotation.multiply(rotation.exp(-self.spin_axes * spin), q[:, :, self.spinning])
        local = rotation.multiply(rotation.conjugate(self.mean), q)
        local *= np.where(np.einsum("cft,cft->ft", local, rotation.exp(self.vectors)) < 0, -1.0, 1.0)
        return self._side_by_side(rotation.log(local), spin, values)

    def _quaternions(self, values=None):
        """All rotations (4, frames, rotations), of the clip or of other values of its channels."""
        parts = [as_quaternions(mode, source if values is None else components(values, members))
                 for mode, _, members, source in self.groups]
        return np.concatenate([*parts, np.empty((4, self.clip.frames, 0))], axis=2)

    def _open_rotations(self):
        q, lengths = rotation.normalized(self._quaternions())
        q *= rotation.lifted(q)
        self.mean, local = about_mean(q)
        self.vectors = rotation.log(local)
        far = np.einsum("cft,cft->ft", self.vectors, self.vectors).max(axis=0) > SPIN ** 2
        self.spinning = list(np.flatnonzero(far))
        turning = q[:, :, self.spinning]
        self.spin_axes = main_axes(turning)
        self.spin = unwrapped_twist(turning, self.spin_axes)
        if self.spinning:
            still = rotation.multiply(rotation.exp(-self.spin_axes * self.spin), turning)
            self.mean[:, :, self.spinning], local = about_mean(still * rotation.lifted(still))
            self.vectors[:, :, self.spinning] = rotation.log(local)
        self.mean_vector = rotation.log(self.mean * np.where(self.mean[0] < 0, -1.0, 1.0))
        self.lengths = lengths * self._hemisphere(q)

    def _hemisphere(self, q):
        """The sign (1, rotations) that brings what `values` composes to the side that most of the source is on."""
        again = rotation.multiply(self.mean, rotation.exp(self.vectors[:, :1]))
        turn = rotation.exp(self.spin_axes * self.spin[:1])
        again[:, :, self.spinning] = rotation.multiply(turn, again[:, :, self.spinning])
        return np.where(np.einsum("cft,cft->ft", again, q[:, :1]) < 0, -1.0, 1.0)


def components(values, members):
    """The channels of rotations of one mode as (components, frames, rotations)."""
    return rotation.stack(*(values.T[list(columns)].T for columns in zip(*members)))


def rotation_groups(channels, angles_apart=False):
    """Complete rotations by mode, [(mode, [columns of one rotation, ...]), ...], and the columns that are plain numbers.

    An Euler rotation with only some of its angles keyed, or every one with `angles_apart`, counts as plain angles.
    """
    by_path = {}
    for column, channel in enumerate(channels):
        if channel.kind in ROTATION_SIZES and not (angles_apart and ROTATION_SIZES[channel.kind] == 3):
            by_path.setdefault((channel.path, channel.kind), {})[channel.index] = column
    by_mode = {}
    for (_, mode), columns in by_path.items():
        if sorted(columns) == list(range(ROTATION_SIZES[mode])):
            by_mode.setdefault(mode, []).append([columns[index] for index in sorted(columns)])
    taken = {column for members in by_mode.values() for columns in members for column in columns}
    return list(by_mode.items()), [column for column in range(len(channels)) if column not in taken]


def as_quaternions(mode, components):
    if mode == "QUATERNION":
        return components
    if mode == "AXIS_ANGLE":
        return rotation.from_axis_angle(components)
    return rotation.from_euler(components, mode)


def about_mean(q):
    """The mean orientations (4, 1, rotations) of lifted paths, and the paths as seen from them, on the near side."""
    center = rotation.mean(q)[:, None, :]
    local = rotation.multiply(rotation.conjugate(center), q)
    side = np.where(local[0].sum(axis=0) < 0, -1.0, 1.0)
    return center * side, local * side


def main_axes(q):
    """The axis (3, 1, rotations) in the parent's space that each path turns about most."""
    steps = rotation.log(rotation.multiply(q[:, 1:], rotation.conjugate(q[:, :-1])))
    paths = np.cumsum(steps, axis=1).transpose(2, 1, 0)
    axes = np.linalg.svd(paths - paths.mean(axis=1, keepdims=True), full_matrices=False)[2][:, 0, :]
    return axes.T[:, None, :]


def unwrapped_twist(q, axes):
    """How far each path has turned about its axis, (frames, rotations), counting whole turns."""
    return np.unwrap(2.0 * np.arctan2(np.einsum("cft,cft->ft", q[1:], np.broadcast_to(axes, q[1:].shape)), q[0]), axis=0)
