# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips to signals and back: nothing lost, nothing flipped, nobody else's channel touched."""

import numpy as np
import pytest
from motion_signal.core.motion.chart import Chart
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.numeric.bands import Bank
from motion_signal.core.numeric.rotation import EULER_ORDERS
from scipy.spatial.transform import Rotation

MODES = ("QUATERNION", "AXIS_ANGLE", *EULER_ORDERS)
RETURN = 1e-9
NUDGE = 1e-11  # enough that a signal counts as changed, too little to see


@pytest.fixture
def turning(rotation_channels, in_mode):
    """A clip of one bone that turns by rotation vectors (frames, 3) in a mode."""

    def make(vectors, mode):
        return Clip(in_mode(Rotation.from_rotvec(vectors), mode), rotation_channels(mode), 30.0, 1)

    return make


@pytest.fixture
def spinning(rotation_channels, in_mode, smooth):
    """A clip of a root that turns several times about an upright axis while it sways."""

    def make(mode, turns=4.0, frames=240):
        upright = np.linspace(0.3, 2 * np.pi * turns, frames)[:, None] * [0, 0, 1]
        path = Rotation.from_rotvec(upright) * Rotation.from_rotvec(0.2 * smooth(frames, 3, fastest=1.0))
        return Clip(in_mode(path, mode), rotation_channels(mode), 30.0, 1)

    return make


def steps(rotations):
    """The angle between neighbouring frames."""
    return (rotations[1:] * rotations[:-1].inv()).magnitude()


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_returns(mode, turning, smooth):
    clip = turning(smooth(200, 3, seed=1, fastest=1.0), mode)
    chart = Chart(clip)
    assert chart.signals.shape == (200, 3)
    assert np.abs(chart.values(chart.signals + NUDGE) - clip.values).max() < RETURN


@pytest.mark.parametrize("frames", [3, 4, 121, 1000])
@pytest.mark.parametrize("angles_apart", [False, True])
def test_all_modes_together_return(frames, angles_apart, mixed_clip):
    clip = mixed_clip(frames)
    chart = Chart(clip, angles_apart)
    assert np.abs(chart.values(chart.signals + NUDGE) - clip.values).max() < RETURN


def test_channels_return_in_whatever_order_they_came(mixed_clip):
    clip = mixed_clip()
    order = np.random.default_rng(0).permutation(len(clip.channels))
    shuffled = Clip(clip.values[:, order], tuple(clip.channels[column] for column in order), 30.0, 1)
    chart = Chart(shuffled)
    assert len(chart.owners) == len(Chart(clip).owners)
    assert np.abs(chart.values(chart.signals + NUDGE) - shuffled.values).max() < RETURN


@pytest.mark.parametrize("mode", MODES)
def test_many_bones_return(mode, rotation_channels, in_mode, smooth):
    turns = [Rotation.from_rotvec(smooth(60, 3, seed=seed, fastest=1.0)) for seed in range(41)]
    channels = [channel for number in range(41) for channel in rotation_channels(mode, f"bone {number}")]
    clip = Clip(np.hstack([in_mode(turn, mode) for turn in turns]), tuple(channels), 30.0, 1)
    chart = Chart(clip)
    assert np.abs(chart.values(chart.signals + NUDGE) - clip.values).max() < 1e-7  # axes lose digits near no rotation at all


@pytest.mark.parametrize("mode", ["QUATERNION", *EULER_ORDERS])
def test_a_root_that_spins_returns(mode, spinning):
    clip = spinning(mode)
    chart = Chart(clip)
    assert chart.signals.shape == (240, 4)
    assert np.abs(chart.values(chart.signals + NUDGE) - clip.values).max() < RETURN


def test_a_spin_in_axis_angle_returns(rotation_channels):
    clip = Clip(
        np.column_stack([np.linspace(-9, 20, 200), np.ones((200, 2)), np.zeros(200)]), rotation_channels("AXIS_ANGLE"), 30.0, 1
    )
    chart = Chart(clip)
    assert np.abs(chart.values(chart.signals + NUDGE) - clip.values).max() < 1e-7


def test_a_spin_has_a_signal_of_its_own_that_counts_the_turns(spinning):
    chart = Chart(spinning("QUATERNION", turns=4.0))
    travelled = abs(chart.signals[-1, 3] - chart.signals[0, 3])
    assert abs(travelled - (8 * np.pi - 0.3)) < 0.5
    assert np.abs(chart.signals[:, :3] - chart.signals[:, :3].mean(axis=0)).max() < 1.0


def test_the_signal_of_a_still_pose_is_its_rotation_vector(turning, rotation_channels):
    vector = np.array([0.5, -1.2, 0.8])
    chart = Chart(turning(np.repeat(vector[None], 5, axis=0), "QUATERNION"))
    assert np.abs(chart.signals - vector).max() < RETURN


def test_the_signal_of_turning_about_one_axis_is_the_angle(turning):
    angles = 0.4 + 0.7 * np.sin(np.linspace(0, 9, 80))
    for mode in ("QUATERNION", "AXIS_ANGLE", "ZXY"):
        signals = Chart(turning(angles[:, None] * [0, 0, 1], mode)).signals
        assert np.abs(signals - angles[:, None] * [0, 0, 1]).max() < RETURN


