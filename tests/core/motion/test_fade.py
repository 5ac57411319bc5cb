# SPDX-License-Identifier: GPL-3.0-or-later
"""Fades: outside the range the source to the bit, inside the result, whole borders between."""

import numpy as np
import pytest
from motion_signal.core.declare.faders import EqualizeParams
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.fade import Fade, range_weights
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.numeric.rotation import EULER_ORDERS, ROTATION_SIZES
from motion_signal.core.techniques.character.equalize import EQUALIZE
from scipy.spatial.transform import Rotation, Slerp

LOUD = EqualizeParams(gains=(2.0,) * 12)


def faded(source, result, weights, *rest, **more):
    return Fade(source, weights, *rest, **more)(result)


def test_weights_are_nothing_outside_one_inside_and_half_in_the_middle_of_a_fade():
    weights = range_weights(100, 20, 80, 10, 20)
    assert (weights[:21] == 0).all() and (weights[80:] == 0).all()
    assert (weights[30:61] == 1).all()
    assert weights[25] == weights[70] == 0.5
    assert (np.diff(weights[20:31]) > 0).all() and (np.diff(weights[60:81]) < 0).all()


def test_weights_rise_by_the_smooth_cubic():
    position = np.arange(11) / 10
    assert np.abs(range_weights(50, 5, 45, 10, 0)[5:16] - (3 * position**2 - 2 * position**3)).max() < 1e-15


def test_weights_without_fades_are_all_or_nothing():
    assert range_weights(6, 2, 4, 0, 0).tolist() == [0, 0, 1, 1, 1, 0]
    assert range_weights(3, 0, 2, 0, 0).tolist() == [1, 1, 1]


def test_fades_that_overlap_share_the_range_in_proportion():
    weights = range_weights(100, 10, 40, 40, 20)
    assert np.argmax(weights) == 30 and weights[30] == 1.0  # two thirds of the way
    assert weights[20] == weights[35] == 0.5
    assert (weights[:11] == 0).all() and (weights[40:] == 0).all()


def test_a_range_of_one_frame_is_that_frame():
    assert range_weights(5, 2, 2, 10, 10).tolist() == [0, 0, 1, 0, 0]


def test_a_range_beyond_the_clip_is_cut_by_it():
    assert range_weights(4, -10, 20, 0, 0).tolist() == [1, 1, 1, 1]
    assert range_weights(4, -10, -5, 0, 0).tolist() == [0, 0, 0, 0]


def test_a_range_that_ends_before_it_starts_is_refused():
    with pytest.raises(ValueError, match="ends at 10, before its start at 20"):
        range_weights(100, 20, 10, 0, 0)


def test_frames_of_no_weight_are_the_source_to_the_bit(mixed_clip):
    clip = mixed_clip()
    weights = range_weights(clip.frames, 30, 90, 10, 10)
    result = EQUALIZE.run(clip, LOUD, weights=weights)
    assert (result.values[weights == 0] == clip.values[weights == 0]).all()
    assert np.abs(result.values - clip.values)[45:75].max() > 0.1


SEEDS = range(60)


@pytest.fixture(scope="session")
def apart(as_rotations):
    """How far rotations of two clips of the same channels are apart, {mode: radians (frames,)}, plain channels left out."""

    def measure(one, other):
        columns = {}
        for column, channel in enumerate(one.channels):
            columns.setdefault((channel.path, channel.kind), []).append(column)
        return {
            mode: (as_rotations(one.values[:, rows], mode) * as_rotations(other.values[:, rows], mode).inv()).magnitude()
            for (_, mode), rows in columns.items()
            if len(rows) == ROTATION_SIZES.get(mode)
        }

    return measure


@pytest.mark.parametrize("gain", [1.5, 2.0, 3.0])
def test_frames_of_full_weight_are_the_result(mixed_clip, apart, gain):
    for seed in SEEDS:
        clip = mixed_clip(seed=seed)
        weights = range_weights(clip.frames, 30, 90, 10, 10)
        whole = EQUALIZE.run(clip, EqualizeParams(gains=(gain,) * 12))
        found = faded(clip, whole, weights)
        plain = [column for column, channel in enumerate(clip.channels) if channel.kind not in ROTATION_SIZES]
        assert np.abs(found.values - whole.values)[weights == 1][:, plain].max() < 1e-9
        for mode, angles in apart(found, whole).items():
            assert angles[weights == 1].max() < 1e-6, (seed, mode)


