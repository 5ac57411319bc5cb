# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted feet: any edit of a take with its feet as planted as the take has them, smooth by construction.

Stands are solved over the whole take at once, not frame by frame: foot goals, the smallest smooth shift of the pelvis that
brings them within reach, and limbs that bend about their own hinges, softly near straight. What then is still out of reach
gives way in time: the edit itself is held back there, as little and as smoothly as it goes, and the words say where.
After Gleicher 1997 (spacetime constraints), Lee and Shin 1999 and Kovar et al. 2002.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from ..body.body import Body
from ..body.contacts import LEG
from ..body.roles import led
from ..motion.skeleton import part as sub_skeleton
from ..numeric import rotation
from ..numeric.matrix import matrices, product
from ..numeric.refusal import Refusal
from ..numeric.rotation import ROTATION_SIZES
from ..numeric.smoothing import above
from ..numeric.vectors import length, turned
from .foot_goals import FootGoal, Hold
from .give_way import Trunk
from .hinge import DEGREE, SoftHinges, plain, within_stretches, wrapped
from .limb_reach import Span, own_turns
from .pelvis import shifted
from .plants import runs
from .reach import inside, stretched
from .stance import feet_of

MODES = (
    ("TAKE", "As in the Take", "Feet stand while they stand in the take, with the take's own small drift"),
    ("LOCKED", "Locked", "Feet stand in one place while they stand in the take"),
    ("PATHS", "On Their Paths", "Feet stay where they are in the take, in swings too"),
    ("FREE", "Free", "Feet go wherever the edit takes them"),
)
SMOOTH = 0.24  # of the time to ease over: how stiff corrections are
ROUNDS = (30, 30)  # of the pelvis, each after feet have found their places anew
UNCHANGED, LASTING = 1e-9, 0.1  # of the leg, and seconds that frames do not change for that to be meant
MISS, FREE_MISS, FAR, SWING, STEP = 0.001, 0.1, 0.25, 70.0 * DEGREE, 12.0 * DEGREE  # metres, and a step at 120 frames a second
ATTEMPTS, AROUND = 5, 0.4  # how often the edit is held back, and seconds over which that comes and goes
LESS = 0.75  # of the most that is good: what an edit is held back to at first
STEPS_NEAR = 3  # frames around a step of the take within which as large a step is no pop


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
        except Refusal as reason:
            self.words = f"feet are free: {reason}"

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


