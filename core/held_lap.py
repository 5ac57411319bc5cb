# SPDX-License-Identifier: GPL-3.0-or-later
"""Held lap: the feet of a lap held where they stand, so that it still ends as it begins.

It is held together with what comes before and after it, and then cut out: a foot that stands across the seam stands on both
sides of it.
"""

from dataclasses import replace

import numpy as np

from .lap import Lap, lap_of
from .limp import walks
from .lock import LOCK, LockParams
from .technique import Surroundings

ROUNDS = 2  # a foot that is held stands longer, so that it is looked for again


def held_lap(lap, around, in_step, path, amount, surroundings):
    """A lap without the frames `around` it, its feet held as firmly as the amount says."""
    skeleton = surroundings.skeleton
    clip = in_step.placed(lap, "STRAIGHT" if path == "PLACE" else path, np.zeros(3), 0.0)
    if walks(clip, skeleton):
        for _ in range(ROUNDS):
            clip = LOCK.run(clip, LockParams(amount=amount), Surroundings(skeleton))
    return inner(replace(lap, clip=lap_of(clip, in_step.ground)[0].clip), around)


def inner(lap, around):
    """A lap without some frames before and after."""
    steps = slice(around, lap.length - around)
    rows = np.arange(around, lap.length - around + 1)
    return Lap(lap.clip.with_values(lap.clip.values[rows], rows), lap.steps[steps], lap.turns[steps])
