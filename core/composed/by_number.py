# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion by a number: between alike stretches, the one that is as fast or jumps as high as is asked.

Two stretches that the number lies between are registered to each other and mixed; the weight is solved so that what is measured
of the mix is what was asked, as mixing two motions does not mix their numbers evenly. Beyond the examples nothing is made up.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy

from ..library.features import POSE, RATE, features_of
from ..library.measures import jumps, standing_height
from ..numeric.refusal import Refusal
from ..recipes.recipe import Recipe, Step
from ..recipes.run import run
from ..techniques import technique

NEAR = 0.003  # of the number that is asked: as near as the weight is solved
MOST = 16  # mixes that are tried


class Number(NamedTuple):
    """What can be asked for: its name, its unit, and how it is measured of features."""

    name: str
    unit: str
    measure: Callable


def speed_of(features):
    """How fast hips get on, in metres a second, over the whole stretch."""
    steps = features.values[:, POSE] + 1j * features.values[:, POSE + 1]
    heading = np.cumsum(features.values[:, POSE + 2]) / RATE
    return float(np.abs((steps * np.exp(1j * heading)).mean()) * features.leg)


def jump_of(features):
    """How far hips rise above standing while no foot is down, in metres: the highest jump."""
    return float(jumps(features, standing_height(features)).max(initial=0.0) * features.leg)


NUMBERS = {each.name: each for each in (Number("speed", "m/s", speed_of), Number("jump", "m", jump_of))}


def measured_by(name, clip, skeleton):
    """What a number is of a clip."""
    if name not in NUMBERS:
        raise Refusal(f"number: there is no {name!r}; there are {', '.join(NUMBERS)}")
    return NUMBERS[name].measure(features_of(clip, skeleton))


def by_number(name, value, clips, skeleton):
    """The clip between examples, {name: clip} of one figure, of which a number is what is asked; and the recipe that makes it.

    Outside what the examples span it is a Refusal that says how far they go.
    """
    if len(clips) < 2:
        raise Refusal(f"{name}: there are {len(clips)} examples, and two are the fewest between which something lies")
    numbers = sorted((measured_by(name, clip, skeleton), key) for key, clip in clips.items())
    low, high = numbers[0][0], numbers[-1][0]
    unit = NUMBERS[name].unit
    if not low <= value <= high:
        raise Refusal(f"{name}: {value:g} {unit} is outside the examples, which go from {low:.3g} to {high:.3g} {unit}")
    (below, first), (above, second) = bracket(numbers, value)
    if first == second:
        return clips[first], Recipe(())

    def mix(weight):
        recipe = mixing(second, weight)
        return run(recipe, clips[first], skeleton, takes={second: clips[second]}), recipe

    weight = solved(lambda weight: measured_by(name, mix(weight)[0], skeleton) - value, below - value, above - value, value)
    return mix(weight)


def bracket(numbers, value):
    """The two examples nearest to a value, one on each side; the same twice where one has it."""
    for one, other in zip(numbers, numbers[1:]):
        if one[0] <= value <= other[0]:
            return (one, one) if value == one[0] else (other, other) if value == other[0] else (one, other)
    return numbers[0], numbers[0]


def mixing(name, weight):
    """The step that mixes a take with another by weight."""
    blend = technique("blend")
    takes = ({"weight": 1.0 - weight}, {"action": name, "weight": weight})
    return Recipe((Step(blend, blend.params(takes=takes)),))


def solved(off, below, above, value):
    """The weight at which a mix is off by nothing, between 0, where it is off by `below`, and 1."""
    known = {0.0: below, 1.0: above}

    def cached(weight):
        if weight not in known:
            known[weight] = off(weight)
        return known[weight]

    tolerance = NEAR * abs(value) / max(above - below, 1e-9)
    weight, result = scipy.optimize.brentq(cached, 0.0, 1.0, xtol=tolerance, maxiter=MOST, full_output=True, disp=False)
    return min(known, key=lambda each: abs(known[each])) if not result.converged else weight
