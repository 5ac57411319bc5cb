# SPDX-License-Identifier: GPL-3.0-or-later
"""Blend space: cycles placed on a plane, and every cycle in between under one dragged point (Molnos 2010, 5 and 6)."""

import json
from functools import lru_cache

from ...cycles.network_points import PLANE, NetworkPoint, PuckKey
from ...declare.params import choice, flag, number, records, whole
from ...declare.technique import Technique
from ...numeric.frozen import frozen


@frozen
class NetworkParams:
    """Cycles on a plane, and where on it the result is."""

    points: tuple = records("Cycles as JSON, each with its action and its place on the plane", NetworkPoint)
    puck_x: float = number(0.0, "Where it is blended, from left to right", label="X", slider_range=PLANE)
    puck_y: float = number(0.0, "Where it is blended, from bottom to top", label="Y", slider_range=PLANE)
    puck_keys: tuple = records(
        "Where it is blended at which frame as JSON: one motion from the first frame to the last", PuckKey
    )
    align: bool = flag(True, "Find by how much cycles must be shifted to be in step with the first")
    harmonics: int = whole(0, "How many harmonics are kept; 0 keeps all, 3 to 7 look natural", 0, 10_000)
    path: str = choice(
        "FEET",
        "What carries the figure on",
        (
            ("FEET", "Feet", "The lower foot stands still and pushes it on"),
            ("STEPS", "Steps", "Steps and turns of the cycles, blended"),
            ("PLACE", "In Place", "Nothing: it stays on its place"),
        ),
    )
    lock: float = number(0.0, "How firmly planted feet are then held where they still slide", 0.0, 1.0)
    repeats: int = whole(1, "How many times the cycle is repeated where the place stays", 1, 1000)


def network(clip, surroundings):
    """Blend cycles by where a point is dragged among them: slow, fast, left, right and everything in between.

    Waves and alignments are kept for as long as the cycles are the same, so that dragging costs one product.
    """
    from ...cycles.network_plane import Pad  # with all that mixes cycles, for which Blender's start need not wait

    opened = lru_cache(maxsize=2)(lambda points, align, count: Pad(clip, json.loads(points), align, count, surroundings))

    def process(params):
        if not params.points:
            return clip
        pad = opened(json.dumps(params.points), params.align, params.harmonics)
        if params.puck_keys:
            return pad.along(params.puck_keys, params.path, params.lock)
        return pad.at((params.puck_x, params.puck_y), params.path, params.lock, params.repeats)

    return process


NETWORK = Technique(
    "network",
    "Blend Space",
    NetworkParams,
    network,
    needs=frozenset({"skeleton"}),
    retimes=True,
    waits="add cycles to its list",
    wants=("points",),
)
