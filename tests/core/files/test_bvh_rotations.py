# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints to bones and back: the same rotations by scipy, and the same choice of angles by looking at frame after frame."""

import numpy as np
import pytest
from motion_signal.core.files.bvh_rotations import bone_angles, bone_places, followed, joint_angles, joint_places
from motion_signal.core.numeric.matrix import euler_matrices
from motion_signal.core.numeric.rotation import EULER_ORDERS
from scipy.spatial.transform import Rotation

REST = Rotation.from_rotvec([0.4, -1.1, 2.0]).as_matrix()
SINGLE = REST.astype(np.float32), REST.T.astype(np.float32)


def file_rotations(degrees, order):
    """BVH turns about the axes that come with it, in the file's order: scipy's capital letters."""
    return Rotation.from_euler(order, degrees[["XYZ".index(axis) for axis in order]].T, degrees=True)


def bone_rotations(angles, order):
    """Blender turns about the parent's axes, in the order's: scipy's small letters."""
    return Rotation.from_euler(order.lower(), angles[["XYZ".index(axis) for axis in order]].T)


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_a_bone_turns_as_its_joint_does_in_the_world(smooth, order):
    degrees = smooth(300, 3, 1, size=150.0).T
    angles = bone_angles(degrees, order, *SINGLE)
    expected = REST.T @ file_rotations(degrees, order).as_matrix() @ REST
    assert angles.dtype == np.float32
    assert (bone_rotations(angles.astype(float), order) * Rotation.from_matrix(expected).inv()).magnitude().max() < 3e-6


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_a_joint_gets_its_degrees_back_from_its_bone(smooth, order):
    degrees = smooth(5000, 3, 2, size=40.0, fps=120.0).T
    angles = bone_angles(degrees, order, *SINGLE).astype(float)
    back = joint_angles(euler_matrices(angles, order), REST, order)
    np.testing.assert_allclose(back, degrees[["XYZ".index(axis) for axis in order]], atol=2e-4)


def test_scale_does_not_turn_a_joint(smooth):
    rotations = euler_matrices(smooth(100, 3, 3).T, "XYZ")
    np.testing.assert_allclose(joint_angles(2.5 * rotations, REST, "YXZ"), joint_angles(rotations, REST, "YXZ"), atol=1e-9)
    assert np.isfinite(joint_angles(0.0 * rotations, REST, "YXZ")).all()


def test_places_go_along_the_axes_of_the_bone_and_back(smooth):
    positions, offset = smooth(100, 3, 4, size=20.0).T, (1.0, -2.0, 3.0)
    location = bone_places(positions, offset, SINGLE[1])
    np.testing.assert_allclose(location, REST.T @ (positions - np.array(offset)[:, None]), atol=5e-6)
    np.testing.assert_allclose(joint_places(location.astype(float), REST, offset), positions, atol=5e-6)
    np.testing.assert_array_equal(joint_places(None, REST, offset)[:, 0], offset)


@pytest.mark.parametrize("step", (0.01, 0.5, 3.0))
def test_each_frame_follows_the_frame_before(step):
    """Small steps stay on one way to say a rotation; large ones change it often, and add turns."""
    random = np.random.default_rng(5)
    angles = np.cumsum(random.normal(size=(3, 4000)) * step, axis=1)
    first = (angles + np.pi) % (2 * np.pi) - np.pi
    second = (np.array([[np.pi], [np.pi], [np.pi]]) + angles * np.array([[1], [-1], [1]]) + np.pi) % (2 * np.pi) - np.pi
    expected = one_by_one(first.T, second.T)
    np.testing.assert_allclose(followed(first, second).T, expected, atol=1e-9)
    assert step < 0.1 or 500 < np.sum(np.abs(expected - first.T).max(axis=1) > 0.1)


def one_by_one(first, second):
    """The nearer of two ways, each brought near to the frame before by whole turns."""
    path = [np.zeros(3)]
    for ways in zip(first, second):
        near = [way - 2 * np.pi * np.rint((way - path[-1]) / (2 * np.pi)) for way in ways]
        path.append(min(near, key=lambda angles: np.abs(angles - path[-1]).sum()))
    return np.array(path[1:])


def test_where_two_axes_are_one_the_last_of_them_rests():
    degrees = np.array([[20.0, 20.0], [90.0, 90.0], [30.0, 35.0]])
    angles = joint_angles(file_rotations(degrees, "XYZ").as_matrix().transpose(1, 2, 0), np.eye(3), "XYZ")
    assert np.isfinite(angles).all()
    again = file_rotations(angles, "XYZ")
    assert (again * file_rotations(degrees, "XYZ").inv()).magnitude().max() < 1e-7
    assert np.abs(angles).min() == 0.0
