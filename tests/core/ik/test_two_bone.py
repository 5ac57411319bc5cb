# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-bone IK: limbs reach, keep their twist, and neither jump nor tear where they become straight."""

import numpy as np
import pytest
from motion_signal.core.ik.two_bone import hinges, no_faster, reachable, two_bone
from motion_signal.core.numeric.matrix import turns_to
from scipy.spatial.transform import Rotation

FRAMES = 200
EXACT = 1e-9
WHOLE = [slice(0, FRAMES)]


@pytest.fixture
def leg(smooth):
    """A leg that walks about: hip, knee and ankle (3, 3, frames) and the axes (3, 3, frames) of its upper bone."""
    turn = Rotation.from_rotvec(0.5 * smooth(FRAMES, 3))
    bend = Rotation.from_rotvec(np.outer(0.8 + 0.5 * np.sin(np.arange(FRAMES) / 15), [1.0, 0.0, 0.0]))
    hip = 0.2 * smooth(FRAMES, 3, seed=3) + [0.0, 0.0, 0.9]
    knee = hip + turn.apply([0.0, 0.0, -0.45])
    ankle = knee + (turn * bend).apply([0.0, 0.0, -0.4])
    return np.stack([hip.T, knee.T, ankle.T]), np.moveaxis(turn.as_matrix(), 0, -1)


def bent(joints, upper, lower, start):
    """Where knee and ankle are when the bones are turned, by scipy."""
    hip, knee, ankle = joints
    turns = [Rotation.from_quat(q.T, scalar_first=True) for q in (upper, lower)]
    middle = start.T + turns[0].apply((knee - hip).T)
    return middle.T, (middle + turns[1].apply((ankle - knee).T)).T


def knee_angle(hip, knee, ankle):
    upper, lower = knee - hip, ankle - knee
    return np.arctan2(np.linalg.norm(np.cross(upper, lower, axis=0), axis=0), (upper * lower).sum(axis=0))


def test_goals_within_reach_are_reached(leg, smooth):
    joints, axes = leg
    start = joints[0] + 0.05 * smooth(FRAMES, 3, seed=7).T
    away = joints[2] + 0.2 * smooth(FRAMES, 3, seed=8).T - start
    far = np.linalg.norm(away, axis=0)
    goal = start + away * np.clip(far, 0.1, 0.84) / far
    upper, lower, place = two_bone(joints, hinges(joints, axes), start, goal)
    assert np.abs(bent(joints, upper, lower, start)[1] - goal).max() < EXACT
    assert np.abs(place - goal).max() < EXACT


def test_a_goal_that_is_reached_already_changes_nothing(leg):
    joints, axes = leg
    joints = joints.copy()
    joints[2][:, 50:80] = (2 * joints[1] - joints[0])[:, 50:80]  # even where the leg is straight
    upper, lower, _ = two_bone(joints, hinges(joints, axes), joints[0], joints[2], WHOLE)
    assert np.abs(upper[1:]).max() < 1e-15 and np.abs(lower[1:]).max() < 1e-15


def test_pulling_along_the_leg_only_turns_its_bones_about_the_hinge(leg):
    """Twist is kept: the axis that the knee bends about is where it was."""
    joints, axes = leg
    hinge = hinges(joints, axes)
    upper, lower, _ = two_bone(joints, hinge, joints[0], joints[0] + 0.93 * (joints[2] - joints[0]))
    for q in (upper, lower):
        assert np.abs(Rotation.from_quat(q.T, scalar_first=True).apply(hinge.T).T - hinge).max() < 1e-6
        assert np.abs(q[1:]).max() > 0.02


def test_a_goal_pulled_beyond_reach_straightens_the_leg_without_a_jump():
    joints = np.array([[0.0, 0.0, 0.9], [0.0, -0.1, 0.5], [0.0, 0.0, 0.1]])[:, :, None].repeat(FRAMES, axis=2)
    axes = np.eye(3)[:, :, None].repeat(FRAMES, axis=2)
    goal = joints[2] - np.array([0.0, 0.0, 1.0])[:, None] * np.linspace(-0.1, 0.3, FRAMES)
    upper, lower, place = two_bone(joints, hinges(joints, axes), joints[0], goal)
    knee, ankle = bent(joints, upper, lower, joints[0])
    longest = np.linalg.norm(joints[1] - joints[0], axis=0) + np.linalg.norm(joints[2] - joints[1], axis=0)
    span = np.linalg.norm(ankle - joints[0], axis=0)
    assert (span < longest).all() and span[-1] > 0.9999 * longest[0]
    assert np.abs(ankle - place).max() < EXACT
    angle = np.degrees(knee_angle(joints[0], knee, ankle))
    assert (np.diff(angle) < EXACT).all()
    hard = np.degrees(2 * np.arccos(np.clip(np.linalg.norm(goal - joints[0], axis=0) / longest, None, 1.0)))
    assert np.abs(np.diff(hard)).max() > 1.4 * np.abs(np.diff(angle)).max()  # without softness the knee snaps