@pytest.mark.parametrize("seed", range(4))
def test_sign_flips_in_quaternions_change_nothing_and_do_not_return(seed, turning, smooth):
    clip = turning(smooth(200, 3, seed=seed, fastest=1.0), "QUATERNION")
    flips = np.where(np.random.default_rng(seed).uniform(size=200) < 0.15, -1.0, 1.0)
    plain, flipped = Chart(clip), Chart(clip.with_values(clip.values * flips[:, None]))
    assert np.abs(flipped.signals - plain.signals).max() < RETURN
    assert np.abs(flipped.values(flipped.signals + NUDGE) - clip.values).max() < RETURN


def test_sign_flips_of_a_spinning_root_change_nothing(spinning):
    clip = spinning("QUATERNION")
    flips = np.where(np.random.default_rng(0).uniform(size=clip.frames) < 0.15, -1.0, 1.0)
    flipped = Chart(clip.with_values(clip.values * flips[:, None]))
    assert np.abs(flipped.values(flipped.signals + NUDGE) - clip.values).max() < RETURN


def test_quaternions_stay_on_the_side_that_they_came_on(turning, smooth):
    clip = turning(smooth(100, 3, fastest=1.0), "QUATERNION")
    other = clip.with_values(-clip.values)
    chart = Chart(other)
    assert np.abs(chart.values(chart.signals + NUDGE) - other.values).max() < RETURN


def test_quaternions_return_with_the_lengths_they_had(turning, smooth):
    clip = turning(smooth(100, 3, fastest=1.0), "QUATERNION")
    lengths = np.random.default_rng(0).uniform(0.2, 5.0, 100)
    long = clip.with_values(clip.values * lengths[:, None])
    chart = Chart(long)
    assert np.abs(chart.signals - Chart(clip).signals).max() < RETURN
    assert np.abs(chart.values(chart.signals + NUDGE) - long.values).max() < RETURN
    turned = chart.values(chart.signals + 0.1)
    assert np.abs(np.linalg.norm(turned, axis=1) - lengths).max() < RETURN


def test_a_zero_quaternion_reads_as_no_rotation(rotation_channels):
    clip = Clip(np.zeros((5, 4)), rotation_channels("QUATERNION"), 30.0, 1)
    assert np.abs(Chart(clip).signals).max() == 0.0


@pytest.mark.parametrize("mode", EULER_ORDERS)
def test_wrapped_euler_angles_make_no_jump_in_the_signals_nor_in_what_returns(mode, spinning, as_rotations):
    clip = spinning(mode, turns=2.0)
    wrapped = clip.with_values((clip.values + np.pi) % (2 * np.pi) - np.pi)
    assert np.abs(np.diff(wrapped.values, axis=0)).max() > 6
    chart = Chart(wrapped)
    assert np.abs(np.diff(chart.signals, axis=0)).max() < 0.3
    back = chart.values(chart.signals + NUDGE)
    assert np.abs(np.diff(back, axis=0)).max() < 1.2 * np.abs(np.diff(clip.values, axis=0)).max()
    assert (as_rotations(back, mode) * as_rotations(clip.values, mode).inv()).magnitude().max() < RETURN


def test_a_changed_signal_changes_only_its_owners_channels(mixed_clip):
    clip = mixed_clip()
    chart = Chart(clip)
    before = chart.values(chart.signals + NUDGE)
    for column, owner in enumerate(chart.owners):
        signals = chart.signals.copy()
        signals[:, column] += 0.2
        moved = np.abs(chart.values(signals) - before).max(axis=0) > 1e-6
        assert {clip.channels[index].owner for index in np.flatnonzero(moved)} == {owner}


def test_a_changed_plain_channel_changes_only_itself(mixed_clip):
    clip = mixed_clip()
    chart = Chart(clip)
    names = [str(channel) for channel in clip.channels]
    signals = chart.signals.copy()
    signals[:, len(chart.signals.T) - 3] *= 2.0  # plain channels come last, in the clip's order
    moved = np.abs(chart.values(signals) - clip.values).max(axis=0) > 1e-6
    assert [names[index] for index in np.flatnonzero(moved)] == ['["effort"][0]']


def test_other_bones_do_not_change_the_signals_of_a_bone(turning, smooth, mixed_clip):
    alone = turning(smooth(120, 3, seed=9, fastest=1.0), "YZX")
    crowd = mixed_clip(120)
    both = Clip(np.hstack([crowd.values, alone.values]), crowd.channels + alone.channels, 30.0, 1)
    chart = Chart(both)
    mine = [column for column, owner in enumerate(chart.owners) if owner == "bone"]
    assert np.abs(chart.signals[:, mine] - Chart(alone).signals).max() < RETURN


def test_an_euler_rotation_that_lacks_an_angle_is_plain_angles(rotation_channels, smooth):
    clip = Clip(3.0 * smooth(50, 2), rotation_channels("XYZ", indices=(0, 2)), 30.0, 1)
    chart = Chart(clip)
    assert (chart.signals == clip.values).all()
    assert chart.kinds == ("ANGLE", "ANGLE")
    assert (chart.values(chart.signals * 2) == clip.values * 2).all()


