# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth curves by one banded solve, against the same matrix written out in full."""

import numpy as np
import pytest
from motion_signal.core.numeric.banded import Smoother


def dense(weights, stiffness, starts):
    """diag(weights) + stiffness D'D with the rows of D that cross a cut left out."""
    frames = len(weights)
    rows = [row for row in range(frames - 2) if not any(row < start <= row + 2 for start in starts)]
    bends = np.array([np.eye(frames)[row] - 2 * np.eye(frames)[row + 1] + np.eye(frames)[row + 2] for row in rows])
    return np.diag(weights) + stiffness * bends.T @ bends


@pytest.mark.parametrize("seed, starts", [(0, ()), (1, (1,)), (2, (7, 8)), (3, (20, 38))])
def test_it_solves_what_the_full_matrix_solves(seed, starts):
    random = np.random.default_rng(seed)
    weights, goals = 10.0 ** random.uniform(-2, 5, 40), random.normal(size=(3, 40))
    smoother = Smoother(weights, 0.06, 60.0, starts)
    wanted = np.linalg.solve(dense(weights, (0.06 * 60.0) ** 4, starts), (weights * goals).T).T
    assert np.abs(smoother(goals) - wanted).max() < 1e-9


def test_straight_lines_stay_and_a_cut_is_not_smoothed_over():
    line = np.linspace(-1.0, 3.0, 50)[None]
    assert np.abs(Smoother(np.ones(50), 0.5, 30.0)(line) - line).max() < 1e-9
    step = np.where(np.arange(50) < 20, 0.0, 1.0)[None]
    assert np.abs(Smoother(np.ones(50), 0.5, 30.0, (20,))(step) - step).max() < 1e-9
    assert np.abs(Smoother(np.ones(50), 0.5, 30.0)(step) - step).max() > 0.2


def test_the_shortest_clips_are_smoothed_too():
    for frames in (1, 2, 3):
        goals = np.arange(frames, dtype=float)[None]
        assert np.abs(Smoother(np.ones(frames), 0.1, 24.0)(goals) - goals).max() < 1e-9
