# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches: what a take carries along that is no signal: on and off, which constraint holds, poses held in steps.

No filter sees them. Whoever changes time takes them along: a step stays a step, and happens when its moment does.
"""

import numpy as np

from ..numeric.frozen import frozen

CLOCK = "CLOCK"  # the kind of a channel that is no curve: which frame of the take this is, nothing where it is of another
STEP = "STEP"  # the kind of a channel that is held until it changes; any other goes evenly from frame to frame
ALMOST = 1e-6  # frames: what is this close before a frame is on it


@frozen
class Switches:
    """Values (frames, switches) of channels that are no signals."""

    channels: tuple
    values: np.ndarray

    def at(self, rows):
        """The same at rows (moments,), whole or between two frames: nothing that is held takes a value in between."""
        last = len(self.values) - 1
        rows = np.clip(np.asarray(rows, dtype=np.float64), 0.0, last)
        before = np.floor(rows + ALMOST).astype(int)
        fraction = np.maximum(rows - before, 0.0)[:, None]
        between = self.values[before] + fraction * (self.values[np.minimum(before + 1, last)] - self.values[before])
        return Switches(self.channels, np.where(self.held, self.values[before], between))

    @property
    def held(self):
        """Which of them are held until they change, (switches,)."""
        return np.array([channel.kind == STEP for channel in self.channels], dtype=bool)


def of_take(switches, other, rows, count):
    """The switches of a take as another has them, at its rows; those that it lacks go with the take, over `count` rows, apart
    from its clock: no moment of another take is one of its own."""
    if switches is None:
        return None
    own = switches.at(np.linspace(0.0, len(switches.values) - 1.0, count))
    names = {(channel.path, channel.index): index for index, channel in enumerate(other.channels)} if other else {}
    theirs = other.at(rows).values if other else None
    columns = [
        theirs[:, names[channel.path, channel.index]]
        if (channel.path, channel.index) in names
        else np.full(count, np.nan)
        if channel.kind == CLOCK
        else values
        for channel, values in zip(own.channels, own.values.T)
    ]
    return Switches(own.channels, np.column_stack(columns))


def of_whom(takes, whose, rows):
    """The switches of several takes, of each frame those of the take that it is of: `whose` (frames,), rows (takes, frames)."""
    if takes[0] is None:
        return None
    read = [switches.at(own) for switches, own in zip(takes, rows)]
    return Switches(read[0].channels, np.stack([one.values for one in read])[whose, np.arange(len(whose))])