class Solver:
    """All of a take that planting needs and no edit changes."""

    def __init__(self, body, contacts, mode, grip, beside=None):
        self.body, self.mode, self.grip, self.fps = body, mode, grip, body.clip.fps
        self.rows = within_stretches(body)
        ends, self.moving = free(body, beside)
        self.feet = feet_of(body, contacts, self.rows, ends, grip.hands)
        if not any(end.endswith("foot") for end in self.feet):
            raise Refusal("there is no foot on a leg that may be bent")
        self.hinges = SoftHinges(body, self.rows, [end for end in body.limbs if end in ends]).hinges
        legs = [hinge.stiff for end, hinge in self.hinges.items() if end in self.feet and end.endswith("foot")]
        if legs and all(legs) and not any(end in body.controls for end in self.feet):
            raise Refusal("legs never move by themselves in the take, as if welded to the body")
        self.starts = [stretch.start for stretch in body.stretches[1:]]
        self.metre = LEG / body.leg
        self.lone = ~self.rows | np.append(True, ~self.rows[:-1])  # where a step begins or ends in a pose between cuts
        self.bones = sorted({place for end in self.feet for place in body.skeleton.chain(body.bones(end)[-1])})
        self.below = self._toes()
        self.toes = near(np.where(self.lone, 0.0, self._toe_steps(body.clip)))
        self.carrying = [place for place in self.bones if not any(place in limb for limb in body.limbs.values())]
        self.carried = near(np.where(self.lone, 0.0, turning(body, self.carrying)))
        self.steps = {end: near(np.where(self.lone, 0.0, joint_steps(body, end))) for end in self.feet if end in body.limbs}
        self.locked = {end: self._locked(foot) for end, foot in self.feet.items()}

    def __call__(self, edit):
        body = self.body.again(edit)
        unchanged = self._unchanged(body)
        if unchanged.all() and self.mode != "LOCKED":
            return self._elbows(body), ""
        part, kept = np.ones(edit.frames), body
        for attempt in range(ATTEMPTS):
            pose = self._solved(kept, part, unchanged)
            bad = np.where(self.rows, pose.bad, 0.0)
            if bad.max() < 1.0 or attempt == ATTEMPTS - 1:
                break
            part = self._held_back(part, bad, attempt == ATTEMPTS - 2)
            kept = self.body.again(self._mixed(edit, part))
        return self._written(kept, pose, unchanged, edit), self._words(part, pose)

    def _toes(self):
        """The names of bones below the feet, which go along with what is held back."""
        whole, names = self.body.whole, [self.body.skeleton.bones[self.body.ends[end]].name for end in self.feet if end.endswith("foot")]
        return [name for foot in names for name in whole.below(foot) if name != foot and not led(whole, name)]

    def _toe_steps(self, clip):
        """How far toes turn from frame to frame, (toes, frames)."""
        if not self.below:
            return np.zeros((0, clip.frames))
        toes = sub_skeleton(self.body.whole, self.below)
        turns = np.moveaxis(toes.local(clip)[0], 0, -1)
        return np.array([steps_of(turns[toes.index(name)]) for name in self.below])

    def _solved(self, body, part, unchanged):
        """Everything that is turned, shifted and missed for the feet to stand, `part` (frames,) of the edit being there."""
        frames = body.clip.frames
        still = self.grip.amount * part if self.mode == "LOCKED" else np.zeros(frames)
        pinned = unchanged if self.mode != "LOCKED" else np.zeros_like(unchanged)
        instant = self.grip.instant if self.mode == "LOCKED" else None
        goals = {}
        for end, foot in self.feet.items():
            turns, moves = self.locked[end]
            hold = Hold(still * turns, still * moves, SMOOTH * self.grip.ease, instant, self.mode == "PATHS")
            goals[end] = FootGoal(foot, hold, *self._limb(body, end), self.fps, pinned, self.body.leg)
        return self._reached(body, goals, pinned)

    def _limb(self, body, end):
        """Joint, axes and points of a foot as the edit has them, its knee back within its range."""
        (joint, axes), points = body.tip(end), body.points(end)
        if end not in self.hinges:
            return joint, axes, points
        hinge = self.hinges[end]
        bend = hinge.bend(body)
        turn = rotation.exp(bend.axis * wrapped(hinge.within(bend) - bend.angle))
        middle = joint - bend.lower
        points = middle + turned(turn[:, None], np.moveaxis(points - middle, 0, 1)).swapaxes(0, 1)
        return middle + turned(turn, bend.lower), product(np.moveaxis(matrices(turn), 0, -1), axes), points

    def _reached(self, body, goals, pinned):
        spans = {end: Span(self.hinges[end], self.hinges[end].bend(body)) for end in goals if end in self.hinges}
        feet = [end for end in goals if end.endswith("foot") and (end in spans or end in body.hips)]
        shift, most, start = np.zeros((3, body.clip.frames)), self.grip.lowering / self.metre, None
        places = {end: goal.place(shift) for end, goal in goals.items()}
        if self.moving and most > 0.0 and feet:
            near, far = (np.array(these) for these in zip(*(self._bounds(body, end, spans) for end in feet)))
            for rounds in ROUNDS:
                if start is not None:
                    places = {end: goal.place(shift) for end, goal in goals.items()}
                ways = np.array([places[end] - body.root(end) for end in feet])
                held = np.array([goals[end].held for end in feet])
                start = shifted(ways, near, far, held, pinned, self.fps, self.starts, self.body.leg, start, rounds)
                if np.array_equal(start[0], shift):
                    break
                shift = start[0]
            if self.grip.lowering < FAR:
                shift = shift / np.maximum(1.0, length(shift) / most)
        return Pose(self, body, goals, spans, places, shift)

    def _bounds(self, body, end, spans):
        """How near, and how far, an ankle may be from its hip without effort."""
        if end in spans:
            return spans[end].nearest, spans[end].farthest
        own = length(self.body.tip(end)[0] - self.body.root(end))
        return np.zeros(len(own)), np.maximum(0.997 * body.lengths(end), own)

    def _held_back(self, part, bad, last):
        """Less of the edit where something is bad, smoothly in time."""
        lack = np.where(bad >= 1.0, 1.0 if last else 1.0 - LESS / np.maximum(bad, 1.0), 0.0)
        return part * (1.0 - np.clip(above(lack, max(1, round(AROUND * self.fps))), 0.0, 1.0))

    def _mixed(self, edit, part):
        """The edit with only a part (frames,) of what it does to legs and what they hang on."""
        legs = sub_skeleton(self.body.whole, [*(self.body.skeleton.bones[place].name for place in self.bones), *self.below])
        return Trunk(self.body.clip, edit, legs, whole=True).clip(self.body.whole, 1.0 - part)

    def _unchanged(self, body):
        """Frames at which legs, and what they hang on, are as in the take."""
        away = np.abs(body.heads[self.bones] - self.body.heads[self.bones]).max(axis=(0, 1))
        turned = np.abs(body.axes[self.bones] - self.body.axes[self.bones]).max(axis=(0, 1, 2))
        same = (away < UNCHANGED * self.body.leg) & (turned < UNCHANGED)
        for first, last in runs(same):
            same[first : last + 1] = last + 1 - first >= max(3, LASTING * self.fps)
        return same

    def _locked(self, foot):
        """Turns and moves that lock a foot of the take in its stands, all at one height if that is asked for."""
        if self.mode != "LOCKED":
            return np.zeros_like(foot.joint), np.zeros_like(foot.joint)
        turns, moves = foot.locked(self.grip.instant, SMOOTH * self.grip.ease, self.grip.flat, self.fps)
        if self.grip.level and foot.end.endswith("foot"):
            moves = moves + foot.lifted(self.body.level({end: own.downs for end, own in self.feet.items()}))
        return turns, moves

    def _elbows(self, body):
        """The clip with arms that are not held within their range."""
        turns = self._arms(body)
        return body.clip_of(turns, np.zeros((3, body.clip.frames)), {}) if turns else body.clip

    def _arms(self, body):
        others = SoftHinges.__new__(SoftHinges)
        others.hinges = {end: hinge for end, hinge in self.hinges.items() if end not in self.feet}
        return others.turns(body)

    def _written(self, body, pose, unchanged, edit):
        """The clip of a pose; frames that do not change are the edit's own."""
        result = body.clip_of({**self._arms(body), **pose.turns}, pose.shift, pose.stretches, pose.moves)
        if self.mode == "LOCKED" or not unchanged.any():
            return result
        values = np.array(result.values, order="F")
        own = edit.with_channels(result.channels, [self.body.whole.held(channel) if channel.owner else 0.0 for channel in result.channels])
        values[unchanged] = own.values[unchanged]
        return result.with_values(values)

    def _words(self, part, pose):
        told, frame = [], self.body.clip.first_frame
        if part.min() < 0.995:
            at = int(np.argmin(part))
            told.append(
                f"legs would not reach around frame {frame + at}: only {100 * part[at]:.0f} % of the change is left there"
            )
        for end, missing in pose.missing.items():
            at = int(np.argmax(missing))
            if missing[at] * self.metre > MISS:
                name = self.body.skeleton.bones[self.body.ends[end]].name
                told.append(f"{name} misses its place by {1000 * self.metre * missing[at]:.1f} mm at frame {frame + at}")
        return "; ".join(told)


