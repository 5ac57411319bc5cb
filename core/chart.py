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
from .clip import ROTATION_SIZES

SPIN = np.radians(200.0)  # farther than this from the mean, the logarithm begins to distort


class Chart:
    """The signals (frames, signals) of a clip, who owns each, and how to return from them.

    Columns: first components of all rotations, second, third, then spins, then the channels that are plain numbers.
    """

    def __init__(self, clip, angles_apart=False):
        self.clip = clip
        self.groups, plain = rotation_groups(clip.channels, angles_apart)
        self.plain = np.array(plain, dtype=int)
        owners = [clip.channels[columns[0]].owner for _, members in self.groups for columns in members]
        self._open_rotations([(mode, self._components(members)) for mode, members in self.groups])
        spins = [owners[index] for index in self.spinning]
        values = clip.values[:, self.plain]
        self.signals = np.asfortranarray(np.concatenate(
            [np.hstack(list(self.vectors + self.mean_vector)), self.spin, values], axis=1))
        self.rotations = len(owners)
        self.owners = tuple(owners * 3 + spins + [clip.channels[column].owner for column in plain])
        self.kinds = ("ROTATION",) * (3 * len(owners) + len(spins)) + tuple(
            "ANGLE" if clip.channels[column].kind in ROTATION_SIZES else clip.channels[column].kind for column in plain)

    def values(self, signals):
        """Signals back to the clip's channels, (frames, channels)."""
        result = np.empty(self.clip.values.shape[::-1]).T
        count = self.rotations
        vectors = [signals[:, part * count:(part + 1) * count] - self.mean_vector[part] for part in range(3)]
        q = rotation.multiply(self.mean, rotation.exp(vectors)) if count else np.empty((4, len(signals), 0))
        if self.spinning:
            spin = signals[:, 3 * count:3 * count + len(self.spinning)]
            q[:, :, self.spinning] = rotation.multiply(rotation.exp(self.spin_axes * spin), q[:, :, self.spinning])
        first = 0
        for mode, members in self.groups:
            part = slice(first, first + len(members))
            for columns, component in zip(zip(*members), self._in_mode(mode, q[:, :, part], part, members)):
                result.T[list(columns)] = component.T
            first = part.stop
        result.T[self.plain] = signals[:, 3 * count + len(self.spinning):].T
        return result

    def signals_of(self, values):
        """Another motion of the same channels, close to this one, in this chart."""
        count = self.rotations
        quaternions = [as_quaternions(mode, self._components(members, values)) for mode, members in self.groups]
        q, _ = rotation.normalized(np.concatenate(quaternions, axis=2)) if count else (np.empty((4, len(values), 0)), None)
        spin = np.empty((len(values), 0))
        if self.spinning:
            spin = self.spin + unwrapped_twist(rotation.multiply(
                rotation.exp(-self.spin_axes * self.spin), q[:, :, self.spinning]), self.spin_axes)
            q[:, :, self.spinning] = rotation.multiply(rotation.exp(-self.spin_axes * spin), q[:, :, self.spinning])
        local = rotation.multiply(rotation.conjugate(self.mean), q)
        here = rotation.exp(self.vectors)
        local *= np.where(np.einsum("cft,cft->ft", local, here) < 0, -1.0, 1.0)
        vectors = rotation.log(local) + self.mean_vector
        return np.asfortranarray(np.concatenate([np.hstack(list(vectors)), spin, values[:, self.plain]], axis=1))

    def _components(self, members, values=None):
        """The channels of rotations of one mode as (components, frames, rotations)."""
        rows = (self.clip.values if values is None else values).T
        return rotation.stack(*(rows[list(columns)].T for columns in zip(*members)))

    def _open_rotations(self, sources):
        frames = self.clip.frames
        self.sources = [source for _, source in sources]
        if not sources:
            self.spinning, self.spin, self.mean = [], np.empty((frames, 0)), np.empty((4, 1, 0))
            self.vectors, self.mean_vector = np.empty((3, frames, 0)), np.empty((3, 1, 0))
            self.lengths = np.empty((frames, 0))
            return
        q, lengths = rotation.normalized(np.concatenate([as_quaternions(*source) for source in sources], axis=2))
        signs = rotation.lifted(q)
        q *= signs
        self.mean, local = about_mean(q)
        vectors = rotation.log(local)
        far = np.sqrt(np.einsum("cft,cft->ft", vectors, vectors)).max(axis=0) > SPIN
        self.spinning = list(np.flatnonzero(far))
        self.spin, self.spin_axes = np.empty((frames, 0)), np.empty((3, 1, 0))
        if self.spinning:
            turning = q[:, :, self.spinning]
            self.spin_axes = main_axes(turning)
            self.spin = unwrapped_twist(turning, self.spin_axes)
            still = rotation.multiply(rotation.exp(-self.spin_axes * self.spin), turning)
            self.mean[:, :, self.spinning], local = about_mean(still * rotation.lifted(still))
            vectors[:, :, self.spinning] = rotation.log(local)
        self.vectors = vectors
        self.mean_vector = rotation.log(self.mean * np.where(self.mean[0] < 0, -1.0, 1.0))
        self.lengths = lengths * self._sign_back(q, signs)

    def _sign_back(self, q, signs):
        """The sign per rotation that brings exp(vectors) about the mean to the hemisphere most of the source is on."""
        count = self.vectors.shape[2]
        again = rotation.multiply(self.mean, rotation.exp(self.vectors[:, :1]))
        if self.spinning:
            again[:, :, self.spinning] = rotation.multiply(
                rotation.exp(self.spin_axes * self.spin[:1]), again[:, :, self.spinning])
        return np.where(np.einsum("cft,cft->ft", again, q[:, :1]) < 0, -1.0, 1.0).reshape(1, count)

    def _in_mode(self, mode, q, part, members):
        if mode == "QUATERNION":
            return q * self.lengths[:, part]
        source = self.sources[[name for name, _ in self.groups].index(mode)]
        return rotation.to_axis_angle(q, source) if mode == "AXIS_ANGLE" else rotation.to_euler(q, mode, source)


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