def test_a_straight_leg_bends_the_way_it_does_in_the_rest_of_the_take(leg):
    joints, axes = leg
    joints = joints.copy()
    still = slice(50, 80)
    joints[2][:, still] = joints[1][:, still] + (joints[1] - joints[0])[:, still] * 0.4 / 0.45
    hinge = hinges(joints, axes)
    assert np.abs(hinge[:, still] - axes[:, 0, still]).max() < EXACT
    upper, lower, _ = two_bone(joints, hinge, joints[0], joints[0] + 0.95 * (joints[2] - joints[0]))
    knee, ankle = bent(joints, upper, lower, joints[0])
    forward = np.cross(knee - joints[0], ankle - knee, axis=0)
    assert ((forward * axes[:, 0]).sum(axis=0) > 0).all()


def test_a_knee_bent_backwards_keeps_its_hinge(leg):
    joints, axes = leg
    bend = Rotation.from_rotvec(np.outer(np.where(np.arange(FRAMES) % 20 < 2, -0.03, 0.5), [1.0, 0.0, 0.0]))
    turn = Rotation.from_matrix(np.moveaxis(axes, -1, 0))
    joints = np.stack([joints[0], joints[1], joints[1] + (turn * bend).apply([0.0, 0.0, -0.4]).T])
    assert np.abs(hinges(joints, axes) - axes[:, 0]).max() < EXACT


def test_a_leg_that_is_always_straight_has_the_hinge_of_its_x_axis():
    joints = np.array([[0.0, 0.0, 0.9], [0.0, 0.0, 0.5], [0.0, 0.0, 0.1]])[:, :, None].repeat(5, axis=2)
    assert np.abs(hinges(joints, np.eye(3)[:, :, None].repeat(5, axis=2)) - np.eye(3)[0][:, None]).max() < EXACT


def test_the_knee_points_to_the_pole(leg, smooth):
    joints, axes = leg
    goal = joints[0] + 0.9 * (joints[2] - joints[0])
    pole = joints[0] + smooth(FRAMES, 3, seed=11).T + np.array([0.0, -2.0, 0.0])[:, None]
    upper, lower, _ = two_bone(joints, hinges(joints, axes), joints[0], goal, pole=pole)
    knee, ankle = bent(joints, upper, lower, joints[0])
    assert np.abs(ankle - goal).max() < EXACT
    way = (goal - joints[0]) / np.linalg.norm(goal - joints[0], axis=0)
    sides = [side - way * (side * way).sum(axis=0) for side in (knee - joints[0], pole - joints[0])]
    cosine = (sides[0] * sides[1]).sum(axis=0) / np.prod([np.linalg.norm(side, axis=0) for side in sides], axis=0)
    assert cosine.min() > 1 - 1e-9


def test_reach_is_left_alone_until_the_leg_is_nearly_straight_or_as_straight_as_it_was(leg):
    joints, _ = leg
    longest = np.linalg.norm(joints[1] - joints[0], axis=0) + np.linalg.norm(joints[2] - joints[1], axis=0)
    assert (reachable(joints, 0.99 * longest) == 0.99 * longest).all()
    straight = joints.copy()
    straight[2] = straight[1] + (straight[1] - straight[0])
    assert np.abs(reachable(straight, np.full(FRAMES, 0.9)) - 0.9).max() < EXACT
    assert (reachable(joints, 10.0 * longest) <= longest).all()


def test_no_knee_is_faster_than_it_ever_was_and_only_fast_ones_change():
    angles = np.sin(np.arange(100) / 9.0)
    angles[50:] += 0.5
    slow = no_faster(angles, 0.15)
    assert np.abs(np.diff(slow)).max() < 0.15 + EXACT
    assert np.abs(slow - angles)[:30].max() < EXACT and np.abs(slow - angles)[70:].max() < EXACT
    assert no_faster(angles, 0.7) is angles


def test_turns_between_axes_equal_scipys():
    random = np.random.default_rng(0)
    first, vectors = Rotation.random(50, rng=random), random.normal(size=(50, 3))
    second = Rotation.from_rotvec(vectors) * first
    axes = [np.moveaxis(turn.as_matrix() * [2.0, 0.5, 1.0], 0, -1) for turn in (first, second)]
    assert np.abs(turns_to(*axes) - Rotation.from_rotvec(vectors).as_rotvec().T).max() < 1e-7
    assert np.abs(turns_to(axes[0], axes[1][:, :, 7])[:, 7] - vectors[7]).max() < 1e-7
