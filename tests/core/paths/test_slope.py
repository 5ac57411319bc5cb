# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths uphill and downhill: planted feet are on the slope as they are on level ground."""

from functools import cache

import numpy as np
import pytest
from motion_signal.core.body.contacts import stand
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.roles import find_roles
from motion_signal.core.declare.params import build
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.paths.curve import read_curve
from motion_signal.core.paths.slope import Slope
from motion_signal.core.techniques import technique
from technique_cases import FIGURE, walking

WALK, FIGURE_POINTS = walking(), Legs(FIGURE, find_roles(FIGURE))
CONTACTS, GROUND = stand(WALK, FIGURE_POINTS, *FIGURE_POINTS.places(WALK))
WAY = np.array([[0.0, -way, 0.0] for way in np.linspace(0.0, 3.2, 6)])


@cache
def climbed(degrees, **more):
    """Where the points are, (frames, points, 3), of the walk up or down a straight slope."""
    rise = np.outer(-np.tan(np.radians(degrees)) * WAY[:, 1], [0.0, 0.0, 1.0])
    curves = {"path": {"control": (WAY + rise).tolist()}, "original": {"control": WAY.tolist()}}
    params = build(technique("path").params, {**curves, "height": "FOLLOW", "timing": "KEEP", **more})
    result = technique("path").run(WALK, params, Surroundings(FIGURE, contacts=lambda: CONTACTS))
    return FIGURE_POINTS.places(result)[0]


@pytest.mark.parametrize("degrees", [10.0, -10.0])
def test_planted_feet_are_on_the_slope(degrees):
    level, there = climbed(1e-4), climbed(degrees)
    above = (there[..., 2] - GROUND + np.tan(np.radians(degrees)) * there[..., 1]) * np.cos(np.radians(degrees))
    planted = 0
    for column, point in enumerate(FIGURE_POINTS.points):
        for first, last in CONTACTS[point] if not point.endswith("hand") else ():
            rows = slice(first - WALK.first_frame, last - WALK.first_frame + 1)
            assert np.abs(above[rows, column] - (level[rows, column, 2] - GROUND)).max() < 0.001, point
            assert not point.endswith("toe") or np.abs(above[rows, column]).max() < 0.0025, point
            planted += 1
    assert planted > 6


@pytest.mark.parametrize("degrees", [10.0, -35.0])
def test_a_foot_leans_as_the_ground_does_and_the_ground_goes_on_before_and_behind_the_path(degrees):
    way = np.array([[0.0, -2.0 * step, 2.0 * step * np.tan(np.radians(degrees))] for step in np.linspace(0.0, 1.0, 6)])
    slope = Slope(read_curve("path", {"control": way.tolist()}, False), np.zeros(3), np.eye(4), np.array([0.0, 0.0, 1.0]))
    places = np.array([[0.1, 0.1, 0.1], [0.9, 0.0, -0.9], [0.0, 0.0, 0.0]])
    higher, turns = slope.at(places)
    np.testing.assert_allclose(higher, -places[1] * np.tan(np.radians(degrees)), atol=2e-4)
    np.testing.assert_allclose(2.0 * np.degrees(np.arccos(turns[0])), abs(degrees), atol=1e-6)


@pytest.mark.parametrize("degrees", [10.0, -10.0])
def test_planted_feet_do_not_slide_along_it_more_than_on_level_ground(degrees):
    for column, point in enumerate(FIGURE_POINTS.points):
        for first, last in CONTACTS[point] if not point.endswith("hand") else ():
            rows = slice(first - WALK.first_frame, last - WALK.first_frame + 1)
            level, there = (np.ptp(places[rows, column], axis=0).max() for places in (climbed(1e-4), climbed(degrees)))
            assert there < level + 0.003, point
