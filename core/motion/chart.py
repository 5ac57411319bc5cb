# SPDX-License-Identifier: GPL-3.0-or-later
"""Chart: a clip as plain signals that any filter may touch, and the way back.

Rotations become continuous signals (see orientations), everything else is a signal as it is, measured from rest. On the
way back every rotation returns in its own mode, on the branch that the source was on. Equal signals give the source back.
"""

import numpy as np

from ..numeric import rotation
from ..numeric.parallel import each, few_enough
from ..numeric.rotation import ROTATION_SIZES
from .orientations import Orientations, whole

BLOCK, SMALL = 8, 1 << 14  # rotations, and these times frames: fewer are not worth a thread


class Chart:
    """The signals (frames, signals) of a clip, who owns each, and how to return from them."""

    def __init__(self, clip, angles_apart=False):
        self.clip = clip
        by_mode, plain = rotation_groups(clip.channels, angles_apart)
        self.plain = np.array(plain, dtype=int)
        self.rest = np.array([float(clip.channels[column].kind == "SCALE") for column in plain])
        least = max(BLOCK, -(-SMALL // max(1, clip.frames)))
        self.groups = [
            (mode, members[block]) for mode, members in by_mode for block in few_enough(len(members), clip.frames, least)
        ]
        self.orientations = each(lambda group: Orientations(group[0], components(clip.values, group[1])), self.groups)
        self.signals = self._joined([own.signals for own in self.orientations], clip.values)
        self.owners, self.kinds = self._labels()

    def values(self, signals, heal=True):
        """Signals back to the clip's channels, (frames, channels); `heal` flips and jumps of the source, or keep them."""
        result = np.empty(self.clip.values.shape[::-1])
        columns = self.orientation_columns()

        def fill(index):
            channels = self.orientations[index].channels(signals[:, columns[index]], heal)
            for rows, component in zip(zip(*self.groups[index][1]), channels):
                result[list(rows)] = component.T

        each(fill, range(len(self.orientations)))
        result[self.plain] = (signals[:, columns[-1]] + self.rest).T
        return result.T

    def signals_of(self, values):
        """Another motion of the same channels, close to this one, in this chart."""
        return self._joined(
            [own.signals_of(components(values, members)) for own, (_, members) in zip(self.orientations, self.groups)],
            values,
        )

    def reshaped(self, turn, move):
        """Signals with the quaternions of all orientations and every plain channel's values passed through a function.

        `turn(quaternions, mode, owners)` gets (4, frames, rotations), `move(values, channels)` (frames, channels).
        """
        channels = self.clip.channels
        turned = [
            own.signals_from(turn(own.quaternions, mode, [channels[columns[0]].owner for columns in members]))
            for own, (mode, members) in zip(self.orientations, self.groups)
        ]
        values = self.clip.values.copy(order="F")
        values[:, self.plain] = move(values[:, self.plain], [channels[column] for column in self.plain])
        return self._joined(turned, values)

    def turns(self):
        """What the signals have gained, in whole turns, if the motion has come round to where it began, (signals,)."""
        gaps = self.clip.values[-1, self.plain] - self.clip.values[0, self.plain]
        angles = [self.clip.channels[column].kind in ROTATION_SIZES for column in self.plain]
        return np.concatenate([*(own.turns() for own in self.orientations), np.where(angles, whole(gaps), 0.0)])

    def _joined(self, turned, values):
        return np.concatenate([*(signals.T for signals in turned), values.T[self.plain] - self.rest[:, None]]).T

    def orientation_columns(self):
        """Where the signals of each block of orientations are, and last those that are plain channels."""
        ends = np.cumsum([own.signals.shape[1] for own in self.orientations], dtype=int).tolist()
        return [slice(start, end) for start, end in zip([0, *ends], [*ends, None])]

    def _labels(self):
        owners, kinds, channels = [], [], self.clip.channels
        for own, (_, members) in zip(self.orientations, self.groups):
            names = [channels[columns[0]].owner for columns in members]
            owners += names * 3 + [names[index] for index in own.spinning]
            kinds += ["ROTATION"] * own.signals.shape[1]
        rest = [channels[column] for column in self.plain]
        kinds += ["ANGLE" if channel.kind in ROTATION_SIZES else channel.kind for channel in rest]
        return tuple(owners + [channel.owner for channel in rest]), tuple(kinds)


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
