# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations against scipy's, and the way back to Euler angles and axis-angle without a jump."""

import numpy as np
import pytest
from motion_signal.core.numeric import rotation
from motion_signal.core.numeric.rotation import EULER_ORDERS
from scipy.spatial.transform import Rotation

EXACT = 1e-12
QUARTER = np.pi / 2


def scipy_euler(angles, order):
    """(3, frames) of X, Y, Z angles as scipy rotations: Blender's order names extrinsic turns."""
    return Rotation.from_euler(order.lower(), np.stack([angles["XYZ".index(axis)] for axis in order], axis=1))


def from_scipy(rotations):
    return rotations.as_quat(scalar_first=True).T


def apart(q, rotations):
    """The largest angle between quaternions (4, frames) and scipy rotations."""
    return (Rotation.from_quat(q.T, scalar_first=True) * rotations.inv()).magnitude().max()


def random_rotations(count, seed=0):
    return Rotation.random(count, rng=np.random.default_rng(seed))


def lone(values):
    """(components, frames) as (components, frames, 1)."""
    return values[:, :, None]


def test_multiply_turns_like_scipy_second_factor_first():
    a, b = random_rotations(200, 1), random_rotations(200, 2)
    assert apart(rotation.multiply(from_scipy(a), from_scipy(b)), a * b) < EXACT


def test_conjugate_turns_back():
    turns = random_rotations(200)
    assert apart(rotation.conjugate(from_scipy(turns)), turns.inv()) < EXACT


def test_exp_equals_scipy_for_vectors_of_any_length():
    vectors = np.random.default_rng(0).normal(size=(300, 3)) * np.geomspace(1e-9, 10, 300)[:, None]
    assert apart(rotation.exp(vectors.T), Rotation.from_rotvec(vectors)) < EXACT


def test_exp_of_nothing_is_no_rotation():
    assert (rotation.exp(np.zeros((3, 2))) == np.array([[1, 0, 0, 0]] * 2).T).all()


def test_exp_gives_unit_quaternions():
    vectors = np.random.default_rng(0).normal(size=(3, 300)) * np.geomspace(1e-13, 30, 300)
    assert np.abs(np.linalg.norm(rotation.exp(vectors), axis=0) - 1).max() < EXACT


@pytest.mark.parametrize("length", [0, 1e-14, 1e-12, 1e-9, 1e-4, 1, 3, np.pi, 4, 6, 2 * np.pi - 1e-3])
def test_log_turns_exp_over_from_nothing_to_a_full_turn(length):
    directions = np.random.default_rng(0).normal(size=(3, 50))
    vectors = length * directions / np.linalg.norm(directions, axis=0)
    again = rotation.log(rotation.exp(vectors))
    assert np.abs(again - vectors).max() <= 1e-11 * max(length, 1e-3)


def test_log_tells_a_quaternion_from_its_negative():
    q = rotation.exp(np.array([[0.5], [0.0], [0.0]]))
    assert np.linalg.norm(rotation.log(q)) == pytest.approx(0.5, abs=EXACT)
    assert np.linalg.norm(rotation.log(-q)) == pytest.approx(2 * np.pi - 0.5, abs=EXACT)


def test_normalized_gives_unit_quaternions_and_their_lengths():
    lengths = np.array([1e-6, 0.5, 1.0, 7.0])
    q = from_scipy(random_rotations(4))
    unit, found = rotation.normalized(q * lengths)
    assert np.abs(unit - q).max() < EXACT
    assert np.abs(found / lengths - 1).max() < EXACT


def test_a_zero_quaternion_counts_as_no_rotation_and_the_input_stays():
    q = np.zeros((4, 3))
    q[1, 1] = 2.0
    before = q.copy()
    unit, lengths = rotation.normalized(q)
    assert unit.T.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]]
    assert lengths.tolist() == [1, 2, 1]
    assert (q == before).all()


