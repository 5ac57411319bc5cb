# SPDX-License-Identifier: GPL-3.0-or-later
"""Footprints: where a foot stands, and how far it slides there."""

from types import SimpleNamespace

import numpy as np
from motion_signal.core.body.footprints import footprints

FIGURE = SimpleNamespace(points=("left_heel", "left_toe"))
CONTACTS = {"left_heel": [[11, 20]], "left_toe": [[15, 30]]}


def places():
    """Heel and toe of a foot that stands at frames 11 to 30, the first frame being 1."""
    points = np.zeros((50, 2, 3))
    points[:, 1, 1] = -0.2
    points[30:, :, 1] -= 1.0
    return points


def test_heel_and_toe_make_one_print_where_they_stand():
    (found,) = footprints(FIGURE, places(), CONTACTS, 1)
    assert (found.foot, found.first, found.last, found.slide) == ("left_foot", 11, 30, 0.0)
    assert found.heel.tolist() == [0, 0, 0] and found.toe.tolist() == [0, -0.2, 0]


def test_slide_is_the_farthest_from_where_it_is_on_the_whole():
    points = places()
    points[29, 1, 0] = 0.03
    (found,) = footprints(FIGURE, points, CONTACTS, 1)
    assert abs(found.slide - 0.03) < 1e-12 and len(found.strayed) == 16


def test_two_stands_are_two_prints_and_contacts_outside_the_take_are_cut():
    found = footprints(FIGURE, places(), {"left_heel": [[-5, 3], [40, 90]]}, 1)
    assert [(each.first, each.last) for each in found] == [(1, 3), (40, 50)]
