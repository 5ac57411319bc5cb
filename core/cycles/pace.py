# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a mix of gaits goes, and which mix goes as fast as is wanted (Ahmed 2001, section 5).

Speed is not linear in the factor of a mix: distance and time are mixed, and speed is one through the other. So it is
measured on the mix itself and the curve is inverted. A factor counts takes in order of what is asked for: 0 the least, 1
the next.
"""

from functools import lru_cache

import numpy as np

from ..body.figure import walks
from ..ik.planted_feet import lock_feet
from ..mixing.synchronized import Synchronized
from ..motion.cycle import Cycle, cycle_of
from ..motion.ground import Ground, walked
from ..numeric import scipy
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal

FARTHEST = 3.0  # how much farther beyond the last take than it is from the one before a mix is looked for
SAMPLES = 9  # measured between two takes
MINUTE = 60.0
ALIKE = 1e-6  # of what is asked for: takes that differ less do not differ
UNITS = {"speed": "m/s", "cadence": "steps a minute", "stride": "m"}


@frozen
class Pace:
    """How a gait goes: metres a second, steps a minute, metres until the same foot strikes again."""

    speed: float
    cadence: float
    stride: float


@frozen
class SpeedCurve:
    """What mixes give that are asked for `name`, to be drawn: factors (samples,) and, for each, what was measured there, what
    the second-order fit between neighbouring takes says, and what a straight line between them does.

    `takes` are those mixed, as name, factor and value; `fits` the coefficients of the fits, highest power first, each in
    factors from the lesser of its two takes.
    """

    name: str
    factors: np.ndarray
    measured: np.ndarray
    fitted: np.ndarray
    linear: np.ndarray
    takes: tuple
    fits: tuple


class Gaits:
    """Strides of one figure, in step, in order of what is asked for."""

    def __init__(self, strides, missing, goal, surroundings):
        rows = [[event.frame for event in stride.events] for stride in strides]
        self.steps, self.goal = strides[0].steps, goal
        self.in_step = Synchronized([stride.clip for stride in strides], rows, missing, surroundings, cyclic=True)
        self.metre = metre(self.in_step.ground, surroundings.skeleton)
        self.pace = lru_cache(maxsize=256)(lambda factor: self._pace_of(self.weights(factor)))
        alone = [getattr(self._pace_of(one), goal) for one in np.eye(len(strides))]
        self.order = np.argsort(alone, kind="stable")
        self.names = [strides[index].name for index in self.order]
        self.values = np.array(alone)[self.order]
        if np.ptp(self.values) <= ALIKE * self.values[-1]:
            raise Refusal(f"{goal}: all takes have {self.values[-1]:.3g} {UNITS[goal]}, and there is nothing in between")

    def weights(self, factor):
        """How much of each stride there is at a factor."""
        before = int(np.clip(np.floor(factor), 0, max(len(self.order) - 2, 0)))
        weights = np.zeros(len(self.order))
        weights[self.order[before]] = 1.0 - (factor - before)
        weights[self.order[before + 1]] = factor - before
        return weights

    def value(self, factor):
        """What is asked for, measured on the mix at a factor."""
        return getattr(self.pace(float(factor)), self.goal)

    def factor(self, wanted, extrapolate=False):
        """The factor at which the mix goes as wanted, or a Refusal that says what the takes can do."""
        low, high = self.values[[0, -1]]
        if low <= wanted <= high:
            after = int(np.clip(np.searchsorted(self.values, wanted), 1, len(self.values) - 1))
            return self._between(after - 1.0, float(after), wanted)
        unit = UNITS[self.goal]
        if not extrapolate:
            raise Refusal(
                f"{self.goal}: {wanted:g} {unit} is outside {low:.3g} to {high:.3g} {unit}, what the takes have; "
                "allow extrapolation to go beyond"
            )
        end, way = (0.0, -1.0) if wanted < low else (len(self.values) - 1.0, 1.0)
        for beyond in np.linspace(0.0, FARTHEST, 13)[1:]:
            try:
                if (self.value(end + way * beyond) - wanted) * way >= 0.0:
                    return self._between(end, end + way * beyond, wanted)
            except Refusal:  # time would run back
                break
        raise Refusal(f"{self.goal}: {wanted:g} {unit} is too far beyond {low:.3g} to {high:.3g} {unit} to be extrapolated")

    def straight(self, wanted):
        """The factor that a straight line between the takes would give."""
        return float(np.interp(wanted, self.values, np.arange(len(self.values))))

    def curve(self, beyond=0.0):
        """The curve over all takes, and so far beyond them."""
        last = len(self.values) - 1
        factors = np.linspace(-beyond, last + beyond, round((last + 2 * beyond) * (SAMPLES - 1)) + 1)
        measured = np.array([self.value(factor) for factor in factors])
        pieces = np.clip(np.floor(factors), 0, last - 1).astype(int)
        fits = [self._fit(piece) for piece in range(last)]
        fitted = np.array([np.polyval(fits[piece], factor - piece) for piece, factor in zip(pieces, factors)])
        linear = self.values[pieces] + (factors - pieces) * (self.values[pieces + 1] - self.values[pieces])
        takes = tuple(zip(self.names, range(last + 1), self.values.tolist()))
        return SpeedCurve(self.goal, factors, measured, fitted, linear, takes, tuple(map(tuple, fits)))

    def pace_of(self, cycle, rounds):
        """How a mix goes that is so many rounds long."""
        return self._pace(distance(cycle.steps, cycle.turns, self.in_step.ground.up), cycle.length, rounds)

    def _fit(self, piece):
        inner = np.linspace(0.0, 1.0, SAMPLES)
        return np.polyfit(inner, [self.value(piece + fraction) for fraction in inner], 2)

    def _between(self, one, other, wanted):
        return float(scipy.optimize.brentq(lambda factor: self.value(factor) - wanted, one, other, xtol=1e-9))

    def _pace_of(self, weights):
        """How a mix goes, however little its length is a whole number of frames."""
        return self._pace(distance(*self.in_step.going(weights), self.in_step.ground.up), self.in_step.length(weights), 1)

    def _pace(self, way, frames, rounds):
        seconds, metres, steps = frames / self.in_step.clips[0].fps, self.metre * way, self.steps * rounds
        return Pace(metres / seconds, MINUTE * steps / seconds, 2.0 * metres / steps)


def ground_speed(clip, skeleton):
    """Metres a second that a clip goes along its way."""
    ground = Ground([clip], skeleton)
    cycle = cycle_of(clip, ground)[0]
    return metre(ground, skeleton) * distance(cycle.steps, cycle.turns, ground.up) * clip.fps / cycle.length


def distance(steps, turns, up):
    """How far steps (steps, 3) and turns (steps,) lead, in units of what travels."""
    places = walked(np.zeros(3), 0.0, steps, turns - turns.mean(), up).places
    return float(np.linalg.norm(places[-1] - places[0]))


def metre(ground, skeleton):
    """How many metres one unit of what travels is."""
    bone = skeleton is not None and ground.roots and ground.roots[0].owner
    return float(np.linalg.norm(np.array(skeleton.world)[2, :3])) if bone else 1.0


ROUNDS = 2  # a foot that is held stands longer, so that it is looked for again


def lock_cycle(cycle, around, in_step, path, amount, surroundings):
    """A cycle without the frames `around` it, its feet held as firmly as the amount says."""
    skeleton = surroundings.skeleton
    clip = in_step.placed(cycle, "STRAIGHT" if path == "PLACE" else path, np.zeros(3), 0.0)
    if walks(clip, skeleton):
        for _ in range(ROUNDS):
            clip = lock_feet(clip, skeleton, amount=amount)
    return inner(cycle_of(clip, in_step.ground)[0], around)


def inner(cycle, around):
    """A cycle without some frames before and after."""
    steps = slice(around, cycle.length - around)
    rows = np.arange(around, cycle.length - around + 1)
    return Cycle(cycle.clip.with_values(cycle.clip.values[rows], rows), cycle.steps[steps], cycle.turns[steps])
