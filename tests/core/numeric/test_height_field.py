# SPDX-License-Identifier: GPL-3.0-or-later
"""How high a surface is: exactly, the highest of several, and beyond its rim as at the nearest corner."""

import numpy as np
import pytest
from motion_signal.core.numeric.height_field import HeightField
from motion_signal.core.numeric.refusal import Refusal

SQUARE = np.array([[0.0, 0, 1], [4, 0, 2], [4, 2, 3], [0, 2, 2]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])


def slow(corners, triangles, place):
    """The highest triangle over a place, one after the other."""
    found = []
    for a, b, c in corners[triangles]:
        sides = np.stack([b[:2] - a[:2], c[:2] - a[:2]], axis=1)
        if abs(np.linalg.det(sides)) > 1e-12:
            u, v = np.linalg.solve(sides, place - a[:2])
            if min(u, v) >= -1e-9 and u + v <= 1 + 1e-9:
                found.append(a[2] + u * (b - a)[2] + v * (c - a)[2])
    return max(found, default=np.nan)


def test_a_plane_is_as_high_as_it_is():
    places = np.random.default_rng(0).uniform([0, 0], [4, 2], (50, 2))
    heights, over = HeightField(SQUARE, FACES).heights(places)
    assert over.all()
    np.testing.assert_allclose(heights, 1 + places[:, 0] / 4 + places[:, 1] / 2, atol=1e-12)


def test_a_heap_of_triangles_is_as_one_by_one():
    random = np.random.default_rng(1)
    corners, triangles = random.uniform(-1, 1, (60, 3)), random.integers(0, 60, (90, 3))
    places = random.uniform(-1, 1, (200, 2))
    heights, over = HeightField(corners, triangles).heights(places)
    expected = np.array([slow(corners, triangles, place) for place in places])
    np.testing.assert_array_equal(over, np.isfinite(expected))
    np.testing.assert_allclose(heights[over], expected[over], atol=1e-9)


def test_beyond_its_rim_it_goes_on_as_at_its_nearest_corner():
    heights, over = HeightField(SQUARE, FACES).heights([[5.0, 3.0], [-9.0, -1.0]])
    assert not over.any() and heights.tolist() == [3.0, 1.0]


@pytest.mark.parametrize("faces", [[], [[0, 0, 1]]], ids=["no face", "none that lies"])
def test_what_nothing_could_stand_on_is_refused(faces):
    with pytest.raises(Refusal, match="Wall: the mesh has no face that anything could stand on"):
        HeightField(SQUARE, faces, "Wall")
