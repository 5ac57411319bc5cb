# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants: where a foot or hand is to be while it is planted, and how it gets there and away (Gleicher 2001, section 5).

A plant is one place: heel and toe as they are at one instant of the take, rigid together. While both are down the foot is
held there, and gives way only as the heel comes up. While one of them is down the foot rolls over it as it does in the
take, a little farther where the leg would not reach. Around a plant the change fades, value and slope being whole.
Points and vectors are (3, frames).
"""

from dataclasses import dataclass

import numpy as np
import scipy

from ..numeric import rotation
from ..numeric.matrix import turns_to
from ..numeric.smoothing import above
from ..numeric.vectors import cross, dot, length, turned, unit

INSTANTS = {"START": 0.0, "MIDDLE": 0.5, "END": 1.0}
ROLLING = 0.4  # of the time to ease over: how fast a foot takes up rolling as in the take
TILT = np.radians(8.0)  # how far a foot that is down is kept from tilting as in the take
RISE = 0.008  # of the leg: how far it is kept from rising as in the take
LIFT = np.radians(20.0)  # how much farther than in the take a foot rolls over its toe for the leg to reach
EARLY, LIFTING = 0.2, 0.5  # of the rolling time: how long before the heel leaves that begins, and how long it takes


@dataclass(frozen=True)
class Tip:
    """A foot or hand in a take: ankle or wrist, the bone's axes (3, 3, frames), the points that touch, and the limb's root."""

    joint: np.ndarray
    axes: np.ndarray
    points: np.ndarray  # (points, 3, frames): heel and toe, or the hand
    root: np.ndarray
    longest: np.ndarray  # (frames,): how far the limb reaches


@dataclass(frozen=True)
class Hold:
    """What planting changes: moves of the joint, turns of the bone, and how planted it is from 0 to 1 (frames,)."""

    moves: np.ndarray
    turns: np.ndarray  # rotation vectors
    weights: np.ndarray


def hold(tip, downs, up, ease, instant="MIDDLE", flat=False, level=None):
    """Work out how a foot must be moved and turned to stay where it is planted.

    `downs` (points, frames) says which of its points is down when, `ease` how changes fade. A `flat` foot does not give way
    to a heel that comes up; `level` is a height for all plants, which otherwise keep their own.
    """
    firm, planted, rolling = downs.all(axis=0), downs.any(axis=0), ease.times(ROLLING)
    foot = len(tip.points) > 1
    places, turns, lifts = placed(tip, downs, up, instant, level)
    if foot and not flat:
        yaw = up[:, None] * dot(up[:, None], turns)
        turns = yaw + yielding(turns - yaw, TILT)
    turns = rolling(turns, firm)
    strict = flat or not foot
    moves = lifts + pinned(tip, turns, places, shares(downs), firm, up, rolling, np.inf if strict else RISE * tip.longest)
    if foot:
        moves, turns = reaching(tip, moves, turns, downs, 0 if flat else max(1, round(EARLY * rolling.span)), rolling.span)
        turns = rolling(turns, planted)
    weights = ease(planted[None].astype(float), planted)[0].clip(0.0, 1.0)
    return Hold(ease(moves, planted), turns, weights)


def placed(tip, downs, up, instant, level):
    """For every frame of a plant: where its points are held, the turn from the take to how it is held, and its own lift.

    Heel and toe have their places at one instant of the time that both are down. A foot that puts down its heel anew while
    its toe stays, or the other way round, is held anew, about the point that stayed.
    """
    places, turns, lifts = np.zeros_like(tip.points), np.zeros_like(tip.joint), np.zeros_like(tip.joint)
    since = [np.maximum.accumulate(np.where(down & ~np.roll(down, 1), np.arange(len(down)), 0)) for down in downs]
    held = {}
    for first, last in runs(downs.all(axis=0)):
        at = moment(first, last, instant)
        turns[:, first : last + 1] = turns_to(tip.axes[:, :, first : last + 1], tip.axes[:, :, at])
        points = {(point, since[point][first]): tip.points[point, :, at] for point in range(len(downs))}
        aside = next((held[key] - place for key, place in points.items() if key in held), np.zeros(3))
        held = {key: place + aside for key, place in points.items()} | held
    for point, down in enumerate(downs):
        for first, last in runs(down):
            place = held.get((point, first), tip.points[point, :, moment(first, last, instant)])
            places[point, :, first : last + 1] = place[:, None]
    if level is not None:
        for first, last in runs(downs.any(axis=0)):
            firm = np.flatnonzero(downs[:, first : last + 1].all(axis=0))
            at = first + firm[len(firm) // 2] if len(firm) else moment(first, last, instant)
            lifts[:, first : last + 1] = (up * (level - np.mean(up @ tip.points[:, :, at].T)))[:, None]
    return places, turns, lifts


def moment(first, last, instant):
    return first + round(INSTANTS[instant] * (last - first))


def shares(downs):
    """How much each point is held (points, frames): one that is down alone wholly, two by turns, from the one that was down
    before to the one that is afterwards."""
    held = downs.astype(float)
    if len(downs) == 1:
        return held
    padded = np.pad(downs, ((0, 0), (1, 1)))
    for first, last in runs(downs.all(axis=0)):
        before, after = (0.5 if heel == toe else float(toe) for heel, toe in (padded[:, first], padded[:, last + 2]))
        part = np.linspace(0.0, 1.0, last - first + 1)
        held[1, first : last + 1] = before + (after - before) * part * part * (3.0 - 2.0 * part)
        held[0, first : last + 1] = 1.0 - held[1, first : last + 1]
    return held


def pinned(tip, turns, places, held, firm, up, rolling, limit):
    """Moves of the joint that keep the held points over their places, at the heights that the take rolls them to."""
    turn, moves = rotation.exp(turns), np.zeros_like(tip.joint)
    for point, place, share in zip(tip.points, places, held):
        away, arm = place - point, point - tip.joint
        rise = dot(up[:, None], away)
        kept = rolling(yielding(rise[None], limit), firm)
        moves += share * (away + up[:, None] * (kept - rise) + arm - turned(turn, arm))
    return moves


def reaching(tip, moves, turns, downs, early, rolling):
    """Roll a foot farther over its toe, so early before its heel leaves, where the limb would not reach otherwise."""
    turn, toe, firm = rotation.exp(turns), tip.points[1], downs.all(axis=0)
    arm = turned(turn, tip.joint - toe)
    reach = tip.root - (tip.joint + moves - arm)
    sides = length(arm) * length(reach)
    now, wanted = (
        np.arccos(np.clip(cosine, -1.0, 1.0))
        for cosine in (dot(arm, reach) / sides, (dot(arm, arm) + dot(reach, reach) - tip.longest**2) / (2.0 * sides))
    )
    still = scipy.ndimage.minimum_filter1d(firm, 2 * early + 1, origin=-early, mode="constant", cval=1)  # heel to stay longer
    free = downs[1] & ~still & (firm | ~downs[0])
    since = scipy.ndimage.distance_transform_edt(~still) if still.any() else np.full(len(still), np.inf)
    ramp = np.clip(since / (LIFTING * rolling + early), 0.0, 1.0)
    angle = above(np.where(free, np.clip(now - wanted, 0.0, LIFT), 0.0), round(0.25 * rolling))
    more = rotation.exp(unit(cross(arm, reach)) * (angle * free * ramp * ramp * (3.0 - 2.0 * ramp)))
    return moves + turned(more, arm) - arm, rotation.log(rotation.multiply(more, turn))


class Ease:
    """Fades over a span of frames, within stretches (slices) of frames that have no cuts."""

    def __init__(self, stretches, span):
        self.stretches, self.span = stretches, max(1.0, span)

    def times(self, part):
        return Ease(self.stretches, part * self.span)

    def __call__(self, values, known):
        """Values (size, frames) as they are where known, fading to nothing from there, or into each other."""
        result = np.where(known, values, 0.0)
        for rows in self.stretches:
            found = [(rows.start + first, rows.start + last) for first, last in runs(known[rows])]
            gaps = [np.inf, *(after[0] - before[1] for before, after in zip(found, found[1:])), np.inf]
            for (first, last), before, after in zip(found, gaps, gaps[1:]):
                self._fade(result, values, first, -1, before, rows, first < last)
                self._fade(result, values, last, 1, after, rows, first < last)
        return result

    def _fade(self, result, values, edge, way, gap, rows, sloped):
        """Add what is left of value and slope at an edge to the frames beyond it: a cubic that ends level."""
        span = min(self.span, gap)
        at = edge + way * np.arange(1, int(np.ceil(span)))
        at = at[(at >= rows.start) & (at < rows.stop)]
        part = np.abs(at - edge) / span
        slope = (values[:, edge] - values[:, edge - way]) * span if sloped else np.zeros(len(values))
        left = (1.0 - part) ** 2
        result[:, at] += values[:, edge, None] * (left * (1.0 + 2.0 * part)) + slope[:, None] * (left * part)


def yielding(vectors, limit):
    """Vectors (size, frames) as they are while short, never longer than a limit."""
    return vectors / np.sqrt(1.0 + (vectors * vectors).sum(axis=0) / np.square(limit))


def runs(mask):
    """First and last row of every stretch that is true."""
    edges = np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0))
    return [(int(first), int(end) - 1) for first, end in zip(edges[::2], edges[1::2])]