@pytest.fixture(scope="session")
def strayed(as_rotations):
    """How far a rotation is, halfway between two frames on straight curves, from halfway between their poses, in degrees."""

    def measure(values, mode):
        turns, halves = as_rotations(values, mode), as_rotations(0.5 * (values[1:] + values[:-1]), mode)
        middles = turns[:-1] * Rotation.from_rotvec(0.5 * (turns[:-1].inv() * turns[1:]).as_rotvec())
        return np.degrees((halves * middles.inv()).magnitude())

    return measure


@pytest.mark.parametrize("gain", [1.5, 2.0, 3.0])
def test_curves_go_over_the_borders_without_a_jump(mixed_clip, strayed, gain):
    """No angle comes back to the source a turn off, or half a turn: half a frame before and after, the bone is on its way."""
    for seed in SEEDS:
        clip = mixed_clip(seed=seed)
        found = EQUALIZE.run(clip, EqualizeParams(gains=(gain,) * 12), weights=range_weights(clip.frames, 30, 90, 10, 10))
        for index, mode in enumerate(EULER_ORDERS):
            columns = slice(8 + 3 * index, 11 + 3 * index)
            away = strayed(found.values[:, columns], mode) - strayed(clip.values[:, columns], mode)
            assert away[[28, 29, 30, 88, 89, 90]].max() < 3.0, (seed, mode)


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ", "ZXY"])
def test_what_gets_more_than_half_a_turn_away_while_it_fades_does_not_pop(rotation_channels, in_mode, as_rotations, mode):
    angles = 4.5 * np.interp(np.arange(250), [20, 100, 150, 230], [0, 1, 1, 0])
    axis = np.array([0.6, 0.0, 0.8])
    source, result = (
        Clip(in_mode(Rotation.from_rotvec(turned[:, None] * axis), mode), rotation_channels(mode), 60.0, 1)
        for turned in (0.3 + 0 * angles, 0.3 + angles)
    )
    weights = range_weights(250, 20, 230, 100, 100)
    found = as_rotations(faded(source, result, weights).values, mode)
    wanted = Rotation.from_rotvec((0.3 + weights * angles)[:, None] * axis)
    assert (found * wanted.inv()).magnitude().max() < 1e-6


def test_angles_come_home_where_the_joint_hardly_moves_between_frames(rotation_channels, in_mode, strayed):
    """The take passes the pole on one side, the result on the other: in angles it ends a whole turn away."""
    time = np.linspace(-1.0, 1.0, 121)
    swing = Rotation.from_rotvec(np.outer(np.pi / 2 + 0.8 * time, [0, 1, 0]))
    aside = np.outer(np.exp(-20 * time**2), [0, 0, 0.05])
    source, result = (
        Clip(in_mode(swing * Rotation.from_rotvec(side * aside), "XYZ"), rotation_channels("XYZ"), 60.0, 1) for side in (1, -1)
    )
    found = faded(source, result, range_weights(121, 20, 100, 20, 20)).values
    assert np.abs(result.values[-1] - source.values[-1]).max() > 3.0  # or there would be nothing to come home from
    assert max(np.abs(np.diff(found[rows], axis=0)).max() for rows in (slice(18, 23), slice(98, 103))) < 0.1
    assert strayed(found, "XYZ").max() < 8.0


@pytest.mark.parametrize("angles_apart", [False, True])
def test_plain_channels_fade_in_a_straight_line(angles_apart, mixed_clip):
    clip = mixed_clip()
    plain = [column for column, channel in enumerate(clip.channels) if channel.kind in ("LOCATION", "SCALE", "VALUE")]
    weights = range_weights(clip.frames, 30, 90, 10, 10)
    whole = EQUALIZE.run(clip, LOUD)
    blend = (1 - weights[:, None]) * clip.values + weights[:, None] * whole.values
    assert np.abs(faded(clip, whole, weights, angles_apart).values - blend)[:, plain].max() < 1e-12


