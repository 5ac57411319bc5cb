# SPDX-License-Identifier: GPL-3.0-or-later
"""The pelvis: the smallest smooth shift of it with which every planted foot is within reach, and knees hardly bend for it.

The least |shift|^2 + stiffness |shift''|^2 of which hips come no farther from planted ankles, nor nearer, than legs reach:
a least-squares problem with distances between two bounds, solved by alternating between both (ADMM, Boyd et al. 2011), so
that one banded matrix, factored once, serves all rounds.
"""

import numpy as np

from ..numeric.banded import Smoother
from ..numeric.vectors import SMALL, dot, length

SMOOTH = 0.15  # seconds over which the pelvis gives way
PULL, RELAXED = 100.0, 1.6  # how strongly bounds pull, and how far beyond a step goes
PINNED = 1e8  # weight of frames that do not change
LEAST = 15  # rounds, as the first that meets all bounds is not the smallest
NEAR = 4e-4  # of the leg: how exactly bounds are met
WORTH = 0.115  # metres of the pelvis, of a leg of 82 cm, that are worth a radian of a knee: two millimetres a degree
STRAIGHT, STEEP = np.radians(3.0), 0.1  # what is straighter counts as this, and what leans farther as this part upright


def shifted(ways, nearest, farthest, held, pinned, fps, starts, leg, start=None, rounds=25):
    """The shift (3, frames) of the pelvis for ways (legs, 3, frames) from hip to ankle.

    `nearest` and `farthest` (legs, frames) bound their lengths while they are `held` (legs, frames); at frames that are
    `pinned` the pelvis stays. `start` is what was found for much the same before; the result is the shift, and the same
    for next time.
    """
    shift, lacking = start or (np.zeros(ways.shape[1:]), np.zeros_like(ways))
    between, mask = ways - shift, held[:, None].astype(float)
    if not held.any() or beyond(between, nearest, farthest, held) < NEAR * leg and not shift.any():
        return shift, lacking
    smoother = Smoother(1.0 + PULL * held.sum(axis=0) + PINNED * pinned, SMOOTH, fps, starts)
    wanted, rest = between, (mask * ways).sum(axis=0)
    for count in range(rounds):
        tried = (RELAXED * between + (1.0 - RELAXED) * wanted if count else between) + lacking
        size = np.maximum(np.sqrt((tried * tried).sum(axis=1)), SMALL)
        wanted = tried * (np.clip(size, nearest, farthest) / size)[:, None]
        lacking = (tried - wanted) * mask
        shift = smoother.solved(PULL * (rest + (mask * (lacking - wanted)).sum(axis=0)))
        between = ways - shift
        if count >= LEAST and beyond(between, nearest, farthest, held) < NEAR * leg:
            break
    return shift, lacking


def raised(ways, bends, planted, up, fps, starts, metre):
    """How far up (3, frames) the pelvis is to be for knees of planted legs to stay as bent as they are, as smooth as it goes.

    The straighter a knee is the farther it turns for a millimetre of the foot below it: with such a leg the pelvis goes along.
    """
    wanted, weights = 0.0, 0.0
    for way, bend, standing in zip(ways, bends, planted):
        size = length(way)
        steep = np.maximum(-dot(up, way) / size, STEEP)
        turned = WORTH / metre * steep / np.maximum(bend.gained(bend.angle), bend.gained(STRAIGHT))
        weight = standing * np.square(turned)
        wanted = wanted + weight * (length(bend.upper + bend.lower) - size) / steep
        weights = weights + weight
    return up * Smoother(1.0 + weights, SMOOTH, fps, starts).solved(wanted[None])[0] if ways else 0.0


def beyond(ways, nearest, farthest, held):
    """How far ways (legs, 3, frames) are out of their bounds, at worst."""
    size = np.sqrt((ways * ways).sum(axis=1))
    return float((np.maximum(size - farthest, nearest - size) * held).max())
