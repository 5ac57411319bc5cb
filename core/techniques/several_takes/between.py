# SPDX-License-Identifier: GPL-3.0-or-later
"""Between: of alike takes, the one between them that jumps as high, is as fast, turns as far or reaches where it is asked to.

The takes are registered to each other and mixed, with weights solved so that what is measured of the mix is what was asked
(compare Kovar and Gleicher, Automated Extraction and Parameterization of Motions, SIGGRAPH 2004).
"""

import json
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ...declare.lists import read_take_list
from ...declare.params import choice, flag, number, records, words
from ...declare.technique import Technique
from ...ik.planted_feet import lock_feet
from ...library.numbers import UNITS, Seen, numbers_of
from ...mixing.asked import NEAR, Examples
from ...mixing.mix import Mix
from ...mixing.weights import BlendTake
from ...motion.ground import Ground, laid
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...retargeting.mixed_feet import feet_among

PLACE = ("across", "ahead", "up")
ASKED = {"by_speed": ("speed",), "by_jump": ("jump",), "by_turn": ("turn",), "by_reach": ("reach",), "by_place": PLACE}
FAR = 1e4
ROUNDS = 3  # of holding feet and aiming again


@frozen
class BetweenTake:
    """A take in the list."""

    action: str = words("", "Action that does the same otherwise; empty for the take itself", names="action")


@frozen
class BetweenParams:
    """Which takes, and what is asked of the one between them."""

    takes: tuple = records("Takes as JSON, each with its action", BetweenTake)
    itself: bool = flag(
        True, "The take itself is one of them; otherwise it only says where the figure begins", label="This Take Too"
    )
    by_speed: bool = flag(False, "Ask for how fast the figure gets on", label="Speed")
    speed: float = number(
        1.3, "How fast the hips get on over all of it, in metres a second", 0.0, 100.0, "", "Speed (m/s)", (0.0, 5.0)
    )
    by_jump: bool = flag(False, "Ask for how high it jumps", label="Jump")
    jump: float = number(0.4, "How far the hips rise above standing while no foot is down", 0.0, 100.0, "m", "Jump", (0.0, 1.5))
    by_turn: bool = flag(False, "Ask for how far the body turns", label="Turn")
    turn: float = number(
        0.0, "How far the body has turned to its left in the end, in degrees", -FAR, FAR, "", "Turn (degrees)", (-360.0, 360.0)
    )
    by_reach: bool = flag(False, "Ask for how far a hand or foot reaches", label="Reach")
    reach: float = number(
        0.5, "How far the hand or foot gets from where it began, beside the hips", 0.0, 100.0, "m", "Reach", (0.0, 2.0)
    )
    by_place: bool = flag(False, "Ask for where a hand or foot gets", label="Place")
    target: str = words("", "Object at which the hand or foot is to get; none for the place that is given", names="object")
    across: float = number(0.0, "How far to the left of the hips at first it gets", -FAR, FAR, "m", "To the Left", (-2.0, 2.0))
    ahead: float = number(0.5, "How far ahead of the hips at first it gets", -FAR, FAR, "m", "Ahead", (-2.0, 2.0))
    up: float = number(0.3, "How far above the hips at first it gets", -FAR, FAR, "m", "Up", (-2.0, 2.0))
    limb: str = choice(
        "FARTHEST",
        "Which hand or foot reaches",
        (
            ("FARTHEST", "The Farthest", "The one that gets farthest in the take itself"),
            ("LEFT_HAND", "Left Hand", "The left hand"),
            ("RIGHT_HAND", "Right Hand", "The right hand"),
            ("LEFT_FOOT", "Left Foot", "The left foot"),
            ("RIGHT_FOOT", "Right Foot", "The right foot"),
        ),
    )
    lock: float = number(1.0, "How firmly planted feet are held in place", 0.0, 1.0)


def between(clip, surroundings):
    """Jump as high, go as fast, turn as far or reach where you ask: the motion between takes that do it otherwise.

    Registrations and what was measured are kept for as long as the takes are the same.
    """
    opened = opener(clip, surroundings)

    def process(params):
        process.told = ""
        names = asked_names(params)
        if not params.takes or not names:
            return clip
        alike = opened(params)
        wishes = wish(params, alike)
        result, process.told = alike.made(names, np.array([wishes[name] for name in names]), params.lock)
        return result

    return process


def asked_names(params):
    """The numbers that are asked for."""
    return tuple(name for field, names in ASKED.items() if getattr(params, field) for name in names)


def wish(params, alike):
    """What is asked for, by name; a place is where its object is when the take itself is there."""
    found = {name: getattr(params, name) for name in UNITS}
    if params.by_place and params.target:
        row = alike.clip.first_frame + alike.start.hit(alike.limb).row
        there = alike.surroundings.targets(params.target, "", row, row)[0, :3, 3]
        found |= dict(zip(PLACE, alike.start.from_here(there)))
    return found


