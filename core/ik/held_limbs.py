# SPDX-License-Identifier: GPL-3.0-or-later
"""Held limbs: legs and arms of an edit brought back to where feet and hands were in the take, without a jerk.

Each bends about the hinge that it has in the take and reaches softly near straight. Where it still would miss, swing too far
or jerk, the change of the limb and of what it hangs on is held back, smoothly in time: the take itself has all in place.
"""

import numpy as np

from ..body.contacts import LEG
from ..motion.skeleton import sub_skeleton
from ..numeric.matrix import between, plain
from .calm_joints import CalmJoint
from .foot_solver import ATTEMPTS
from .give_way import Trunk
from .hinge import hinges_of, within_stretches
from .limb_reach import Span, own_turns
from .pelvis import shifted
from .planting_source import as_in_take
from .pose import MISS, NONE, STEP, SWING, joint_steps, near
from .steady_joints import fastest, less

EXACT = 1e-4  # of its length: what a limb may miss for its joint to turn smoothly
TAUT = 0.6  # how far limbs are pulled into where they resist before the body gives way


class HeldLimbs:
    """Feet and hands of the body in a take that are to stay on their paths, turned as they were if they are `turned`."""

    def __init__(self, body, ends, turned=True, original=None):
        self.body, self.turned, self.fps = body, turned, body.clip.fps
        self.rows = within_stretches(body)
        self.lone = ~self.rows | np.append(True, ~self.rows[:-1])
        bodies = [body, body.again(original)] if original else [body]
        self.hinges = hinges_of(body, self.rows, ends, *bodies[1:])
        self.steps = {end: [near(np.where(self.lone, 0.0, joint_steps(each, end))) for each in bodies] for end in self.hinges}
        self.starts = [stretch.start for stretch in body.stretches[1:]]

    def spans(self, body):
        """How far each limb reaches with ease, {end: (frames,)}."""
        return {end: Span(hinge, hinge.bend(body)).within(TAUT) for end, hinge in self.hinges.items()}

    def shift(self, body, unchanged=None):
        """The smallest smooth shift of the pelvis, (3, frames), with which all feet reach their paths."""
        unchanged = self.unchanged(body) if unchanged is None else unchanged
        feet = [end for end in self.hinges if end.endswith("foot")]
        if not feet:
            return np.zeros((3, body.clip.frames))
        spans = [Span(self.hinges[end], self.hinges[end].bend(body)) for end in feet]
        ways = np.array([self.body.tip(end)[0] - body.root(end) for end in feet])
        bounds = (np.array(bound) for bound in zip(*((span.nearest, span.within(TAUT)) for span in spans)))
        held = np.ones((len(feet), body.clip.frames), dtype=bool)
        found = shifted(ways, *bounds, held, unchanged, self.fps, self.starts, self.body.leg)[0]
        return np.where(unchanged, 0.0, found)

    def reached(self, body, unchanged=None, mended=lambda body: body):
        """The clip of an edit with limbs back on their paths, as much of it left as can be had so.

        `mended(body)` brings back what else is to be held, when less is left of the edit; what is `unchanged` (frames,) stays.
        """
        edit, left = body.clip, np.ones(body.clip.frames)
        unchanged = self.unchanged(body) if unchanged is None else unchanged
        for attempt in range(ATTEMPTS):
            turns, bad = self._turns(body, unchanged)
            if bad.max() < 1.0 or attempt == ATTEMPTS - 1:
                break
            left = less(left, bad, attempt == ATTEMPTS - 2, self.fps)
            chains = sub_skeleton(self.body.whole, [self.body.skeleton.bones[self.body.ends[end]].name for end in self.hinges])
            body = mended(self.body.again(Trunk(self.body.clip, edit, chains, whole=True).clip(self.body.whole, 1.0 - left)))
        return body.clip_of(turns, np.zeros((3, body.clip.frames)), {})

    def unchanged(self, body):
        """Frames at which limbs, and what they hang on, are as in the take."""
        bones = sorted({bone for end in self.hinges for bone in body.skeleton.chain(body.ends[end])})
        return as_in_take(self.body, body, bones) if bones else np.zeros(body.clip.frames, dtype=bool)

    def _turns(self, body, unchanged):
        """Turns of all limbs, and how bad it is, (frames,), 1 being more than may be."""
        calm = CalmJoint(unchanged, self.fps, self.starts, EXACT) if unchanged.any() else None
        turns, bad, step = {}, np.zeros(body.clip.frames), STEP * 120.0 / min(self.fps, 120.0)
        for end, hinge in self.hinges.items():
            (goal, wanted), (_, axes) = self.body.tip(end), body.tip(end)
            reached = Span(hinge, hinge.bend(body)).reached(body.root(end), goal, calm)
            tip = between(plain(axes), plain(wanted)) if self.turned else reached.lower
            own = [np.where(unchanged, NONE, turn) for turn in (reached.upper, reached.lower, tip)]
            turns |= own_turns(body, end, *own)
            jerks = np.where(self.lone, 0.0, joint_steps(body, end, *own) - fastest(self.steps[end], step))
            jerks = jerks.max(axis=0) / step
            missing = np.minimum(reached.missing, reached.beyond) * LEG / self.body.leg / MISS
            swings = np.where(unchanged, 0.0, np.maximum(reached.swing - SWING + STEP, 0.0) / STEP)
            bad = np.max([bad, missing, swings, jerks, np.append(jerks[1:], 0.0)], axis=0)
        return turns, np.where(self.rows, bad, 0.0)
