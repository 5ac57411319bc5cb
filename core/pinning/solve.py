# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins at work: hands and feet by bending their limbs, other bones by bending what they hang on, the pelvis last.

Where an arm is too short its shoulder and the spine give, where that does not do the pelvis does, and feet stay on their paths.
Every correction comes and goes smoothly and is nothing where no pin reaches, and so is all that follows from it. Arrays have
the frames last.
"""

from dataclasses import replace

import numpy as np

from ..body.body import Body, has_feet
from ..ik.calm_joints import CalmJoint
from ..ik.freedom import GENTLE, ROUNDS, freedom, named
from ..ik.give_way import shouldered
from ..ik.hinge import hinges_of, within_stretches
from ..ik.limb_reach import Span, own_turns
from ..ik.null_space import Task, fulfilled
from ..ik.pelvis import shifted
from ..motion.skeleton import sub_skeleton
from ..numeric import rotation
from ..numeric.frozen import frozen
from ..numeric.matrix import between, matrices, plain, product
from ..numeric.vectors import length
from .point_hinge import PointHinge

EXACT = 1e-4  # of its length: what a limb may miss for its joint to turn smoothly
NEAR = 1e-4  # metres: how near is near enough
TIMES = 4  # that what is still missing is asked for again
TAUT = 0.6  # how far limbs are pulled into where they resist before the body gives way
GIVES = 0.5  # of the leg: how much farther than its limb a hand may get by all that gives way
TRUNK = 2e-4  # of the leg: what an arm may lack before the pelvis gives way
NONE = np.eye(4)[0][:, None]


@frozen
class PinReach:
    """Where limbs are to be, {end: (3, frames)}, how far each spans, and how much of the way the body may give, (frames,)."""

    goals: dict
    spans_of: object
    giving: np.ndarray

    @property
    def ends(self):
        return tuple(self.goals)

    def spans(self, body):
        return self.spans_of(body)


class Pinned:
    """A figure in a clip, to be pinned."""

    def __init__(self, clip, skeleton, surroundings):
        self.clip, self.skeleton = clip, skeleton
        self.body = Body(clip, skeleton) if has_feet(surroundings) else None
        self.metre = 1.0 / np.linalg.norm(np.array(skeleton.world)[2, :3])
        if self.body:
            self.rows = within_stretches(self.body)
            self.hinges, self.points = hinges_of(self.body, self.rows), {}
            self.starts = [stretch.start for stretch in self.body.stretches[1:]]

    @property
    def ends(self):
        """Feet and hands that end a limb, {name: end}."""
        return {name: end for end, name in named(self.body).items() if end in self.body.limbs} if self.body else {}

    def leg_of(self, name):
        """The foot of the leg that a bone is of or hangs on; None where there is none."""
        legs = {limb[0]: end for end, limb in self.body.limbs.items() if end.endswith("foot")} if self.body else {}
        names = {self.body.skeleton.bones[root].name: end for root, end in legs.items()}
        chain = [self.skeleton.bones[index].name for index in self.skeleton.chain(self.skeleton.index(name))]
        return next((names[bone] for bone in chain[:-1] if bone in names), None)

    def places(self, clip, keys):
        """Axes (3, 3, frames) and places (3, frames) of points of bones, {(bone, along): ...} each."""
        skeleton = sub_skeleton(self.skeleton, {bone for bone, _ in keys})
        axes, heads = (np.moveaxis(these, 0, -1) for these in skeleton.posed(clip))
        found = {key: skeleton.index(key[0]) for key in keys}
        reach = {key: key[1] * skeleton.bones[index].length for key, index in found.items()}
        return {key: axes[index] for key, index in found.items()}, {
            key: heads[index] + reach[key] * axes[index][:, 1] for key, index in found.items()
        }

    def bounds(self, keys):
        """How far from its root it makes sense for the end of a limb to go, {key: (centre (3, frames), distance (frames,))}."""
        ends = self.ends
        limbs = {key: ends[key[0]] for key in keys if key[0] in ends}
        return {key: (self.body.root(end), self.body.lengths(end) + GIVES * self.body.leg) for key, end in limbs.items()}

    def held(self, goals, points):
        """The clip with bones where goals want them, and how far each still is from there, {key: (3, frames)}."""
        wanted = {(goal.bone, goal.along): points[goal.bone, goal.along] + goal.move for goal in goals}
        changing = np.any([goal.changing for goal in goals], axis=0)
        asked, clip = {key: place.copy() for key, place in wanted.items()}, self.clip
        best, shift = np.inf, np.zeros((3, self.clip.frames))
        for _ in range(TIMES):
            tried = self._once(goals, asked, shift)
            found = self.places(tried, wanted)[1]
            missing = {key: wanted[key] - found[key] for key in wanted}
            worst = max(length(each).max() for each in missing.values())
            if worst < best:
                clip, left, best = tried, missing, worst
            if worst < NEAR * self.metre or worst > 0.9 * best and tried is not clip:
                break
            asked = {key: asked[key] + missing[key] for key in asked}
            shift = shift + self._pelvis(goals, missing)
        past = {(goal.bone, goal.along): goal.place - points[goal.bone, goal.along] - goal.move for goal in goals}
        return self._settled(clip, changing), {key: left[key] + past[key] for key in left}

    def _settled(self, clip, changing):
        """The clip, its rows that may not change being those of the source."""
        added = [channel for channel in clip.channels if channel not in self.clip.channels]
        source = self.clip.with_channels(added, [self.skeleton.held(channel) for channel in added])
        columns = [source.channels.index(channel) for channel in clip.channels]
        return clip.with_values(np.asfortranarray(np.where(changing[:, None], clip.values, source.values[:, columns])))

    def _once(self, goals, asked, shift):
        arms = self._limbs(goals) if self.body else {}
        others = [goal for goal in goals if goal not in arms.values()]
        clip = self.body.clip_of({}, shift, {}) if shift.any() else self.clip
        clip = self._hung(clip, others, asked) if others else clip
        return self._reached(self.body.again(clip), arms, asked, others) if self.body else clip

    def _pelvis(self, goals, missing):
        """How the pelvis is shifted, (3, frames), for bones above it that bending does not bring where they are to be."""
        arms = self._limbs(goals).values() if self.body else goals
        trunk = [goal for goal in goals if goal not in arms and self._on_trunk(goal.bone)]
        return missing[trunk[0].bone, trunk[0].along] if trunk else np.zeros((3, self.clip.frames))

    def _on_trunk(self, name):
        """Whether a bone hangs on the pelvis and is no part of a limb."""
        chain = {self.skeleton.bones[index].name for index in self.skeleton.chain(self.skeleton.index(name))}
        roots = {self.body.skeleton.bones[limb[0]].name for limb in self.body.limbs.values()}
        return self.body.skeleton.bones[self.body.mover].name in chain and not chain & roots

    def _limbs(self, goals):
        """Goals of feet and hands that end a limb, {end: goal}; the most important where a bone has several points held."""
        ends, found = self.ends, {}
        for goal in goals:
            if goal.bone in ends:
                found.setdefault(ends[goal.bone], goal)
        return found

    def _hung(self, clip, goals, asked):
        """The clip with bones that end no limb where they are to be, by what they hang on; roots are moved themselves."""
        levels = sorted({goal.priority for goal in goals})
        rows = np.flatnonzero(np.any([goal.changing for goal in goals], axis=0))
        tasks, turning, shifting = [], {}, {}
        for goal in goals:
            index, level = self.skeleton.index(goal.bone), levels.index(goal.priority)
            bone = self.skeleton.bones[index]
            point = (0.0, goal.along * bone.length, 0.0)
            tasks.append(Task(goal.bone, asked[goal.bone, goal.along].T[rows], level, point))
            own, moved = self._free(goal.bone, goal.along)
            turning, shifting = turning | own, shifting | moved
        some = replace(clip, values=clip.values[rows], switches=None)
        bent = fulfilled(some, self.skeleton, tasks, turning, shifting, ROUNDS, GENTLE)
        clip = clip.with_channels(
            bent.channels, [0.0 if each in clip.channels else self.skeleton.held(each) for each in bent.channels]
        )
        values = np.array(clip.values, order="F")
        values[rows] = bent.values
        return clip.with_values(values)

    def _free(self, name, along):
        """What turns and what is shifted for a bone to come where it is to be."""
        bones = self.skeleton.bones
        if self.body:
            turning, shifting = freedom(self.body, [name])
        else:
            chain = self.skeleton.chain(self.skeleton.index(name))
            turning = {bones[index].name: 1.0 for index in chain[1:-1] or chain[:-1]}
            shifting = {name: 1.0} if len(chain) == 1 and not bones[chain[0]].connected else {}
        if along > 0.0 and not shifting:
            turning = {**turning, name: 1.0}
        if not turning and not shifting:  # what hangs on the pelvis itself moves with it
            shifting = {self.body.skeleton.bones[self.body.mover].name if self.body else bones[0].name: 1.0}
        return turning, shifting

    def _reached(self, body, arms, asked, others):
        """The clip with limbs where they are to be, what they hang on giving way where it must."""
        tips = {end: self._tip_goal(end, goal, asked) for end, goal in arms.items()}
        hinges = {**self.hinges, **{end: self._hinge(end, goal) for end, goal in arms.items()}}
        moved = self._moves_pelvis(body)
        changing = np.any([goal.changing for goal in (*arms.values(), *others)], axis=0)
        giving = np.max([goal.giving for goal in (*arms.values(), *others)], axis=0)
        free = {end: goal for end, goal in tips.items() if not any(self._holds(other, arms[end]) for other in others)}
        if free:
            body = shouldered(body, PinReach(free, lambda body: spans_in(body, hinges), giving))
        loose = {self.leg_of(goal.bone) for goal in others}
        feet = [end for end in self.hinges if end.endswith("foot") and end not in tips and end not in loose]
        feet = {end: self.body.tip(end)[0] for end in feet}
        shift = self._shift(body, hinges, tips, feet, changing, giving, moved)
        if moved or shift.any():
            tips = {**feet, **tips}
        return self._bent(body, hinges, tips, arms, shift, changing) if tips or shift.any() else body.clip

    @staticmethod
    def _holds(other, goal):
        """Whether a bone of the trunk is pinned that is more important than a limb."""
        return other.priority < goal.priority

    def _moves_pelvis(self, body):
        """Whether what legs hang on has moved."""
        ends = [end for end in self.hinges if end.endswith("foot")]
        return any(np.abs(body.tip(end)[0] - self.body.tip(end)[0]).max() > 1e-9 for end in ends)

    def _hinge(self, end, goal):
        """The hinge with which a limb reaches with the point that is held; with its joint where the hand turns by itself."""
        if not goal.along or goal.turn is not None:
            return self.hinges[end]
        if (end, goal.along) not in self.points:
            self.points[end, goal.along] = PointHinge(self.body, end, self.rows, self._reach(goal))
        return self.points[end, goal.along]

    def _reach(self, goal):
        return goal.along * self.skeleton.bones[self.skeleton.index(goal.bone)].length

    def _tip_goal(self, end, goal, asked):
        """Where the end of a limb is to be: the point that is held, or the joint of a hand that turns by itself."""
        place = asked[goal.bone, goal.along]
        return place if goal.turn is None else place - self._reach(goal) * self._turned(end, goal)[:, 1]

    def _turned(self, end, goal):
        """The axes that a hand or foot is to have."""
        axes = self.body.tip(end)[1]
        return product(np.moveaxis(matrices(rotation.exp(goal.turn)), 0, -1), axes)

    def _shift(self, body, hinges, tips, feet, changing, giving, moved):
        """The smallest smooth shift of the pelvis with which limbs reach, and feet above all."""
        shift = np.zeros((3, body.clip.frames))
        for goals, share in (({**tips, **feet}, giving), (feet, 1.0)):
            asked = tips if goals is not feet else feet if shift.any() or moved else {}
            spans = {end: Span(hinges[end], hinges[end].bend(body)) for end in goals} if asked else {}
            far = {end: length(goal - body.root(end) - shift) - spans[end].within(TAUT) for end, goal in asked.items()}
            if not any((each[changing] > TRUNK * body.leg).any() for each in far.values()):
                continue
            ways = np.array([goals[end] - body.root(end) - shift for end in goals])
            nearest, farthest = (
                np.array(each) for each in zip(*((span.nearest, span.within(TAUT)) for span in spans.values()))
            )
            held = np.array([changing for _ in goals])
            more, _ = shifted(ways, nearest, farthest, held, ~changing, body.clip.fps, self.starts, body.leg)
            shift = shift + share * more
        return shift

    def _bent(self, body, hinges, tips, arms, shift, changing):
        """The clip with limbs bent so that their ends are where they are to be."""
        calm = CalmJoint(~changing, body.clip.fps, self.starts, EXACT) if (~changing).any() else None
        turns = {}
        for end, goal in tips.items():
            reached = Span(hinges[end], hinges[end].bend(body)).reached(body.root(end) + shift, goal, calm)
            turn = self._tip_turn(body, end, arms.get(end), reached)
            own = [np.where(changing, each, NONE) for each in (reached.upper, reached.lower, turn)]
            turns |= own_turns(body, end, *own)
        return body.clip_of(turns, shift, {})

    def _tip_turn(self, body, end, goal, reached):
        """How a foot or hand turns: feet as they were, hands with their limb, and as they are to be where they are held so."""
        if goal is None:
            return np.broadcast_to(NONE, reached.lower.shape)
        if goal.turn is None:
            return reached.lower
        return between(plain(body.tip(end)[1]), plain(self._turned(end, goal)))


def spans_in(body, hinges):
    """How far limbs reach with ease, {end: (frames,)}."""
    return {end: Span(hinge, hinge.bend(body)).within(TAUT) for end, hinge in hinges.items()}