def opener(clip, surroundings):
    """A function from parameters to the takes that they are about, Alike, which also say what they span; kept."""

    @lru_cache(maxsize=4)
    def opened(rows, limb, itself):
        names = [take.action for take in read_take_list(BetweenTake, json.loads(rows), surroundings.takes)[1:]]
        if itself or not names:
            return Alike(clip, names, limb, surroundings)
        first = replace(Mix(clip, surroundings).matching(names[0]), first_frame=clip.first_frame)
        return Alike(begun_as(first, clip, surroundings.skeleton), names[1:], limb, surroundings, names[0])

    return lambda params: opened(json.dumps(params.takes), params.limb, params.itself)


class Alike:
    """A take and others that do the same otherwise, by what is measured of them."""

    def __init__(self, clip, others, limb, surroundings, name="this take"):
        self.clip, self.others, self.surroundings, self.name = clip, others, surroundings, name
        self.mix = Mix(clip, surroundings, feet_among(clip, surroundings))
        self.start = Seen(clip, surroundings.skeleton)
        self.limb = self.start.farthest() if limb == "FARTHEST" else limb.lower()
        self.examples = lru_cache(maxsize=8)(self._examples)
        self.values = lru_cache(maxsize=2)(self._values)

    def _values(self):
        """All numbers of all takes, (takes, numbers)."""
        clips = [self.clip, *map(self.mix.matching, self.others)]
        return np.stack([self.measured(clip, tuple(UNITS)) for clip in clips])

    def measured(self, clip, names, start=None):
        return numbers_of(clip, self.surroundings.skeleton, names, self.limb, start)

    def span(self, name):
        """The lowest and the highest that a number is in the takes."""
        values = self.values()[:, list(UNITS).index(name)]
        return float(values.min()), float(values.max())

    def own(self, name):
        """What a number is of the take itself."""
        return float(self.values()[0, list(UNITS).index(name)])

    def _examples(self, names):
        columns = [list(UNITS).index(name) for name in names]
        return Examples(self.values()[:, columns], {name: UNITS[name] for name in names})

    def made(self, names, asked, lock):
        """The clip that has what is asked for, with its feet held, and words on it; or a Refusal.

        Holding feet moves hips a little, and with them what is measured: by that the aim is moved, and it is done again.
        """
        examples, aim, best = self.examples(names), asked, (np.inf,)
        for _ in range(ROUNDS):
            try:
                weights = examples.weights(aim, lambda weights: self.measured(self.mixed(weights), names, self.start))
            except Refusal:  # what is asked for is at the border, and beyond it there is nothing
                if len(best) > 1:
                    break
                raise
            if weights[0] == 1.0:
                return self.clip, ""
            clip = self.mixed(weights)
            clip = lock_feet(clip, self.surroundings.skeleton, amount=lock) if lock else clip
            came = self.measured(clip, names, self.start)
            best = min(best, (examples.off(asked, came), clip, came, weights), key=lambda each: each[0])
            if best[0] < NEAR:
                break
            aim = aim + asked - came
        return best[1], in_words(self, names, *best[2:])

    def mixed(self, weights):
        """The mix with such weights, of the takes that have any, from where the take itself begins."""
        heard = [BlendTake(name, float(weight)) for name, weight in zip(self.others, weights[1:]) if weight]
        result = self.mix([BlendTake(weight=float(weights[0])), *heard], to_the_end=False)
        return begun_as(result, self.clip, self.surroundings.skeleton)


def begun_as(result, clip, skeleton):
    """A clip that begins where another does, and faces the same way there."""
    ground = Ground([clip, result], skeleton)
    if not ground.roots:
        return result
    values, path = ground.taken_off(result.values)
    start = ground.taken_off(clip.values[:1])[1]
    path = laid(path, 0, start.places[0], start.headings[0], ground.up)
    return result.with_values(ground.put_on(values, path, result.values))


def in_words(alike, names, came, weights):
    """What came of it: what is measured of the result, and what it is mixed of."""
    told = ", ".join(f"{name} {value:.3g} {UNITS[name]}" for name, value in zip(names, came))
    mixed = [(weight, name) for weight, name in zip(weights, (alike.name, *alike.others)) if abs(weight) > 0.005]
    return f"{told}; " + ", ".join(f"{weight:.0%} {name}" for weight, name in sorted(mixed, reverse=True))


BETWEEN = Technique(
    "between",
    "Between Takes",
    BetweenParams,
    between,
    needs=frozenset({"skeleton"}),
    retimes=True,
    aims=True,
    waits="add takes that do the same otherwise to its list, and ask for another number",
    wants=("takes",),
)
