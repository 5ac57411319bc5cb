# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs told by shape: where names say nothing, legs end lowest, arms widest, both in mirrored pairs, the head highest."""

import itertools

import numpy as np

SIDES = ("left", "right")
LEG, ARM = ("upper_leg", "lower_leg", "foot", "toe"), ("upper_arm", "lower_arm", "hand")
NEAR = 0.05  # of the figure's height: how exactly mirrored bones mirror each other
OFF_CENTRE = 0.02  # of the figure's height: farther from the middle a bone belongs to a side
COLLAR = 0.05  # of the figure's height: arms begin farther from the middle
BALL = 0.65  # of the way from the ankle to the end of the foot
PALM = 0.25  # of the longest bone of an arm: a shorter one before the fingers is the hand, not the forearm
LEANING, STANDING = 0.5, 0.8  # cosines: legs that are less along the way up lie, those that are more stand
FEET_BELOW = 0.2  # of the hips' height: where feet begin


def as_it_stands(skeleton):
    """The Shape of a skeleton the way up in which it stands on two legs, though it may lie: the world's, or else an axis of
    its armature along which it has legs, arms and a head."""
    own = Shape(skeleton)
    if own.steep(own.legs()) > LEANING:
        return own
    others = [Shape(skeleton, sign * axis) for axis in np.eye(3) for sign in (1.0, -1.0)]
    return next((shape for shape in others if shape.is_body()), own)


