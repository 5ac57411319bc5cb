# SPDX-License-Identifier: GPL-3.0-or-later
"""On ground: a figure put onto a surface that is not level, feet first.

A take stands on level ground, or on the surface already, whichever its planted feet fit better. Every stand is carried there as
one rigid whole, so that a foot that rolls still does and none slides: heel and toe on the surface, as high above it as they are
above the take's own ground where that is not just the noise of a capture. Swings follow the surface smoothly, above it; the
pelvis rises and falls with the feet, and legs reach by the same solve that keeps feet planted. Places are in the world, Z up,
(3, frames).
"""

import numpy as np

from ..body.body import Body
from ..ik.foot_solver import Grip, Solver
from ..ik.hinge import within_stretches
from ..ik.planting_source import free
from ..ik.stance import feet_of
from ..numeric import rotation
from ..numeric.banded import Smoother
from ..numeric.refusal import Refusal
from ..numeric.smoothing import above, smooth
from ..numeric.vectors import length, turned, unit

FIRM = 1e7  # weight of a foot that stands, that of one in the air being 1
NEAR = 0.06  # of the leg: a foot that stands no higher than that stands on the ground; one at twice that on something else
WIDE = 0.05  # of the leg: how far to each side of a foot the surface's lean is looked at
FEET, PELVIS = 0.05, 0.15  # seconds over which feet in the air, and the pelvis, follow the surface
OVER = 0.1  # seconds before and after within which a foot is lifted over what is in its way
DEEP = 0.001  # of the leg: how deep a foot that rolls may press into the surface
CLEAR = 0.012  # of the leg: how far above it a foot in the air is, unless the take has it lower
WALKED_ON = 0.3  # of the time: a hand that stands for longer bears the body as feet do
STEEP = np.tan(np.radians(35.0))  # what rises more under a foot is a step, on which it stands level
ROUNDS = 3  # in which a leaning foot finds where its heel and toe come down
SHORT = 1e-3  # of the leg: what is missed by less is not worth a word
UP, NO_TURN = np.array([[0.0], [0.0], [1.0]]), np.eye(4)[0][:, None]


def put_on(clip, skeleton, surface, name, contacts=None, beside=None):
    """A clip whose feet stand on a HeightField of this name, and words for what is to be said of it."""
    body = Body(clip.with_clip(beside), skeleton)
    rows, (ends, moving) = within_stretches(body), free(body, beside)
    if not moving:
        raise Refusal(f"ground: {body.skeleton.bones[body.mover].name}, which carries the figure, is not among what changes")
    feet = feet_of(body, contacts, rows, ends)
    if not any(foot.planted.any() for end, foot in feet.items() if end.endswith("foot")):
        raise Refusal(f"ground: no foot stands anywhere, so that nothing can be put on {name}")
    ground = GroundBelow(body, feet, surface)
    carried = {end: CarriedEnd(ground, foot) for end, foot in feet.items()}
    rise = ground.pelvis([each for each in carried.values() if not each.hand or each.foot.planted.mean() > WALKED_ON], rows)
    lifted = body.again(body.clip_of({}, ground.along(rise), {}))
    places = {end: each.placed(rise) for end, each in carried.items()}
    solver = Solver(lifted, contacts, "PATHS", Grip(), beside, onto=lambda end, place: places.get(end, (place, NO_TURN)))
    pose = solver.put(lifted)
    result = lifted.clip_of(pose.turns, pose.shift, pose.stretches, pose.moves)
    return lone(result, lifted, rows).without(beside), words(name, ground, pose, body, feet)


def lone(result, lifted, rows):
    """The result with poses that stand alone between cuts, such as a T-pose in front, lifted as they are."""
    if rows.all():
        return result
    values = np.array(result.values, order="F")
    held = [lifted.whole.held(channel) if channel.owner else 0.0 for channel in result.channels]
    values[~rows] = lifted.clip.with_channels(result.channels, held).values[~rows]
    return result.with_values(values)


