# SPDX-License-Identifier: GPL-3.0-or-later
"""Alignment: how the bones of one figure lie in those of another when both are in the same pose.

A world turn for every pair takes the target's stance to the source's. Limbs lie as they point, from joint to joint, and as
elbows and knees bend; hands as their fingers spread; feet as their soles stand; the trunk as the body stands. So T-poses,
A-poses, rolls and lying rests stop to matter. Between two figures of the same build every bone tells by where the joints are
that hang on it, and nothing else is asked.
"""

import numpy as np

from ..body.roles_by_shape import SIDES
from .chains import trunk_of
from .same_body import ALIKE

SHORT = 1e-3  # of the figure's size: what is nearer tells no direction
BENT = np.sin(np.radians(8.0))  # how far limbs are bent at rest for that to tell how they are turned
APART = 0.05  # sine between directions: what is less is one
LIMBS = (("upper_arm", "lower_arm", "hand"), ("upper_leg", "lower_leg", "foot"))


class Alignment:
    """World turns (3, 3) for every pair of bones, {index in the target: turn}, and whether both are of the same build."""

    def __init__(self, source, target, pairs):
        """`source` and `target` are Stances, `pairs` {bone of the target: bone of the source}."""
        self.source, self.target, self.pairs = source, target, pairs
        self.whole = source.body @ target.body.T
        self.children = self._children()
        self.scale = target.leg / source.leg
        self.alike = self._alike()
        self.turns: dict[int, np.ndarray] = {}
        for index in pairs:
            self.turns[index] = self._by_joints(index) if self.alike else self._by_part(index)

    def inside(self, index):
        """How a bone of the target lies in its counterpart (3, 3)."""
        return self.source.axes[self.pairs[index]].T @ self.turns[index] @ self.target.axes[index]

    def _above(self, index):
        """The turn of the nearest bone above that has a counterpart; that of the whole body where there is none."""
        chain = [each for each in self.target.skeleton.chain(index)[:-1] if each in self.turns]
        return self.turns[chain[-1]] if chain else self.whole

    def _children(self):
        """Pairs that hang on pairs, {index: [index, ...]}, nothing else between them on either side."""
        found: dict[int, list[int]] = {index: [] for index in self.pairs}
        for index in self.pairs:
            chain = [each for each in self.target.skeleton.chain(index)[:-1] if each in self.pairs]
            above = self.source.skeleton.chain(self.pairs[index])[:-1]
            if chain and self.pairs[chain[-1]] in above:
                found[chain[-1]].append(index)
        return found

    def _ways(self, index):
        """Directions, in the world and of unit length, from a joint to those that hang on it: of target and source (n, 3).

        Where joints lie in one place, those that hang on the next are looked at.
        """
        found = []
        for child in self.children[index]:
            here, there = self._way(index, child)
            if min(np.linalg.norm(here) / self.scale, np.linalg.norm(there)) > SHORT * self.source.leg:
                found.append((here, there))
            else:
                found += [self._way(index, next_one) for next_one in self.children[child]]
        longest = max((np.linalg.norm(there) for _, there in found), default=0.0)
        kept = [pair for pair in found if np.linalg.norm(pair[1]) > 0.05 * longest and np.linalg.norm(pair[0]) > 0.0]
        return [np.array([each / np.linalg.norm(each) for each in ways]) for ways in zip(*kept)] if kept else ([], [])

    def _way(self, index, child):
        target, source = self.target.heads, self.source.heads
        return target[child] - target[index], source[self.pairs[child]] - source[self.pairs[index]]

    def _alike(self):
        """Whether both figures have bones of the same lengths, but for their size; one may have more at its ends, and above."""
        own, other = self.source.roles, self.target.roles
        if any(self.pairs.get(other[role]) != own[role] for role in own.keys() & other.keys()):
            return False
        followed = set(self.pairs.values())
        if len(followed) < len(self.pairs) or lacking(self.source, followed) or lacking(self.target, set(self.pairs)):
            return False
        lengths = np.array(
            [[np.linalg.norm(way) for way in self._way(index, child)] for index in self.pairs for child in self.children[index]]
        )
        return bool(np.abs(lengths[:, 0] - self.scale * lengths[:, 1]).max() < ALIKE * lengths[:, 0].max())

    def _by_joints(self, index):
        """As the joints lie that hang on it; what they leave open, as the bone above."""
        before, (here, there) = self._above(index), self._ways(index)
        if not len(here):
            tails = [stance.tail(each) - stance.heads[each] for stance, each in self._both(index)]
            here, there = (np.array([tail / max(np.linalg.norm(tail), 1e-12)]) for tail in tails)
        return fitted(here, there, before)

    def _both(self, index):
        return (self.target, index), (self.source, self.pairs[index])

    def _by_part(self, index):
        """As is told by what part of the body it is."""
        role = next((role for role, own in self.target.roles.items() if own == index), "")
        followed = self.source.skeleton.chain(self.pairs[index])[-2:] if role.endswith("hand") else [self.pairs[index]]
        if role and self.source.roles.get(role) not in followed:
            role = ""
        side, _, segment = role.partition("_")
        if segment == "foot" and side in SIDES:
            return soled(self.source, self.target, side)
        if segment == "toe" or index in self._trunk or index in self._above_pelvis:
            return self._above(index) if segment == "toe" else self.whole
        limb = next((limb for limb in LIMBS if segment in limb[:2] and side in SIDES), None)
        if limb and all(f"{side}_{each}" in stance.roles for each in limb for stance in (self.source, self.target)):
            return self._limb(index, side, limb, segment)
        here, there = self._ways(index)
        if segment == "hand" and len(here) > 1 or segment != "hand" and len(here) == 1:
            return fitted(here, there, self._above(index))
        return self._above(index)

    @property
    def _trunk(self):
        trunk = trunk_of(self.target.skeleton, self.target.roles)
        collars = [
            each
            for side in SIDES
            if f"{side}_upper_arm" in self.target.roles
            for each in self.target.skeleton.chain(self.target.roles[f"{side}_upper_arm"])[:-1]
        ]
        return {trunk.pelvis, *trunk.spine, *trunk.neck, trunk.head, *collars}

    @property
    def _above_pelvis(self):
        return set(self.target.skeleton.chain(self.target.roles["pelvis"]))

    def _limb(self, index, side, limb, segment):
        """A limb's bone as it points, turned about itself as the joint bends, or else as the bone above."""
        joints = [stance.heads[[stance.roles[f"{side}_{each}"] for each in limb]] for stance in (self.target, self.source)]
        ways = [np.diff(each, axis=0) for each in joints]
        ways = [way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12) for way in ways]
        hinges = [np.cross(*way) for way in ways]
        at, before = limb.index(segment), self._above(index)
        swung = fitted(ways[0][[at]], ways[1][[at]], before)
        if min(map(np.linalg.norm, hinges)) < BENT:
            return swung
        here, there = (np.array([way[at], hinge / np.linalg.norm(hinge)]) for way, hinge in zip(ways, hinges))
        return exactly(here, there)


