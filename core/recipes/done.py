# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run keeps of its steps: how each was opened, and what came of it."""

from ..declare.technique import Surroundings
from ..motion.clip import Clip
from ..numeric.frozen import frozen


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
