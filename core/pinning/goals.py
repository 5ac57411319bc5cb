# SPDX-License-Identifier: GPL-3.0-or-later
"""Where pinned bones are to be: a correction for each, exact while it is held, smooth before and after, and nothing beyond.

Points and vectors are (3, frames) in the armature. A correction is the least bent curve that is what it must be while a pin
holds and nothing where none reaches: what happens between two pins of a bone is the way from one to the other.
"""

from dataclasses import dataclass

import numpy as np

from ..motion.skeleton import sub_skeleton
from ..numeric import rotation
from ..numeric.banded import Smoother
from ..numeric.matrix import matrices, turns_to
from ..numeric.refusal import Refusal
from ..numeric.rotation import shortest
from ..numeric.vectors import SMALL, length, unit
from ..numeric.vectors import turned as turned_by
from .rail import Rail

EASY = 0.05  # of how far it makes sense to go: how much farther places may be on the way to those that are out of reach
FIRM = 1e9  # weight of rows that are held, or stay; those between have none


@dataclass(frozen=True, eq=False)
class PinGoal:
    """A point of a bone over time: where it is to be while it is held, how it is moved and turned for that (3, frames), and
    when it may change at all."""

    bone: str
    along: float
    pins: tuple
    place: np.ndarray
    move: np.ndarray
    turn: np.ndarray | None
    held: np.ndarray
    changing: np.ndarray
    priority: int

    @property
    def giving(self):
        """How much others may give for it, from 0 outside to 1 while it is held, (frames,)."""
        return np.maximum.reduce([self.held.astype(float), *(taper(pin, len(self.held)) for pin in self.pins)])


def taper(pin, frames):
    """From 0 to 1 and back over the ease of a pin."""
    at = np.arange(frames, dtype=float)
    coming = (at - pin.first + pin.before + 1) / (pin.before + 1)
    going = (pin.last + pin.after + 1 - at) / (pin.after + 1)
    fraction = np.clip(np.minimum(coming, going), 0.0, 1.0)
    return fraction**3 * (fraction * (6.0 * fraction - 15.0) + 10.0)


