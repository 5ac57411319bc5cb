# SPDX-License-Identifier: GPL-3.0-or-later
"""Asked: weights by which a mix of examples has the numbers that are asked for.

Mixing motions does not mix their numbers evenly. The examples that lie around what is asked
are weighted as it lies between them; then the aim is moved by what the mix misses, until it does not (Broyden's method).
Outside the examples nothing is made up.
"""

import numpy as np

from ..numeric import scipy
from ..numeric.refusal import Refusal

NEAR, FAR = 0.002, 0.02  # of what the examples span: off by that is not off, and off by that is not there
TRIES = 12
FARTHEST = 0.3  # of what the examples span: as far an aim is moved at once
BEYOND = 0.8  # of its weight that an example may count for more or less than between the others: arms swing round
PAIRS = 6  # of examples that are tried
MANY = 12  # examples that are mixed at once
TINY = 1e-9


class Examples:
    """Examples by their numbers (examples, numbers), and what these are called, each with its unit."""

    def __init__(self, values, units):
        self.values, self.units = np.asarray(values, dtype=np.float64), dict(units)
        self.low, self.high = self.values.min(axis=0), self.values.max(axis=0)
        count, size = self.values.shape
        if count <= size:
            raise Refusal(
                f"{self.named()}: there are {count} examples, and {size + 1} are the fewest that lie around "
                f"{'a number' if size == 1 else f'{size} numbers'}"
            )
        self.span = self.high - self.low
        for name, span, low in zip(self.units, self.span, self.low):
            if span < 1e-6 + 1e-4 * abs(low):
                raise Refusal(f"{name}: the examples do not differ in it, {low:.3g} {self.units[name]} in all of them")
        self.places = (self.values - self.low) / self.span
        self.around = LAID_OUT[size > 1](self.places, self.named())

    def named(self):
        return " and ".join(self.units)

    def weights(self, asked, measure):
        """Weights (examples,) of which `measure(weights)` is what is asked (numbers,); a Refusal where none are."""
        asked = np.asarray(asked, dtype=np.float64)
        same = np.flatnonzero(np.isclose(self.values, asked, rtol=1e-6, atol=1e-6).all(axis=1))
        if len(same):
            return np.eye(len(self.values))[same[0]]
        place = (asked - self.low) / self.span
        candidates = self.around(place)
        if not candidates:
            raise Refusal(f"{self.named()}: {self.said(asked)} is outside the examples, which go {self.extent()}")
        best = np.inf, None
        for corners in candidates:
            best = min(best, self.solved(corners, place, measure), key=lambda each: each[0])
            if best[0] < NEAR:
                break
        if best[0] > FAR:
            raise Refusal(f"{self.named()}: no mix of the examples comes near {self.said(asked)}")
        return best[1]

    def off(self, asked, came):
        """How far what came is from what is asked, of what the examples span."""
        return float(np.linalg.norm((np.asarray(asked) - came) / self.span))

    def solved(self, corners, place, measure):
        """How far off the nearest mix of some examples is, and its weights."""
        aim, inverse, best, before = place.copy(), np.eye(len(place)), (np.inf, None), None
        for _ in range(TRIES):
            weights = np.zeros(len(self.values))
            weights[corners] = between(aim, self.places[corners])
            there = (measure(weights) - self.low) / self.span
            best = min(best, (float(np.linalg.norm(place - there)), weights), key=lambda each: each[0])
            if before is not None:
                inverse = broyden(inverse, aim - before[0], there - before[1])
            if best[0] < NEAR:
                break
            before, step = (aim, there), inverse @ (place - there)
            aim = aim + step * min(1.0, FARTHEST / max(np.linalg.norm(step), TINY))
        return best

    def said(self, values):
        return ", ".join(f"{value:.3g} {unit}" for value, unit in zip(values, self.units.values()))

    def extent(self):
        """How far the examples go, in words."""
        return " and ".join(
            f"from {low:.3g} to {high:.3g} {unit}" for low, high, unit in zip(self.low, self.high, self.units.values())
        ) + (" and between each other" if len(self.units) > 1 else "")


def on_a_line(places, named):
    """A function from a place to the pairs that it lies between, those that are nearest together first."""
    line = places[:, 0]

    def around(place):
        below, above = np.flatnonzero(line <= place[0] + TINY), np.flatnonzero(line >= place[0] - TINY)
        pairs = [(line[high] - line[low], [low, high]) for low in below for high in above if line[high] > line[low]]
        return [pair for _, pair in sorted(pairs)[:PAIRS]]

    return around


def in_space(places, named):
    """A function from a place to the triangle, tetrahedron and so on that it lies in, those beside it, and then all that is
    nearest: where the one is thin, a little of what is asked is much of its corners."""
    try:
        hull = scipy.spatial.Delaunay(places)
    except scipy.spatial.QhullError:
        raise Refusal(f"{named}: the examples go along one line or plane, so that nothing lies between them") from None

    def around(place):
        inside = int(hull.find_simplex(place, tol=TINY))
        beside = [] if inside < 0 else [other for other in hull.neighbors[inside] if other >= 0]
        nearest = np.argsort(np.linalg.norm(places - place, axis=1))[:MANY]
        return [] if inside < 0 else [*(hull.simplices[each] for each in (inside, *beside)), nearest]

    return around


LAID_OUT = {False: on_a_line, True: in_space}


def between(aim, places):
    """Weights of the corners of a simplex whose mean is an aim, bounded."""
    square = np.vstack([places.T, np.ones(len(places))])
    weights = np.linalg.lstsq(square, np.append(aim, 1.0), rcond=None)[0].clip(-BEYOND, 1.0 + BEYOND)
    return weights / weights.sum()


def broyden(inverse, moved, came):
    """What is known of the way from what comes to what to aim at, with one more try."""
    scale = moved @ inverse @ came
    return inverse + np.outer(moved - inverse @ came, moved @ inverse) / scale if abs(scale) > TINY else inverse
