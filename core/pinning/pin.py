# SPDX-License-Identifier: GPL-3.0-or-later
"""A pin as it is declared, and as it stands in the rows of a clip.

Its frames are those of the take: where steps before have moved frames in time, it goes along.
"""

import numpy as np

from ..declare.params import build, choice, flag, number, whole, words
from ..declare.scope import FAR
from ..motion.bars import PIN, Bar, retimed
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal

WHERE = (
    ("HERE", "Here", "Where it is at the first frame; from an object, as far away as it is then"),
    ("PLACE", "Typed Place", "At the place that is typed: in the world, or in the space of the object; on a curve, the curve"),
)


@frozen
class Pin:
    """A bone, what it is held to, and when."""

    on: bool = flag(True, "Use this pin")
    bone: str = words("", "Bone that is held")
    first: int = whole(1, "Frame of the take from which on it is held", -FAR, FAR, label="From")
    last: int = whole(25, "Frame of the take up to which it is held", -FAR, FAR, label="To")
    hold: str = choice("HERE", "Where it is held", WHERE)
    target: str = words("", "Object, curve or figure that it is held to; none for the world", label="To Object", names="object")
    target_bone: str = words("", "Bone of that figure; without an object, a bone of the figure itself", label="Its Bone")
    x: float = number(0.0, "Place along X", unit="m")
    y: float = number(0.0, "Place along Y", unit="m")
    z: float = number(0.0, "Place along Z", unit="m")
    along: float = number(0.0, "Which point of the bone is held: 0 its joint, 1 its tip", 0.0, 1.0, label="Point of Bone")
    ease_in: float = number(
        0.3, "How long before the first frame it begins to go there", 0.0, 10.0, "s", slider_range=(0.0, 1.0)
    )
    ease_out: float = number(0.3, "How long after the last frame it is let go", 0.0, 10.0, "s", slider_range=(0.0, 1.0))
    turned: bool = flag(False, "Keep the direction too that the bone has at the first frame", label="Keep Direction")
    priority: int = whole(1, "Of pins that cannot all be had, those with a lower number have their way", 1, 9)

    @property
    def place(self) -> np.ndarray:
        return np.array([self.x, self.y, self.z])


@frozen
class PinnedRows:
    """A pin in a clip: the rows that it holds, and for how many before and after it eases."""

    pin: Pin
    name: str  # as it is called in a sentence
    first: int
    last: int
    before: int
    after: int

    def rows(self, frames):
        """The rows that are held, (frames,)."""
        at = np.arange(frames)
        return (at >= self.first) & (at <= self.last)

    def reach(self, frames):
        """The rows that may change at all, (frames,)."""
        at = np.arange(frames)
        return (at > self.first - self.before - 1) & (at < self.last + self.after + 1)


def read_pins(rows, clip, skeleton, clock=None):
    """Pins that are on, as they stand in a clip, the most important first; or a Refusal that says which is wrong and why.

    `clock` (frames,) says which frame of the take each frame is, where they are not what they were.
    """
    found, names = [], {bone.name for bone in skeleton.bones}
    for index, row in enumerate(rows):
        pin = build(Pin, row, f"pins[{index}] ")
        name = f"pin {index + 1}"
        if not pin.on:
            continue
        if pin.bone not in names:
            raise Refusal(f"{name}: the figure has no bone {pin.bone!r}" if pin.bone else f"{name}: say which bone is held")
        if pin.last < pin.first:
            raise Refusal(f"{name}: it ends at frame {pin.last}, before it begins at {pin.first}")
        found += [held for held in in_clip(pin, name, clip, clock)]
    return sorted(found, key=lambda held: held.pin.priority)


def in_clip(pin, name, clip, clock):
    """A pin in a clip; several where a loop shows its frames again."""
    bars = [Bar(PIN, pin.first, pin.last, pin.bone)]
    bars = bars if clock is None else retimed(bars, clock, clip.first_frame)
    spans = [
        (int(np.ceil(bar.first - 1e-6)) - clip.first_frame, int(np.floor(bar.last + 1e-6)) - clip.first_frame) for bar in bars
    ]
    spans = [(max(first, 0), min(last, clip.frames - 1)) for first, last in spans]
    spans = [(first, last) for first, last in spans if first <= last]
    if not spans:
        raise Refusal(
            f"{name}: frames {pin.first} to {pin.last} are not in the motion, which goes from {clip.first_frame} to "
            f"{clip.last_frame}"
        )
    return [PinnedRows(pin, name, *span, round(pin.ease_in * clip.fps), round(pin.ease_out * clip.fps)) for span in spans]