def test_lifted_undoes_random_sign_flips_and_keeps_the_side_of_the_majority():
    random = np.random.default_rng(3)
    path = Rotation.from_rotvec(np.cumsum(random.normal(size=(400, 3)) * 0.05, axis=0))
    whole = from_scipy(path)
    whole *= np.cumprod([1.0, *np.sign(np.sum(whole[:, 1:] * whole[:, :-1], axis=0))])
    flips = np.where(random.uniform(size=400) < 0.2, -1.0, 1.0)
    signs = rotation.lifted(lone(whole * flips))[:, 0]
    assert (signs == flips).all()
    assert (rotation.lifted(lone(-whole * flips))[:, 0] == flips).all()


def test_lifted_leaves_other_rotations_alone():
    still = np.zeros((4, 10, 2))
    still[0] = 1.0
    still[0, 4:6, 1] = -1.0
    assert rotation.lifted(still)[:, 0].tolist() == [1.0] * 10
    assert rotation.lifted(still)[:, 1].tolist() == [1.0] * 4 + [-1.0] * 2 + [1.0] * 4


def test_mean_equals_scipys_mean_rotation_of_each_path():
    paths = [
        Rotation.from_rotvec(np.random.default_rng(seed).normal(size=(80, 3)) * 0.4) * random_rotations(1, seed)
        for seed in range(4)
    ]
    means = rotation.mean(np.stack([from_scipy(path) for path in paths], axis=2))
    assert apart(means, Rotation.concatenate([path.mean() for path in paths])) < 1e-9


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_from_euler_equals_scipys_extrinsic_turns(order):
    angles = np.random.default_rng(0).uniform(-7, 7, size=(3, 500))
    assert apart(rotation.from_euler(angles, order), scipy_euler(angles, order)) < EXACT


def test_xyz_is_z_after_y_after_x():
    angles = np.array([[0.3], [0.5], [0.7]])
    x, y, z = (Rotation.from_rotvec(angle * axis) for angle, axis in zip(angles[:, 0], np.eye(3)))
    assert apart(rotation.from_euler(angles, "XYZ"), z * y * x) < EXACT


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_to_euler_finds_the_angles_of_smooth_paths_again(order, smooth):
    angles = smooth(600, 3, seed=EULER_ORDERS.index(order), size=2.5, fastest=1.0).T
    q = rotation.from_euler(angles, order)
    # The outer angles lose digits near gimbal lock, where only their sum or difference is known.
    clear = np.abs(np.cos(angles["XYZ".index(order[1])])) > 0.01
    found = rotation.to_euler(lone(q), order, lone(angles))[:, :, 0]
    assert np.abs(found - angles)[:, clear].max() < 1e-9
    assert np.abs(found - angles).max() < 1e-4
    assert apart(rotation.from_euler(found, order), scipy_euler(angles, order)) < 1e-9


@pytest.mark.parametrize("order", EULER_ORDERS)
@pytest.mark.parametrize("start, end", [(0.5, 2.6), (-0.5, -2.6), (1.0, 20.0)])
def test_to_euler_passes_through_gimbal_lock_without_a_jump(order, start, end, smooth):
    angles = 0.5 * smooth(400, 3, seed=1).T
    angles["XYZ".index(order[1])] = np.linspace(start, end, 400)
    found = rotation.to_euler(lone(rotation.from_euler(angles, order)), order, lone(angles))[:, :, 0]
    assert np.abs(np.diff(found, axis=1)).max() < 1.5 * np.abs(np.diff(angles, axis=1)).max()
    assert apart(rotation.from_euler(found, order), scipy_euler(angles, order)) < 1e-9


