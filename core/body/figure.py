# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs: a skeleton as something that stands on the ground, by the points that touch it."""

import numpy as np

from ..motion.ground import travelling
from ..motion.skeleton import sub_skeleton
from ..numeric.matrix import matrices
from ..numeric.refusal import Refusal
from .more_feet import sides_in, whole_table
from .roles import find_roles
from .roles_by_shape import SIDES

POINTS = ("left_heel", "left_toe", "right_heel", "right_toe", "left_hand", "right_hand")
FEET = {f"{side}_foot": (f"{side}_heel", f"{side}_toe") for side in SIDES}


class Legs:
    """The points of a skeleton that touch the ground, how long its legs are in the world, and the bones that carry it all.

    A point is a place in a bone: the ball of the foot and the heel in the foot, the wrist in the hand. The heel is below the
    ankle, as low as the ball is at rest, so that rolling over it is not sliding; where below is, the legs at rest tell.
    """

    def __init__(self, skeleton, roles):
        table = whole_table(skeleton, roles)
        bones = {role: skeleton.bones[skeleton.index(name)] for role, name in table.items() if name}
        if not any(foot in bones for foot in FEET):
            raise Refusal("no feet found: say in the table of body parts which bones are the feet")
        self.world = np.array(skeleton.world)
        if skeleton.flat:
            raise Refusal("scale: the armature's is zero along an axis; give it a size before looking for contacts")
        self.leg = leg_length(bones, self.world[:3, :3])
        up = skeleton.standing_axes[:, 2]
        carried = {point: held for side in sides_in(table) for point, held in (*sole(bones, side, up), *palm(bones, side))}
        self.points = tuple(point for point in POINTS if point in carried)
        self.points += tuple(point for point in carried if point not in POINTS)
        self.on_foot = np.array([not point.endswith("hand") for point in self.points])
        pelvis = bones.get("pelvis", skeleton.bones[0])
        self.skeleton = sub_skeleton(skeleton, {pelvis.name} | {bone.name for bone, _ in carried.values()})
        self.pelvis = self.skeleton.index(pelvis.name)
        self.bones = [self.skeleton.index(carried[point][0].name) for point in self.points]
        self.offsets = np.array([carried[point][1] for point in self.points])

    def places(self, clip):
        """Where the points (frames, points, 3) and the pelvis (frames, 3) are in the world, in metres with Z up; found once."""
        kept, own = clip.__dict__.setdefault("_places", {}), self.known_by
        if own not in kept:
            seen = [self.seen(*posed) for posed in self.skeleton.in_stretches(clip)]
            found, carrying = [np.concatenate(places) for places in zip(*seen)], travelling([clip], None)
            kept[own] = tuple(self.carried(each, carrying[0], clip) if carrying else each for each in found)
        return kept[own]

    @property
    def known_by(self):
        """What its places depend on, besides a clip."""
        return self.skeleton, tuple(self.bones), self.offsets.tobytes(), self.world.tobytes()

    def carried(self, places, root, clip):
        """Places (frames, ..., 3) in the world of an armature that is itself carried through it by keys of its own."""
        still, size = self.world[:3, :3], np.linalg.norm(self.world[:3, :3], axis=0)
        inside = (places - self.world[:3, 3]) @ np.linalg.inv(still).T
        axes = (
            matrices(root.turn(clip.values)[:, :, 0]) * size if root.rotation else np.broadcast_to(still, (clip.frames, 3, 3))
        )
        return np.einsum("fij,f...j->f...i", axes, inside) + root.place(clip.values).reshape(
            clip.frames, *[1] * (places.ndim - 2), 3
        )

    def seen(self, axes, heads):
        """The same from where its own bones are: axes (frames, bones, 3, 3) and joints (frames, bones, 3) in the armature."""
        points = heads[:, self.bones] + np.einsum("fpij,pj->fpi", axes[:, self.bones], self.offsets)
        return tuple(places @ self.world[:3, :3].T + self.world[:3, 3] for places in (points, heads[:, self.pelvis]))


def known_legs(skeleton, roles):
    """The Legs of a skeleton, found once: nobody is to write to them."""
    kept = skeleton.__dict__.setdefault("_legs", {})
    if roles not in kept:
        kept[roles] = Legs(skeleton, roles)
    return kept[roles]


def leg_length(bones, world):
    """From hip over knee to ankle, at rest."""
    for side in SIDES:
        roles = (f"{side}_upper_leg", f"{side}_lower_leg", f"{side}_foot")
        joints = [bones[role].rest[:3, 3] for role in roles if role in bones]
        length = sum(np.linalg.norm(world @ (lower - upper)) for upper, lower in zip(joints, joints[1:]))
        if len(joints) == 3 and length > 0:
            return length
    raise Refusal("no leg has a length: say in the table of body parts which bones are upper leg, lower leg and foot")


def sole(bones, side, up):
    """Heel and toe of a foot, if there is one, each with its bone and its place in the bone; `up` at rest, in the armature."""
    foot = bones.get(f"{side}_foot")
    if foot is None:
        return
    toe = bones[f"{side}_toe"].rest[:3, 3] if f"{side}_toe" in bones else foot.rest[:3, 3] + foot.length * foot.rest[:3, 1]
    ball = toe - foot.rest[:3, 3]
    yield f"{side}_heel", (foot, np.linalg.solve(foot.rest[:3, :3], min(0.0, ball @ up) * up))
    yield f"{side}_toe", (foot, np.linalg.solve(foot.rest[:3, :3], ball))


def palm(bones, side):
    if f"{side}_hand" in bones:
        yield f"{side}_hand", (bones[f"{side}_hand"], np.zeros(3))


LEGS = tuple(f"{side}_{segment}" for side in ("left", "right") for segment in ("upper_leg", "lower_leg", "foot"))


def walks(clip, skeleton):
    """Whether there are legs that can be bent: all of them known, led by nothing, in an armature that stays where it is."""
    if skeleton is None or skeleton.led:
        return False
    roles = find_roles(skeleton).table()
    moving = [
        channel
        for channel, values in zip(clip.channels, clip.values.T)
        if not channel.owner and channel.kind != "VALUE" and np.ptp(values) > 0.0
    ]
    return not moving and all(roles[segment] for segment in LEGS)
