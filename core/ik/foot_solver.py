# SPDX-License-Identifier: GPL-3.0-or-later
"""The solve behind planted feet: stands over the whole take at once, not frame by frame.

Foot goals, the smallest smooth shift of the pelvis that brings them within reach, and limbs that bend about their own hinges,
softly near straight. What then is still out of reach gives way in time: the edit itself is held back there, as little and as
smoothly as it goes. After Gleicher 1997 (spacetime constraints), Lee and Shin 1999 and Kovar et al. 2002.
"""

import numpy as np

from ..numeric import rotation, scipy
from ..numeric.banded import Smoother
from ..numeric.frozen import frozen
from ..numeric.matrix import matrices, product
from ..numeric.rotation import wrapped
from ..numeric.smoothing import approached
from ..numeric.vectors import SMALL, length, turned
from .calm_joints import CalmJoint
from .foot_goals import LITTLE, PINNED, FootGoal, Hold, beside, faded
from .hinge import DEGREE, into_range
from .limb_reach import Span
from .pelvis import raised, shifted
from .planting_source import PlantingSource
from .pose import FAR, MISS, NONE, STEP, Pose
from .steady_joints import less

SMOOTH = 0.24  # of the time to ease over: how stiff corrections are
ROUNDS = (30, 30)  # of the pelvis, each after feet have found their places anew
NEAR = 2e-4  # of a leg: what it may miss for its knee to turn smoothly
NEAR_LOCKED, NEAR_ITSELF = 6e-4, 1e-3  # the same where feet of an edit are locked, and where those of the take itself are
EARLY = 0.05  # seconds before and after a stand in which a leg is within reach
STEP_LOCKED, MISS_LOCKED = 6.0 * DEGREE, 0.003  # what a joint may turn beyond the take, and a foot miss, in a take locked
ATTEMPTS = 5  # how often the edit is held back
INTO_RANGE = 0.05  # seconds: how stiff it is what brings a knee of the edit into its range, before its foot is planted
GONE = 0.01  # of a change: where less is left, frames are as in the take
THERE = "PATHS", "STAY"  # modes in which feet stand where the take has them
NOTHING = 0.05  # of a change: with less left of it, it is the take itself that is not to be locked


@frozen
class Grip:
    """How feet, and planted hands, are held: how firmly, where, and how gently."""

    amount: float = 1.0
    instant: str | None = None
    ease: float = 0.25  # seconds
    lowering: float = FAR  # metres, of a leg of 82 cm, that the pelvis may be shifted
    stretch: float = 0.0
    flat: bool = False
    level: bool = False
    hands: bool = True


