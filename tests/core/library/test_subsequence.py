# SPDX-License-Identifier: GPL-3.0-or-later
"""The best part of a longer row: the same as by trying every way there is."""

from functools import cache

import numpy as np
import pytest
from motion_signal.core.library.subsequence import best_parts

STEPS = ((1, 1), (1, 2), (2, 1))


def slow(costs):
    """The least mean cost, by recursion over all steps, every row of the query counting once."""
    rows, columns = costs.shape

    @cache
    def paid(row, column):
        if row == 0:
            return costs[0, column], column
        found = [(np.inf, 0)]
        for down, across in STEPS:
            if row >= down and column >= across:
                cost, start = paid(row - down, column - across)
                found.append((cost + down * costs[row, column], start))
        return min(found)

    cost, start, end = min((*paid(rows - 1, column), column) for column in range(columns))
    return cost / rows, start, end


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_cheapest_of_all_ways(seed):
    random = np.random.default_rng(seed)
    costs = random.uniform(size=(3, random.integers(1, 9), random.integers(6, 14)))
    costs[1, :, 5:] = np.inf  # a pair that has fewer columns
    for pair, found in zip(costs, zip(*best_parts(costs))):
        wanted = slow(pair)
        assert found[0] == pytest.approx(wanted[0]) or not np.isfinite(wanted[0])
        if np.isfinite(wanted[0]):
            assert (found[1], found[2]) == wanted[1:]