class Places:
    """Where pins want bones of a figure in a clip."""

    def __init__(self, clip, skeleton, surroundings):
        self.clip, self.skeleton, self.surroundings = clip, skeleton, surroundings
        self.world = np.array(skeleton.world, dtype=float)
        self.inverse = np.linalg.inv(self.world)
        self.rails = {}

    def goals(self, pins, axes, points, bounds):
        """The goals of pins, those of one point of a bone together; `axes` and `points` say where these are, by bone and along.

        `bounds` are centres (3, frames), and how far from them (frames,) it makes sense to go, where there are such.
        """
        together = {}
        for pin in pins:
            together.setdefault((pin.pin.bone, pin.pin.along), []).append(pin)
        return [self._goal(key, tuple(own), axes[key], points[key], bounds.get(key)) for key, own in together.items()]

    def _goal(self, key, pins, axes, point, bound):
        frames = self.clip.frames
        held, changing, taken = (np.zeros(frames, dtype=bool) for _ in range(3))
        wanted, move, turn = point.copy(), np.zeros((3, frames)), np.zeros((3, frames))
        for pin in pins:  # the most important first: others begin when they are let go
            rows = pin.rows(frames) & ~taken
            changing |= pin.reach(frames)
            if not rows.any():
                continue
            place, axes_there = self._where(pin, np.flatnonzero(rows), axes, point)
            wanted[:, rows] = place
            if axes_there is not None:
                turn[:, rows] = turns_to(axes[..., rows], axes_there)
            held |= rows
            taken |= pin.reach(frames)
        smoother, firm = Smoother(np.where(held | ~changing, FIRM, 0.0), 1.0 / self.clip.fps, self.clip.fps), held | ~changing
        move[:, held] = (wanted if bound is None else nearer(wanted, *bound))[:, held] - point[:, held]
        eased = np.where(firm, move, around(move, point, bound[0], held, smoother) if bound else smoother(move))
        turned = any(pin.pin.turned for pin in pins)
        turns = np.where(firm, turn, smoother(turn)) if turned else None
        return PinGoal(*key, pins, wanted, eased, turns, held, changing, pins[0].pin.priority)

    def _where(self, pin, rows, axes, point):
        """Where a pin wants its point (3, rows) and, if it is to stay turned, the axes of its bone (3, 3, rows)."""
        own, first = pin.pin, pin.first
        here = self._in_world(point[:, [first]])[:, 0]
        if own.target and own.target in list(self.surroundings.curves):
            place = self._on_rail(pin, point[:, rows], here)
            return self._in_armature(place), np.repeat(axes[..., [first]], len(rows), axis=-1) if own.turned else None
        if not own.target and not own.target_bone:
            place = here if own.hold == "HERE" else own.place
            place = np.repeat(place[:, None], len(rows), axis=1)
            return self._in_armature(place), np.repeat(axes[..., [first]], len(rows), axis=-1) if own.turned else None
        there = self._own_bone(pin) if not own.target else self._target(pin)
        start, rows = there[0], rows - first
        offset = np.linalg.solve(start, np.append(here, 1.0))[:3] if own.hold == "HERE" else own.place
        place = np.einsum("fij,j->if", there[rows][:, :3, :3], offset) + there[rows][:, :3, 3].T
        axes_there = None
        if own.turned:
            since = turns_to(np.repeat(start[:3, :3, None], len(rows), axis=-1), np.moveaxis(there[rows][:, :3, :3], 0, -1))
            since = np.einsum("ij,jf->if", turns_into(self.inverse), since)
            axes_there = np.einsum("fij,jk->ikf", matrices(rotation.exp(since)), axes[..., first])
        return self._in_armature(place), axes_there

    def _own_bone(self, pin):
        """The matrices (rows, 4, 4) in the world of a bone of the figure itself while a pin holds."""
        if self.skeleton.index(pin.pin.target_bone) < 0:
            raise Refusal(f"{pin.name}: the figure has no bone {pin.pin.target_bone!r} to be held to")
        skeleton = sub_skeleton(self.skeleton, [pin.pin.target_bone])
        rows = slice(pin.first, pin.last + 1)
        axes, heads = (each[:, skeleton.index(pin.pin.target_bone)] for each in skeleton.posed(self.clip))
        there = np.zeros((pin.last - pin.first + 1, 4, 4))
        there[:, :3, :3], there[:, :3, 3], there[:, 3, 3] = axes[rows], heads[rows], 1.0
        return self.world @ there

    def _target(self, pin):
        """The matrices (rows, 4, 4) in the world of what a pin is held to while it holds."""
        name, bone, start = pin.pin.target, pin.pin.target_bone, self.clip.first_frame
        there = np.asarray(self.surroundings.targets(name, bone, start + pin.first, start + pin.last), dtype=float)
        if there.shape != (pin.last - pin.first + 1, 4, 4) or not np.isfinite(there).all():
            raise Refusal(f"{pin.name}: where {name} is cannot be told")
        if (np.abs(np.linalg.det(there[:, :3, :3])) < 1e-12).any():
            raise Refusal(f"{pin.name}: {name} has no size along an axis; give it one")
        return there

    def _on_rail(self, pin, point, here):
        """The nearest places (3, rows) on a curve to a point that goes along it, as far from it as at first if so asked."""
        name = pin.pin.target
        if name not in self.rails:
            self.rails[name] = Rail(self.surroundings.curves[name]["path"], pin.name)
        rail = self.rails[name]
        offset = here - rail.nearest(here[:, None])[:, 0] if pin.pin.hold == "HERE" else np.zeros(3)
        return rail.followed(self._in_world(point) - offset[:, None]) + offset[:, None]

    def _in_world(self, points):
        return self.world[:3, :3] @ points + self.world[:3, 3:]

    def _in_armature(self, points):
        return self.inverse[:3, :3] @ points + self.inverse[:3, 3:]


def around(move, point, centre, held, smoother):
    """Moves (3, frames) eased as turns about the root of a limb and as lengths of it: a hand goes round its shoulder, and not
    through it."""
    own, wanted = point - centre, point + move - centre
    turns = np.where(held, continuous(rotation.log(shortest(unit(own), unit(wanted))), held), 0.0)
    longer = np.where(held, np.log(np.maximum(length(wanted), SMALL) / np.maximum(length(own), SMALL)), 0.0)
    *turns, longer = smoother(np.concatenate([turns, longer[None]]))
    return np.exp(longer) * turned_by(rotation.exp(np.array(turns)), own) - own


def continuous(turns, held):
    """Turns (3, frames) that do not flip to the other way round while they are held."""
    turns, sizes = turns.copy(), length(turns)
    for row in np.flatnonzero(held[1:] & held[:-1] & (sizes[1:] > 0.5 * np.pi)) + 1:
        if turns[:, row - 1] @ turns[:, row] < 0.0:
            turns[:, row] *= 1.0 - 2.0 * np.pi / sizes[row]
    return turns


def nearer(places, centre, most):
    """Places (3, frames) that are farther from a centre than makes sense, on the way to them."""
    way = places - centre
    far = np.maximum(length(way), SMALL)
    return centre + way * np.minimum(1.0, (most + EASY * most * -np.expm1(-(far - most).clip(0.0) / (EASY * most))) / far)


def turns_into(matrix):
    """The turn of a matrix that may have a size."""
    axes = matrix[:3, :3]
    return axes / np.linalg.norm(axes, axis=0)