class Solver:
    """Feet of the body in a take that are held in one of the modes, as a Grip, or what has the same fields, says."""

    def __init__(self, take, contacts, mode, grip, beside=None, onto=None, original=None):
        """`original` is the clip that the take was made from, if it is itself an edit.

        `onto(end, joint)` puts a foot from level ground onto another: where it is to be, and how it is turned there."""
        self.source = source = PlantingSource(take, contacts, grip.hands, beside, onto is None, original)
        self.mode, self.grip, self.onto, self.cuts = mode, grip, onto, source.starts
        self.step, self.miss, self.gentle, self.feet, self.apart = STEP, MISS, False, source.feet, None
        self.alone = source.lone
        self.instant = grip.instant if mode == "LOCKED" else None
        self.locked = {end: self._locked(foot) for end, foot in source.feet.items()}

    def __call__(self, edit):
        """An edit with its feet planted, how much of it is left for each foot, {end: (frames,)}, and the Pose."""
        source = self.source
        if not source.feet:
            return edit, {}, None
        body = source.take.again(edit)
        unchanged, free = source.unchanged(body), not source.holds and self.mode != "PATHS"
        if free or unchanged.all() and self.mode != "LOCKED":
            turns = into_range(body, source.frame_hinges) if free else self._in_range(body)
            result = body.clip_of(turns, np.zeros((3, edit.frames)), {}) if turns else edit
            return source.steadied(result), {}, None
        body, left, pose = self.settled(body, unchanged)
        result = self._written(body, pose, unchanged, edit)
        del body  # of a long take it is more than all that comes now
        return result if unchanged.all() else source.steadied(result), left, pose

    def settled(self, body, unchanged=None):
        """A body with as much of its edit as can be had with planted feet, how much that is, {end: (frames,)}, and the Pose.

        The edit is held back for all at once; where nothing is left of it, feet that are locked let go one by one.
        """
        source, edit, held_back = self.source, body.clip, None
        edited = unchanged is not None and not unchanged.all()
        pinned = np.ones(body.clip.frames, dtype=bool) if unchanged is None else unchanged
        pinned = source.finer.both(pinned)
        self.apart = None
        if self.mode == "LOCKED":  # all stands are locked, but an edit need not change where a pose that stands alone ends
            self.apart = beside(pinned & source.lone & source.rows, source.fps) if edited else None
            pinned = np.zeros_like(pinned)
        self.step, self.cuts = (STEP, source.lone_edges) if edited else (STEP_LOCKED, source.starts)
        self.alone = np.zeros_like(source.lone) if edited else source.lone  # an edit can be held back there
        self.miss = MISS_LOCKED if self.mode == "LOCKED" or not edited else MISS
        self.instant = self.grip.instant if self.mode == "LOCKED" and not edited else None  # edits: where they need least
        self.feet = source.feet_of_edits if edited else source.feet
        itself = self.mode == "LOCKED" and not edited and self.onto is None  # on other ground, knees bend as that asks
        self.gentle = itself and not self.grip.level and not self.grip.stretch
        near = NEAR if self.mode != "LOCKED" else NEAR_LOCKED if edited else NEAR_ITSELF
        calm = CalmJoint(pinned, source.fps, self.cuts, near)
        left = np.full(source.finer.count, float(edited))
        held = {end: np.ones(source.finer.count) for end in source.feet}
        for attempt in range(ATTEMPTS):
            pose = self._solved(source.finer.body(body, source.used), held, pinned, calm)
            bad = {end: np.where(source.rows, own, 0.0) for end, own in pose.bad.items()}
            worst = np.max([*bad.values(), np.zeros(source.finer.count)], axis=0)
            hasty = {end: np.where(source.rows, own, 0.0) for end, own in pose.hasty.items()}
            if max(worst.max(), *(own.max() for own in hasty.values()), 0.0) < 1.0 or attempt == ATTEMPTS - 1:
                break
            last = attempt == ATTEMPTS - 2
            if hasty:
                calm.loosen(np.max(list(hasty.values()), axis=0))
            for end in held:
                held[end] = less(held[end], np.where(left < NOTHING, bad[end], 0.0), last, source.fps)
            if edited:
                left = less(left, worst, last, source.fps)
                held_back = held_back or source.holding_back(edit)
                body = source.take.again(held_back(source.finer.at_frames(left)))
                if last and self.mode != "LOCKED":  # with nothing left of the edit it is the take: no correction from beside it
                    calm.pin(left < GONE)
                    pinned = calm.pinned
        parts = {end: np.minimum(own, left) if edited else own for end, own in held.items()}
        return body, {end: source.finer.at_frames(own) for end, own in parts.items()}, pose.at_frames(source.finer)

    def put(self, body):
        """The Pose of a body whose feet are where `onto` puts them, whatever that takes."""
        finer = self.source.finer
        held = {end: np.ones(finer.count) for end in self.source.feet}
        return self._solved(finer.body(body, self.source.used), held, np.zeros(finer.count, dtype=bool)).at_frames(finer)

    def _solved(self, body, held, pinned, calm=None):
        """Everything that is turned, shifted and missed for the feet to stand."""
        source, instant = self.source, self.instant
        goals, spans, knees = {}, {}, {}
        for end, foot in self.feet.items():
            knees[end] = NONE
            if end in source.hinges:
                bend = source.hinges[end].bend(body)
                spans[end] = Span(source.hinges[end], bend)
                bent = rotation.exp(bend.axis * self._into_range(source.hinges[end], bend, pinned))
                knees[end] = rotation.multiply(bent, bend.upright)
            turns, moves = self.locked[end]
            still = self.grip.amount * held[end]
            ease, there = SMOOTH * self.grip.ease, self.mode in THERE
            hold = Hold(still * turns, still * moves, ease, instant, there, self.mode == "PATHS")
            limb = self._limb(body, end, spans, knees)
            goals[end] = FootGoal(foot, hold, *limb, source.fps, self.cuts, pinned, body.leg, self.apart)
        return self._reached(body, goals, spans, knees, pinned, calm)

    def _into_range(self, hinge, bend, pinned):
        """By how much (rows,) a knee of the edit is bent back into its range, smoothly; exactly where it bends backwards.

        A captured knee may leave straight by degrees in a frame, its thigh making up for it: without that, the foot would jump
        where the range ends, and what the last row of a stand is like would say how the foot leaves it.
        """
        back, exact = np.where(pinned, 0.0, wrapped(hinge.within(bend) - bend.angle)), pinned | hinge.backwards
        return Smoother(1.0 + PINNED * exact, INTO_RANGE, self.source.fps, self.cuts)(back[None])[0] if back.any() else back

    def _limb(self, body, end, spans, knees):
        """Joint, axes and points of a foot as the edit has them, its knee back within its range."""
        (joint, axes), points = body.tip(end), body.points(end)
        if end not in spans:
            return joint, axes, points
        middle, turn = body.joints(end)[1], knees[end]
        points = middle + turned(turn[:, None], np.moveaxis(points - middle, 0, 1)).swapaxes(0, 1)
        return middle + turned(turn, joint - middle), product(np.moveaxis(matrices(turn), 0, -1), axes), points

    def _reached(self, body, goals, spans, knees, pinned, calm):
        """The Pose in which feet are at their goals, the pelvis shifted as must be."""
        return Pose(self, body, goals, spans, knees, *self._shifted(body, goals, spans, pinned), calm)

    def _shifted(self, body, goals, spans, pinned):
        """Where feet and hands are to be, {end: (3, frames)}, and the shift (3, frames) of the pelvis for that."""
        source, feet = self.source, [end for end in goals if end.endswith("foot") and (end in spans or end in body.hips)]
        shift, most, start = np.zeros((3, body.clip.frames)), self.grip.lowering / source.metre, None
        joints = self._joints(goals, shift)
        if source.moving and most > 0.0 and feet:
            lift = self._lift(body, goals, spans, joints) if self.step == STEP_LOCKED else 0.0
            shift = shift + lift
            near, far = (np.array(these) for these in zip(*(self._bounds(body, end, spans) for end in feet)))
            for rounds in ROUNDS:
                if shift.any():
                    joints = self._joints(goals, shift)
                ways = np.array([joints[end] - body.root(end) - lift for end in feet])
                held = np.array([self._early(goals[end].held) for end in feet])
                start = shifted(ways, near, far, held, pinned, source.fps, self.cuts, body.leg, start, rounds)
                if np.array_equal(start[0] + lift, shift):
                    break
                shift = start[0] + lift
            if self.grip.lowering < FAR:
                size = np.maximum(length(shift), SMALL)
                shift = shift * (approached(size, most, 0.2 * most) / size)
            shift = faded(shift, LITTLE * body.leg)
        return joints, shift

    def _lift(self, body, goals, spans, joints):
        """How far up (3, frames) the pelvis is for the knees of legs that stand to be bent as they were."""
        ends = [end for end, span in spans.items() if end.endswith("foot") and not span.hinge.stiff]
        if not ends:
            return 0.0
        ways = [joints[end] - body.root(end) for end in ends]
        planted = [goals[end].planted for end in ends]
        bends = [spans[end].bend for end in ends]
        lift = raised(ways, bends, planted, body.up[:, None], self.source.fps, self.cuts, self.source.metre)
        return faded(lift, LITTLE * body.leg)

    def _early(self, held):
        """When a foot is held, and a little before and after: the knee of a leg out of reach until then would snap."""
        rows = max(1, round(EARLY * self.source.fps))
        return scipy.ndimage.binary_dilation(held, iterations=rows) & self.source.rows

    def _joints(self, goals, shift):
        """Where feet and hands are to be when the pelvis is shifted so; on other ground, feet lean with it."""
        joints = {end: goal.joint_at(shift) for end, goal in goals.items()}
        for end, goal in goals.items() if self.onto else ():
            joints[end], goal.lean = self.onto(end, joints[end])
        return joints

    def _bounds(self, body, end, spans):
        """How near, and how far, an ankle may be from its hip without effort."""
        if end in spans:
            return spans[end].nearest, spans[end].farthest
        own = length(self.source.body.tip(end)[0] - self.source.body.root(end))
        return np.zeros(len(own)), np.maximum(0.997 * body.lengths(end), own)

    def _locked(self, foot):
        """Turns and moves that lock a foot of the take in its stands, all at one height if that is asked for."""
        if self.mode != "LOCKED":
            return np.zeros_like(foot.joint), np.zeros_like(foot.joint)
        turns, moves = foot.locked(self.grip.instant, SMOOTH * self.grip.ease, self.grip.flat, self.source.fps)
        if self.grip.level and foot.end.endswith("foot"):
            moves = moves + foot.lifted(self.source.body.level({end: own.downs for end, own in self.source.feet.items()}))
        return turns, moves

    def _in_range(self, body):
        """Turns that bring arms that are not held into their range."""
        return into_range(body, self.source.arms)

    def _written(self, body, pose, unchanged, edit):
        """The clip of a pose; frames that do not change are the edit's own."""
        own = None if self.mode == "LOCKED" or not unchanged.any() else (unchanged, edit)
        return body.clip_of({**self._in_range(body), **pose.turns}, pose.shift, pose.stretches, pose.moves, own)
