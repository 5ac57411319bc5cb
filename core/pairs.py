# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of frames that animators list: what belongs together, what goes where, from where to where."""

from dataclasses import dataclass

from .params import whole
from .scope import FAR


@dataclass(frozen=True)
class Anchor:
    """A frame of the take and the frame of another take that it belongs to."""

    frame: int = whole(1, "Frame of the take", -FAR, FAR, label="Take")
    there: int = whole(1, "Frame of the other take that it belongs to", -FAR, FAR, label="Other")


@dataclass(frozen=True)
class Move:
    """A frame of the take and the frame that it moves to."""

    frame: int = whole(1, "Frame of the take", -FAR, FAR, label="From")
    there: int = whole(1, "Frame that it moves to", -FAR, FAR, label="To")


@dataclass(frozen=True)
class Span:
    """A stretch of frames."""

    first: int = whole(1, "First frame", -FAR, FAR)
    last: int = whole(1, "Last frame", -FAR, FAR)
