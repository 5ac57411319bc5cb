# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants: one place, rigid, eased into and out of without a snap."""

import numpy as np
import pytest
from motion_signal.core.ik.plants import Ease, Tip, hold, runs, shares
from motion_signal.core.numeric.smoothing import above
from scipy.spatial.transform import Rotation

FRAMES = 120
UP = np.array([0.0, 0.0, 1.0])
HEEL, TOE = np.array([0.0, 0.0, -0.08]), np.array([0.0, -0.12, -0.08])
WHOLE = [slice(0, FRAMES)]


@pytest.fixture
def foot(smooth):
    """A foot that slides and turns a little on the ground: a Tip, and its turns by scipy."""
    turns = Rotation.from_rotvec(0.05 * smooth(FRAMES, 3, seed=2))
    joint = (0.02 * smooth(FRAMES, 3, seed=1) * [1.0, 1.0, 0.1] + [0.3, 0.1, 0.08]).T
    points = np.array([joint + turns.apply(point).T for point in (HEEL, TOE)])
    far = joint + np.array([0.0, 0.0, 0.7])[:, None]
    return Tip(joint, np.moveaxis(turns.as_matrix(), 0, -1), points, far, np.full(FRAMES, 0.9)), turns


def held_points(foot, held):
    """Where heel and toe are when the hold is applied, by scipy."""
    tip, turns = foot
    turned = Rotation.from_rotvec(held.turns.T) * turns
    return np.array([tip.joint + held.moves + turned.apply(point).T for point in (HEEL, TOE)])


def down(*intervals):
    mask = np.zeros(FRAMES, dtype=bool)
    for first, last in intervals:
        mask[first : last + 1] = True
    return mask


@pytest.mark.parametrize("instant, at", [("START", 40), ("MIDDLE", 55), ("END", 70)])
def test_a_flat_foot_is_held_where_it_was_at_the_instant(foot, instant, at):
    held = hold(foot[0], np.array([down((40, 70))] * 2), UP, Ease(WHOLE, 20), instant, flat=True)
    points = held_points(foot, held)
    assert np.abs(points[:, :, 40:71] - foot[0].points[:, :, at, None]).max() < 1e-9
    assert (held.weights[40:71] == 1).all() and (held.weights[[0, 10, -10, -1]] == 0).all()


def test_without_flat_it_stays_on_its_place_and_may_tilt_a_little(foot):
    held = hold(foot[0], np.array([down((40, 70))] * 2), UP, Ease(WHOLE, 20))
    strayed = held_points(foot, held)[:, :, 40:71] - foot[0].points[:, :, 55, None]
    assert np.linalg.norm(strayed[:, :2], axis=1).max() < 3e-4
    assert np.linalg.norm(foot[0].points[:, :2, 40:71] - foot[0].points[:, :2, 55, None], axis=1).max() > 5e-3


def test_heel_then_both_then_toe_are_each_held_while_they_are_down(foot):
    downs = np.array([down((30, 60)), down((40, 80))])
    points = held_points(foot, hold(foot[0], downs, UP, Ease(WHOLE, 20), flat=True))
    places = foot[0].points[:, :2, 50]
    assert np.abs(points[0, :2, 30:61] - places[0][:, None]).max() < 1e-9
    assert np.abs(points[1, :2, 40:81] - places[1][:, None]).max() < 1e-9
    assert np.abs(points[0, :2, 65:81] - places[0][:, None]).max() > 1e-3  # the heel is free to roll


def test_a_foot_that_turns_on_its_toe_is_held_anew_about_the_toe(smooth):
    yaw = np.concatenate([np.zeros(50), np.linspace(0.0, 0.8, 20), np.full(50, 0.8)])
    turns = Rotation.from_rotvec(np.outer(yaw, UP))
    toe = 0.02 * smooth(FRAMES, 3, seed=1) * [1.0, 1.0, 0.0]
    joint = (toe - turns.apply(TOE)).T
    points = np.array([joint + turns.apply(point).T for point in (HEEL, TOE)])
    tip = Tip(joint, np.moveaxis(turns.as_matrix(), 0, -1), points, joint + UP[:, None] * 0.7, np.full(FRAMES, 0.9))
    downs = np.array([down((10, 49), (72, 110)), down((10, 110))])
    after = held_points((tip, turns), hold(tip, downs, UP, Ease(WHOLE, 20), flat=True))
    assert np.ptp(after[1, :2, 10:111], axis=1).max() < 1e-9
    for first, last in ((10, 49), (72, 110)):
        assert np.ptp(after[0, :2, first : last + 1], axis=1).max() < 1e-9
    assert np.linalg.norm(after[0, :2, 100] - after[0, :2, 30]) > 0.05


