# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted feet: any edit of a take with its feet as planted as the take has them, smooth by construction.

Stands are solved over the whole take at once, not frame by frame: foot goals, the smallest smooth shift of the pelvis that
brings them within reach, and limbs that bend about their own hinges, softly near straight. What then is still out of reach
gives way in time: the edit itself is held back there, as little and as smoothly as it goes, and the words say where.
After Gleicher 1997 (spacetime constraints), Lee and Shin 1999 and Kovar et al. 2002.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from ..body.body import Body
from ..body.contacts import LEG
from ..body.roles import led
from ..motion.skeleton import sub_skeleton
from ..numeric import rotation
from ..numeric.matrix import matrices, product
from ..numeric.refusal import Refusal
from ..numeric.rotation import ROTATION_SIZES
from ..numeric.smoothing import above
from ..numeric.vectors import SMALL, length, turned
from .foot_goals import LITTLE, FootGoal, Hold, faded
from .give_way import Trunk
from .hinge import DEGREE, hinges_of, into_range, within_stretches, wrapped
from .joint_limits import approached
from .limb_reach import Span
from .pelvis import shifted
from .plants import runs
from .pose import FAR, MISS, NONE, STEP, UNCHANGED, Pose, joint_steps, near, turning
from .stance import feet_of, pieces
from .steady_joints import SteadyJoints, steps_of

SMOOTH = 0.24  # of the time to ease over: how stiff corrections are
ROUNDS = (30, 30)  # of the pelvis, each after feet have found their places anew
EARLY = 0.05  # seconds before and after a stand in which a leg is within reach
LASTING = 0.1  # seconds that frames do not change for that to be meant
STEP_LOCKED = 6.0 * DEGREE  # the same where the take itself is locked
ATTEMPTS, AROUND = 5, 0.4  # how often the edit is held back, and seconds over which that comes and goes
NOTHING = 0.05  # of a change: with less left of it, it is the take itself that is not to be locked
LEFT = 0.995  # of a change: who is left less should hear of it
LESS = 0.75  # of the most that is good: what an edit is held back to at first


@dataclass(frozen=True)
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


class PlantedFeet:
    """The feet of a take, opened once, to be kept planted in any edit of it of the same frames.

    `words` say what gave way in the last edit, or why feet are free; nothing where all went well.
    """

    def __init__(self, source, skeleton, contacts=None, mode="TAKE", grip=Grip(), beside=None):
        self.source, self.mode, self.words, self.beside, self.solver = source, mode, "", beside, None
        if mode == "FREE":
            return
        try:
            self.solver = Solver(Body(source.with_clip(beside), skeleton), contacts, mode, grip, beside)
            self.solver.refuse_standing()
        except Refusal as reason:
            self.solver, self.words = None, f"feet are free: {reason}"

    def __call__(self, edit):
        """The edit with its feet planted."""
        if self.solver is None:
            return edit
        if (edit.frames, edit.first_frame) != (self.source.frames, self.source.first_frame):
            self.words = f"feet are free: the result has {edit.frames} frames and the take {self.source.frames}"
            return edit
        try:
            result, self.words = self.solver(edit.with_clip(self.beside))
        except Refusal as reason:
            self.words = f"feet are free: {reason}"
            return edit
        return result.without(self.beside)


def feet_of_take(clip, surroundings):
    """The feet of a technique's clip, opened to be kept planted, as is asked for, in what it makes of it."""
    contacts = surroundings.contacts() or None
    return PlantedFeet(clip, surroundings.skeleton, contacts, surroundings.feet, beside=surroundings.beside)


