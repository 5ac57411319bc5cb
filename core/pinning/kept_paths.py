# SPDX-License-Identifier: GPL-3.0-or-later
"""Kept paths: bones stay where they were in the original take, whatever an edit did to the rest: pins that hold in every frame.

Legs come before feet are planted, everything else after it, when feet stay where they are.
"""

import numpy as np

from ..ik.freedom import refuse
from ..numeric.matrix import turns_to
from ..numeric.refusal import Refusal
from .goals import PinGoal
from .solve import Pinned


class KeptPaths:
    """Bones and where they are in the original take of a clip, the most important first, to be held there in edits of it."""

    def __init__(self, names, clip, surroundings):
        self.skeleton, self.surroundings, original = surroundings.skeleton, surroundings, surroundings.original
        refuse(names, self.skeleton)
        if original is None or (original.first_frame, original.frames) != (clip.first_frame, clip.frames):
            raise Refusal(
                f"keep: {names[0]} has no other path than its own, as this motion was not made from a take of the "
                "same frames; edit a take and keep bones in what the edit gives"
            )
        figure = Pinned(original, self.skeleton, surroundings)
        keys = [(name, 0.0) for name in names]
        self.axes, self.places = figure.places(original, keys)
        self.of_legs = {key: figure.leg_of(key[0]) is not None for key in keys}

    def legs(self, clip):
        """The clip with bones of legs on their paths, before feet are planted."""
        return self._held(clip, [key for key, leg in self.of_legs.items() if leg])

    def others(self, clip):
        """The clip with all other bones on their paths, its feet staying where they are."""
        return self._held(clip, [key for key, leg in self.of_legs.items() if not leg])

    def _held(self, clip, keys):
        if not keys:
            return clip
        figure, always = Pinned(clip, self.skeleton, self.surroundings), np.ones(clip.frames, dtype=bool)
        axes, points = figure.places(clip, keys)
        goals = []
        for level, key in enumerate(keys):
            turn = turns_to(axes[key], self.axes[key]) if key[0] in figure.ends else None
            move = self.places[key] - points[key]
            goals.append(PinGoal(*key, (), self.places[key], move, turn, always, always, level))
        return figure.held(goals, points)[0]
