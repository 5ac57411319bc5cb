# SPDX-License-Identifier: GPL-3.0-or-later
"""Few keys: within the tolerance at every frame, by Bezier curves drawn here the way Blender draws them."""

import numpy as np
import pytest
from motion_signal.core.keys.per_curve import fewest_keys


def bezier(rows, values, slopes, frame):
    """The curve at a frame: handles a third of the way along, the parameter found by halving."""
    segment = min(np.searchsorted(rows, frame, side="right") - 1, len(rows) - 2)
    (start, end), (first, last) = rows[segment : segment + 2], values[segment : segment + 2]
    third = (end - start) / 3
    across = np.array([start, start + third, end - third, end])
    up = np.array([first, first + third * slopes[segment], last - third * slopes[segment + 1], last])

    def point(controls, t):
        while len(controls) > 1:  # de Casteljau
            controls = (1 - t) * controls[:-1] + t * controls[1:]
        return controls[0]

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if point(across, middle) < frame else (low, middle)
    return point(up, 0.5 * (low + high))


def curves():
    time = np.arange(200) / 24.0
    random = np.random.default_rng(0)
    return {
        "sine": np.sin(4 * time),
        "ramp": 3 * time,
        "steps": np.repeat([0.0, 5.0, -2.0, 1.0], 50),
        "walk": np.cumsum(random.normal(size=200)) * 0.1,
        "noise": random.normal(size=200),
        "impulse": np.eye(200)[77],
        "constant": np.full(200, 0.3),
    }


@pytest.mark.parametrize("name", curves())
@pytest.mark.parametrize("tolerance", [0.1, 0.001, 1e-6])
def test_every_frame_is_within_the_tolerance(name, tolerance):
    values = curves()[name]
    rows, slopes = fewest_keys(values, tolerance)
    drawn = [bezier(rows, values[rows], slopes, frame) for frame in range(len(values))]
    assert np.abs(drawn - values).max() < tolerance + 1e-9


@pytest.mark.parametrize("name", curves())
def test_the_first_and_last_frame_are_keys_and_keys_are_in_order(name):
    rows, slopes = fewest_keys(curves()[name], 0.01)
    assert rows[0] == 0 and rows[-1] == 199 and (np.diff(rows) > 0).all()
    assert len(slopes) == len(rows)


def test_a_smooth_curve_needs_far_fewer_keys_than_frames():
    assert len(fewest_keys(curves()["sine"], 0.001)[0]) < 200 / 3
    assert len(fewest_keys(curves()["sine"], 0.02)[0]) < 200 / 6


def test_a_looser_tolerance_needs_no_more_keys():
    counts = [len(fewest_keys(curves()["walk"], tolerance)[0]) for tolerance in (0.2, 0.05, 0.01, 1e-4)]
    assert counts == sorted(counts) and counts[0] < counts[-1]


@pytest.mark.parametrize("name", ["constant", "ramp"])
def test_a_straight_line_is_two_keys(name):
    rows, slopes = fewest_keys(curves()[name], 1e-6)
    assert rows.tolist() == [0, 199]
    assert np.abs(slopes - (curves()[name][1] - curves()[name][0])).max() < 1e-12


@pytest.mark.parametrize("frames", [2, 3])
def test_the_shortest_curves_have_keys(frames):
    values = np.array([0.0, 4.0, 1.0])[:frames]
    rows, slopes = fewest_keys(values, 1e-6)
    assert rows[0] == 0 and rows[-1] == frames - 1
    assert all(abs(bezier(rows, values[rows], slopes, frame) - values[frame]) < 1e-6 for frame in range(frames))
