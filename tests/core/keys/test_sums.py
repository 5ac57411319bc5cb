# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums of weighed numbers: full arrays and sparse ones come to the same, and Bezier moments to those found by halving."""

import numpy as np
from motion_signal.core.keys.keyed_curve import moment_at, moments
from motion_signal.core.keys.sums import is_full, nearest, product, side_by_side, weighing


def test_few_and_many_numbers_give_the_same_answer():
    rng = np.random.default_rng(3)
    for count in (7, 140):
        rows, columns = rng.integers(0, 300, 4000), rng.integers(0, count, 4000)
        entries = rows, columns, rng.normal(size=4000)
        full, sparse = (weighing(entries, (300, count), kind) for kind in (True, False))
        assert is_full(full) and not is_full(sparse) and np.abs(full - sparse.toarray()).max() < 1e-12
        counts, hold, wanted = rng.random(300), np.full(count, 1e-3), rng.normal(size=300)
        assert np.abs(nearest(full, counts, hold, wanted) - nearest(sparse, counts, hold, wanted)).max() < 1e-8
        assert np.abs(product(full, np.eye(count)) - full).max() == 0.0
        assert np.abs(side_by_side([full, full]) - side_by_side([sparse, sparse]).toarray()).max() < 1e-12


def test_moments_of_a_segment_are_those_that_halving_finds():
    along, leaving, arriving = np.random.default_rng(5).random((3, 400))
    leaving[:80], arriving[40:120] = 1.0, 1.0
    found = moments(along, leaving, arriving)
    assert np.abs(found - [moment_at(*each) for each in zip(along, leaving, arriving)]).max() < 1e-8