def test_a_rotation_fades_along_the_shortest_way(rotation_channels, in_mode, as_rotations):
    axis = np.array([0.6, 0.0, 0.8])
    source, goal = (Rotation.from_rotvec([angle * axis] * 21) for angle in (0.3, 1.9))
    clips = [Clip(in_mode(turns, "QUATERNION"), rotation_channels("QUATERNION"), 30.0, 1) for turns in (source, goal)]
    weights = np.linspace(0, 1, 21)
    between = Slerp([0, 1], Rotation.concatenate([source[0], goal[0]]))(weights)
    values = faded(*clips, weights).values
    assert (as_rotations(values, "QUATERNION") * between.inv()).magnitude().max() < 1e-9


def test_a_result_with_flipped_quaternions_fades_like_the_unflipped(rotation_channels, in_mode, smooth):
    source, goal = (
        Clip(in_mode(Rotation.from_rotvec(0.5 * smooth(90, 3, seed)), "QUATERNION"), rotation_channels("QUATERNION"), 30.0, 1)
        for seed in (1, 2)
    )
    weights = range_weights(90, 20, 70, 10, 10)
    flipped = goal.with_values(-goal.values)
    assert np.abs(faded(source, flipped, weights).values - faded(source, goal, weights).values).max() < 1e-12


def test_value_and_slope_are_whole_at_the_borders():
    """At 30 and at 3000 frames a second: what is no jump and no kink shrinks with the step, or with its square."""

    def change(fps):
        time = np.arange(4 * fps + 1) / fps
        source = Clip(np.sin(3 * time)[:, None], (Channel("a", 0),), fps, 0)
        result = source.with_values(2.0 + 1.5 * source.values)
        return faded(source, result, range_weights(len(time), fps, 3 * fps, fps // 2, fps // 2)).values - source.values

    coarse, fine = change(30), change(3000)
    for border in (1, 3):
        assert np.abs(np.diff(fine[border * 3000 - 1 : border * 3000 + 2], axis=0)).max() < 1e-4
        assert np.abs(np.diff(fine[border * 3000 - 1 : border * 3000 + 2], 2, axis=0)).max() * 3000 < 0.05
    assert np.abs(coarse - fine[::100]).max() < 1e-9


def test_rotations_cross_the_borders_without_a_jump_in_speed(mixed_clip, as_rotations):
    clip = mixed_clip(3000, fps=1000.0)
    weights = range_weights(3000, 1000, 2000, 200, 200)
    values = EQUALIZE.run(clip, LOUD, weights=weights).values[:, :4]
    turns = as_rotations(values, "QUATERNION")
    speed = (turns[1:] * turns[:-1].inv()).as_rotvec() * 1000.0
    bend = np.abs(np.diff(speed, axis=0)).max(axis=1)
    for border in (1000, 2000):
        assert bend[border - 3 : border + 3].max() < 0.2  # radians a second from one frame to the next


def test_a_spinning_root_fades_without_an_extra_turn(rotation_channels):
    values = np.column_stack([0.1 * np.sin(np.arange(240) / 9.0), np.zeros(240), np.linspace(0, 9 * np.pi, 240)])
    clip = Clip(values, rotation_channels("XYZ"), 30.0, 1)
    result = EQUALIZE.run(clip, LOUD, weights=range_weights(240, 60, 180, 20, 20))
    assert np.abs(np.diff(result.values[:, 2])).max() < 0.5
    assert np.abs(result.values[:, 2] - values[:, 2]).max() < 1.0


def test_channels_that_only_the_result_has_start_from_what_the_bone_holds(bone):
    arm = bone("arm", -1, (0, 0, 0), (0, 0, 0), scale=(1.0, 0.7, 1.0))
    turn, size = Channel(arm.rotation_path, 0, "VALUE", "arm"), Channel(arm.path + ".scale", 1, "SCALE", "arm")
    source = Clip(np.zeros((9, 1)), (turn,), 30.0, 1)
    result = Clip(np.tile([1.0, 3.0], (9, 1)), (turn, size), 30.0, 1)
    values = faded(source, result, range_weights(9, 3, 5, 0, 0), skeleton=Skeleton((arm,))).values
    assert values[:, 0].tolist() == [0, 0, 0, 1, 1, 1, 0, 0, 0]
    assert values[:, 1].tolist() == [0.7, 0.7, 0.7, 3, 3, 3, 0.7, 0.7, 0.7]
