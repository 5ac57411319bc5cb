# SPDX-License-Identifier: GPL-3.0-or-later
"""What animators list: names between commas, frames that belong together, where frames go, takes."""

from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from .params import build, whole
from .scope import FAR


@frozen
class FramePair:
    """A frame of the take and the frame of another take that it belongs to."""

    frame: int = whole(1, "Frame of the take", -FAR, FAR, label="Take")
    there: int = whole(1, "Frame of the other take that it belongs to", -FAR, FAR, label="Other")


@frozen
class Move:
    """A frame of the take and the frame that it moves to."""

    frame: int = whole(1, "Frame of the take", -FAR, FAR, label="From")
    there: int = whole(1, "Frame that it moves to", -FAR, FAR, label="To")


def split_names(text):
    """The names between the commas of a text, each once."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def read_take_list(entry, rows, known):
    """Entries of the params class `entry` from plain rows, the take itself first, listed or not; or a Refusal that says
    which is wrong and why. `known` are the takes that there are."""
    takes = [build(entry, row, f"takes[{index}] ") for index, row in enumerate(rows)]
    for take in takes:
        if take.action and take.action not in known:
            raise Refusal(f"takes: there is no action {take.action}")
    own, others = ([take for take in takes if bool(take.action) == named] for named in (False, True))
    if len(own) > 1:
        raise Refusal(f"takes: {len(own)} of them are the take itself, having no action")
    return (own or [entry()]) + others
