# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes on numbers: each does what its name says, and what it leaves alone it leaves exactly."""

import numpy as np
import pytest
import scipy
from motion_signal.core.numeric import shapes

X = np.linspace(-3.0, 3.0, 4001)


def test_a_curve_is_the_natural_cubic_spline_through_its_points():
    points = [(0.0, 0.1), (0.3, 0.2), (0.6, 0.9), (1.0, 0.8)]
    inside = np.linspace(0, 1, 501)
    slow = scipy.interpolate.make_interp_spline(*np.transpose(points), k=3, bc_type="natural")(inside)
    assert np.abs(shapes.curve(points)(inside) - slow).max() < 1e-9
    assert shapes.curve(points[::-1])(0.3) == pytest.approx(0.2, abs=1e-12)


def test_a_curve_goes_straight_on_beyond_its_ends():
    bent = shapes.curve([(0.0, 0.0), (0.5, 0.9), (1.0, 1.0)])
    assert np.abs(np.diff(bent(np.array([1.0, 2.0, 3.0])), 2)).max() < 1e-12
    assert np.abs(np.diff(bent(np.array([-2.0, -1.0, 0.0])), 2)).max() < 1e-12


def test_a_straight_curve_changes_nothing():
    assert np.abs(shapes.curve([(0, 0), (0.2, 0.2), (1, 1)])(X) - X).max() < 1e-12


@pytest.mark.parametrize(
    "points, words",
    [
        ([(0.0, 0.0)], "at least two"),
        ([], "at least two"),
        ([(0.0, 0.0), (0.0, 1.0)], "two stand at 0"),
        ([(0.0, 0.0), (1e-300, 1e300), (1.0, 1.0)], "from 0 to 1e-300 is too steep"),
    ],
)
def test_curves_that_are_none_are_refused(points, words):
    with pytest.raises(ValueError, match=words):
        shapes.curve(points)


def test_a_hard_limit_is_a_clip():
    assert (shapes.hard_limit(-1.0, 0.5)(X) == np.clip(X, -1.0, 0.5)).all()


@pytest.mark.parametrize("softness", [0.05, 0.3, 10.0])
def test_a_soft_limit_never_passes_the_limit_and_never_jumps_in_slope(softness):
    low, high = -1.0, 0.8
    y = shapes.soft_limit(low, high, softness)(X)
    border = min(softness, 0.5 * (high - low))
    assert low <= y.min() and y.max() <= high
    assert (np.diff(y) >= 0).all()
    slopes = np.diff(y) / np.diff(X)
    assert np.abs(np.diff(slopes)).max() < 2 * (X[1] - X[0]) / border
    inside = (X > low + border) & (X < high - border)
    assert (y[inside] == X[inside]).all()


def test_limits_the_wrong_way_round_are_refused():
    for make in (lambda: shapes.hard_limit(1.0, 0.0), lambda: shapes.soft_limit(0.5, 0.5, 0.1)):
        with pytest.raises(ValueError, match="limits"):
            make()


def test_dynamics_leave_alone_what_is_on_their_other_side():
    near, far = np.abs(X - 0.5) < 1.0, np.abs(X - 0.5) > 1.0
    assert np.abs(shapes.compressor(0.5, 1.0, 4.0)(X) - X)[near].max() < 1e-12
    assert np.abs(shapes.expander(0.5, 1.0, 4.0)(X) - X)[near].max() < 1e-12
    assert np.abs(shapes.gate(0.5, 1.0, 4.0)(X) - X)[far].max() < 1e-12


def test_a_compressor_and_an_expander_of_the_same_ratio_undo_each_other():
    assert np.abs(shapes.expander(0.2, 0.7, 3.0)(shapes.compressor(0.2, 0.7, 3.0)(X)) - X).max() < 1e-12


def test_a_gate_shrinks_the_small_the_more_the_smaller_it_is():
    away = shapes.gate(0.0, 1.0, 3.0)(np.array([0.1, 0.5, 1.0]))
    assert away == pytest.approx([0.001, 0.125, 1.0])


@pytest.mark.parametrize("make", [shapes.compressor, shapes.expander, shapes.gate])
def test_a_ratio_of_one_does_nothing(make):
    assert np.abs(make(0.3, 0.5, 1.0)(X) - X).max() < 1e-12