@pytest.mark.parametrize("order", EULER_ORDERS)
@pytest.mark.parametrize("middle", [QUARTER, -QUARTER])
def test_to_euler_at_exact_gimbal_lock_keeps_the_angles_of_the_source(order, middle, smooth):
    angles = smooth(200, 3, seed=2).T
    angles["XYZ".index(order[1])] = middle
    found = rotation.to_euler(lone(rotation.from_euler(angles, order)), order, lone(angles))[:, :, 0]
    assert np.isfinite(found).all()
    # sqrt of the rounding of a double, twice: a cosine of 1e-16 is an angle of 1e-8.
    assert apart(rotation.from_euler(found, order), scipy_euler(angles, order)) < 1e-7


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_to_euler_gives_the_rotation_and_stays_continuous_when_the_source_was_another(order, smooth):
    near = smooth(500, 3, seed=3, fastest=1.0).T
    turns = Rotation.from_rotvec(smooth(500, 3, seed=4, fastest=1.0))
    found = rotation.to_euler(lone(from_scipy(turns)), order, lone(near))[:, :, 0]
    assert apart(rotation.from_euler(found, order), turns) < 1e-9
    # Close to gimbal lock the outer angles of any such path swing fast; a wrong branch would be a step of half a turn.
    clear = np.abs(np.cos(found["XYZ".index(order[1])])) > 0.2
    assert clear.sum() > 400
    assert np.abs(np.diff(found, axis=1))[:, clear[1:] & clear[:-1]].max() < 1.0


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_to_euler_counts_whole_turns_of_the_source(order, smooth):
    angles = 0.3 * smooth(200, 3, seed=5).T
    angles["XYZ".index(order[0])] += 20.0
    angles["XYZ".index(order[2])] -= 31.0
    found = rotation.to_euler(lone(rotation.from_euler(angles, order)), order, lone(angles))[:, :, 0]
    assert np.abs(found - angles).max() < 1e-9


def test_from_axis_angle_equals_scipy_for_axes_of_any_length():
    random = np.random.default_rng(0)
    axes, angles = random.normal(size=(3, 200)) * np.geomspace(1e-3, 1e3, 200), random.uniform(-9, 9, 200)
    turns = Rotation.from_rotvec((angles * axes / np.linalg.norm(axes, axis=0)).T)
    assert apart(rotation.from_axis_angle(np.vstack([angles, axes])), turns) < EXACT


def test_axis_angle_without_an_axis_turns_about_y():
    turned = rotation.from_axis_angle(np.array([[0.7], [0], [0], [0]]))
    assert apart(turned, Rotation.from_rotvec([[0, 0.7, 0]])) < EXACT


def test_axis_angle_returns_with_its_turns_signs_and_axis_lengths(smooth):
    values = np.vstack([np.linspace(-9, 9, 301), 2.0 + 0.3 * smooth(301, 3).T])
    found = rotation.to_axis_angle(lone(rotation.from_axis_angle(values)), lone(values))[:, :, 0]
    assert np.abs(found - values).max() < 1e-7  # the axis loses digits where the angle is near a whole turn


def test_axis_angle_without_rotation_keeps_the_axis_it_had():
    values = np.array([[0.0, 0.0], [0.6, 0.0], [0.8, 3.0], [0.0, 0.0]])
    found = rotation.to_axis_angle(lone(rotation.from_axis_angle(values)), lone(values))[:, :, 0]
    assert (found == values).all()


def test_axis_angle_of_a_whole_turn_is_no_rotation_whatever_its_last_digits():
    whole = lone(np.array([[-1.0, -1.0], [0.0, 1e-13], [0.0, -2e-13], [1e-16, 0.0]]))
    near = lone(np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]))
    found = rotation.to_axis_angle(whole, near)[:, :, 0]
    assert apart(rotation.from_axis_angle(found), Rotation.identity(2)) < EXACT


def test_axis_angle_of_another_path_is_that_path_without_a_jump(smooth):
    vectors = smooth(300, 3, seed=4, fastest=1.0) * 0.3 + [1.0, 0.3, 0.2]
    near = np.vstack([np.full(300, 0.8), np.ones((1, 300)), np.zeros((2, 300))])
    found = rotation.to_axis_angle(lone(from_scipy(Rotation.from_rotvec(vectors))), lone(near))[:, :, 0]
    assert apart(rotation.from_axis_angle(found), Rotation.from_rotvec(vectors)) < 1e-9
    assert np.abs(np.diff(found, axis=1)).max() < 0.2
