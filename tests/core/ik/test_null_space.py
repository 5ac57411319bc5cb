# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks by priority: the first are met exactly, the next as nearly as they leave room for, and nothing jumps or breaks."""

import numpy as np
import pytest
import scipy
from motion_signal.core.ik.null_space import Task, fulfilled, moving_jacobian, solved, turning_jacobian
from motion_signal.core.motion.skeleton import Skeleton
from scipy.spatial.transform import Rotation

MILLIMETRE = 1e-3
UP = (np.pi / 2, 0.0, 0.0)


@pytest.fixture
def torso(bone):
    """Hips from which two legs and two arms of two bones each hang, and the hands and feet at their ends."""
    bones = [bone("hips", -1, (0.0, 0.0, 1.0), UP, 0.5)]
    for side, x in (("left", 0.2), ("right", -0.2)):
        for limb, end, z, bend in (("leg", "foot", 1.0, -0.05), ("arm", "hand", 1.5, 0.05)):
            place = len(bones)
            bones.append(bone(f"{side} upper {limb}", 0, (x, 0.0, z), (-np.pi / 2, 0.0, 0.0), 0.45))
            bones.append(bone(f"{side} lower {limb}", place, (x, bend, z - 0.45), (-np.pi / 2, 0.0, 0.0), 0.45, "ZXY"))
            bones.append(bone(f"{side} {end}", place + 1, (x, 0.0, z - 0.9), UP, 0.1))
    return Skeleton(tuple(bones))


@pytest.fixture
def take(torso, moving):
    """The torso moves a little, in all its channels."""

    def make(frames=60):
        clip = moving(torso, frames, seed=4)
        start = clip.values[:1] * 0 + [float(channel.kind == "QUATERNION" and channel.index == 0) for channel in clip.channels]
        values = start + 0.15 * (clip.values - clip.values.mean(axis=0))
        return clip.with_values(values)

    return make


def ends(skeleton, clip, *names):
    return [skeleton.posed(clip)[1][:, skeleton.index(name)] for name in names]


def everything(skeleton):
    return {bone.name: 1.0 for bone in skeleton.bones}