def test_angles_apart_makes_every_euler_angle_a_signal_and_leaves_quaternions_whole(mixed_clip):
    clip = mixed_clip()
    chart = Chart(clip, angles_apart=True)
    euler = [column for column, channel in enumerate(clip.channels) if channel.kind in EULER_ORDERS]
    angles = [column for column, kind in enumerate(chart.kinds) if kind == "ANGLE"]
    assert (chart.signals[:, angles] == clip.values[:, euler]).all()
    assert chart.kinds.count("ROTATION") == 6  # the quaternion and the axis-angle


def test_owners_and_kinds_name_every_signal(mixed_clip, spinning):
    clip = mixed_clip()
    spin = spinning("QUATERNION", frames=120)
    both = Clip(np.hstack([clip.values, spin.values]), clip.channels + spin.channels, 30.0, 1)
    for chart in (Chart(clip), Chart(clip, True), Chart(both)):
        assert len(chart.owners) == len(chart.kinds) == chart.signals.shape[1]
    assert Chart(both).owners.count("bone") == 4
    assert Chart(clip).kinds[-9:] == ("LOCATION",) * 3 + ("SCALE",) * 3 + ("VALUE", "ANGLE", "ANGLE")


def test_a_clip_without_rotations_is_its_own_signals():
    values = np.random.default_rng(0).normal(size=(10, 2))
    chart = Chart(Clip(values, (Channel("a", 0), Channel("b", 0)), 30.0, 1))
    assert (chart.signals == values).all()
    assert (chart.values(chart.signals) == values).all()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "gains",
    [[1] * 5 + [2.5] * 4 + [1] * 4, [-1] * 12 + [1], [3] * 12 + [1], [0] * 12 + [1]],
    ids=["middle", "turned over", "louder", "silent"],
)
def test_strong_gains_make_no_flips(mode, gains, rotation_channels, in_mode, as_rotations, smooth):
    vectors = 0.7 * smooth(300, 3, seed=3, fastest=1.0) + [1.1, 0.3, 0.2]
    clip = Clip(in_mode(Rotation.from_rotvec(vectors), mode), rotation_channels(mode), 30.0, 1)
    chart = Chart(clip)
    values = chart.values(Bank(chart.signals, 30.0).weighted(gains))
    largest = steps(as_rotations(clip.values, mode)).max()
    assert steps(as_rotations(values, mode)).max() < 4.0 * largest
    if mode == "QUATERNION":
        assert np.sum(values[1:] * values[:-1], axis=1).min() > 0.0


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "ZYX"])
def test_a_spinning_root_with_strong_gains_makes_no_flips(mode, spinning, as_rotations):
    clip = spinning(mode)
    chart = Chart(clip)
    values = chart.values(Bank(chart.signals, 30.0).weighted([1] * 5 + [2.5] * 4 + [1] * 4))
    assert steps(as_rotations(values, mode)).max() < 3.0 * steps(as_rotations(clip.values, mode)).max()
    if mode == "QUATERNION":
        assert np.sum(values[1:] * values[:-1], axis=1).min() > 0.0


def test_signals_of_the_same_values_are_the_signals(mixed_clip):
    clip = mixed_clip()
    chart = Chart(clip)
    assert np.abs(chart.signals_of(clip.values) - chart.signals).max() < RETURN


@pytest.mark.parametrize("mode", ["QUATERNION", *EULER_ORDERS])
def test_signals_of_a_spin_are_its_signals(mode, spinning):
    clip = spinning(mode)
    chart = Chart(clip)
    assert np.abs(chart.signals_of(clip.values) - chart.signals).max() < RETURN


@pytest.mark.parametrize("flipped", [slice(0, 1), slice(0, 3), slice(100, 120), slice(0, 240)])
@pytest.mark.parametrize("turns", [0.2, 4.0])
def test_signals_of_flipped_quaternions_are_those_of_the_unflipped(flipped, turns, spinning):
    clip = spinning("QUATERNION", turns)
    chart = Chart(clip)
    values = clip.values.copy()
    values[flipped] *= -1.0
    assert np.abs(chart.signals_of(values) - chart.signals).max() < RETURN


def test_signals_of_another_motion_return_as_that_motion(mixed_clip):
    clip = mixed_clip()
    chart = Chart(clip)
    changed = chart.signals + 0.1 * np.sin(np.arange(clip.frames) / 9.0)[:, None]
    assert np.abs(chart.signals_of(chart.values(changed)) - changed).max() < RETURN


@pytest.mark.parametrize("mode", MODES)
def test_signals_that_did_not_change_give_the_source_back_to_the_bit_jumps_and_all(mode, spinning):
    clip = spinning(mode)
    jumps = np.where(np.arange(clip.frames) % 7 == 3, -1.0, 1.0)[:, None]
    values = clip.values * jumps if mode == "QUATERNION" else (clip.values + np.pi) % (2 * np.pi) - np.pi
    chart = Chart(clip.with_values(values))
    assert np.array_equal(chart.values(chart.signals), values)
