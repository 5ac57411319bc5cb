# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights on a plane: barycentric, of sum one, and continuous wherever the puck goes."""

import numpy as np
import pytest
from motion_signal.core.numeric.triangles import Triangles

SQUARE = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.4, 0.6)])


def scattered(count, seed=0):
    return np.random.default_rng(seed).normal(size=(count, 2))


def test_in_one_triangle_weights_are_areas_inside_and_outside():
    corners = np.array([(0.0, 0.0), (2.0, 0.0), (0.5, 1.5)])
    triangles = Triangles(corners)
    for place in scattered(200, 3) * 3:
        wanted = np.linalg.solve(np.vstack([corners.T, np.ones(3)]), np.append(place, 1.0))
        assert np.abs(triangles.weights(place) - wanted).max() < 1e-9


@pytest.mark.parametrize("points", [SQUARE, scattered(12), scattered(40, 2)], ids=["square", "twelve", "forty"])
def test_weights_sum_to_one_and_meet_the_place_everywhere(points):
    triangles = Triangles(points)
    for place in scattered(500, 7) * 4:
        weights = triangles.weights(place)
        assert weights.sum() == pytest.approx(1.0, abs=1e-9)
        assert np.abs(weights @ points - place).max() < 1e-9


def test_on_a_point_only_that_point_counts():
    points = scattered(12)
    triangles = Triangles(points)
    for index, point in enumerate(points):
        assert np.abs(triangles.weights(point) - np.eye(12)[index]).max() < 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_continuous_across_edges_within_and_beyond_the_border(seed):
    triangles = Triangles(SQUARE + 0.1 * scattered(5, seed))
    start, end = scattered(2, seed + 10) * 3
    steps = [
        np.abs(np.diff([triangles.weights(place) for place in np.linspace(start, end, count)], axis=0)).max()
        for count in (500, 1000, 2000)
    ]
    assert steps[1] < 0.6 * steps[0] and steps[2] < 0.6 * steps[1]


def test_inside_no_weight_is_negative_and_three_count_at_most():
    triangles = Triangles(SQUARE)
    for place in np.random.default_rng(1).uniform(0.0, 1.0, (200, 2)):
        weights = triangles.weights(place)
        assert weights.min() > -1e-9 and np.count_nonzero(np.abs(weights) > 1e-9) <= 3


def test_outside_weights_go_on_and_some_become_negative():
    weights = Triangles(SQUARE).weights((0.5, -1.0))
    assert weights.min() < -0.1


@pytest.mark.parametrize(
    "points, words",
    [
        ([], "three or more, there is none"),
        ([(0, 0)], "there is 1"),
        ([(0, 0), (1, 0)], "there are 2"),
        ([(0, 0), (1, 1), (2, 2), (5, 5)], r"all 4 lie on one line, from \(0, 0\) to \(5, 5\)"),
        ([(0, 0), (1, 1), (0, 1), (1, 1)], r"2 and 4 lie on one place, \(1, 1\)"),
    ],
)
def test_points_that_make_no_triangle_are_refused(points, words):
    with pytest.raises(ValueError, match=words):
        Triangles(points)
