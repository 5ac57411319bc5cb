# SPDX-License-Identifier: GPL-3.0-or-later
"""Steady joints: no bone of an edit turns in one frame much farther than the take turns it around there.

Filters that push a rotation near half a turn, or a glitch of the capture, make it flip. There the bone's change is held back,
as little and as smoothly as it goes, until it turns no faster than is allowed: with nothing left of it, as in the take.
"""

import numpy as np

from ..motion.posing import local
from ..motion.repose import reposed
from ..motion.skeleton import columns_of
from ..numeric import rotation, scipy
from ..numeric.matrix import euler_matrices, matrices, product, steps_of, turns_to
from ..numeric.rotation import EULER_ORDERS
from ..numeric.smoothing import above

FASTER = np.radians(18.0)  # a frame, at 120 frames a second: how much faster than in the take a bone may turn
NEAR = 3  # frames around a step of the take within which as large a step is its own
AROUND = 0.2  # seconds over which a change is held back
ATTEMPTS = 4
TOGETHER = 1 << 14  # frames times bones, of which the axes stay in the processor's own memory
MOST = 0.9  # of what an edit may add: as much of what an edit before it did is no reason to let it add more
LESS, LESS_AROUND = 0.75, 0.4  # of the most that is good: what an edit is held back to at first, and over how many seconds


class SteadyJoints:
    """How fast bones of a take, by name, turn in their parents, to hold edits of it against; rows (frames,) count.

    `original` is the clip that the take was made from, if it is itself an edit.
    """

    def __init__(self, clip, skeleton, names, rows, original=None):
        self.whole, self.names, self.fps = skeleton, list(names), clip.fps
        self.lone = ~rows | np.append(True, ~rows[:-1])
        if not self.names:
            return
        self.clip, more = clip, FASTER * 120.0 / min(clip.fps, 120.0)
        self.most = more + fastest([self._around(each) for each in ([clip, original] if original else [clip])], more)

    def __call__(self, edit):
        """The edit with bones that flip held back, and their names."""
        if not self.names:
            return edit, ()
        turns, too_fast = {}, (~self.lone & (self._steps(edit) > self.most)).any(axis=1)
        for row in np.flatnonzero(too_fast):
            name, most = self.names[row], self.most[row]
            turns[name] = self._slower(self._local(self.clip, name), self._local(edit, name), most)
        return (reposed(edit, self.whole, turns), tuple(turns)) if turns else (edit, ())

    def _local(self, clip, name):
        """The axes (3, 3, frames) of a bone in its parent."""
        turn = local(self.whole.bones[self.whole.index(name)], clip.values, columns_of(clip))[0]
        return np.broadcast_to(turn, (3, 3, clip.frames))

    def _around(self, clip):
        """The most that bones of a clip turn in a frame, around every frame, (bones, frames)."""
        steps = np.where(self.lone, 0.0, self._steps(clip))
        return scipy.ndimage.maximum_filter1d(steps, 2 * NEAR + 1, axis=-1, mode="nearest")

    def _steps(self, clip):
        """How far bones turn in their parents from frame to frame, (bones, frames); those with angles alike some at a time."""
        steps, columns, alike = np.empty((len(self.names), clip.frames)), columns_of(clip), {}
        for row, name in enumerate(self.names):
            bone = self.whole.bones[self.whole.index(name)]
            angles = [columns.get((bone.rotation_path, axis)) for axis in range(3)]
            if bone.mode in EULER_ORDERS and None not in angles:
                alike.setdefault(bone.mode, []).append((row, angles))
            else:
                steps[row] = steps_of(self._local(clip, name))
        size = max(1, TOGETHER // clip.frames)
        for mode, bones in alike.items():
            for start in range(0, len(bones), size):
                rows, angles = zip(*bones[start : start + size])
                turns = euler_matrices(np.ascontiguousarray(clip.values.T[np.array(angles).T]), mode)
                steps[list(rows)] = steps_of(turns)
        return steps

    def _fast(self, axes, most):
        fast = ~self.lone & (steps_of(axes) > most)
        return fast | np.append(fast[1:], False)

    def _slower(self, source, axes, most):
        """The turn (4, frames), in the bone's own space, that takes so much of its change back."""
        way = np.einsum("ijf,if->jf", axes, turns_to(source, axes))
        back = np.zeros(axes.shape[-1])
        for attempt in range(ATTEMPTS):
            turn = rotation.exp(-back * way)
            fast = self._fast(turned(axes, turn), most)
            if not fast.any():
                break
            lack = above(fast.astype(float), max(1, round((1 + attempt) * AROUND * self.fps)))
            back = 1.0 - (1.0 - back) * (1.0 - lack * (0.5 if attempt < 2 else 1.0))
        return rotation.exp(-back * way)


def fastest(known, more):
    """The steps that a result is held against, given those of a take and, if it is an edit itself, of its original.

    What edits of edits add up to is no more than one may add: but for a little, where the take has it all already.
    """
    return known[0] if len(known) == 1 else np.maximum(known[1], known[0] - MOST * more)


def less(left, bad, last, fps):
    """Less left (rows,) of an edit where something is bad, 1 being more than may be, smoothly in time; nothing at last."""
    lack = np.where(bad >= 1.0, 1.0 if last else 1.0 - LESS / np.maximum(bad, 1.0), 0.0)
    return left * (1.0 - np.clip(above(lack, max(1, round(LESS_AROUND * fps))), 0.0, 1.0))


def turned(axes, turn):
    """Axes (3, 3, frames) turned (4, frames) in their own space."""
    return product(axes, np.moveaxis(matrices(turn), 0, -1))
