# SPDX-License-Identifier: GPL-3.0-or-later
"""Hips rise where a rig could not bend a knee as the take does, and nowhere else."""

import numpy as np
from motion_signal.core.numeric.vectors import length
from motion_signal.core.retargeting.forward_knees import STRAIGHT, risen

FRAMES, FPS = 240, 60.0
UPPER, LOWER = 0.44, 0.4
AHEAD = np.array([0.0, -1.0, 0.0])


def leg(bend, aside):
    """Hip, knee, ankle and the way ahead (3, frames) of a standing leg, its knee bent by angles (frames,)."""
    share = np.arctan2(LOWER * np.sin(bend), UPPER + LOWER * np.cos(bend))  # of the thigh against the line to the foot
    size = np.sqrt(UPPER**2 + LOWER**2 + 2.0 * UPPER * LOWER * np.cos(bend))
    still = np.zeros_like(bend)
    ankle = np.array([aside + still, still, still])
    hip = ankle + np.array([still, still, size])
    knee = hip + UPPER * np.array([still, -np.sin(share), -np.cos(share)])
    return hip, knee, ankle, np.broadcast_to(AHEAD[:, None], hip.shape)


def test_hips_rise_until_a_knee_that_bends_backwards_is_straight_and_no_foot_is_out_of_reach():
    time = np.arange(FRAMES) / FPS
    backwards = leg(np.radians(-12.0 * np.sin(np.pi * time / time[-1]) ** 2 + 2.0), 0.1)
    bent = leg(np.radians(30.0 + 5.0 * np.sin(time)), -0.1)
    shift = risen([backwards, bent], FPS)
    hip, _, ankle, _ = backwards
    straight = np.sqrt(UPPER**2 + LOWER**2 + 2.0 * UPPER * LOWER * np.cos(STRAIGHT))
    assert length(ankle - hip).min() < straight - 5e-4
    assert length(ankle - hip - shift).min() > straight - 5e-4
    for hip, _, ankle, _ in (backwards, bent):
        assert length(ankle - hip - shift).max() < UPPER + LOWER
    assert np.abs(np.diff(shift, 2)).max() * FPS**2 < 0.5  # metres a second squared


def test_hips_stay_where_knees_bend_forwards():
    legs = [leg(np.radians(np.linspace(10.0, 90.0, FRAMES)), side) for side in (0.1, -0.1)]
    assert not risen(legs, FPS).any()
