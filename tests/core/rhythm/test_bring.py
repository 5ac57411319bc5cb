# SPDX-License-Identifier: GPL-3.0-or-later
"""Moments are brought onto beats: as many as can be, never too fast, and by the same choice as trying everything."""

from itertools import combinations

import numpy as np
import pytest
from motion_signal.core.rhythm.bring import LEFT_OUT, assigned, off_beat


def cost(moments, pairs, usual):
    first = np.flatnonzero(moments == pairs[0, 0])[0]
    last = np.flatnonzero(moments == pairs[-1, 0])[0]
    left_out = first + len(moments) - 1 - last + (last - first + 1 - len(pairs))
    lasted, lasts = (np.diff(pairs[:, column], prepend=0.0) for column in (0, 1))
    return LEFT_OUT * left_out + np.sum(np.abs(np.log(lasted / lasts)) * lasted) / usual


def best_of_all(moments, beats, slowest, fastest):
    found, usual = np.inf, np.median(np.diff(beats))
    for count in range(1, min(len(moments), len(beats)) + 1):
        for some in combinations(moments, count):
            for there in combinations(beats, count):
                pairs = np.column_stack([some, there])
                paces = np.diff(pairs[:, 0], prepend=0.0) / np.diff(pairs[:, 1], prepend=0.0)
                if ((paces >= slowest) & (paces <= fastest)).all():
                    found = min(found, cost(moments, pairs, usual))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_the_choice_is_the_best_of_all_there_are(seed):
    draw = np.random.default_rng(seed)
    moments = np.cumsum(draw.uniform(10.0, 40.0, 5))
    beats = 20.0 * np.arange(7) + draw.uniform(1.0, 20.0)
    pairs = assigned(moments, beats, 0.8, 1.25)
    paces = np.diff(pairs[:, 0]) / np.diff(pairs[:, 1])
    assert ((paces >= 0.8) & (paces <= 1.25)).all()
    assert abs(cost(moments, pairs, 20.0) - best_of_all(moments, beats, 0.8, 1.25)) < 1e-9


def test_moments_in_step_are_all_brought_and_nothing_is_nothing():
    moments = 19.0 + 18.5 * np.arange(9) + np.random.default_rng(2).normal(0.0, 0.2, 9)
    pairs = assigned(moments, 18.0 * np.arange(30), 0.8, 1.25)
    assert len(pairs) == 9 and (np.diff(pairs[:, 1]) == 18.0).all()
    assert off_beat(pairs[:, 1], 18.0 * np.arange(30)).max() == 0.0
    assert assigned([], [1.0], 0.8, 1.25).shape == assigned([1.0], [], 0.8, 1.25).shape == (0, 2)
