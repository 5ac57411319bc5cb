# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted feet: any edit of a take with its feet as planted as the take has them, and words for what gave way."""

import numpy as np

from ..body.body import body_of
from ..numeric.refusal import Refusal
from .foot_solver import MISS_LOCKED, Grip, Solver
from .pose import MISS

NOWHERE = "no foot stands anywhere in the take"
LEFT = 0.995  # of a change: who is left less should hear of it
LOOSE = 0.5  # of a hold: a foot that is held by less slides


class PlantedFeet:
    """The feet of a take, opened once, to be kept planted in any edit of it of the same frames.

    `words` say what gave way in the last edit, or why feet are free; nothing where all went well.
    """

    def __init__(self, source, skeleton, contacts=None, mode="TAKE", grip=Grip(), beside=None, original=None):
        self.source, self.mode, self.words, self.beside, self.solver = source, mode, "", beside, None
        if mode == "FREE":
            return
        try:
            self.solver = Solver(body_of(source.with_clip(beside), skeleton), contacts, mode, grip, beside, None, original)
            self.solver.source.refuse_legs()
        except Refusal as reason:
            self.solver, self.words = None, f"feet are free: {reason}"

    def __call__(self, edit):
        """The edit with its feet planted."""
        if self.solver is None:
            return edit
        if (edit.frames, edit.first_frame) != (self.source.frames, self.source.first_frame):
            self.words = f"feet are free: the result has {edit.frames} frames and the take {self.source.frames}"
            return edit
        free = () if self.solver.source.stands or self.mode == "PATHS" else (f"feet are free: {NOWHERE}",)
        try:
            result, left, pose = self.solver(edit.with_clip(self.beside))
        except Refusal as reason:
            self.words = free[0] if free else f"feet are free: {reason}"
            return edit
        self.words = "; ".join((*free, *(gave_way(self.solver.source.take, left, pose) if pose else ())))
        return result.without(self.beside)


def feet_of_take(clip, surroundings):
    """The feet of a technique's clip, opened to be kept planted, as is asked for, in what it makes of it."""
    contacts = surroundings.planted() or None
    beside, original = surroundings.beside, surroundings.original
    return PlantedFeet(clip, surroundings.skeleton, contacts, surroundings.feet, beside=beside, original=original)


def lock_feet(clip, skeleton, contacts=None, amount=1.0, beside=None):
    """A clip whose planted feet and hands stay in place, one for every stand; contacts are found unless they are given.

    `beside` is a clip of what else the figure does and will go on doing.
    """
    return locked(body_of(clip.with_clip(beside), skeleton), contacts, Grip(amount, "MIDDLE"), beside)[0].without(beside)


def locked(body, contacts, grip, beside=None, original=None, edit=None):
    """The clip of a body whose feet and hands are held as a Grip, or what has the same fields, says; and why feet are free, if
    they are. An `edit` of it, with feet that go anywhere, has them where they stand in the body, and what gave way is said."""
    solver = Solver(body, contacts, "LOCKED", grip, beside, None, original)
    try:
        solver.source.refuse_legs()
        free = "" if solver.source.stands else f"feet are free: {NOWHERE}"
    except Refusal as reason:
        free = f"feet are free: {reason}"
    result, left, pose = solver(body.clip if edit is None else edit)
    told = () if pose is None else gave_way(solver.source.take, left, pose) if edit else let_go(solver.source.take, left, pose)
    return result, "; ".join(filter(None, (free, *told)))


def gave_way(body, left, pose):
    """What is said of an edit that is held back, and of feet and hands that miss their places."""
    frame, names = body.clip.first_frame, {end: body.skeleton.bones[bone].name for end, bone in body.ends.items()}
    least = {end: int(np.argmin(part)) for end, part in left.items() if part.min() < LEFT}
    for end, row in sorted(least.items(), key=lambda these: left[these[0]][these[1]])[:1]:
        part = f"only {100 * left[end][row]:.0f} % of the change is left there"
        yield f"legs would not reach, or jerk, around frame {frame + row} ({names[end]}): {part}"
    yield from missed(body, pose, MISS)


def let_go(body, left, pose):
    """What is said of a take that is locked by itself: feet that are let go, and those that miss their places."""
    frame = body.clip.first_frame
    for end, part in left.items():
        if part.min() < LOOSE:
            name, row = body.skeleton.bones[body.ends[end]].name, int(np.argmin(part))
            yield f"{name} is let go around frame {frame + row}: its leg would not reach, or jerk"
    yield from missed(body, pose, MISS_LOCKED)


def missed(body, pose, may):
    """What is said of feet and hands that miss their places by more metres than they may."""
    frame, names = body.clip.first_frame, {end: body.skeleton.bones[bone].name for end, bone in body.ends.items()}
    for end, missing in pose.missing.items():
        row = int(np.argmax(missing))
        if missing[row] * pose.metre > may:
            yield f"{names[end]} misses its place by {1000 * pose.metre * missing[row]:.1f} mm at frame {frame + row}"