class GroundBelow:
    """A surface under a body, and the ground that its take stands on: level, or that surface already."""

    def __init__(self, body, feet, surface):
        self.body, self.surface, self.fps = body, surface, body.clip.fps
        self.world, self.leg = body.figure.world, body.figure.leg
        self.starts = [stretch.start for stretch in body.stretches[1:]]
        self.ended = np.zeros(body.clip.frames, dtype=bool)
        stood = np.concatenate(
            [
                place[:, down]
                for end, foot in feet.items()
                if end.endswith("foot")
                for place, down in zip(self.there(foot.points), foot.downs)
            ],
            axis=1,
        )
        self.level = float(np.median(stood[2]))
        self.stands_there = np.median(np.abs(stood[2] - self.under(stood))) < np.median(np.abs(stood[2] - self.level))

    def there(self, points):
        """Points (..., 3, frames) of the armature in the world."""
        return np.einsum("ij,...jf->...if", self.world[:3, :3], points) + self.world[:3, 3, None]

    def back(self, points):
        """Points (3, frames) of the world in the armature."""
        return np.linalg.solve(self.world[:3, :3], points - self.world[:3, 3, None])

    def along(self, rise):
        """A rise in the world (frames,) as a way in the armature (3, frames)."""
        return np.linalg.solve(self.world[:3, :3], UP) * rise

    def under(self, places):
        """How high the surface is under places (3, ...)."""
        return self.surface.heights(np.moveaxis(places[:2], 0, -1))[0]

    def own(self, places):
        """How high the ground of the take is under places (3, ...)."""
        return self.under(places) if self.stands_there else np.full(places.shape[1:], self.level)

    def pelvis(self, feet, rows):
        """How far the pelvis rises with its feet, CarriedEnds (frames,); beside `rows`, as far as the lowest of them needs."""
        smoother = Smoother(np.ones(len(rows)), PELVIS, self.fps, self.starts)
        lowest = np.max([self.under(point) - point[2] for foot in feet for point in foot.points], axis=0)
        return np.where(rows, smoother(np.mean([foot.rise for foot in feet], axis=0)[None])[0], lowest)


