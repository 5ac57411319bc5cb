# SPDX-License-Identifier: GPL-3.0-or-later
"""The correspondence: as cheap as the cheapest of all paths, within its limits, through its anchors."""

from itertools import pairwise

import numpy as np
import pytest
from motion_signal.core.timing.dtw import correspondence
from motion_signal.core.timing.wires import COLLAPSE, StretchAndBend, Wire

STRAIGHT, ACROSS, DOWN = (1, 1), (0, 1), (1, 0)


def random_costs(seed, rows, columns, signals=3):
    """Two short takes, alike or not, some with frames that stand still."""
    random = np.random.default_rng(seed)

    def wire(count):
        edges = random.normal(size=(count, signals)) * (random.uniform(size=(count, 1)) > 0.2)
        return Wire(edges + np.eye(signals)[0] * 0.1, random.normal(size=(count, signals)) * random.uniform(0, 2))

    return StretchAndBend(wire(rows), wire(columns))


def price(costs, path):
    """What a path costs by the formulas of stretching and bending, a node and a move at a time."""
    total = 0.0
    for index, (row, column) in enumerate(path):
        total += np.sum((costs.one.turns[row] - costs.other.turns[column]) ** 2)
        if index:
            down, across = row - path[index - 1][0], column - path[index - 1][1]
            a, b = costs.one.edges[row] * down, costs.other.edges[column] * across
            short, long = sorted((np.linalg.norm(a), np.linalg.norm(b)))
            total += np.sum((a - b) ** 2) / ((1 - COLLAPSE) * short + COLLAPSE * long)
    return total


def all_paths(rows, columns, start=(0, 0)):
    """Every monotone path from a node to the last."""
    row, column = start
    if start == (rows - 1, columns - 1):
        yield [start]
    for down, across in (STRAIGHT, ACROSS, DOWN):
        if row + down < rows and column + across < columns:
            for rest in all_paths(rows, columns, (row + down, column + across)):
                yield [start, *rest]


def moves(path):
    return [(int(row - above), int(column - left)) for (above, left), (row, column) in pairwise(path)]


def allowed(path, limits):
    """No run is longer than its limit, and between two runs there is a straight move."""
    steps = moves(path)
    corners = any({a, b} == {ACROSS, DOWN} for a, b in pairwise(steps))
    runs = "".join({STRAIGHT: " ", ACROSS: "a", DOWN: "d"}[step] for step in steps).split()
    return not corners and all(len(run) <= limits[run[0] == "d"] for run in runs)


@pytest.mark.parametrize("seed", range(200))
def test_no_monotone_path_is_cheaper(seed):
    rows, columns = np.random.default_rng(1000 + seed).integers(2, 6, 2)
    costs = random_costs(seed, rows, columns)
    found = correspondence(costs)
    assert set(moves(found)) <= {STRAIGHT, ACROSS, DOWN} and tuple(found[0]) == (0, 0)
    assert price(costs, found) == pytest.approx(min(price(costs, path) for path in all_paths(rows, columns)), abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_edges_of_no_length_cost_nothing(seed):
    costs = random_costs(seed, 5, 4)
    costs = StretchAndBend(*(Wire(0.0 * wire.edges, wire.turns) for wire in (costs.one, costs.other)))

    def bends(path):
        return sum(np.sum((costs.one.turns[row] - costs.other.turns[column]) ** 2) for row, column in path)

    assert bends(correspondence(costs)) == pytest.approx(min(map(bends, all_paths(5, 4))), abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_no_path_within_the_limits_is_cheaper(seed):
    random = np.random.default_rng(2000 + seed)
    rows, columns = random.integers(3, 7, 2)
    limits = tuple(random.integers(1, 3, 2).tolist())
    costs = random_costs(seed, rows, columns)
    within = [price(costs, path) for path in all_paths(rows, columns) if allowed(path, limits)]
    if not within:
        with pytest.raises(ValueError, match="allow no way"):
            correspondence(costs, limits=limits)
        return
    found = correspondence(costs, limits=limits)
    assert allowed(found, limits) and price(costs, found) == pytest.approx(min(within), abs=1e-9)


@pytest.mark.parametrize("limits", [None, (2, 2)])
@pytest.mark.parametrize("seed", range(20))
def test_open_ends_find_the_cheapest_part_of_the_other_take(seed, limits):
    costs = random_costs(seed, 4, 6)
    wanted = min(
        price(costs, [(row, column + first) for row, column in path])
        for first in range(6)
        for last in range(first, 6)
        for path in all_paths(4, last - first + 1)
        if limits is None or allowed(path, limits)
    )
    found = correspondence(costs, limits=limits, open_ends=True)
    assert (found[0, 0], found[-1, 0]) == (0, 3) and price(costs, found) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_the_path_passes_its_anchors_and_is_the_cheapest_that_does(seed):
    costs, anchors = random_costs(seed, 6, 6), [(1, 2), (4, 3)]
    wanted = min(price(costs, path) for path in all_paths(6, 6) if set(anchors) <= set(path))
    found = correspondence(costs, anchors)
    assert set(anchors) <= set(map(tuple, found.tolist())) and price(costs, found) == pytest.approx(wanted, abs=1e-9)


def test_anchors_on_the_corners_change_nothing():
    costs = random_costs(0, 30, 40)
    assert (correspondence(costs, [(0, 0), (29, 39)]) == correspondence(costs)).all()


def test_between_open_ends_an_anchor_holds():
    costs = random_costs(1, 30, 60)
    path = correspondence(costs, [(10, 33)], open_ends=True)
    assert [10, 33] in path.tolist() and path[0, 0] == 0 and path[-1, 0] == 29
    first = correspondence(costs, [(0, 7)], open_ends=True)
    assert first[0].tolist() == [0, 7]


def smooth_wires(smooth, rows, columns):
    return StretchAndBend(
        *(
            Wire(
                np.hstack([smooth(count, 5, seed=3, fps=count / 8), np.full((count, 1), 0.3)]),
                smooth(count, 5, seed=4, fps=count / 8),
            )
            for count in (rows, columns)
        )
    )


@pytest.mark.parametrize("limits", [None, (3, 3)])
@pytest.mark.parametrize("shape", [(700, 900), (901, 600), (512, 512)])
def test_coarse_to_fine_is_within_a_percent_of_the_optimum(smooth, shape, limits):
    costs = smooth_wires(smooth, *shape)
    exact, quick = (correspondence(costs, limits=limits, whole=whole) for whole in (10**9, 0))
    assert price(costs, quick) <= 1.01 * price(costs, exact)


def test_coarse_to_fine_keeps_limits_anchors_and_open_ends(smooth):
    costs = smooth_wires(smooth, 600, 800)
    path = correspondence(costs, [(200, 301), (377, 480)], (2, 2), open_ends=True, whole=0)
    assert {(200, 301), (377, 480)} <= set(map(tuple, path.tolist())) and set(moves(path)) <= {STRAIGHT, ACROSS, DOWN}
    assert path[0, 0] == 0 and path[-1, 0] == 599
