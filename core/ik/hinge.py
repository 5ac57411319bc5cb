# SPDX-License-Identifier: GPL-3.0-or-later
"""Hinges: knees and elbows that know which way, and how far, they bend in a take.

A hinge is one axis in the bone above the joint, about which the take bends it most. How far it may bend is a soft range around
what the take itself does: a knee never passes straight, an elbow never turns over. Only what an edit changes is held back,
ever more as it nears the end of the range: poses of the take itself stay. Points and vectors are (3, frames), angles radians.
"""

import copy
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..body.body import Body
from ..numeric import rotation
from ..numeric.frozen import frozen
from ..numeric.matrix import inside, plain, product
from ..numeric.rotation import wrapped
from ..numeric.smoothing import softened
from ..numeric.vectors import SMALL, cross, dot, length, turned, unit

DEGREE = np.pi / 180.0
BENT = 15.0 * DEGREE  # from where on a bend tells which way a joint bends
STRAIGHT, FOLDED, MOST = 2.0 * DEGREE, 150.0 * DEGREE, 170.0 * DEGREE  # what joints can do
ROOM = 6.0 * DEGREE  # how much straighter than ever in the take a joint may become
SIDE = 5.0 * DEGREE  # how much farther sideways than in the take a joint may bend
LITTLE = 1e-9  # radians: what is less is noise of the numbers
NONE = np.eye(4)[0][:, None]  # no turn
SOFTNESS = 15.0 * DEGREE  # how long before the end of its range a joint gives way
STIFF, CARRIED = 1e-5, 1e-2  # how little a stiff limb turns, and how far, in legs, it is carried for that to tell
BROKEN = -20.0 * DEGREE  # a joint that the take itself bends backwards so far is no hinge there


@frozen
class Bend:
    """A limb in a pose, as its hinge sees it: its two bones, the axis, the angle about it, how much of the lower bone lies
    along the axis, and the turn (4, frames) of the lower bone that took it out of a sideways bend."""

    upper: np.ndarray
    lower: np.ndarray
    axis: np.ndarray
    angle: np.ndarray
    aside: np.ndarray
    upright: np.ndarray

    def distance(self, angle):
        """How far apart both ends of the limb are when it is bent so far."""
        return np.sqrt(np.maximum(self._square + 2.0 * self._sides * np.cos(angle), SMALL))

    def angle_at(self, distance):
        """How far it is bent when its ends are so far apart."""
        cosine = 0.5 * (distance * distance - self._square) / np.maximum(self._sides, SMALL)
        return np.arccos(np.clip(cosine, -1.0, 1.0))

    def gained(self, angle):
        """How much the limb becomes shorter for a turn of its joint when it is bent so far."""
        return self._sides * np.sin(angle) / self.distance(angle)

    @cached_property
    def _square(self):
        return dot(self.upper, self.upper) + dot(self.lower, self.lower)

    @cached_property
    def _sides(self):
        """The upper bone's length times the length that the lower bone has across the axis."""
        across = np.sqrt(np.maximum(1.0 - self.aside**2, 1e-6))
        return length(self.upper) * length(self.lower) * across


