# SPDX-License-Identifier: GPL-3.0-or-later
"""Easing of what is known at some frames, and runs of frames."""

import numpy as np
from motion_signal.core.ik.plants import Ease
from motion_signal.core.numeric.smoothing import above, runs

FRAMES = 120
WHOLE = [slice(0, FRAMES)]


def down(*intervals):
    mask = np.zeros(FRAMES, dtype=bool)
    for first, last in intervals:
        mask[first : last + 1] = True
    return mask


def test_easing_keeps_what_is_known_and_goes_to_nothing_without_a_corner():
    values = np.sin(np.arange(FRAMES) / 8.0)[None] + 2.0
    known = down((40, 60))
    result = Ease(WHOLE, 25)(values, known)[0]
    assert (result[known] == values[0, known]).all()
    assert not result[:16].any() and not result[85:].any()
    bends = np.abs(np.diff(result, 2))
    assert bends.max() < 6 * 3.0 / 25**2 + 4 * 0.125 / 25  # what a cubic of that height, slope and span bends


def test_easing_between_two_plants_joins_them():
    values = np.concatenate([np.ones(60), np.full(60, 3.0)])[None]
    result = Ease(WHOLE, 50)(values, down((0, 50), (60, 119)))[0]
    assert (np.diff(result) >= 0).all() and np.abs(np.diff(result)).max() < 2.0 * 1.6 / 10


def test_easing_stops_at_cuts():
    result = Ease([slice(0, 30), slice(30, FRAMES)], 25)(np.ones((1, FRAMES)), down((31, 50)))[0]
    assert not result[:30].any() and result[30] > 0.9


def test_a_curve_above_is_above_and_smooth():
    values = np.zeros(FRAMES)
    values[50:53], values[80] = 1.0, 0.5
    result = above(values, 12)
    assert (result >= values - 1e-12).all() and result.max() <= 1.0 + 1e-12
    assert np.abs(np.diff(result)).max() < 0.12 and not result[:25].any()


def test_runs_are_first_and_last_rows():
    assert runs(np.array([1, 1, 0, 1, 0, 0, 1, 1], dtype=bool)) == [(0, 1), (3, 3), (6, 7)]
    assert runs(np.zeros(4, dtype=bool)) == []