class Shape:
    """A skeleton at rest, as the eye sees it: ends of limbs, their height, and what mirrors what; with an `up` of its own where
    it lies."""

    def __init__(self, skeleton, up=None):
        self.bones = skeleton.bones
        self.parents = [bone.parent for bone in skeleton.bones]
        self.heads = np.array([bone.rest[:3, 3] for bone in self.bones])
        self.tails = self.heads + [bone.rest[:3, 1] * bone.length for bone in self.bones]
        up = np.array(skeleton.world)[2, :3] if up is None else up
        self.up = up = up / np.linalg.norm(up) if up.any() else np.array([0.0, 0.0, 1.0])
        heights = np.concatenate([self.heads, self.tails]) @ up
        self.lowest, self.height = heights.min(), np.ptp(heights)
        self.leaves = [index for index in range(len(self.bones)) if index not in self.parents]
        across = [axis for axis in np.eye(3) if abs(axis @ up) < 0.7]
        self.across = max(across, key=lambda axis: len(self.pairs(axis)))

    def pairs(self, across):
        """Pairs of limb ends that mirror each other in the plane through the figure's middle."""
        offsets = self.offset(self.tails[self.leaves], across)
        mirrored = self.tails[self.leaves] - 2.0 * offsets[:, None] * across
        found = []
        for index in np.flatnonzero(offsets > OFF_CENTRE * self.height):
            apart = np.linalg.norm(mirrored[index] - self.tails[self.leaves], axis=1)
            other = int(np.argmin(apart))
            if apart[other] < NEAR * self.height:
                found.append((self.leaves[index], self.leaves[other]))
        return found

    def legs(self, feet=()):
        """The pair of limbs that ends lowest, or in given feet, and farthest from the ankle: toes, not heels."""
        pairs = (
            self.ending_in(feet)
            if feet
            else [pair for pair in self.pairs(self.across) if self.level(self.tails[pair[0]]) < FEET_BELOW / 2]
        )
        chains = map(self.limbs, pairs)
        legs = [pair for pair in (tuple(self.leg(path, feet) for path in chain) for chain in chains) if all(pair)]
        if not legs:
            return {}
        longest = max(legs, key=lambda pair: np.linalg.norm(self.sole(pair[0])))
        return self.sided(longest, self.sole(longest[0]))

    def steep(self, legs):
        """How far legs stand along the way up, as a cosine; 0 without legs."""
        ways = [self.heads[legs[f"{side}_upper_leg"]] - self.heads[legs[f"{side}_foot"]] for side in SIDES if legs]
        return min((float(way @ self.up) / max(float(np.linalg.norm(way)), 1e-12) for way in ways), default=0.0)

    def is_body(self):
        """Whether it stands on two legs, and has arms and a head."""
        legs = self.legs()
        arms = self.arms(legs) if self.steep(legs) > STANDING else {}
        limbs = {f"{side}_{segment}": -1 for side in SIDES for segment in LEG + ARM} | legs | arms
        return bool(arms) and self.trunk(limbs, -1)["head"] >= 0

    def more_legs(self, limbs):
        """Further legs of a body that stands on more than two: limbs that reach the ground as the known ones do, {foot: leg}.

        A body whose arms do not reach the ground stands on two: what else hangs down there is a cloak or a tail.
        """
        known = {
            limbs[f"{side}_{segment}"] for side in SIDES for segment in LEG + ARM if limbs.get(f"{side}_{segment}", -1) >= 0
        }
        ground = self.on_ground()
        hips = [self.level(self.heads[limbs[f"{side}_upper_leg"]]) for side in SIDES if limbs.get(f"{side}_upper_leg", -1) >= 0]
        if not hips or not self.stands_on(limbs, "hand"):
            return {}
        free = [leaf for leaf in ground if not known & set(self.path(leaf))]
        legs = [self.leg_along(self.own_path(leaf, known, ground)) for leaf in free]
        return {leg["foot"]: leg for leg in legs if leg and self.level(self.heads[leg["upper_leg"]]) > 0.5 * min(hips)}

    def stands_on(self, limbs, end):
        """Whether what limbs end in is on the ground at rest; so it is where there are none of them."""
        ends = {limbs.get(f"{side}_{end}", -1) for side in SIDES} - {-1}
        return all(any(index in self.path(leaf) for leaf in self.on_ground()) for index in ends)

    def leg_above(self, foot, limbs):
        """The leg that ends in a foot, None where there are not two bones above it."""
        ground = [leaf for leaf in self.leaves if foot in self.path(leaf)]
        known = {index for index in limbs if index >= 0}
        leaf = max(ground, key=lambda leaf: len(self.path(leaf)), default=foot)
        return self.leg_along(self.own_path(leaf, known, self.on_ground()), (foot,))

    def own_path(self, leaf, known, ground):
        """The way to the end of a leg from where it parts from known limbs and from other legs."""
        path = self.path(leaf)
        others = [self.path(index) for index in known if index not in path]
        others += [way for way in map(self.path, ground) if len(set(way) - set(path)) >= len(LEG) - 1]
        shared = {index for way in others for index in way}
        return [index for index in path if index not in shared]

    def on_ground(self):
        """Ends of limbs that are on the ground at rest."""
        return [index for index in self.leaves if self.level(self.tails[index]) < FEET_BELOW / 2]

    def sole(self, leg):
        """The way along the ground from the ankle to the end of the foot."""
        way = self.tails[leg.get("toe", leg["foot"])] - self.heads[leg["foot"]]
        return way - (way @ self.up) * self.up

    def ending_in(self, ends):
        """Pairs of limb ends that hang on a pair of feet or hands, or are these."""
        return [
            pair
            for pair in self.pairs(self.across)
            if any(
                first in self.path(pair[0]) and second in self.path(pair[1])
                for first, second in itertools.permutations(ends, 2)
            )
        ]

    def leg(self, path, known=()):
        """Upper leg, lower leg, foot and toe on the way from the pelvis to the ground."""
        aside = [index for index in path if abs(self.offset(self.heads[index], self.across)) > OFF_CENTRE * self.height]
        return self.leg_along(aside, known)

    def leg_along(self, path, known=()):
        """The same on a way that is all leg."""
        foot = next((step for step, index in enumerate(path) if index in known), len(path))
        feet = (
            path[foot:]
            if known
            else [index for index in path if self.level(self.heads[index]) < FEET_BELOW * self.level(self.heads[path[0]])]
        )
        if not feet or path.index(feet[0]) < 2:  # a leg has a knee
            return None
        ankle = path.index(feet[0])
        middle = 0.5 * (self.heads[path[0]] + self.heads[feet[0]])
        knee = min(path[1:ankle], key=lambda index: np.linalg.norm(self.heads[index] - middle))
        toes = sorted(feet[1:], key=lambda index: abs(self.part_of_sole(index, feet) - BALL))
        return {"upper_leg": path[0], "lower_leg": knee, "foot": feet[0]} | dict(zip(("toe",), toes))

    def part_of_sole(self, index, feet):
        """How far along the way from the ankle to the end of the foot a joint is."""
        ends = [self.heads[feet[0]], self.heads[index], self.tails[feet[-1]]]
        before, after = (np.linalg.norm(second - first) for first, second in zip(ends, ends[1:]))
        return before / max(before + after, 1e-12)

    def arms(self, legs, hands=()):
        """The pair of limbs that reaches farthest out to the sides, or ends in given hands, fingers left alone."""
        roots = {legs.get(f"{side}_upper_leg") for side in SIDES}
        pairs = [
            pair
            for pair in (self.ending_in(hands) if hands else self.pairs(self.across))
            if not roots & set(self.path(pair[0]) + self.path(pair[1]))
        ]
        if not pairs:
            return {}
        farthest = max(pairs, key=lambda pair: self.tails[pair[0]] @ self.across)
        arms = [self.arm(path, hands) for path in self.limbs(farthest)]
        if not all(arms):
            return {}
        left = {segment: legs[f"left_{segment}"] for segment in LEG if f"left_{segment}" in legs}
        return self.sided(arms, self.sole(left) if left else np.zeros(3))

    def arm(self, path, known=()):
        """Upper arm, lower arm and hand: the hand is where fingers part, or what is short at the end."""
        path = [index for index in path if abs(self.offset(self.heads[index], self.across)) > COLLAR * self.height]
        if not path:
            return {}
        ends = np.array([self.heads[index] for index in path] + [self.tails[path[-1]]])
        lengths = np.linalg.norm(np.diff(ends, axis=0), axis=1)
        parting = [step for step, index in enumerate(path) if index in known] or [
            step for step, index in enumerate(path) if step >= 2 and self.parents.count(index) > 1
        ]
        hand = parting[-1] if parting else int(np.flatnonzero(lengths > 0.5 * lengths.max())[-1]) + 1
        if hand > 2 and not known and lengths[hand - 1] < PALM * lengths.max():
            hand -= 1

        def alike(steps):
            """Large for two long parts of about the same length, so that twist bones do not count."""
            upper, lower = (np.linalg.norm(ends[second] - ends[first]) for first, second in zip(steps, (*steps[1:], hand)))
            return min(upper, lower) - 0.25 * max(upper, lower)

        shoulder, elbow = max(itertools.combinations(range(hand), 2), key=alike, default=(-1, -1))
        return {segment: path[step] for segment, step in zip(ARM, (shoulder, elbow, hand)) if 0 <= step < len(path)}

    def trunk(self, limbs, head):
        """Pelvis where the legs meet, or what carries it and the trunk beside it; head highest in the middle, spine from the
        one to the other."""
        legs, arms = ([limbs[f"{side}_{segment}"] for side in SIDES] for segment in ("upper_leg", "upper_arm"))
        pelvis = self.meeting(*legs) if min(legs) >= 0 else -1
        chest = self.meeting(*arms) if min(arms) >= 0 else -1
        if head < 0 and chest >= 0:
            head = self.top(chest, {index for index in limbs.values() if index >= 0})
        pelvis = self.carrier(pelvis, head if head >= 0 else chest)
        taken = {*self.path(pelvis), *limbs.values()}  # where four legs hang on one body, none of them is its spine
        way = [index for index in self.path(head if head >= 0 else chest) if index not in taken]
        return {"pelvis": pelvis, "spine": way[0] if way and way[0] != head else -1, "head": head}

    def carrier(self, pelvis, top):
        """What legs and trunk hang on: the pelvis, or where the trunk is beside it the bone above both, if that is not on the
        ground."""
        if min(pelvis, top) < 0 or pelvis in self.path(top):
            return pelvis
        above = self.meeting(pelvis, top)
        return above if above >= 0 and self.level(self.heads[above]) > 0.5 * self.level(self.heads[pelvis]) else pelvis

    def top(self, chest, limbs):
        """The head: on the way from the chest to the highest end that is no limb, where the way parts or ends."""
        free = [index for index in self.leaves if chest in self.path(index)[:-1] and not limbs & set(self.path(index))]
        ends = [index for index in free if index not in self.on_ground()]
        if not ends:
            return -1
        way = self.path(max(ends, key=lambda index: self.tails[index] @ self.up))
        way = way[way.index(chest) + 1 :]
        head = next(index for index in way if self.parents.count(index) != 1)
        return next(index for index in way if np.allclose(self.heads[index], self.heads[head], atol=1e-3 * self.height))

    def sided(self, pair, forward):
        """Limbs of a pair by role: left is where left is when one looks where the toes point, or along -Y."""
        left = np.cross(self.up, forward if np.linalg.norm(forward) > OFF_CENTRE * self.height else (0.0, -1.0, 0.0))
        first, second = (self.heads[list(limb.values())[-1]] @ left for limb in pair)
        ordered = pair if first > second else pair[::-1]
        return {f"{side}_{segment}": index for side, limb in zip(SIDES, ordered) for segment, index in limb.items()}

    def limbs(self, pair):
        """The ways to both ends of a pair from where they part."""
        meeting = self.meeting(*pair)
        return tuple(path[path.index(meeting) + 1 if meeting >= 0 else 0 :] for path in map(self.path, pair))

    def meeting(self, first, second):
        """The last bone that two bones hang on, or -1."""
        common = [index for index in self.path(first)[:-1] if index in self.path(second)[:-1]]
        return common[-1] if common else -1

    def path(self, index):
        """Indices from the root to a bone, itself included."""
        found = []
        while index >= 0:
            found.append(index)
            index = self.parents[index]
        return found[::-1]

    def offset(self, points, across):
        """How far points are from the middle of the figure."""
        return points @ across - np.median(self.heads @ across)

    def level(self, point):
        """Height above the lowest point, as a part of the figure's height."""
        return (point @ self.up - self.lowest) / max(self.height, 1e-12)
