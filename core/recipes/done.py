# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run keeps of its steps: how each was opened, what came of it, and how what it changed is to be written."""

from ..declare.technique import Surroundings
from ..motion.clip import Clip
from ..numeric.frozen import frozen
from .whole import hull


@frozen
class Writing:
    """How a channel is to be written: where it gets keys, within which tolerance, and which frames may change."""

    scope: object  # the ScopeParams that say so
    keys: str
    changing: tuple | None  # first and last frame, None for all
    frames: tuple  # first and last frame of what the steps were given
    retimed: bool

    def after(self, earlier):
        """The same for a channel that an earlier step has changed too; the source's keys are there no more if it got others."""
        if earlier is None:
            return self
        last = earlier if self.keys == "SOURCE" else self
        changing = None if None in (self.changing, earlier.changing) else hull([self.changing, earlier.changing])
        frames = earlier.frames if earlier.retimed else hull([self.frames, earlier.frames])
        return Writing(last.scope, last.keys, changing, frames, self.retimed or earlier.retimed)


@frozen
class Done:
    """What came of a step."""

    step: object  # as it was done: parameters made to fit
    channels: tuple  # that it could change
    switches: tuple  # that went along
    frames: tuple  # first and last of what it was given
    told: str
    held: object
    changed: bool


@frozen
class Opening:
    """A technique opened on what a step is given: what does not depend on its parameters."""

    channels: tuple
    switches: tuple
    frames: tuple
    part: Clip
    around: Surroundings
    process: object