def lacking(stance, paired):
    """Whether bones without a counterpart are between those that have one, or are known parts of the body."""
    between = {above for index in paired for above in stance.skeleton.chain(index)} - paired
    top = min(len(stance.skeleton.chain(index)) for index in paired)
    return bool((set(stance.roles.values()) - paired) or any(len(stance.skeleton.chain(index)) >= top for index in between))


def soled(source, target, side):
    """Feet on their soles, pointing the same way."""
    frames = []
    for stance in (source, target):
        up = stance.sole(side)
        ahead = stance.ball(side)
        ahead = ahead - (ahead @ up) * up
        size = np.linalg.norm(ahead)
        ahead = ahead / size if size > SHORT * stance.leg else np.cross(np.cross(up, -stance.body[:, 1]), up)
        ahead = ahead / np.linalg.norm(ahead)
        frames.append(np.stack([np.cross(ahead, up), ahead, up], axis=1))
    return frames[0] @ frames[1].T


def fitted(here, there, before):
    """The turn (3, 3) that takes directions (n, 3) to others as nearly as can be, a single one the short way from `before`."""
    if np.linalg.norm(np.cross(here[:1], here), axis=1).max(initial=0.0) > APART:
        left, _, right = np.linalg.svd(there.T @ here)
        return left @ np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right))]) @ right
    one, other = before @ here[0], there[0]
    return shortest_matrix(one, other) @ before


def exactly(here, there):
    """The turn that takes the first of two directions to the first of two others, and the second as near as can be."""
    frames = []
    for first, second in (there, here):
        across = np.cross(first, second)
        across = across / np.linalg.norm(across)
        frames.append(np.stack([first, across, np.cross(first, across)], axis=1))
    return frames[0] @ frames[1].T


def shortest_matrix(one, other):
    """The smallest turn (3, 3) from a unit vector to another."""
    axis, cosine = np.cross(one, other), float(one @ other)
    if cosine < -1.0 + 1e-12:  # half a turn, about anything across
        across = np.cross(one, np.eye(3)[np.argmin(np.abs(one))])
        across = across / np.linalg.norm(across)
        return 2.0 * np.outer(across, across) - np.eye(3)
    skew = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.eye(3) + skew + skew @ skew / (1.0 + cosine)
