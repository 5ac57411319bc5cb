# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands that touch: each other, the head, the hips, as they do in the take, on arms of another length.

A palm that comes near something in the take is brought as near to it on the other figure, more so the nearer it is, so that
nothing begins or ends at once. Two hands that meet share the way.
"""

import numpy as np

from ..body.body import Body
from ..body.roles_by_shape import SIDES
from ..ik.hinge import hinges_of, within_stretches
from ..ik.reach import moved
from .bone_map import whole_hand
from .chains import fingers_of
from .stance import in_world, top_of

NEAR, FAR = 0.25, 0.6  # of an arm between palms: closer than the one they touch, farther than the other they are free
TOUCHED = {"head": (0.25, 0.5), "left_upper_leg": (0.2, 0.35), "right_upper_leg": (0.2, 0.35)}  # the same for the rest
ARM = ("upper_arm", "lower_arm", "hand")
PALM = 0.25  # of a forearm from the wrist, where no fingers tell
ROUNDS = 4
ENOUGH = 1e-3  # of an arm that hands may be off


class Hands:
    """What the hands of a take are near to, opened once on an Alignment."""

    def __init__(self, alignment, clip):
        self.source, self.target = alignment.source, alignment.target
        both = (self.source, self.target)
        self.ends = [
            f"{side}_hand" for side in SIDES if all(f"{side}_{segment}" in each.roles for each in both for segment in ARM)
        ]
        if not self.ends:
            return
        sizes = [[arm_of(stance, self.ends), trunk_of(stance)] for stance in both]
        (self.arm, _), self.ratios = sizes[0], [own / other for own, other in zip(sizes[1], sizes[0])]
        posed = in_world(self.source.skeleton, clip)
        self.ways = dict(self._ways(self.source, posed))

    def __call__(self, clip):
        """A clip of the other figure, of the same frames, with its hands where they touch."""
        for _ in range(ROUNDS if self.ends else 0):
            moves = self._moves(in_world(self.target.skeleton, clip), clip.frames)
            if max((np.abs(move).max() for move in moves.values()), default=0.0) < ENOUGH * self.arm:
                break
            body = Body(clip, self.target.skeleton)
            inverse = np.linalg.inv(body.figure.world[:3, :3])
            still = np.zeros((3, clip.frames))
            changes = {end: (inverse @ move.T, still) for end, move in moves.items() if move.any() and end in body.limbs}
            clip = moved(body, changes, None, hinges_of(body, within_stretches(body), list(changes)))
        return clip

    def _moves(self, posed, frames):
        """How far palms are from where they are to be, {end: (frames, 3)}."""
        moves, weights = ({end: np.zeros((frames, size)) for end in self.ends} for size in (3, 1))
        for (end, thing), way in self._ways(self.target, posed):
            wanted, share = self.ways[end, thing], 0.5 if thing in self.ends else 1.0
            near = closeness(wanted, self.arm, TOUCHED.get(thing, (NEAR, FAR)))[:, None]
            ratio = min(1.0, self.ratios[0]) if thing in self.ends else self.ratios[1]  # palms that meet are no farther apart
            moves[end] += share * near * near * (ratio * wanted - way)
            weights[end] += near
        return {end: move / np.maximum(weights[end], 1.0) for end, move in moves.items()}

    def _ways(self, stance, posed):
        """From what may be touched to each palm, ((end, thing), (frames, 3))."""
        axes, heads = posed
        palms = {end: heads[:, hand] + axes[:, hand] @ place for end in self.ends for hand, place in [palm_of(stance, end)]}
        for end in self.ends:
            for thing in (*TOUCHED, *self.ends):
                if thing != end and thing in self.source.roles and thing in self.target.roles:
                    yield (end, thing), palms[end] - (palms[thing] if thing in palms else heads[:, stance.roles[thing]])


def closeness(ways, arm, range_of):
    """How much ways (frames, 3) are touches, from 0 to 1, (frames,)."""
    near, far = range_of
    fraction = np.clip((far - np.linalg.norm(ways, axis=1) / max(arm, 1e-12)) / (far - near), 0.0, 1.0)
    return fraction * fraction * (3.0 - 2.0 * fraction)


def palm_of(stance, end):
    """The bone that turns all of a hand, and the middle of the palm in its axes, (3,)."""
    side, hand = end.removesuffix("_hand"), whole_hand(stance.skeleton, stance.roles[end])
    bases = [row[0] for finger, row in fingers_of(stance.skeleton, hand).items() if finger != "thumb"]
    way = np.mean(stance.heads[bases], axis=0) - stance.heads[hand] if bases else np.zeros(3)
    arm = stance.heads[hand] - stance.heads[stance.roles[f"{side}_lower_arm"]]
    if np.linalg.norm(way) < PALM * np.linalg.norm(arm):  # fingers begin in the wrist
        way = 2.0 * PALM * arm
    return hand, 0.5 * stance.axes[hand].T @ way


def arm_of(stance, ends):
    """How long arms are."""
    sides = [end.removesuffix("_hand") for end in ends]
    joints = [stance.heads[[stance.roles[f"{side}_{segment}"] for segment in ARM]] for side in sides]
    return float(np.mean([np.linalg.norm(np.diff(each, axis=0), axis=1).sum() for each in joints]))


def trunk_of(stance):
    """How long a trunk is, or a leg where there is none."""
    hips = np.mean([stance.heads[stance.roles[f"{side}_upper_leg"]] for side in SIDES], axis=0)
    top = top_of(stance.roles, stance.heads)
    return float(np.linalg.norm(top - hips)) if top is not None else stance.leg