class CarriedEnd:
    """A foot, or a hand, as it is carried onto the surface: how its joint moves (3, frames), how it leans, how it rises."""

    def __init__(self, ground, foot):
        self.ground, self.foot = ground, foot
        self.joint, self.points = ground.there(foot.joint), ground.there(foot.points)
        self.hand = len(self.points) < 2
        self.level = self.hand or ground.stands_there  # it leans as it does
        self._flying()
        for first, last in foot.plants:
            self._stand(slice(first, last + 1))
        self._follow()

    def placed(self, rise):
        """Where the joint is to be in the armature, and how it is turned there; hands in the air rise with the pelvis."""
        place = self.joint + self.moves
        if self.hand:
            moves = np.where(self.foot.planted, self.moves, UP * rise)
            place = self.joint + Smoother(self._weights(), FEET, self.ground.fps, self.ground.starts)(moves)
        axis = np.linalg.solve(self.ground.world[:3, :3], self.lean)
        return self.ground.back(place), rotation.exp(unit(axis) * length(self.lean))

    def _flying(self):
        """Rise, lean and moves of a foot that goes with the surface wherever it is; stands are put in place of that."""
        ground, centre = self.ground, self.points.mean(axis=0)
        pivot = np.stack([*centre[:2], ground.own(centre)])
        self.rise, self.lean = ground.under(pivot) - pivot[2], np.zeros_like(centre)
        if not self.level:
            self.lean = self._leaning(pivot, self.points[0], self.points[1])
        self.moves = moved(self.joint, pivot, self.rise, self.lean)

    def _stand(self, rows):
        """Carry one stand as a rigid whole: one lean and one rise about one place for all its frames."""
        ground, downs, points = self.ground, self.foot.downs[:, rows], self.points[..., rows]
        touching, at = downs.any(axis=1), midst(downs)
        heights = np.where(downs, points[:, 2] - ground.own(np.moveaxis(points, 1, 0)), np.inf).min(axis=0)
        stood = float(np.median(heights[np.isfinite(heights)]))
        kept = stood if self.hand else stood * float(smooth((stood - NEAR * ground.leg) / (NEAR * ground.leg)))
        pivot = points[touching][:, :, [at]].mean(axis=0)
        pivot[2] = ground.own(pivot) + stood
        sole = points[:, :, at].T.copy()
        sole[2] = pivot[2]
        lean = self.lean[:, [rows.start + at]]
        for _ in range(ROUNDS):
            there = pivot + turned(rotation.exp(lean), sole - pivot)
            if not self.level:
                lean = self._leaning(pivot, there[:, [0]], there[:, [1]])
                there = pivot + turned(rotation.exp(lean), sole - pivot)
        rise = kept - stood if ground.stands_there else float(np.max((ground.under(there) - there[2])[touching])) + kept
        self.lean[:, rows], self.rise[rows] = lean, rise
        self.moves[:, rows] = moved(self.joint[:, rows], pivot, rise, lean)

    def _leaning(self, pivot, heel, toe):
        """How the surface leans along a foot from heel to toe, and across it, as rotation vectors (3, frames)."""
        ground, wide = self.ground, WIDE * self.ground.leg
        way = (toe - heel) * np.array([[1.0], [1.0], [0.0]])
        ahead = unit(way)
        left = np.stack([-ahead[1], ahead[0], 0.0 * ahead[2]])
        size = np.maximum(length(way), wide)
        back, front, right, far = (
            ground.under(place) for place in (toe - size * ahead, toe, pivot - wide * left, pivot + wide * left)
        )
        slopes = (front - back) / size, (far - right) / (2.0 * wide)
        along, across = (np.where(np.abs(slope) < STEEP, slope, 0.0) for slope in slopes)
        normal = unit(np.stack([*(-along * ahead[:2] - across * left[:2]), np.ones_like(along)]))
        axis = np.stack([-normal[1], normal[0], np.zeros_like(along)])
        return unit(axis) * np.arcsin(np.clip(length(axis), 0.0, 1.0))

    def _follow(self):
        """Make lean and moves smooth between stands, and lift the foot over what is in its way."""
        ground, foot = self.ground, self.foot
        smoother = Smoother(self._weights(), FEET, ground.fps, ground.starts)
        self.lean, self.moves, self.rise = smoother(self.lean), smoother(self.moves), smoother(self.rise[None])[0]
        if self.hand:
            return
        arms = self.points - self.joint
        turn = rotation.exp(self.lean)
        there = self.joint + self.moves + np.array([turned(turn, arm) for arm in arms])
        clear = there[:, 2] - ground.under(np.moveaxis(there, 1, 0))
        own = self.points[:, 2] - ground.own(np.moveaxis(self.points, 1, 0))
        least = np.where(foot.planted, -DEEP * ground.leg, np.minimum(own, CLEAR * ground.leg) - DEEP * ground.leg)
        lacking = np.maximum(least.clip(-DEEP * ground.leg) - clear, 0.0).max(axis=0)
        for rows in ground.body.stretches:
            self.moves[2, rows] += above(lacking[rows], max(1, round(OVER * ground.fps)))
        ground.ended |= ~ground.surface.heights(np.moveaxis(there[:, :2], 1, -1))[1].all(axis=0)

    def _weights(self):
        return np.where(self.foot.planted, FIRM, 1.0)


def moved(joint, pivot, rise, lean):
    """How a joint (3, frames) moves when all is lifted and turned so about a pivot."""
    arm = joint - pivot
    return turned(rotation.exp(lean), arm) - arm + UP * rise


def midst(downs):
    """The frame of a stand that is nearest to its middle, with as many points down as ever."""
    count = downs.sum(axis=0)
    best = np.flatnonzero(count == count.max())
    return int(best[len(best) // 2])


def words(name, ground, pose, body, feet):
    """What is to be said of a figure on a surface: where that ends, and which foot does not reach it."""
    told, frame = [], body.clip.first_frame
    if ground.ended.any():
        at = frame + int(np.argmax(ground.ended))
        told.append(f"{name} ends under the feet at frame {at}: they go on at the height of its rim")
    for end, foot in feet.items():
        off = np.where(foot.planted, pose.missing.get(end, 0.0), 0.0) / body.leg
        at = int(np.argmax(off))
        if off[at] > SHORT:
            bone = body.skeleton.bones[body.ends[end]].name
            told.append(f"{bone} misses {name} by {1000 * ground.leg * off[at]:.1f} mm at frame {frame + at}")
    return "; ".join(told)