class Pose:
    """An edit whose feet are brought to their places: turns, shift, moves and stretches for Body.clip_of, how far planted
    ends miss, {end: (frames,)}, and how bad it is, (frames,), 1 being more than may be."""

    def __init__(self, solver, body, goals, spans, places, shift):
        self.shift, self.turns, self.moves, self.stretches, self.missing = shift, {}, {}, {}, {}
        metre, step = solver.metre, STEP * 120.0 / min(solver.fps, 120.0)
        self.why={"shift":length(shift) * metre / FAR,"miss":0*shift[0],"free":0*shift[0],"swing":0*shift[0],"step":0*shift[0]}
        self.bad = length(shift) * metre / FAR
        self._add_steps(turning(body, solver.carrying) - solver.carried, solver, step)
        self._add_steps(solver._toe_steps(body.clip) - solver.toes, solver, 2.0 * step)
        for end, goal in goals.items():
            joint, axes = body.tip(end)
            turn = rotation.multiply(goal.turn, self._carried(solver, body, end))
            if end not in spans:
                place = body.controls[end]
                self.turns[place] = inside(turn, plain(axes))
                self.moves[place] = places[end] - joint - (shift if body.mover in body.skeleton.chain(place) else 0.0)
                continue
            reached = spans[end].reached(body.root(end) + shift, places[end])
            self.turns |= own_turns(body, end, reached.upper, reached.lower, turn)
            missing = reached.missing
            if solver.grip.stretch and end.endswith("foot"):
                self.stretches |= stretched(body, end, missing, solver.grip.stretch)
                missing = np.maximum(missing - solver.grip.stretch * body.lengths(end), 0.0)
            self.missing[end] = np.where(goal.planted, missing, 0.0)
            if not end.endswith("foot"):
                continue
            self.why["miss"]=np.maximum(self.why["miss"],np.where(goal.planted,missing*metre/MISS,0)); self.why["free"]=np.maximum(self.why["free"],np.where(goal.planted,0,missing*metre/FREE_MISS)); self.why["swing"]=np.maximum(self.why["swing"],np.maximum(reached.swing - SWING + STEP, 0.0) / STEP)
            self.bad = np.maximum(self.bad, missing * metre / np.where(goal.planted, MISS, FREE_MISS))
            self.bad = np.maximum(self.bad, np.maximum(reached.swing - SWING + STEP, 0.0) / STEP)
            self._add_steps(joint_steps(body, end, reached.upper, reached.lower, turn) - solver.steps[end], solver, step)

    def _add_steps(self, more, solver, step):
        """Count steps (joints, frames) beyond those of the take as bad at both their frames."""
        if not len(more):
            return
        more = np.where(solver.lone, 0.0, more).max(axis=0) / step
        self.why["step"] = np.maximum(self.why["step"], more)
        self.bad = np.maximum(self.bad, np.maximum(more, np.append(more[1:], 0.0)))

    @staticmethod
    def _carried(solver, body, end):
        """The turn of a foot that comes from its knee being brought back into its range."""
        if end not in solver.hinges:
            return np.eye(4)[0][:, None]
        hinge = solver.hinges[end]
        bend = hinge.bend(body)
        return rotation.exp(bend.axis * wrapped(hinge.within(bend) - bend.angle))


