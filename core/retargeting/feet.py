# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of another figure: on the ground where those of the take are, and planted when they are.

Soles come as high as in the take, as much higher as legs are longer, and never into the ground; the pelvis gives way where legs
would not reach. Stands are those of the take: feet are then held in place as foot lock holds them.
"""

import numpy as np

from ..body.body import Body
from ..body.figure import Legs
from ..body.roles import find_roles
from ..body.roles_by_shape import SIDES
from ..ik.hinge import hinges_of, within_stretches
from ..ik.limb_reach import Span
from ..ik.pelvis import shifted
from ..ik.planted_feet import lock_feet
from ..ik.reach import moved
from ..numeric import scipy
from ..numeric.banded import Smoother
from ..numeric.vectors import cross, unit

DEEP = 0.001  # metres, of a leg of 82 cm, under which the ground feet begin to be lifted
LEG = 0.82
SUNK = 0.01  # the same for a heel or ball that is in the ground in the take while the other is not; all of it from twice that
SMOOTH = 0.03  # seconds over which a foot is lifted
ROUNDS = 3
SLOW, LOOSE = 0.3, 1e-3  # seconds over which the pelvis rises and sinks with feet, and its weight where none stands


class FootHeights:
    """How high feet are to be over a ground, {side: (frames,)}, when they stand, and when they stand in one place; by how much
    soles are to be turned first, {side: (frames,)}."""

    def __init__(self, ground, heights, contacts, held=None, tilts=None):
        self.ground, self.heights, self.contacts = ground, heights, contacts
        self.held, self.tilts = contacts if held is None else held, tilts or {}

    def __call__(self, clip, skeleton):
        """A clip of another figure, of the same frames, with its feet where they are to be."""
        clip = self._lifted(self._settled(self._levelled(clip, skeleton), skeleton), skeleton)
        clip = lock_feet(clip, skeleton, self.held) if any(self.held.values()) else clip
        for _ in range(ROUNDS):
            lifted = self._lifted(clip, skeleton)
            if lifted is clip:
                break
            clip = lifted
        return clip

    def _levelled(self, clip, skeleton):
        """The clip with feet turned that in the take stand on their heels with their balls in the ground, or the other way
        round: no foot does that, so it is their markers that are off."""
        if not any(tilt.any() for tilt in self.tilts.values()):
            return clip
        body = Body(clip, skeleton)
        starts = [stretch.start for stretch in body.stretches[1:]]
        smooth = Smoother(np.ones(clip.frames), SMOOTH, clip.fps, starts)
        changes = {}
        for end in (f"{side}_foot" for side in SIDES):
            if end in body.limbs and np.any(self.tilts.get(end.removesuffix("_foot"))):
                heel, ball = body.points(end)
                across = unit(cross(ball - heel, np.broadcast_to(body.up[:, None], heel.shape)))
                angle = smooth(self.tilts[end.removesuffix("_foot")][None])
                changes[end] = np.zeros_like(heel), across * np.where(within_stretches(body), angle, 0.0)
        return moved(body, changes)

    def _settled(self, clip, skeleton):
        """The clip with its pelvis as much higher or lower, slowly, as feet that stand want to be."""
        body = Body(clip, skeleton)
        wants, weights, rows = np.zeros(clip.frames), np.full(clip.frames, LOOSE), within_stretches(body)
        for side in SIDES:
            end = f"{side}_foot"
            if end not in body.ends:
                continue
            down = (body.downs(end, self.contacts).any(axis=0) & rows).astype(float)
            wants += down * (np.maximum(self.heights[side], 0.0) - lowest(body.places, body.figure, side) + self.ground)
            weights += down
        if not wants.any():
            return clip
        starts = [stretch.start for stretch in body.stretches[1:]]
        usual = wants.sum() / max((weights - LOOSE).sum(), 1.0)
        slow = usual + Smoother(weights, SLOW, clip.fps, starts).solved((wants - usual * (weights - LOOSE))[None])[0]
        return body.clip_of({}, np.linalg.inv(body.figure.world[:3, :3])[:, 2:] * slow, {})

    def _out_of_ground(self, own, leg, smooth):
        """How far a sole is to be lifted (frames,) not to be in the ground, coming and going smoothly."""
        deep = np.maximum(-own - DEEP * leg / LEG, 0.0)
        if not deep.any():
            return deep
        wide = scipy.ndimage.maximum_filter1d(deep, 3)
        return np.maximum(smooth(wide[None])[0], 0.0)

    def _lifted(self, clip, skeleton):
        body = Body(clip, skeleton)
        figure, feet = body.figure, [f"{side}_foot" for side in SIDES if f"{side}_foot" in body.limbs]
        places = body.places
        starts = [stretch.start for stretch in body.stretches[1:]]
        rows = within_stretches(body)
        smooth = Smoother(np.ones(clip.frames), SMOOTH, clip.fps, starts)
        inverse = np.linalg.inv(figure.world[:3, :3])[:, 2:]
        moves = {}
        for end in feet:
            side = end.removesuffix("_foot")
            own = np.where(rows, lowest(places, figure, side) - self.ground, 0.0)
            up = self._out_of_ground(own, figure.leg, smooth)
            moves[end] = inverse * up
        if not any(move.any() for move in moves.values()):
            return clip
        hinges = hinges_of(body, rows, feet)
        spans = [Span(hinges[end], hinges[end].bend(body)) for end in feet]
        ways = np.array([body.tip(end)[0] + moves[end] - body.root(end) for end in feet])
        near, far = (np.array([getattr(span, name) for span in spans]) for name in ("nearest", "farthest"))
        held = np.array([body.downs(end, self.contacts).any(axis=0) | moves[end].any(axis=0) for end in feet])
        shift, _ = shifted(ways, near, far, held, np.zeros(clip.frames, dtype=bool), clip.fps, starts, body.leg)
        still = np.zeros((3, clip.frames))
        return moved(body, {end: (move, still) for end, move in moves.items()}, shift, hinges)


def feet_of(clip, skeleton, footing, scale):
    """The FootHeights of a take for another figure, whose legs are longer by `scale`."""
    figure = Legs(skeleton, find_roles(skeleton))
    contacts, ground = footing
    ground, places = ground or 0.0, figure.places(clip)[0]
    heights = {side: scale * (lowest(places, figure, side) - ground) for side in SIDES}
    level = np.array([ground, ground, 0.0])
    tilts = {side: tilted(soles(places, figure, side) - level, figure.leg) for side in SIDES}
    return FootHeights(scale * ground, heights, contacts, tilts=tilts)


def lowest(places, figure, side):
    """How high the lower one of heel and ball is, (frames,)."""
    return soles(places, figure, side)[:, :2].min(axis=1)


def soles(places, figure, side):
    """How high heel and ball are, and how far apart, (frames, 3)."""
    heel, ball = (places[:, figure.points.index(f"{side}_{point}")] for point in ("heel", "toe"))
    return np.column_stack([heel[:, 2], ball[:, 2], np.linalg.norm(ball - heel, axis=1)])


def tilted(sole, leg):
    """By how many radians (frames,) a sole, as heights over the ground of heel and ball and their distance (frames, 3), is to
    be turned, the ball up, for the deeper one to come out of the ground, at most until both are level."""
    heel, ball, apart = sole.T
    sunk, turns = SUNK * leg / LEG, []
    for deep, other in ((ball, heel), (heel, ball)):
        rise = np.clip(-deep / sunk - 1.0, 0.0, 1.0) * np.minimum(-deep, other - deep)
        turns.append(np.arcsin(np.clip(rise / np.maximum(apart, 1e-12), 0.0, 1.0)))
    return turns[0] - turns[1]
