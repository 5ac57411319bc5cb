# SPDX-License-Identifier: GPL-3.0-or-later
"""Held limbs: legs and arms of an edit brought back to where feet and hands were in the take, without a jerk.

Each bends about the hinge that it has in the take and reaches softly near straight. Where it still would miss, swing too far
or jerk, the change of the limb and of what it hangs on is held back, smoothly in time: the take itself has all in place.
"""

import numpy as np

from ..body.contacts import LEG
from ..motion.skeleton import sub_skeleton
from ..numeric.matrix import between
from .foot_solver import ATTEMPTS
from .give_way import Trunk
from .hinge import hinges_of, plain, within_stretches
from .limb_reach import Span, own_turns
from .pelvis import shifted
from .pose import MISS, STEP, SWING, joint_steps, near
from .steady_joints import less

TAUT = 0.6  # how far limbs are pulled into where they resist before the body gives way


class HeldLimbs:
    """Feet and hands of the body in a take that are to stay on their paths, turned as they were if they are `turned`."""

    def __init__(self, body, ends, turned=True):
        self.body, self.turned, self.fps = body, turned, body.clip.fps
        self.rows = within_stretches(body)
        self.lone = ~self.rows | np.append(True, ~self.rows[:-1])
        self.hinges = hinges_of(body, self.rows, ends)
        self.steps = {end: near(np.where(self.lone, 0.0, joint_steps(body, end))) for end in self.hinges}
        self.starts = [stretch.start for stretch in body.stretches[1:]]

    def spans(self, body):
        """How far each limb reaches with ease, {end: (frames,)}."""
        return {end: Span(hinge, hinge.bend(body)).within(TAUT) for end, hinge in self.hinges.items()}

    def shift(self, body):
        """The smallest smooth shift of the pelvis, (3, frames), with which all feet reach their paths."""
        feet = [end for end in self.hinges if end.endswith("foot")]
        if not feet:
            return np.zeros((3, body.clip.frames))
        spans = [Span(self.hinges[end], self.hinges[end].bend(body)) for end in feet]
        ways = np.array([self.body.tip(end)[0] - body.root(end) for end in feet])
        bounds = (np.array(bound) for bound in zip(*((span.nearest, span.within(TAUT)) for span in spans)))
        held, none = np.ones((len(feet), body.clip.frames), dtype=bool), np.zeros(body.clip.frames)
        return shifted(ways, *bounds, held, none, self.fps, self.starts, self.body.leg)[0]

    def reached(self, body, mended=lambda body: body):
        """The clip of an edit with limbs back on their paths, as much of it left as can be had so.

        `mended(body)` brings back what else is to be held, when less is left of the edit.
        """
        edit, left = body.clip, np.ones(body.clip.frames)
        for attempt in range(ATTEMPTS):
            turns, bad = self._turns(body)
            if bad.max() < 1.0 or attempt == ATTEMPTS - 1:
                break
            left = less(left, bad, attempt == ATTEMPTS - 2, self.fps)
            chains = sub_skeleton(self.body.whole, [self.body.skeleton.bones[self.body.ends[end]].name for end in self.hinges])
            body = mended(self.body.again(Trunk(self.body.clip, edit, chains, whole=True).clip(self.body.whole, 1.0 - left)))
        return body.clip_of(turns, np.zeros((3, body.clip.frames)), {})

    def _turns(self, body):
        """Turns of all limbs, and how bad it is, (frames,), 1 being more than may be."""
        turns, bad, step = {}, np.zeros(body.clip.frames), STEP * 120.0 / min(self.fps, 120.0)
        for end, hinge in self.hinges.items():
            (goal, wanted), (_, axes) = self.body.tip(end), body.tip(end)
            reached = Span(hinge, hinge.bend(body)).reached(body.root(end), goal)
            tip = between(plain(axes), plain(wanted)) if self.turned else reached.lower
            turns |= own_turns(body, end, reached.upper, reached.lower, tip)
            jerks = np.where(self.lone, 0.0, joint_steps(body, end, reached.upper, reached.lower, tip) - self.steps[end])
            jerks = jerks.max(axis=0) / step
            missing = reached.missing * LEG / self.body.leg / MISS
            swings = np.maximum(reached.swing - SWING + STEP, 0.0) / STEP
            bad = np.max([bad, missing, swings, jerks, np.append(jerks[1:], 0.0)], axis=0)
        return turns, np.where(self.rows, bad, 0.0)
