# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles of a path: they lie on it, and pull it exactly; it is turned, faced and given more of them."""

import numpy as np
import pytest
from motion_signal.core.paths.curve import basis
from motion_signal.core.paths.edit import ends, faced, handles, pulled_to, turned, with_handles


@pytest.mark.parametrize("count", [4, 5, 7, 12])
def test_handles_lie_on_the_path_and_go_as_far_as_they_are_pulled(count):
    control = np.random.default_rng(count).normal(size=(count, 3)).cumsum(axis=0)
    curve = basis(count)(np.linspace(0.0, 1.0, 20001)) @ control
    for index, handle in enumerate(handles(control)):
        assert np.linalg.norm(curve - handle, axis=1).min() < 1e-3
        place = handle + (0.3, -0.2, 0.0)
        assert np.abs(handles(pulled_to(control, index, place))[index] - place).max() < 1e-9


def test_a_path_is_turned_about_its_start_and_faces_where_it_ends():
    control = np.random.default_rng(5).normal(size=(6, 3)).cumsum(axis=0)
    half = turned(control, np.pi)
    assert np.allclose(half[:, :2], 2 * control[0, :2] - control[:, :2]) and np.allclose(half[:, 2], control[:, 2])
    assert abs(ends(turned(control, 0.3))[0] - ends(control)[0] - 0.3) < 1e-9
    assert np.cos(ends(faced(control, 0.7))[1] - 0.7) > 1 - 1e-12 and np.allclose(faced(control, 0.7)[-1], control[-1])


def test_more_handles_leave_a_path_where_it_is():
    control = np.array([(0, 0, 0), (1, 0.5, 0), (2, 1.5, 0), (3, 1, 0), (4, 0, 0)], dtype=float)
    parameters = np.linspace(0.0, 1.0, 200)
    before, after = (basis(len(each))(parameters) @ each for each in (control, with_handles(control, 6)))
    assert np.linalg.norm(after - before, axis=1).max() < 0.02
