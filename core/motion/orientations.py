# SPDX-License-Identifier: GPL-3.0-or-later
"""Orientations over time as continuous signals, and back: the part of a chart that knows about rotations.

Each rotation becomes a 3-vector, the logarithm about its own mean over the take, plus the mean's own rotation vector, so
that the constant part of the signal is the posture measured from rest. A rotation that goes far from its mean (a dancer
turning round and round) first gives its turning about one axis to a signal of its own, counting whole turns.
"""

import numpy as np

from ..numeric import rotation
from ..numeric.rotation import EULER_ORDERS

SPIN = np.radians(200.0)  # farther than this from the mean, the logarithm begins to distort
SAME = 1e-12  # radians


class Orientations:
    """Some rotations of one mode, from their channels (components, frames, rotations).

    `signals` is (frames, 3 * rotations + spins): all first components, all second, all third, then the spins.
    """

    def __init__(self, mode, source):
        self.mode, self.source, self.count = mode, source, source.shape[2]
        q, self.lengths = rotation.normalized(as_quaternions(mode, source))
        self.signs = rotation.lifted(q)
        q *= self.signs
        self.mean, local = about_mean(q)
        vectors = rotation.log(local)
        self.spinning = np.flatnonzero(np.einsum("cft,cft->ft", vectors, vectors).max(axis=0) > SPIN**2)
        self.spin = np.empty((source.shape[1], 0))
        if len(self.spinning):
            self._set_aside_spin(q[:, :, self.spinning], vectors)
        self.mean_vector = rotation.log(self.mean * np.where(self.mean[0] < 0, -1.0, 1.0))
        self.signals = self._side_by_side(vectors, self.spin)
        self.lengths = self.lengths * np.where(np.einsum("cft,cft->ft", self.composed(self.signals[:1]), q[:, :1]) < 0, -1, 1)

    def channels(self, signals, heal=True):
        """Signals back to channels (components, frames, rotations), on the source's branch.

        Flips and jumps that the source had are healed, or kept where the result must fit between frames of the source.
        A rotation whose signals have not changed is the source's own, with whatever jumps it may have had.
        """
        result = self.back(self.composed(signals), heal)
        changed = self._changed(signals)
        still = ~changed[: 3 * self.count].reshape(3, -1).any(axis=0)
        still[self.spinning] &= ~changed[3 * self.count :]
        if still.any():
            result[:, :, still] = self.source[:, :, still]
        return result

    def _changed(self, signals):
        """Which of the signals (frames, signals) are others; most are at any few frames."""
        few = slice(None, None, len(signals) // 16 + 1)
        changed = np.abs(signals[few] - self.signals[few]).max(axis=0) > SAME
        rest = np.flatnonzero(~changed)
        changed[rest] = np.abs(signals[:, rest] - self.signals[:, rest]).max(axis=0) > SAME
        return changed

    def back(self, q, heal=True):
        """Quaternions that are continuous and began on the side of these, as channels."""
        return BACK[self.mode](q, self, heal)

    @property
    def quaternions(self):
        """The rotations as they are, (4, frames, rotations), unit length, continuous."""
        return self.composed(self.signals)

    def signals_of(self, channels):
        """Another motion of these rotations, close to this one, as signals about the same means."""
        q = rotation.normalized(as_quaternions(self.mode, channels))[0]
        return self.signals_from(on_side_of(self.quaternions, q))

    def signals_from(self, q):
        """Signals of quaternions that are continuous and began on the side of these."""
        spin = self.spin
        if len(self.spinning):
            q = q.copy()
            left = rotation.multiply(rotation.exp(-self.axes * self.spin), q[:, :, self.spinning])
            spin = self.spin + unwrapped_twist(left, self.axes)
            q[:, :, self.spinning] = rotation.multiply(rotation.exp(-self.axes * spin), q[:, :, self.spinning])
        return self._side_by_side(rotation.log(rotation.after(rotation.conjugate(self.mean), q)), spin)

    def turns(self):
        """What the signals have gained at the end if each rotation comes round to where it began, (signals,): whole turns about
        the axis that it is then turned about, and of the spins."""
        first, last = (np.array(self.vectors_of(self.signals[[row]]))[:, 0] for row in (0, -1))
        axes = first / np.maximum(np.sqrt((first * first).sum(axis=0)), rotation.SMALL)
        around = axes * whole(((last - first) * axes).sum(axis=0))
        return np.concatenate([around.ravel(), whole(self.spin[-1] - self.spin[0])])

    def _set_aside_spin(self, turning, vectors):
        self.axes = main_axes(turning)
        self.spin = unwrapped_twist(turning, self.axes)
        still = rotation.multiply(rotation.exp(-self.axes * self.spin), turning)
        self.mean[:, :, self.spinning], local = about_mean(still * rotation.lifted(still))
        vectors[:, :, self.spinning] = rotation.log(local)

    def _side_by_side(self, vectors, spin):
        vectors += self.mean_vector
        rows = vectors.transpose(0, 2, 1).reshape(3 * self.count, -1)
        return np.concatenate([rows, spin.T]).T if len(self.spinning) else rows.T

    def vectors_of(self, signals):
        vectors = np.split(signals[:, : 3 * self.count], 3, axis=1)
        return [signal - mean for signal, mean in zip(vectors, self.mean_vector)]

    def composed(self, signals):
        """Quaternions (4, frames, rotations) from signals, unit length, continuous."""
        q = rotation.after(self.mean, rotation.exp(self.vectors_of(signals)))
        if len(self.spinning):
            turn = rotation.exp(self.axes * signals[:, 3 * self.count :])
            q[:, :, self.spinning] = rotation.multiply(turn, q[:, :, self.spinning])
        return q


def as_quaternions(mode, components):
    if mode == "QUATERNION":
        return components
    if mode == "AXIS_ANGLE":
        return rotation.from_axis_angle(components)
    return rotation.from_euler(components, mode)


def back_to_quaternions(q, these, heal):
    return q * (these.lengths if heal else these.lengths * these.signs)


def back_to_axis_angles(q, these, heal):
    return rotation.to_axis_angle(q, these.source, heal)


def back_to_eulers(q, these, heal):
    return rotation.to_euler(q, these.mode, these.source, heal)


BACK = {"QUATERNION": back_to_quaternions, "AXIS_ANGLE": back_to_axis_angles, **dict.fromkeys(EULER_ORDERS, back_to_eulers)}


def whole(angles):
    """Angles as the whole turns that they are closest to."""
    return 2.0 * np.pi * np.rint(angles / (2.0 * np.pi))


def on_side_of(near, q):
    """Quaternions with the signs that bring each closer to its neighbour in `near`."""
    return q * np.where(np.einsum("cft,cft->ft", q, near) < 0, -1.0, 1.0)


def about_mean(q):
    """The mean orientations (4, 1, rotations) of lifted paths, and the paths as seen from them, on the near side."""
    center = rotation.mean(q)[:, None, :]
    center *= np.where(np.einsum("cft,ct->t", q, center[:, 0]) < 0, -1.0, 1.0)
    return center, rotation.after(rotation.conjugate(center), q)


def main_axes(q):
    """The axis (3, 1, rotations) in the parent's space that each path turns about most."""
    steps = rotation.log(rotation.multiply(q[:, 1:], rotation.conjugate(q[:, :-1])))
    paths = np.cumsum(steps, axis=1).transpose(2, 1, 0)
    axes = np.linalg.svd(paths - paths.mean(axis=1, keepdims=True), full_matrices=False)[2][:, 0, :]
    return axes.T[:, None, :]


def unwrapped_twist(q, axes):
    """How far each path has turned about its axis, (frames, rotations), counting whole turns."""
    along = np.einsum("cft,cft->ft", q[1:], np.broadcast_to(axes, q[1:].shape))
    return np.unwrap(2.0 * np.arctan2(along, q[0]), axis=0)
