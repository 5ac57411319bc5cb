# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves to walk along: places, headings and distances of curves with known answers, and sentences for what is no curve."""

import numpy as np
import pytest
import scipy
from motion_signal.core.paths.curve import PathCurve, read_curve, spline
from motion_signal.core.paths.edit import ended, ends, mirrored, straightened

WINDING = np.array([[0, 0, 0], [1, 2, 0.5], [3, 2, 0], [4, -1, 0], [6, 0, 1], [8, 1, 1], [9, 3, 0]], dtype=float)


def circle(radius=2.0, degrees=180.0, points=40):
    turned = np.radians(np.linspace(0.0, degrees, points))
    return np.column_stack([radius * np.cos(turned), radius * np.sin(turned), np.zeros(points)])


def test_control_points_make_the_clamped_uniform_cubic_spline():
    knots = np.array([0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 4]) / 4
    oracle = scipy.interpolate.BSpline(knots, WINDING, 3)
    curve, parameters = spline(WINDING), np.linspace(0.0, 1.0, 997)
    places, headings = curve.at(curve.along(parameters))
    assert np.abs(places - oracle(parameters)).max() < 1e-4
    way = oracle.derivative()(parameters)
    assert np.abs(headings - np.unwrap(np.arctan2(way[:, 1], way[:, 0]))).max() < 1e-3


def test_distances_along_a_curve_are_those_of_an_integral():
    oracle = scipy.interpolate.BSpline(np.array([0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 4]) / 4, WINDING, 3).derivative()
    curve = spline(WINDING)
    for end in (0.2, 0.5, 1.0):
        length = scipy.integrate.quad(lambda u: np.linalg.norm(oracle(u)), 0.0, end, limit=200)[0]
        assert float(curve.along(end)) == pytest.approx(length, rel=1e-4)
    assert curve.parameters(np.array([float(curve.along(0.3)) / curve.length]))[0] == pytest.approx(0.3, abs=1e-3)


def test_a_curve_through_points_of_a_circle_is_the_circle():
    curve = read_curve("path", {"points": circle().tolist()})
    along = np.linspace(0.0, curve.length, 500)
    places, headings = curve.at(along)
    assert curve.length == pytest.approx(2 * np.pi, rel=1e-3)
    assert np.abs(np.linalg.norm(places, axis=1) - 2.0).max() < 2e-3
    assert np.abs(headings - np.pi / 2 - along / 2.0).max() < np.radians(1.0)


def test_beyond_its_ends_a_curve_goes_on_straight():
    curve = read_curve("path", {"control": [[0, 0, 0], [2, 0, 0]]})
    places, headings = curve.at(np.array([-1.0, 3.5]))
    assert np.abs(places - [[-1, 0, 0], [3.5, 0, 0]]).max() < 1e-9 and np.abs(headings).max() < 1e-9


def test_two_control_points_are_a_line_and_three_an_arch():
    for control in (WINDING[:2], WINDING[:3]):
        places, _ = spline(control).at(np.array([0.0, spline(control).length]))
        assert np.abs(places - control[[0, -1]]).max() < 1e-9


def test_the_heading_is_held_where_a_curve_stands_still_or_goes_straight_up():
    steep = [[0, 0, 0], *([1, 0, height] for height in range(6)), [2, 0, 5]]
    curve = read_curve("path", {"control": steep}, flat=False)
    _, headings = curve.at(np.linspace(0.0, curve.length, 300))
    assert np.abs(headings).max() < 1e-6
    stuck = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 2, 0]], dtype=float)
    _, headings = spline(stuck).at(np.linspace(0.0, spline(stuck).length, 300))
    assert headings.min() > -1e-6 and headings.max() < np.pi / 2 + 1e-6


def test_headings_count_whole_turns():
    curve = read_curve("path", {"points": circle(degrees=900.0, points=200).tolist()})
    _, headings = curve.at(np.array([0.0, curve.length]))
    assert np.ptp(headings) == pytest.approx(np.radians(900.0), abs=0.02)


def test_heights_count_only_where_they_are_asked_for():
    ramp = {"control": [[0, 0, 0], [3, 0, 4]]}
    assert read_curve("path", ramp).length == pytest.approx(3.0)
    assert read_curve("path", ramp, flat=False).length == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"control": []}, "path: the curve is empty"),
        ({"points": []}, "path: the curve is empty"),
        ({"control": [[0, 0, 0]]}, "path: the curve is a single point"),
        ({"control": [[1, 2, 3]] * 4}, "path: the curve has no length on the ground"),
        ({"points": [[1, 2, 0], [1, 2, 5]]}, "path: the curve has no length on the ground"),
        ({"control": [[0, 0], [1, 1]]}, r"path: \[\[0, 0\], \[1, 1\]\] is no list of points"),
        ({"control": [[0, 0, 0], [1, "x", 0]]}, "is no list of points"),
        ({"control": [[0, 0, 0], [1, float("nan"), 0]]}, "is no list of points"),
        ({"control": 3}, "path: 3 is no list of points"),
        ({"curve": 1}, "path: {'curve': 1} is no JSON object with 'control' or with 'points'"),
    ],
)
def test_what_is_no_curve_is_refused_in_a_sentence(data, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_curve("path", data)


def test_a_straightened_path_is_straight_and_as_long():
    result = straightened(WINDING)
    assert np.linalg.matrix_rank((result - result[0])[:, :2], tol=1e-9) == 1
    assert np.allclose(result[0], WINDING[0])
    assert spline(result * (1, 1, 0)).length == pytest.approx(spline(WINDING * (1, 1, 0)).length, rel=1e-6)
    ring = np.vstack([circle(degrees=360.0, points=9)])
    assert spline(straightened(ring)).length == pytest.approx(spline(ring).length, rel=1e-6)


def test_a_mirrored_path_starts_alike_and_turns_the_other_way():
    result = mirrored(WINDING)
    assert np.allclose(result[0], WINDING[0]) and np.allclose(mirrored(result), WINDING)
    start, end = ends(WINDING)
    assert ends(result)[0] == pytest.approx(start)
    assert ends(result)[1] - start == pytest.approx(start - end)


@pytest.mark.parametrize("control", [WINDING, WINDING[:2], WINDING[:4]])
def test_a_path_that_is_told_where_to_end_ends_there_facing_that_way(control):
    result = ended(control, (5.0, 5.0), np.radians(130.0))
    places, headings = spline(result * (1, 1, 0)).at(np.array([0.0, 1e9]).clip(0, spline(result * (1, 1, 0)).length))
    assert np.abs(places - [[*control[0, :2], 0], [5, 5, 0]]).max() < 1e-6
    apart = headings[1] - np.radians(130.0)
    assert abs((apart + np.pi) % (2 * np.pi) - np.pi) < 1e-6
    assert ends(result)[0] == pytest.approx(ends(control)[0], abs=0.35)


def test_a_curve_is_made_of_samples_of_any_parameter():
    parameters = np.linspace(0.0, 1.0, 200) ** 2
    curve = PathCurve(parameters, np.outer(parameters, [3.0, 4.0, 0.0]), np.tile([3.0, 4.0, 0.0], (200, 1)))
    assert curve.length == pytest.approx(5.0) and float(curve.along(0.25)) == pytest.approx(1.25)
