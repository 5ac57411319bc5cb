# SPDX-License-Identifier: GPL-3.0-or-later
"""Clip and Channel: the only motion that crosses between Blender and core."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from .switches import Switches

FEWEST_FRAMES = 3
MEASURED = "measured["  # how paths begin of what is only seen, as Blender evaluates it, and never written


@frozen
class Channel:
    """One number over time: an F-curve's path and index, whose it is, and what kind of number.

    `kind` is a rotation mode (QUATERNION, AXIS_ANGLE, an Euler order), LOCATION, SCALE or VALUE. Channels of one
    rotation share their path. `owner` is the bone's name, or empty for the object itself.
    """

    path: str
    index: int
    kind: str = "VALUE"
    owner: str = ""

    def __str__(self) -> str:
        return f"{self.path}[{self.index}]"

    def __hash__(self) -> int:  # of two fields, since it is asked for at every turn
        return hash((self.path, self.index))

    @property
    def measured(self) -> bool:
        """Whether it is what a rig makes of its controls, seen and never written."""
        return self.path.startswith(MEASURED)


@frozen
class Clip:
    """A stretch of motion: values (frames, channels) float64, one row a frame, never written to.

    `switches` go along with it: what is animated too and is no signal.
    """

    values: np.ndarray
    channels: tuple[Channel, ...]
    fps: float
    first_frame: int
    switches: Switches | None = None

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != len(self.channels):
            raise Refusal(f"values: shape {values.shape} does not fit {len(self.channels)} channels")
        values = values.view()
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @property
    def frames(self) -> int:
        return len(self.values)

    @property
    def last_frame(self) -> int:
        return self.first_frame + self.frames - 1

    def check(self) -> "Clip":
        """Refuse what no technique can work on: too few frames, no frame rate, numbers that are none."""
        if self.frames < FEWEST_FRAMES:
            raise Refusal(f"the motion has {self.frames} frame(s); it needs at least {FEWEST_FRAMES}")
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise Refusal(f"fps: {self.fps} is no frame rate")
        if not np.isfinite(self.values).all():
            frame, channel = np.argwhere(~np.isfinite(self.values))[0]
            value = self.values[frame, channel]
            raise Refusal(f"curve {self.channels[channel]} is {value} at frame {self.first_frame + frame}")
        return self

    def curve(self, name: str) -> np.ndarray | None:
        """What a channel or a switch of this name, such as location[2], is over time (frames,), or None."""
        both: tuple = (self, self.switches)
        for some in filter(None, both):
            for channel, values in zip(some.channels, some.values.T):
                if str(channel) == name:
                    return values
        return None

    def with_values(self, values: np.ndarray, rows: np.ndarray | None = None) -> "Clip":
        """The same clip with other values; `rows` say which of its moments they are of, where these are not all its frames.

        Without them values of another number of frames are only looked at, and no switches go along.
        """
        switches = self.switches
        if switches is not None and rows is not None:
            switches = switches.at(rows)
        elif len(values) != self.frames:
            switches = None
        return replace(self, values=values, switches=switches)

    def with_switches(self, switches: Switches | None) -> "Clip":
        """The same motion with other switches; what was found out about it stays known."""
        if switches is self.switches:
            return self
        other = replace(self, switches=switches)
        other.__dict__.update((name, kept) for name, kept in self.__dict__.items() if name.startswith("_"))
        return other

    def with_clip(self, other: "Clip | None") -> "Clip":
        """The same clip with the channels of another of the same frames behind its own; with None it is as it was."""
        if other is None:
            return self
        return replace(
            self, values=np.asfortranarray(np.hstack([self.values, other.values])), channels=self.channels + other.channels
        )

    def without(self, other: "Clip | None") -> "Clip":
        """The same clip without the channels that another has."""
        kept = [index for index, channel in enumerate(self.channels) if other is None or channel not in other.channels]
        if len(kept) == len(self.channels):
            return self
        return replace(self, values=self.values[:, kept], channels=tuple(self.channels[index] for index in kept))

    def like(self, other: "Clip", skeleton: Any = None) -> "Clip":
        """The same clip with the channels of another, in their order; those that it lacks are what the skeleton holds."""
        if self.channels == other.channels:
            return self
        have = set(self.channels)
        added = [channel for channel in other.channels if channel not in have]
        whole = self.with_channels(added, [skeleton.held(channel) for channel in added])
        at = {channel: column for column, channel in enumerate(whole.channels)}
        columns = [at[channel] for channel in other.channels]
        return replace(whole, values=whole.values[:, columns], channels=other.channels)

    def with_channels(self, channels: Iterable[Channel], rest: Iterable[float]) -> "Clip":
        """The same clip with the channels it lacks added at their constant `rest` values."""
        have = set(self.channels)
        added = [(channel, value) for channel, value in zip(channels, rest) if channel not in have]
        if not added:
            return self
        constants = np.repeat([[value for _, value in added]], self.frames, axis=0)
        return replace(
            self,
            values=np.asfortranarray(np.hstack([self.values, constants])),
            channels=self.channels + tuple(channel for channel, _ in added),
        )
