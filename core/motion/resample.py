# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip at other moments: between its frames, along the rotations, never through their numbers."""

import numpy as np

from ..numeric import rotation
from ..numeric.rotation import ROTATION_SIZES
from .chart import components, rotation_groups
from .orientations import Orientations, as_quaternions, on_side_of


def resampled(clip, rows):
    """The clip at any rows (moments,), whole or between two frames; at whole rows it is what it was there.

    Between frames every value follows a cubic that passes the frames with the speed of their neighbours. Rotations do so
    as turns away from the nearer frame before, so that no angle and no sign can jump.
    """
    moments = BetweenFrames(np.clip(np.asarray(rows, dtype=np.float64), 0.0, clip.frames - 1.0), clip.frames)
    by_mode, plain = rotation_groups(clip.channels)
    result = np.empty((len(clip.channels), len(moments.nearest)))
    for mode, members in by_mode:
        source = components(clip.values, members)
        turned = Orientations(mode, source[:, moments.nearest])
        signals = turned.signals_from(on_side_of(turned.quaternions, quaternions_at(mode, source, moments)))
        for columns, component in zip(zip(*members), turned.channels(signals)):
            result[list(columns)] = component.T
    angles = [clip.channels[column].kind in ROTATION_SIZES for column in plain]
    result[plain] = values_at(np.where(angles, np.unwrap(clip.values[:, plain], axis=0), clip.values[:, plain]), moments).T
    return clip.with_values(result.T, rows)


class BetweenFrames:
    """Where moments lie among frames, and how much of a step and of the speeds at both its ends they have gone."""

    def __init__(self, rows, frames):
        self.before = np.minimum(rows.astype(int), max(frames - 2, 0))
        self.nearest = np.rint(rows).astype(int)
        u = (rows - self.before)[:, None]
        self.step, self.leaving, self.arriving = u * u * (3 - 2 * u), u * (1 - u) ** 2, u * u * (u - 1)

    def gone(self, steps):
        """How far along (..., moments, signals) from the frame before, given the steps (..., frames - 1, signals)."""
        ends = np.concatenate([steps[..., :1, :], steps, steps[..., -1:, :]], axis=-2)
        speeds = 0.5 * (ends[..., 1:, :] + ends[..., :-1, :])
        return (
            self.step * steps[..., self.before, :]
            + self.leaving * speeds[..., self.before, :]
            + self.arriving * speeds[..., self.before + 1, :]
        )


def values_at(values, moments):
    """Plain values (frames, signals) at moments (moments, signals)."""
    return values[moments.before] + moments.gone(np.diff(values, axis=0)) if len(values) > 1 else values[moments.before]


def quaternions_at(mode, source, moments):
    """Rotations from their channels (components, frames, rotations) at moments, (4, moments, rotations)."""
    q = rotation.normalized(as_quaternions(mode, source))[0]
    q *= rotation.lifted(q)
    if q.shape[1] < 2:
        return q[:, moments.before]
    steps = rotation.log(rotation.multiply(rotation.conjugate(q[:, :-1]), q[:, 1:]))
    return rotation.multiply(q[:, moments.before], rotation.exp(moments.gone(steps)))