class Solver:
    """All of a take that planting needs and no edit changes."""

    def __init__(self, body, contacts, mode, grip, beside=None, onto=None):
        """`onto(end, place)` puts a foot from level ground onto another: where it is to be, and how it is turned there."""
        self.onto = onto
        self.body, self.mode, self.grip, self.fps = body, mode, grip, body.clip.fps
        self.rows = within_stretches(body)
        ends, self.moving = free(body, beside)
        self.feet = feet_of(body, contacts, self.rows, ends, grip.hands)
        self.hinges = hinges_of(body, self.rows, ends)
        self.starts = [stretch.start for stretch in body.stretches[1:]]
        self.metre, self.step, self.cuts = LEG / body.leg, STEP, self.starts
        self.lone = ~self.rows | np.append(True, ~self.rows[:-1])  # where a step begins or ends in a pose between cuts
        self.bones = sorted({place for end in self.feet for place in body.skeleton.chain(body.bones(end)[-1])})
        self.below = self._toes()
        self.toes = near(np.where(self.lone, 0.0, self.toe_steps(body.clip)))
        self.carrying = [place for place in self.bones if not any(place in limb for limb in body.limbs.values())]
        self.carried = near(np.where(self.lone, 0.0, turning(body, self.carrying)))
        self.steps = {end: near(np.where(self.lone, 0.0, joint_steps(body, end))) for end in self.feet if end in body.limbs}
        self.locked = {end: self._locked(foot) for end, foot in self.feet.items()}

    def refuse_standing(self):
        """Say why no foot can be kept planted."""
        feet = [end for end in self.feet if end.endswith("foot")]
        if not feet:
            raise Refusal("there is no foot on a leg that may be bent")
        if all(end in self.hinges and self.hinges[end].stiff for end in feet):
            raise Refusal("the legs never move by themselves in the take, as if they were welded to the body")
        if not self.rows.any() or not any(self.feet[end].planted.any() for end in feet):
            raise Refusal("no foot stands anywhere in the take")

    def __call__(self, edit):
        """An edit with its feet planted, and words for what gave way."""
        if not self.feet:
            return edit, ""
        body = self.body.again(edit)
        unchanged = self._unchanged(body)
        if unchanged.all() and self.mode != "LOCKED":
            turns = self._above(body)
            return self._steady(body.clip_of(turns, np.zeros((3, edit.frames)), {}) if turns else edit), ""
        body, parts, pose = self.settled(body, unchanged)
        result = self._written(body, pose, unchanged, edit)
        return result if unchanged.all() else self._steady(result), self._words(parts, pose)

    def _steady(self, clip):
        """The clip without flips of what belongs to no leg."""
        return self.others(clip)[0]

    def settled(self, body, unchanged=None):
        """A body with as much of its edit as can be had with planted feet, how much that is, {end: (frames,)}, and the Pose.

        The edit is held back for all at once; where nothing is left of it, feet that are locked let go one by one.
        """
        edited = unchanged is not None and not unchanged.all()
        unchanged = np.ones(body.clip.frames, dtype=bool) if unchanged is None else unchanged
        self.step, self.cuts = (STEP, self._edges()) if edited else (STEP_LOCKED, self.starts)
        left, edit = np.full(body.clip.frames, float(edited)), body.clip
        held = {end: np.ones(body.clip.frames) for end in self.feet}
        for attempt in range(ATTEMPTS):
            pose = self._solved(body, held, unchanged)
            bad = {end: np.where(self.rows, own, 0.0) for end, own in pose.bad.items()}
            worst = np.max([*bad.values(), np.zeros(body.clip.frames)], axis=0)
            if worst.max() < 1.0 or attempt == ATTEMPTS - 1:
                break
            for end in held:
                held[end] = self._less(held[end], np.where(left < NOTHING, bad[end], 0.0), attempt == ATTEMPTS - 2)
            if edited:
                left = self._less(left, worst, attempt == ATTEMPTS - 2)
                body = self.body.again(self._mixed(edit, left))
        return body, {end: np.minimum(own, left) if edited else own for end, own in held.items()}, pose

    def put(self, body):
        """The Pose of a body whose feet are where `onto` puts them, whatever that takes."""
        return self._solved(body, {end: np.ones(body.clip.frames) for end in self.feet}, np.zeros(body.clip.frames, dtype=bool))

    def _toes(self):
        """The names of bones below the feet, which go along with what is held back."""
        whole, names = (
            self.body.whole,
            [self.body.skeleton.bones[self.body.ends[end]].name for end in self.feet if end.endswith("foot")],
        )
        return [name for foot in names for name in whole.below(foot) if name != foot and not led(whole, name)]

    def toe_steps(self, clip):
        """How far toes turn from frame to frame, (toes, frames)."""
        if not self.below:
            return np.zeros((0, clip.frames))
        toes = sub_skeleton(self.body.whole, self.below)
        turns = np.moveaxis(toes.local(clip)[0], 0, -1)
        return np.array([steps_of(turns[toes.index(name)]) for name in self.below])

    def _solved(self, body, parts, unchanged):
        """Everything that is turned, shifted and missed for the feet to stand."""
        pinned = unchanged if self.mode != "LOCKED" else np.zeros_like(unchanged)
        instant = self.grip.instant if self.mode == "LOCKED" else None
        goals, spans, knees = {}, {}, {}
        for end, foot in self.feet.items():
            knees[end] = NONE
            if end in self.hinges:
                bend = self.hinges[end].bend(body)
                spans[end] = Span(self.hinges[end], bend)
                knees[end] = rotation.exp(bend.axis * wrapped(self.hinges[end].within(bend) - bend.angle))
            turns, moves = self.locked[end]
            still = self.grip.amount * parts[end]
            hold = Hold(still * turns, still * moves, SMOOTH * self.grip.ease, instant, self.mode == "PATHS")
            goals[end] = FootGoal(foot, hold, *self._limb(body, end, spans, knees), self.fps, self.cuts, pinned, self.body.leg)
        return self._reached(body, goals, spans, knees, pinned)

    def _limb(self, body, end, spans, knees):
        """Joint, axes and points of a foot as the edit has them, its knee back within its range."""
        (joint, axes), points = body.tip(end), body.points(end)
        if end not in spans:
            return joint, axes, points
        lower, turn = spans[end].bend.lower, knees[end]
        middle = joint - lower
        points = middle + turned(turn[:, None], np.moveaxis(points - middle, 0, 1)).swapaxes(0, 1)
        return middle + turned(turn, lower), product(np.moveaxis(matrices(turn), 0, -1), axes), points

    def _reached(self, body, goals, spans, knees, pinned):
        """The Pose in which feet are at their goals, the pelvis shifted as must be."""
        feet = [end for end in goals if end.endswith("foot") and (end in spans or end in body.hips)]
        shift, most, start = np.zeros((3, body.clip.frames)), self.grip.lowering / self.metre, None
        places = self._places(goals, shift)
        if self.moving and most > 0.0 and feet:
            near, far = (np.array(these) for these in zip(*(self._bounds(body, end, spans) for end in feet)))
            for rounds in ROUNDS:
                if start is not None:
                    places = self._places(goals, shift)
                ways = np.array([places[end] - body.root(end) for end in feet])
                held = np.array([self._early(goals[end].held) for end in feet])
                start = shifted(ways, near, far, held, pinned, self.fps, self.cuts, self.body.leg, start, rounds)
                if np.array_equal(start[0], shift):
                    break
                shift = start[0]
            if self.grip.lowering < FAR:
                size = np.maximum(length(shift), SMALL)
                shift = shift * (approached(size, most, 0.5 * most) / size)
            shift = faded(shift, LITTLE * self.body.leg)
        return Pose(self, body, goals, spans, knees, places, shift)

    def _early(self, held):
        """When a foot is held, and a little before and after: the knee of a leg out of reach until then would snap."""
        return scipy.ndimage.binary_dilation(held, iterations=max(1, round(EARLY * self.fps))) & self.rows

    def _places(self, goals, shift):
        """Where feet and hands are to be when the pelvis is shifted so; on other ground, feet lean with it."""
        places = {end: goal.place(shift) for end, goal in goals.items()}
        for end, goal in goals.items() if self.onto else ():
            places[end], goal.lean = self.onto(end, places[end])
        return places

    def _bounds(self, body, end, spans):
        """How near, and how far, an ankle may be from its hip without effort."""
        if end in spans:
            return spans[end].nearest, spans[end].farthest
        own = length(self.body.tip(end)[0] - self.body.root(end))
        return np.zeros(len(own)), np.maximum(0.997 * body.lengths(end), own)

    def _edges(self):
        """Rows at which a pose that stands alone begins or ends: what an edit does goes on over any other cut."""
        return [start for start in self.starts if not (self.rows[start] and self.rows[start - 1])]

    def _less(self, part, bad, last):
        """Less of the edit where something is bad, smoothly in time."""
        lack = np.where(bad >= 1.0, 1.0 if last else 1.0 - LESS / np.maximum(bad, 1.0), 0.0)
        return part * (1.0 - np.clip(above(lack, max(1, round(AROUND * self.fps))), 0.0, 1.0))

    def _mixed(self, edit, part):
        """The edit with only a part (frames,) of what it does to legs and what they hang on."""
        legs = sub_skeleton(self.body.whole, [*(self.body.skeleton.bones[place].name for place in self.bones), *self.below])
        return Trunk(self.body.clip, edit, legs, whole=True).clip(self.body.whole, 1.0 - part)

    def _unchanged(self, body):
        """Frames at which legs, and what they hang on, are as in the take: for a while, or where the motion begins or ends."""
        away = np.abs(body.heads[self.bones] - self.body.heads[self.bones]).max(axis=(0, 1))
        turned = np.abs(body.axes[self.bones] - self.body.axes[self.bones]).max(axis=(0, 1, 2))
        same = (away < UNCHANGED * self.body.leg) & (turned < UNCHANGED)
        for first, last in (piece for run in runs(same) for piece in pieces(run, self.starts)):
            lasting = last + 1 - first >= max(3, LASTING * self.fps)
            same[first : last + 1] = lasting or first in self.starts or last + 1 in self.starts
        return same

    def _locked(self, foot):
        """Turns and moves that lock a foot of the take in its stands, all at one height if that is asked for."""
        if self.mode != "LOCKED":
            return np.zeros_like(foot.joint), np.zeros_like(foot.joint)
        turns, moves = foot.locked(self.grip.instant, SMOOTH * self.grip.ease, self.grip.flat, self.fps)
        if self.grip.level and foot.end.endswith("foot"):
            moves = moves + foot.lifted(self.body.level({end: own.downs for end, own in self.feet.items()}))
        return turns, moves

    @cached_property
    def others(self):
        """All that turns and belongs to no leg."""
        whole, own = self.body.whole, {self.body.skeleton.bones[place].name for place in self.bones} | set(self.below)
        turning = {channel.owner for channel in self.body.clip.channels if channel.kind in ROTATION_SIZES}
        names = [bone.name for bone in whole.bones if bone.name in turning - own and not bone.led]
        return SteadyJoints(self.body.clip, whole, names, self.rows)

    def _above(self, body):
        """Turns that bring arms that are not held into their range."""
        return into_range(body, {end: hinge for end, hinge in self.hinges.items() if end not in self.feet})

    def _written(self, body, pose, unchanged, edit):
        """The clip of a pose; frames that do not change are the edit's own."""
        result = body.clip_of({**self._above(body), **pose.turns}, pose.shift, pose.stretches, pose.moves)
        if self.mode == "LOCKED" or not unchanged.any():
            return result
        values = np.array(result.values, order="F")
        held = [self.body.whole.held(channel) if channel.owner else 0.0 for channel in result.channels]
        values[unchanged] = edit.with_channels(result.channels, held).values[unchanged]
        return result.with_values(values)

    def _words(self, parts, pose):
        told, frame, bones = [], self.body.clip.first_frame, self.body.skeleton.bones
        least = {end: int(np.argmin(part)) for end, part in parts.items() if part.min() < LEFT}
        for end, at in sorted(least.items(), key=lambda these: parts[these[0]][these[1]])[:1]:
            left = f"only {100 * parts[end][at]:.0f} % of the change is left there"
            told.append(f"legs would not reach, or jerk, around frame {frame + at} ({bones[self.body.ends[end]].name}): {left}")
        for end, missing in pose.missing.items():
            at = int(np.argmax(missing))
            if missing[at] * self.metre > MISS:
                name = bones[self.body.ends[end]].name
                told.append(f"{name} misses its place by {1000 * self.metre * missing[at]:.1f} mm at frame {frame + at}")
        return "; ".join(told)


def free(body, beside):
    """Feet and hands whose limbs may be bent, and whether the pelvis may be shifted: what is beside the clip stays."""
    channels = beside.channels if beside else ()
    turning = {channel.owner for channel in channels if channel.kind in ROTATION_SIZES}
    moving = {channel.owner for channel in channels if channel.kind == "LOCATION"}
    names = {end: {body.skeleton.bones[place].name for place in body.bones(end)} for end in body.ends}
    ends = [end for end, own in names.items() if not own & turning and not (end in body.controls and own & moving)]
    return ends, body.skeleton.bones[body.mover].name not in moving
