# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel: off the ground and back, and paths mixed by their steps."""

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.ground import Ground, Path, headings_of, mixed_path, walked
from motion_signal.core.motion.skeleton import Skeleton
from scipy.spatial.transform import Rotation

HIPS = gait.FIGURE.bones[0]
MODES = ("QUATERNION", "AXIS_ANGLE", "ZYX", "XYZ")


def walking(frames=120, fps=30.0, speed=1.3):
    """The procedural walk as a clip of the hips' location and all rotations."""
    motion = gait.walk(frames, fps, speed)
    channels = [Channel(HIPS.path + ".location", index, "LOCATION", HIPS.name) for index in range(3)]
    channels += [
        Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in gait.FIGURE.bones for index in range(4)
    ]
    return Clip(np.hstack([motion.location, motion.rotations.reshape(frames, -1)]), tuple(channels), fps, 1)


def turned(clip, degrees, shift=(0.0, 0.0, 0.0)):
    """The walk in another direction: its hips turned about the world's Z axis and moved."""
    about, rest = Rotation.from_euler("z", degrees, degrees=True), Rotation.from_matrix(HIPS.rest[:3, :3])
    values = clip.values.copy()
    places = HIPS.rest[:3, 3] + rest.apply(values[:, :3])
    values[:, :3] = rest.inv().apply(about.apply(places) + shift - HIPS.rest[:3, 3])
    own = Rotation.from_quat(values[:, 3:7], scalar_first=True)
    values[:, 3:7] = (rest.inv() * about * rest * own).as_quat(scalar_first=True)
    return clip.with_values(values)


def heads(clip):
    return gait.FIGURE.forward(*gait.FIGURE.local(clip))[1]


def test_off_the_ground_the_figure_stays_above_one_spot_and_faces_one_way():
    clip = walking()
    values, path = Ground([clip], gait.FIGURE).taken_off(clip.values)
    hips = heads(clip.with_values(values))[:, 0]
    assert np.abs(hips[:, :2]).max() < 1e-6 and np.abs(hips[:, 2] - heads(clip)[:, 0, 2]).max() < 1e-6
    assert np.abs(path.places[:, :2] - heads(clip)[:, 0, :2]).max() < 1e-6
    again = Ground([clip], gait.FIGURE).taken_off(values)[1]
    assert np.abs(again.headings).max() < 1e-6


@pytest.mark.parametrize("degrees", [30.0, 90.0, 170.0, -120.0])
def test_walks_in_different_directions_are_the_same_off_the_ground_and_in_their_steps(degrees):
    clips = walking(), turned(walking(), degrees, (2.0, -1.0, 0.0))
    ground = Ground(clips, gait.FIGURE)
    (values, path), (others, other) = (ground.taken_off(clip.values) for clip in clips)
    assert np.abs(values[:, :3] - others[:, :3]).max() < 1e-6
    assert np.abs(np.abs(np.sum(values[:, 3:7] * others[:, 3:7], axis=1)) - 1.0).max() < 1e-9
    assert np.abs(path.steps()[0] - other.steps()[0]).max() < 1e-6
    apart = np.degrees(other.headings - path.headings) - degrees
    assert np.abs(apart - 360.0 * np.rint(apart / 360.0)).max() < 1e-5


@pytest.mark.parametrize("mode", MODES)
def test_the_way_back_is_exact_in_every_rotation_mode(mode, smooth, in_mode, rotation_channels):
    around = np.outer(np.linspace(0.0, 9.0, 90), [0.0, 0.0, 1.0])
    turns = Rotation.from_rotvec(around) * Rotation.from_rotvec(smooth(90, 3, size=0.4) + 0.3)
    channels = [Channel("location", index, "LOCATION") for index in range(3)]
    channels += [Channel(channel.path, channel.index, mode, "") for channel in rotation_channels(mode, "")]
    clip = Clip(np.hstack([smooth(90, 3, 7), in_mode(turns, mode)]), tuple(channels), 30.0, 1)
    ground = Ground([clip])
    values, path = ground.taken_off(clip.values)
    back = ground.put_on(values, path, clip.values)
    assert np.abs(back - clip.values).max() < 1e-9
    assert np.ptp(path.headings) > 8.0


def test_a_path_is_what_its_steps_lead_along(smooth):
    path = Path(np.hstack([np.cumsum(smooth(50, 2, 3), axis=0), np.zeros((50, 1))]), np.cumsum(smooth(50, 1, 4)[:, 0]))
    back = walked(path.places[0], path.headings[0], *path.steps())
    assert np.abs(back.places - path.places).max() < 1e-12 and np.abs(back.headings - path.headings).max() < 1e-12


