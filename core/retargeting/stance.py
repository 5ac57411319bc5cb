# SPDX-License-Identifier: GPL-3.0-or-later
"""Stance: a figure in the world in the pose by which it is held against another, and the body's own axes there.

That pose is its rest, wherever and whichever way it lies. Only where a rest is no standing at all, as in files whose bones all
begin along one axis, a take tells: the most upright of its frames is taken.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..body.roles import find_roles, same_roles
from ..body.roles_by_shape import SIDES
from ..body.upright import CLEAR, axes_by_legs, on_its_ground, size
from ..motion.clip import Clip
from ..motion.ground import travelling
from ..motion.skeleton import Skeleton, sub_skeleton
from ..numeric.matrix import matrices
from ..numeric.refusal import Refusal

LEG, ARM = ("upper_leg", "lower_leg", "foot"), ("upper_arm", "lower_arm", "hand")
STANDS, STRAIGHT = 0.5, 0.9  # cosines between trunk and legs: what is less does not stand, what is more stands straight
FIRM = 0.1  # seconds that heels are on the ground for that to tell how soles lie
STILL = np.radians(20.0)  # a second: how slowly a foot turns that lies on its sole
NEAR, ROUNDS = 0.02, 30  # sine below which directions are the same, and steps to the one in their middle


@dataclass(frozen=True, eq=False)
class Stance:
    """World axes (bones, 3, 3) and joints (bones, 3) of a skeleton in that pose, and bones by role, {role: index}."""

    skeleton: Skeleton
    roles: dict[str, int]
    axes: np.ndarray
    heads: np.ndarray
    rest: bool = True  # whether it is the rest, not a frame of a take
    soles: dict[str, np.ndarray] = field(default_factory=dict)  # which way is up for a foot that stands, where that is known

    @cached_property
    def body(self) -> np.ndarray:
        """The body's left, back and up as columns (3, 3), told by hips, legs and trunk."""
        return body_axes(self.roles, self.heads)

    @cached_property
    def leg(self) -> float:
        """How long legs are in the world, from hip over knee to ankle."""
        return float(np.mean([sum(map(size, np.diff(self.joints(side), axis=0))) for side in SIDES]))

    @cached_property
    def ankle(self) -> float:
        """How high ankles are above the balls of the feet, standing; below them they are not."""
        return float(np.mean([max(0.0, -(self.ball(side) @ self.sole(side))) for side in SIDES]))

    def sole(self, side: str) -> np.ndarray:
        """Which way is up for a foot."""
        return self.soles.get(side, self.body[:, 2])

    def on_soles(self, clip: Clip, contacts: dict) -> "Stance":
        """The same that knows how soles lie in the feet: as they mostly do in a clip while heels are on the ground, the more
        the stiller they are."""
        posed, soles = None, {}
        for side in SIDES:
            down = np.zeros(clip.frames, dtype=bool)
            for first, last in contacts.get(f"{side}_heel", ()):
                down[max(0, first - clip.first_frame) : max(0, last - clip.first_frame + 1)] = True
            if down.sum() < max(2.0, FIRM * clip.fps):
                continue
            posed = in_world(on_its_ground(self.skeleton, clip), clip)[0] if posed is None else posed
            foot = self.roles[f"{side}_foot"]
            ups = posed[:, foot, 2]  # the world's up in the bone
            turning = np.linalg.norm(np.gradient(ups, axis=0), axis=1) * clip.fps
            up = self.axes[foot] @ mostly(ups[down], 1.0 / (STILL**2 + turning[down] ** 2))
            if up @ self.body[:, 2] > STANDS:
                soles[side] = up
        return replace(self, soles=soles)

    def joints(self, side: str) -> np.ndarray:
        """Hip, knee and ankle of a side, (3, 3)."""
        return self.heads[[self.roles[f"{side}_{segment}"] for segment in LEG]]

    def ball(self, side: str) -> np.ndarray:
        """The way from the ankle to the ball of a foot."""
        foot, toe = self.roles[f"{side}_foot"], self.roles.get(f"{side}_toe", -1)
        return (self.heads[toe] if toe >= 0 else self.tail(foot)) - self.heads[foot]

    def tail(self, index: int) -> np.ndarray:
        """Where a bone ends."""
        scale = np.linalg.norm(np.array(self.skeleton.world)[:3, :3], axis=0).mean()
        return self.heads[index] + self.axes[index, :, 1] * (self.skeleton.bones[index].length * scale)


def mostly(ways, weights):
    """The direction (3,) that unit vectors (n, 3) of such weights mostly have: their median, whatever the others are."""
    middle = weights @ ways
    for _ in range(ROUNDS):
        middle = middle / max(np.linalg.norm(middle), 1e-12)
        middle = (weights / np.maximum(np.linalg.norm(ways - middle, axis=1), NEAR)) @ ways
    return middle / max(np.linalg.norm(middle), 1e-12)


def stance_of(skeleton: Skeleton, clip: Clip | None = None, whose: str = "this figure") -> Stance:
    """The stance of a skeleton, or a Refusal that says `whose` it is if it has no legs; a clip of it tells where its rest does
    not."""
    roles = {role: skeleton.index(name) for role, name in find_roles(skeleton).table().items() if name}
    lacking = [f"{side}_{segment}" for side in SIDES for segment in LEG if f"{side}_{segment}" not in roles]
    if lacking or "pelvis" not in roles:
        raise Refusal(
            f"no {(lacking or ['pelvis'])[0].replace('_', ' ')} is found in {whose}, and a take is carried over by pelvis and "
            "legs: say in the table of body parts which bones they are"
        )
    check_alone(skeleton)
    axes, heads = at_rest(skeleton)
    rest = True
    if clip is not None and uprightness(roles, heads[None])[0] < STANDS:
        posed = in_world(skeleton, clip)
        row = int(np.argmax(uprightness(roles, posed[1])))
        axes, heads = (each[row] for each in posed)
        rest = False
    return Stance(skeleton, roles, axes, heads, rest)