def test_the_jacobians_are_how_points_and_bones_move(torso, take):
    clip = take(5)
    rotations, location, scale = torso.local(clip)
    axes, heads = torso.forward(rotations, location, scale)
    place = torso.index("left foot")
    freedom = [(torso.index(name), "turn") for name in ("hips", "left upper leg", "left lower leg", "right foot")]
    freedom.append((0, "shift"))
    offset = np.array([0.1, 0.2, -0.1])
    point = heads[:, place] + np.einsum("fij,j->fi", axes[:, place], offset)
    moving = moving_jacobian(torso, place, point.T, freedom, np.moveaxis(heads, 0, -1))
    turning = turning_jacobian(torso, place, freedom, clip.frames)
    for column in range(15):
        (joint, way), axis, small = freedom[column // 3], np.eye(3)[column % 3], 1e-6
        changed, shifted = rotations.copy(), location.copy()
        if way == "turn":
            turn = np.swapaxes(axes[:, joint], 1, 2) @ Rotation.from_rotvec(small * axis).as_matrix() @ axes[:, joint]
            changed[:, joint] = rotations[:, joint] @ turn
        else:
            shifted[:, joint] += small * axis @ torso.bones[joint].rest[:3, :3]
        after, where = torso.forward(changed, shifted, scale)
        moved = (where[:, place] + np.einsum("fij,j->fi", after[:, place], offset) - point) / small
        turned = Rotation.from_matrix(after[:, place] @ np.swapaxes(axes[:, place], 1, 2)).as_rotvec() / small
        assert np.abs(moved - moving[:, column].T).max() < 1e-4
        assert np.abs(turned - turning[:, column].T).max() < 1e-4
    assert np.abs(moving[:, 9:12]).max() == 0  # the right foot has no say in it


def test_three_levels_within_reach_are_all_met(torso, take, smooth):
    clip = take()
    names = ("left foot", "right foot", "left hand", "right hand", "hips")
    goals = [
        place + 0.04 * smooth(clip.frames, 3, seed=seed) - [0.0, 0.0, 0.03 * (seed == 24) - 0.02 * (seed < 22)]
        for seed, place in enumerate(ends(torso, clip, *names), 20)
    ]
    tasks = [Task(name, goal, level) for name, goal, level in zip(names, goals, (0, 0, 1, 1, 2))]
    result = fulfilled(clip, torso, tasks, everything(torso), {"hips": 1.0})
    for goal, place in zip(goals, ends(torso, result, *names)):
        assert np.abs(place - goal).max() < 0.01 * MILLIMETRE
    assert max(np.abs(goal - place).max() for goal, place in zip(goals, ends(torso, clip, *names))) > 0.03


def test_feet_are_exact_hands_as_near_as_they_can_be_and_hips_last(torso, take):
    clip = take(12)
    feet = ends(torso, clip, "left foot", "right foot")
    (hand,) = ends(torso, clip, "left hand")
    (hips,) = ends(torso, clip, "hips")
    far = hand + [1.8, -1.0, 0.6]
    tasks = [Task("left foot", feet[0]), Task("right foot", feet[1]), Task("left hand", far, 1), Task("hips", hips, 2)]
    result = fulfilled(clip, torso, tasks, everything(torso), {"hips": 1.0}, rounds=60)
    for before, after in zip(feet, ends(torso, result, "left foot", "right foot")):
        assert np.abs(after - before).max() < 0.1 * MILLIMETRE
    left = np.linalg.norm(ends(torso, result, "left hand")[0] - far, axis=1)
    for frame in (7,):
        assert left[frame] < nearest(torso, clip, frame, feet, far) + 2 * MILLIMETRE
    assert np.abs(ends(torso, result, "hips")[0] - hips).max() > 0.05  # they gave way


def nearest(skeleton, clip, frame, feet, far):
    """How near a hand can come with the feet where they are, by a general optimizer."""
    row = clip.with_values(clip.values[[frame] * 3])
    rotations, location, scale = (part[:1] for part in skeleton.local(row))
    goals = np.concatenate([place[frame] for place in feet])

    def places(change):
        turned = rotations.copy()
        turned[0] = rotations[0] @ Rotation.from_rotvec(change[3:].reshape(-1, 3)).as_matrix()
        moved = location.copy()
        moved[0, 0] += change[:3]
        heads = skeleton.forward(turned, moved, scale)[1][0]
        return [heads[skeleton.index(name)] for name in ("left foot", "right foot", "left hand")]

    found = scipy.optimize.minimize(
        lambda change: np.sum((places(change)[2] - far[frame]) ** 2),
        np.zeros(3 + 3 * len(skeleton.bones)),
        method="SLSQP",
        constraints={"type": "eq", "fun": lambda change: np.concatenate(places(change)[:2]) - goals},
        options={"maxiter": 200},
    )
    assert np.abs(np.concatenate(places(found.x)[:2]) - goals).max() < 1e-4
    return np.sqrt(found.fun)


def test_turning_goals_are_met_too(torso, take, smooth):
    clip = take()
    axes, _ = torso.posed(clip)
    (foot,) = ends(torso, clip, "left foot")
    wanted = Rotation.from_rotvec(0.3 * smooth(clip.frames, 3, seed=5)).as_matrix() @ axes[:, torso.index("left foot")]
    result = fulfilled(clip, torso, [Task("left foot", foot), Task("left foot", wanted)], everything(torso))
    assert np.abs(torso.posed(result)[0][:, torso.index("left foot")] - wanted).max() < 1e-6
    assert np.abs(ends(torso, result, "left foot")[0] - foot).max() < 0.01 * MILLIMETRE


def test_goals_beyond_reach_and_straight_legs_stay_finite_and_smooth(torso, take):
    clip = take(90)
    foot, hand = ends(torso, clip, "left foot", "left hand")
    legs = {f"left {part} leg": 1.0 for part in ("upper", "lower")} | {f"left {part} arm": 1.0 for part in ("upper", "lower")}
    away = 0.5 * np.sin(np.linspace(0.0, np.pi, 90))[:, None]  # there and back, through the straight leg
    tasks = [Task("left foot", foot + away * [0.0, 0.0, -1.0]), Task("left hand", hand + away * [3.0, 0.0, 1.0], 1)]
    result = fulfilled(clip, torso, tasks, legs)
    assert np.isfinite(result.values).all()
    before, after = (np.abs(np.diff(torso.posed(these)[1], axis=0)).max() for these in (clip, result))
    goals = max(np.abs(np.diff(task.goal, axis=0)).max() for task in tasks)
    assert after < before + 2.0 * goals
    assert np.abs(ends(torso, result, "left foot")[0][[0, -1]] - foot[[0, -1]]).max() < 0.01 * MILLIMETRE


def test_what_is_met_already_is_left_to_the_bit(torso, take):
    clip = take()
    names = ("left foot", "right hand")
    tasks = [Task(name, place) for name, place in zip(names, ends(torso, clip, *names))]
    result = fulfilled(clip, torso, tasks, everything(torso))
    assert result.channels == clip.channels and (result.values == clip.values).all()


def test_an_unwilling_bone_turns_less(torso, take):
    clip = take()
    (foot,) = ends(torso, clip, "left foot")

    def hips_turn(willing):
        result = fulfilled(clip, torso, [Task("left foot", foot + [0.05, 0.0, 0.1])], {**everything(torso), "hips": willing})
        assert np.abs(ends(torso, result, "left foot")[0] - foot - [0.05, 0.0, 0.1]).max() < 0.01 * MILLIMETRE
        columns = [column for column, channel in enumerate(clip.channels) if channel.owner == "hips"]
        return np.abs(result.values - clip.values)[:, columns].max()

    assert hips_turn(0.01) < 0.1 * hips_turn(1.0)


def test_blocks_of_frames_meet_without_a_seam(torso, take, monkeypatch):
    clip = take(40)
    (foot,) = ends(torso, clip, "left foot")
    tasks = [Task("left foot", foot + [0.0, 0.1, 0.1])]
    whole = fulfilled(clip, torso, tasks, everything(torso)).values
    monkeypatch.setattr("motion_signal.core.ik.null_space.BLOCK", 16)
    assert np.abs(fulfilled(clip, torso, tasks, everything(torso)).values - whole).max() < 1e-12


def test_systems_are_solved_like_numpys():
    random = np.random.default_rng(0)
    rows = random.normal(size=(7, 5, 12))
    square, right = rows @ rows.transpose(0, 2, 1), random.normal(size=(7, 5))
    expected = np.linalg.solve(square + 0.1 * np.eye(5), right[:, :, None])[:, :, 0]
    assert np.abs(solved(np.moveaxis(square, 0, -1), right.T, 0.1).T - expected).max() < 1e-10


def test_bones_that_are_not_there_are_refused(torso, take):
    clip = take()
    with pytest.raises(ValueError, match="bone tail: the armature has none"):
        fulfilled(clip, torso, [Task("tail", np.zeros((clip.frames, 3)))], everything(torso))


def test_the_source_is_not_written_to(torso, take):
    clip = take()
    before = clip.values.copy()
    fulfilled(clip, torso, [Task("left foot", np.zeros((clip.frames, 3)))], everything(torso))
    assert (clip.values == before).all()
