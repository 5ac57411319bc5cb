# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers: what a whole stretch is by number, to be asked for: how fast, how high, how far round, and where a limb gets.

A place is as the figure sees it that is about to reach: metres to its left, ahead and up from its hips at first.
"""

from typing import NamedTuple

import numpy as np

from ..body.figure import Legs
from ..body.roles import find_roles
from ..body.upright import stood
from ..numeric.refusal import Refusal
from .features import POSE, RATE, body_places, features_of, heading, place_of, sole_of
from .measures import jumps, standing_height

LIMBS = ("left_hand", "right_hand", "left_foot", "right_foot")


def speed_of(features):
    """How fast hips get on, in metres a second, over the whole stretch."""
    steps = features.values[:, POSE] + 1j * features.values[:, POSE + 1]
    turned = np.cumsum(features.values[:, POSE + 2]) / RATE
    return float(np.abs((steps * np.exp(1j * turned)).mean()) * features.leg)


def jump_of(features):
    """How far hips rise above standing while no foot is down, in metres: the highest jump."""
    return float(jumps(features, standing_height(features)).max(initial=0.0) * features.leg)


def turn_of(features):
    """How far the body turns to its left, in degrees, from the first to the last moment."""
    return float(np.degrees(features.values[1:, POSE + 2].sum() / RATE))


OF_FEATURES = {"speed": speed_of, "jump": jump_of, "turn": turn_of}
OF_LIMB = ("reach", "across", "ahead", "up")
UNITS = {"speed": "m/s", "jump": "m", "turn": "degrees", **dict.fromkeys(OF_LIMB, "m")}


class LimbHit(NamedTuple):
    """Where a limb gets: which row, the place in the world (3,), and how far from where it began, as the hips see it."""

    row: int
    place: np.ndarray
    reach: float


class Seen:
    """Limbs of a clip, from where the figure stands at first."""

    def __init__(self, clip, skeleton):
        skeleton = stood(skeleton)
        roles = find_roles(skeleton)
        self.figure = Legs(skeleton, roles)
        self.points, self.hips, axes, _ = body_places(clip, skeleton, self.figure, roles)
        self.turned = np.exp(-1j * np.unwrap(heading(axes)))

    def way(self, limb):
        """Where a limb is in the world, (frames, 3), or a Refusal."""
        side, part = limb.split("_")
        way = place_of(self.points, self.figure, limb) if part == "hand" else sole_of(self.points, self.figure, side)
        if way is None:
            raise Refusal(f"limb: the figure has no {limb.replace('_', ' ')}")
        return way

    def hit(self, limb):
        """The moment at which a limb is farthest from where it began, as the hips see it."""
        way = self.way(limb)
        across = (way - self.hips)[:, :2] @ (1.0, 1j) * self.turned
        apart = np.hypot(np.abs(across - across[0]), way[:, 2] - way[0, 2])
        row = int(apart.argmax())
        return LimbHit(row, way[row], float(apart[row]))

    def farthest(self):
        """The limb that gets farthest."""
        there = [limb for limb in LIMBS if not limb.endswith("hand") or limb in self.figure.points]
        return max(there, key=lambda limb: self.hit(limb).reach)

    def from_here(self, place):
        """A place in the world as metres to the left, ahead and up (3,) from hips at first."""
        across = complex(*(place - self.hips[0])[:2]) * self.turned[0]
        return np.array([across.real, -across.imag, place[2] - self.hips[0, 2]])

    def back(self, numbers):
        """The place in the world that is so far to the left, ahead and up."""
        across = complex(numbers[0], -numbers[1]) / self.turned[0]
        return self.hips[0] + (across.real, across.imag, numbers[2])


def numbers_of(clip, skeleton, names, limb="", start=None):
    """What some numbers are of a clip, (numbers,); places as seen from `start`, a Seen, if not from its own."""
    features = features_of(clip, skeleton) if any(name in OF_FEATURES for name in names) else None
    found = {name: OF_FEATURES[name](features) for name in names if name in OF_FEATURES}
    if any(name in OF_LIMB for name in names):
        seen = Seen(clip, skeleton)
        hit = seen.hit(limb)
        found |= dict(zip(OF_LIMB, (hit.reach, *(start or seen).from_here(hit.place))))
    return np.array([found[name] for name in names])