def as_it_stands(stance):
    """A stance whose skeleton stands as its trunk does, where a body with arms sits or bends over at rest."""
    arms = all(f"{side}_hand" in stance.roles for side in SIDES)
    if not stance.rest or not arms or uprightness(stance.roles, stance.heads[None])[0] > STRAIGHT:
        return stance
    turn = np.array(stance.skeleton.world)[:3, :3]
    axes = (turn / np.linalg.norm(turn, axis=0)).T @ stance.body
    skeleton = replace(stance.skeleton, standing=tuple(map(tuple, axes.tolist())))
    same_roles(skeleton, stance.skeleton)
    return replace(stance, skeleton=skeleton)


def check_alone(skeleton):
    """Refuse what is two figures side by side, as files with two armatures may be read."""
    roots = [bone.name for bone in skeleton.bones if bone.parent < 0]
    found = [root for root in roots if len(roots) > 1 and is_figure(sub_skeleton(skeleton, skeleton.below(root)))]
    if len(found) > 1:
        raise Refusal(
            f"there are {len(found)} figures in one, that of {found[0]} and that of {found[1]}: leave one of them, in a file "
            "or an armature of its own"
        )


def is_figure(skeleton):
    """Whether a tree of bones has a head and two arms or legs."""
    table = find_roles(skeleton).table()
    limbs = [[f"{side}_{segment}" for side in SIDES for segment in segments] for segments in (LEG, ARM)]
    return bool(table["head"]) and any(all(table[role] for role in limb) for limb in limbs)


def at_rest(skeleton):
    """Axes and joints of a skeleton at rest, in the world."""
    world = np.array(skeleton.world, dtype=np.float64)
    rests = np.array([bone.rest for bone in skeleton.bones], dtype=np.float64)
    axes = world[:3, :3] @ rests[:, :3, :3]
    return axes / np.linalg.norm(axes, axis=1, keepdims=True), rests[:, :3, 3] @ world[:3, :3].T + world[:3, 3]


def in_world(skeleton, clip):
    """Axes (frames, bones, 3, 3) without scale and joints (frames, bones, 3) of a clip in the world, the object's own
    motion included."""
    axes, heads = skeleton.posed(clip)
    world = np.array(skeleton.world, dtype=np.float64)
    turn, place, sizes = world[:3, :3], world[:3, 3], np.linalg.norm(world[:3, :3], axis=0)
    root = next(iter(travelling([clip], None)), None)
    if root is not None:
        place = root.place(clip.values)[:, None]
        turn = matrices(root.turn(clip.values)[:, :, 0]) * sizes if root.rotation else turn
    turn = np.broadcast_to(turn, (clip.frames, 3, 3))
    axes = np.einsum("fij,fbjk->fbik", turn, axes)
    lengths = np.sqrt(np.einsum("fbij,fbij->fbj", axes, axes))
    return axes / lengths[:, :, None], np.einsum("fij,fbj->fbi", turn, heads) + place


def body_axes(roles, heads):
    """Left, back and up (3, 3) from joints (bones, 3): up by the legs where they stand in line with the trunk, or else by the
    trunk."""
    by_legs = axes_by_legs(
        {(side, segment): heads[roles[f"{side}_{segment}"]] for side in SIDES for segment in ("upper_leg", "foot")}
    )
    if by_legs is not None and uprightness(roles, heads[None])[0] > STRAIGHT:
        return by_legs
    hips = [heads[roles[f"{side}_upper_leg"]] for side in SIDES]
    top, left = top_of(roles, heads), hips[0] - hips[1]
    if top is None or size(left) < CLEAR * size(top - hips[0]):
        return by_legs if by_legs is not None else np.eye(3)
    up, left = top - 0.5 * (hips[0] + hips[1]), left / size(left)
    up = up - (up @ left) * left
    up = up / max(size(up), 1e-12)
    return np.stack([left, np.cross(up, left), up], axis=1)


def top_of(roles, heads):
    """Where the trunk ends: between the shoulders, or at the head; None where neither is known."""
    arms = [heads[roles[f"{side}_upper_arm"]] for side in SIDES if f"{side}_upper_arm" in roles]
    if len(arms) == 2:
        return 0.5 * (arms[0] + arms[1])
    return heads[roles["head"]] if "head" in roles else None


def uprightness(roles, heads):
    """How far trunk and legs (frames, bones, 3) are in one line, as a cosine (frames,); 1 where there is no trunk."""
    hips, feet = (
        np.mean([heads[:, roles[f"{side}_{segment}"]] for side in SIDES], axis=0) for segment in ("upper_leg", "foot")
    )
    top = top_of(roles, np.moveaxis(heads, 0, 1))
    if top is None:
        return np.ones(len(heads))
    up, legs = top - hips, hips - feet
    return np.sum(up * legs, axis=1) / np.maximum(np.linalg.norm(up, axis=1) * np.linalg.norm(legs, axis=1), 1e-12)
