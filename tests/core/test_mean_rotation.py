# SPDX-License-Identifier: GPL-3.0-or-later
"""The weighted mean of rotations against scipy's: slerp for two, the point where all turns cancel for more."""

import numpy as np
import pytest
from motion_signal.core.numeric import rotation
from scipy.spatial.transform import Rotation, Slerp

COUNT = 200


def scattered(count, spread, seed=0):
    """Rotation vectors (3, COUNT) of so many sets, each about a random center of its set."""
    random = np.random.default_rng(seed)
    center = Rotation.from_rotvec(random.normal(size=(COUNT, 3)) * 0.5)
    return [(center * Rotation.from_rotvec(random.normal(size=(COUNT, 3)) * spread)).as_rotvec().T for _ in range(count)]


def turns(vector, vectors):
    """Rotation vectors from one set to others, in scipy."""
    back = Rotation.from_rotvec(vector.T).inv()
    return [(back * Rotation.from_rotvec(other.T)).as_rotvec() for other in vectors]


def apart(a, b):
    return np.linalg.norm(turns(a, [b])[0], axis=1)


@pytest.mark.parametrize("weight", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_of_two_rotations_it_is_the_slerp_between_them(weight):
    a, b = scattered(2, 0.4)
    mean = rotation.weighted_mean([a, b], [1.0 - weight, weight])
    slerp = [Slerp([0, 1], Rotation.from_rotvec([here, there]))(weight).as_rotvec() for here, there in zip(a.T, b.T)]
    assert apart(mean, np.transpose(slerp)).max() < 1e-7


@pytest.mark.parametrize("weight", [-2.0, -0.5, 1.5, 3.0])
def test_beyond_two_rotations_it_goes_on_along_the_same_turn(weight):
    a, b = scattered(2, 0.4)
    mean = rotation.weighted_mean([a, b], [1.0 - weight, weight])
    beyond = Rotation.from_rotvec(a.T) * Rotation.from_rotvec(weight * turns(a, [b])[0])
    assert apart(mean, beyond.as_rotvec().T).max() < 1e-7


def test_of_many_rotations_the_weighted_turns_to_them_cancel():
    vectors, weights = scattered(5, 0.2), [0.1, 0.3, 0.2, 0.25, 0.15]
    left = sum(weight * turn for weight, turn in zip(weights, turns(rotation.weighted_mean(vectors, weights), vectors)))
    assert np.abs(left).max() < 1e-6


def test_many_rotations_with_negative_weights_stay_near_them():
    vectors, weights = scattered(3, 0.5), [3.0, -1.0, -1.0]
    mean = rotation.weighted_mean(vectors, weights)
    widest = np.max([apart(vectors[0], other) for other in vectors[1:]], axis=0)
    assert (apart(mean, vectors[0]) < 4.0 * widest).all()


def test_weights_may_differ_from_rotation_to_rotation():
    a, b = scattered(2, 0.4)
    weights = np.linspace(0.0, 1.0, COUNT)
    mean = rotation.weighted_mean([a, b], [1.0 - weights, weights])
    assert np.abs(apart(mean, a) - weights * apart(a, b)).max() < 1e-7


def test_a_path_through_half_a_turn_stays_whole():
    angles = np.linspace(0.0, 1.5 * np.pi, 100)
    still, going = np.zeros((3, 100)), np.stack([angles, 0.0 * angles, 0.0 * angles])
    mean = rotation.weighted_mean([still, going], [0.5, 0.5])
    assert np.abs(mean[0] - 0.5 * angles).max() < 1e-9