@pytest.mark.parametrize("lean", [-6.0, -1.0, 1.0, 6.0])
@pytest.mark.parametrize("times", [1, 3, 5])
def test_who_goes_head_over_heels_faces_the_same_way_after_it_at_any_rate(lean, times):
    frames = np.arange(0, 121, times)
    over = Rotation.from_rotvec(np.outer(np.clip(frames - 30, 0, 60) / 60 * 2.0 * np.pi, [1.0, 0.0, 0.0]))
    yaw = Rotation.from_euler("z", 20.0 + 40.0 * frames[:, None] / 120, degrees=True)
    aside = Rotation.from_euler("y", lean * np.sin(frames[:, None] / 120 * np.pi), degrees=True)
    turns = (yaw * aside * over).as_quat(scalar_first=True).T
    headings = np.degrees(headings_of(turns, np.array([0.0, 0.0, 1.0])))
    level = (frames <= 30) | (frames >= 90)
    assert np.abs(headings - headings[0] - 40.0 * frames / 120)[level].max() < 2.0
    assert np.abs(np.diff(headings)).max() < 12.0 * times


def straight(heading, speed, frames=40):
    ahead = np.arange(frames)[:, None] * speed * np.array([np.cos(heading), np.sin(heading), 0.0])
    return Path(ahead, np.full(frames, heading))


def test_paths_in_two_directions_mix_to_one_between_them_at_the_mean_speed():
    path = mixed_path([straight(0.0, 1.0), straight(np.pi / 2, 2.0)], np.full((2, 40), 0.5))
    assert np.allclose(path.headings, np.pi / 4)
    assert np.allclose(path.places[-1], 39 * 1.5 * np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0]))


def test_of_headings_on_both_sides_of_half_a_turn_the_mean_is_between_them():
    path = mixed_path([straight(np.radians(170), 1.0), straight(np.radians(-170), 1.0)], np.full((2, 40), 0.5))
    assert np.allclose(path.headings, np.pi)


def test_shares_that_change_over_time_change_the_speed():
    shares = np.linspace(0.0, 1.0, 40)
    path = mixed_path([straight(0.0, 1.0), straight(0.0, 3.0)], np.stack([1 - shares, shares]))
    assert np.allclose(np.diff(path.places[:, 0]), 1.0 + (shares[1:] + shares[:-1]))


def test_the_object_carries_the_figure_where_it_moves_itself():
    clip = walking()
    channels = clip.channels + tuple(Channel("location", index, "LOCATION") for index in range(3))
    values = np.hstack([clip.values, np.arange(120)[:, None] * [0.1, 0.0, 0.0]])
    assert [root.owner for root in Ground([Clip(values, channels, 30.0, 1)], gait.FIGURE).roots] == [""]
    still = np.hstack([clip.values, np.zeros((120, 3))])
    assert [root.owner for root in Ground([Clip(still, channels, 30.0, 1)], gait.FIGURE).roots] == [HIPS.name]


def test_handles_beside_the_hips_keep_their_place_in_the_world(bone):
    skeleton = Skeleton(
        (
            bone("root", -1, (0, 0, 0), (0, 0, 0)),
            bone("body", 0, (0, 0, 1), (0.4, 0, 0)),
            bone("arm", 1, (0, 0.3, 1), (0, 0, 0)),
            bone("handle", 0, (0.2, 0, 0), (0, 0.3, 0)),
        )
    )
    going = np.column_stack([0.1 * np.arange(30), np.zeros(30), np.zeros(30)])
    channels, values = [], []
    for name, moved in (("root", 0.0), ("body", 1.0), ("arm", 1.0), ("handle", -0.5)):
        channels += [Channel(f'pose.bones["{name}"].location', index, "LOCATION", name) for index in range(3)]
        values.append(moved * going)
    clip = Clip(np.hstack(values), tuple(channels), 30.0, 1)
    ground = Ground([clip], skeleton)
    assert [root.owner for root in ground.roots] == ["body", "handle"]
    values, path = ground.taken_off(clip.values)
    assert np.ptp(values[:, 9:12], axis=0).max() > 1.0  # seen from the body the handle goes away
    assert np.abs(ground.put_on(values, path, clip.values) - clip.values).max() < 1e-12


def test_the_ground_lies_across_the_worlds_up_in_an_armature_that_is_turned_over():
    clip = walking()
    world = np.eye(4)
    world[:3, :3] = Rotation.from_euler("x", 90, degrees=True).as_matrix()
    ground = Ground([clip], Skeleton(gait.FIGURE.bones, world))
    assert np.abs(ground.up - [0.0, 1.0, 0.0]).max() < 1e-12
    assert np.abs(ground.taken_off(clip.values)[1].places[:, 1]).max() < 1e-12


def test_without_a_skeleton_bones_have_no_ground():
    clip = walking()
    ground = Ground([clip])
    values, _ = ground.taken_off(clip.values)
    assert not ground.roots and values is clip.values