def joint_steps(body, end, *turns):
    """How far hip, knee and ankle turn from frame to frame, (3, frames), with turns of the three bones on top."""
    places = body.limbs[end]
    axes = [plain(body.axes[place]) for place in places]
    axes = [product(np.moveaxis(matrices(turn), 0, -1), own) for turn, own in zip(turns, axes)] if turns else axes
    parent = body.skeleton.bones[places[0]].parent
    above_all = plain(body.axes[parent]) if parent >= 0 else np.eye(3)[:, :, None]
    return np.array([steps_of(product(np.swapaxes(upper, 0, 1), lower)) for upper, lower in zip([above_all, *axes], axes)])


def turning(body, places):
    """How far bones turn in their parents from frame to frame, (bones, frames)."""
    parents = [body.skeleton.bones[place].parent for place in places]
    above_all = [plain(body.axes[parent]) if parent >= 0 else np.eye(3)[:, :, None] for parent in parents]
    locals_ = [product(np.swapaxes(upper, 0, 1), plain(body.axes[place])) for upper, place in zip(above_all, places)]
    return np.array([steps_of(local) for local in locals_]).reshape(len(places), -1)


def steps_of(axes):
    """How far axes (3, 3, frames) turn from frame to frame, (frames,)."""
    cosine = 0.5 * (np.einsum("ijf,ijf->f", axes[..., 1:], axes[..., :-1]) - 1.0)
    return np.append(0.0, np.arccos(np.clip(cosine, -1.0, 1.0)))


def near(steps):
    """The largest within some frames."""
    return scipy.ndimage.maximum_filter1d(steps, 2 * STEPS_NEAR + 1, axis=-1, mode="nearest")


def free(body, beside):
    """Feet and hands whose limbs may be bent, and whether the pelvis may be shifted: what is beside the clip stays."""
    channels = beside.channels if beside else ()
    turning = {channel.owner for channel in channels if channel.kind in ROTATION_SIZES}
    moving = {channel.owner for channel in channels if channel.kind == "LOCATION"}
    names = {end: {body.skeleton.bones[place].name for place in body.bones(end)} for end in body.ends}
    ends = [end for end, own in names.items() if not own & turning and not (end in body.controls and own & moving)]
    return ends, body.skeleton.bones[body.mover].name not in moving