def test_nothing_planted_changes_nothing(foot):
    held = hold(foot[0], np.zeros((2, FRAMES), dtype=bool), UP, Ease(WHOLE, 20))
    assert not held.moves.any() and not held.turns.any() and not held.weights.any()


def test_a_level_puts_plants_at_its_height(foot):
    held = hold(foot[0], np.array([down((40, 70))] * 2), UP, Ease(WHOLE, 20), flat=True, level=0.05)
    heights = held_points(foot, held)[:, 2, 40:71].mean(axis=0)
    assert np.abs(heights - 0.05).max() < 1e-9


def test_a_leg_that_cannot_reach_lifts_its_heel_and_keeps_its_toe(foot):
    tip, turns = foot
    hip = tip.joint + np.array([0.0, -0.5, 0.7])[:, None]
    downs = np.array([down((20, 50)), down((20, 90))])

    def reach(longest):
        held = hold(Tip(tip.joint, tip.axes, tip.points, hip, np.full(FRAMES, longest)), downs, UP, Ease(WHOLE, 20))
        points = held_points((tip, turns), held)
        assert np.abs(points[1, :2, 55:91] - tip.points[1, :2, 35, None]).max() < 1e-3
        return points[0, 2, 75], np.linalg.norm(hip - tip.joint - held.moves, axis=0)[75]

    (low, far), (high, near) = reach(1.0), reach(0.83)
    assert high > low + 0.01 and near < far - 0.005


def test_easing_keeps_what_is_known_and_goes_to_nothing_without_a_corner():
    values = np.sin(np.arange(FRAMES) / 8.0)[None] + 2.0
    known = down((40, 60))
    result = Ease(WHOLE, 25)(values, known)[0]
    assert (result[known] == values[0, known]).all()
    assert not result[:16].any() and not result[85:].any()
    bends = np.abs(np.diff(result, 2))
    assert bends.max() < 6 * 3.0 / 25**2 + 4 * 0.125 / 25  # what a cubic of that height, slope and span bends


def test_easing_between_two_plants_joins_them():
    values = np.concatenate([np.ones(60), np.full(60, 3.0)])[None]
    result = Ease(WHOLE, 50)(values, down((0, 50), (60, 119)))[0]
    assert (np.diff(result) >= 0).all() and np.abs(np.diff(result)).max() < 2.0 * 1.6 / 10


def test_easing_stops_at_cuts():
    result = Ease([slice(0, 30), slice(30, FRAMES)], 25)(np.ones((1, FRAMES)), down((31, 50)))[0]
    assert not result[:30].any() and result[30] > 0.9


def test_shares_pass_from_the_point_that_was_down_to_the_one_that_is():
    held = shares(np.array([down((30, 60)), down((40, 80))]))
    assert (held[0, 30:40] == 1).all() and (held[1, 61:81] == 1).all()
    assert held[0, 40] == 1 and held[1, 60] == 1
    assert np.abs(held[:, 30:81].sum(axis=0) - 1).max() < 1e-12 and not held[:, :30].any()
    assert np.abs(np.diff(held[1, 30:81])).max() < 0.1


def test_a_curve_above_is_above_and_smooth():
    values = np.zeros(FRAMES)
    values[50:53], values[80] = 1.0, 0.5
    result = above(values, 12)
    assert (result >= values - 1e-12).all() and result.max() <= 1.0 + 1e-12
    assert np.abs(np.diff(result)).max() < 0.12 and not result[:25].any()


def test_runs_are_first_and_last_rows():
    assert runs(np.array([1, 1, 0, 1, 0, 0, 1, 1], dtype=bool)) == [(0, 1), (3, 3), (6, 7)]
    assert runs(np.zeros(4, dtype=bool)) == []
