# SPDX-License-Identifier: GPL-3.0-or-later
"""Knees that can only bend forwards, for legs that a rig bends by itself: where a take bends one backwards, the hips rise, as
little as they can and smoothly, until it is all but straight."""

import numpy as np

from ..ik.pelvis import shifted
from ..numeric.vectors import dot, length, unit

STRAIGHT = np.radians(8.0)  # how far a knee is bent that would bend backwards; legs that stretch get no straighter
REACH = 0.9999  # of a leg: how far the foot of another may get


def risen(legs, fps):
    """How far hips (3, frames) are to be shifted for `legs`, of each its hip, knee and ankle (3, frames) and the way ahead
    (3, frames) at its hip, across the leg."""
    ways, near, far, held = [], [], [], []
    for hip, knee, ankle, ahead in legs:
        upper, lower, way = knee - hip, ankle - knee, ankle - hip
        first, second = length(upper), length(lower)
        cosine = np.clip(dot(upper, lower) / np.maximum(first * second, 1e-12), -1.0, 1.0)
        bend = np.arccos(cosine) * np.sign(dot(upper - unit(way) * dot(upper, unit(way)), ahead))
        straight = np.sqrt(first**2 + second**2 + 2.0 * first * second * np.cos(np.maximum(bend, STRAIGHT)))
        ways.append(way)
        near.append(np.where(bend < STRAIGHT, straight, 0.0))
        far.append(np.maximum(REACH * (first + second), length(way)))
        held.append(np.ones(len(bend), dtype=bool))
    if not any((size > length(way)).any() for size, way in zip(near, ways)):
        return np.zeros_like(legs[0][0]) if legs else 0.0
    leg = float(np.mean(far))
    pinned = np.zeros(len(near[0]), dtype=bool)
    return shifted(np.array(ways), np.array(near), np.array(far), np.array(held), pinned, fps, [], leg)[0]
