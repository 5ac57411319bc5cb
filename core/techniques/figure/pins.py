# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins: bones held to places, objects, curves or bones of other figures for a while (Gleicher 1998; Lee and Shin 1999).

What a pin asks for is exact while it holds, comes and goes as smoothly as it can over its ease, and changes nothing beyond.
Pins are bars in the time of the take: whatever moves frames in time takes them along.
"""

from functools import lru_cache

import numpy as np

from ...declare.params import records
from ...declare.technique import Technique
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...pinning.goals import Places
from ...pinning.pin import Pin, read_pins
from ...pinning.solve import Pinned
from ...pinning.words import pin_words


@frozen
class PinsParams:
    """Which bones are held, to what, and when."""

    pins: tuple = records("Pins as JSON, each with its bone, its frames and what it is held to", Pin)


def pins(clip, surroundings):
    """Hold hands, feet, the head or any bone to a place, an object or another figure for a while.

    The figure is looked at once, so that pins can be dragged.
    """
    skeleton = surroundings.skeleton
    whole = clip.with_clip(surroundings.beside)
    opened = lru_cache(1)(lambda: Pinned(whole, skeleton, surroundings))

    def process(params):
        process.told = ""
        if skeleton is None and any(row.get("on", True) for row in params.pins):
            raise Refusal("pins: there is no armature, and so no bone that could be held")
        held = read_pins(params.pins, clip, skeleton, surroundings.clock) if params.pins else []
        if not held:
            return clip
        refuse(held, skeleton, clip)
        figure = opened()
        keys = {(pin.pin.bone, pin.pin.along) for pin in held}
        axes, points = figure.places(whole, keys)
        goals = Places(whole, skeleton, surroundings).goals(held, axes, points, figure.bounds(keys))
        result, missing = figure.held(goals, points)
        process.told = pin_words(goals, missing, points, whole, skeleton)
        return result.without(surroundings.beside)

    return process


def refuse(held, skeleton, clip):
    """Refuse bones whose place is not known."""
    for channel, values in zip(clip.channels, clip.values.T):
        if not channel.owner and channel.kind != "VALUE" and np.ptp(values) > 1e-6:
            raise Refusal(f"pins: {channel} moves the whole armature: give that motion to its root bone first")
    for pin in held:
        for index in skeleton.chain(skeleton.index(pin.pin.bone)):
            if skeleton.bones[index].led:
                raise Refusal(
                    f"{pin.name}: bone {skeleton.bones[index].name} is moved by constraints or drivers; pin the bone that "
                    "controls it"
                )


PINS = Technique(
    "pins",
    "Pins",
    PinsParams,
    pins,
    needs=frozenset({"skeleton", "contacts"}),
    waits="select a bone and press I over a pose, or add a pin",
    wants=("pins",),
)