class Hinge:
    """The joint in the middle of a limb, opened on the body in a take; rows (frames,) say which of its frames count.

    `original` is the body in what the take was made from, if it is itself an edit: edits of edits straighten it no farther.
    `frame` (frames,) says which rows are frames of the take, if some are between them, where nobody knows how far it bends.
    """

    def __init__(self, body, end, rows, original=None, frame=None):
        self.end, self.carrier = end, body.skeleton.bones[body.limbs[end][1]].parent
        self.axis = self._found(body, rows)
        rows = rows if frame is None else rows & frame
        self.source = self._seen(body)
        angle = np.where(self.source.angle < -100.0 * DEGREE, self.source.angle + 2.0 * np.pi, self.source.angle)
        self.angle, known = angle, angle[rows] if rows.any() else angle
        first = self._seen(original) if original else self.source
        straightest = known.min() if original is None else max(known.min(), first.angle[rows].min(initial=np.pi))
        self.lowest = max(STRAIGHT, min(known.min(), straightest - ROOM))
        self.highest = max(FOLDED, min(known.max(), MOST))
        self.sides = np.arcsin(self.source.aside)
        sides = np.arcsin(first.aside)
        self.least, self.most = sides[rows].min(initial=0.0) - SIDE, sides[rows].max(initial=0.0) + SIDE
        self.backwards = backwards(angle)
        self.stiff = stiff(original or body, end, rows)
        if self.stiff:
            self.lowest = self.highest = float(np.median(angle))

    def bend(self, body):
        """The limb in another pose of the body, bent sideways hardly farther than it is in the take."""
        seen = self._seen(body)
        side = np.arcsin(seen.aside)
        change = side - self.sides
        back = softened(change, self.least - self.sides, self.most - self.sides, SIDE) - change
        if np.abs(back).max() < LITTLE:
            return seen
        upright = rotation.exp(unit(cross(seen.lower, seen.axis)) * back)
        return replace(seen, lower=turned(upright, seen.lower), aside=np.sin(side + back), upright=upright)

    def _seen(self, body):
        """The limb in a pose of the body as it is."""
        root, middle, tip = body.joints(self.end)
        upper, lower = middle - root, tip - middle
        along, down = unit(upper), unit(lower)
        axis = np.einsum("ijf,j->if", plain(body.axes[self.carrier]), self.axis)
        axis = unit(axis - along * dot(axis, along))
        angle, aside = np.arctan2(dot(cross(axis, along), down), dot(along, down)), np.clip(dot(axis, down), -1.0, 1.0)
        return Bend(upper, lower, axis, angle, aside, NONE)

    def at_frames(self, finer):
        """The same for bodies at the frames alone of finer rows."""
        coarser = copy.copy(self)
        coarser.angle, coarser.sides = finer.at_frames(self.angle), finer.at_frames(self.sides)
        return coarser

    def within(self, bend):
        """The angle that an edited limb may have, on the branch of the take."""
        change = (bend.angle - self.angle + np.pi) % (2.0 * np.pi) - np.pi
        return self.angle + softened(change, self.lowest - self.angle, self.highest - self.angle, SOFTNESS)

    def _found(self, body, rows):
        """The axis in the bone that carries the joint: the mean of what the take bends it about."""
        root, middle, tip = body.joints(self.end)
        along, down = unit(middle - root), unit(tip - middle)
        axes, normal = plain(body.axes[self.carrier]), cross(along, down)
        bend = np.arctan2(length(normal), dot(along, down))
        inner = np.einsum("ijf,if->jf", axes, normal)
        chosen = rows & (bend > BENT)
        chosen = chosen if chosen.any() else np.ones_like(rows)
        axis, straight = inner[:, chosen].mean(axis=1), np.einsum("ijf,if->jf", axes, along)[:, chosen].mean(axis=1)
        if np.linalg.norm(axis) < np.sin(STRAIGHT):  # never bent: knees as toes point, elbows as bones are built
            points = body.points(self.end)
            ahead = np.einsum("ijf,if->jf", axes, points[-1] - tip)[:, chosen].mean(axis=1)
            axis = np.cross(ahead, straight) if len(points) > 1 else np.array([1.0, 0.0, 0.0])
        straight = straight / max(np.linalg.norm(straight), SMALL)
        axis = axis - straight * (axis @ straight)
        if np.linalg.norm(axis) < SMALL:
            axis = np.cross(straight, np.eye(3)[np.argmin(np.abs(straight))])
        return axis / np.linalg.norm(axis)


def stiff(body, end, rows):
    """Whether a limb is carried about in the take without ever moving by itself, as one that was not captured is."""
    bones = body.limbs[end]
    above = [plain(body.axes[body.skeleton.bones[bone].parent]) for bone in bones if body.skeleton.bones[bone].parent >= 0]
    local = [product(np.swapaxes(upper, 0, 1), plain(body.axes[bone])) for upper, bone in zip(above, bones[-len(above) :])]
    moves = max(np.ptp(axes[..., rows], axis=-1).max() for axes in local)
    return moves < STIFF and np.ptp(body.tip(end)[0][:, rows], axis=1).max() > CARRIED * body.leg


def backwards(angle):
    """Where the take itself bends a joint backwards, all the way back to straight, (frames,)."""
    wrapped = (angle + np.pi) % (2.0 * np.pi) - np.pi
    edges = np.flatnonzero(np.diff((wrapped < 0.0).astype(np.int8), prepend=0, append=0))
    result = np.zeros(len(angle), dtype=bool)
    for first, end in zip(edges[::2], edges[1::2]):
        result[first:end] = wrapped[first:end].min() < BROKEN
    return result


def hinges_of(body, rows, ends=None, original=None, frame=None):
    """The knees and elbows of a take, {end: Hinge}."""
    return {end: Hinge(body, end, rows, original, frame) for end in (body.limbs if ends is None else ends) if end in body.limbs}


def into_range(body, hinges):
    """Turns (4, frames) of lower bones in their own spaces, {bone: turns}, that bring joints of an edit into their range.

    A joint that the rig itself limits is left to that.
    """
    result = {}
    for end, hinge in hinges.items():
        if body.skeleton.bones[body.limbs[end][1]].limits:
            continue
        bend = hinge.bend(body)
        turn = rotation.multiply(rotation.exp(bend.axis * wrapped(hinge.within(bend) - bend.angle)), bend.upright)
        if np.abs(turn[1:]).max() > SMALL:
            lower = body.limbs[end][1]
            result[lower] = inside(turn, plain(body.axes[lower]))
    return result


def soft_hinges(source, edit, skeleton):
    """An edit of a take, of the same frames, with knees and elbows within a soft range around what they do in the take."""
    body = Body(source, skeleton)
    edited = body.again(edit)
    turns = into_range(edited, hinges_of(body, within_stretches(body)))
    return edited.clip_of(turns, np.zeros((3, edit.frames)), {}) if turns else edit


def within_stretches(body):
    """Rows (frames,) that are no lone poses between cuts, such as the T-pose before a take."""
    rows = np.zeros(body.clip.frames, dtype=bool)
    for stretch in body.stretches:
        rows[stretch] = stretch.stop - stretch.start >= 3
    return rows if rows.any() else ~rows
