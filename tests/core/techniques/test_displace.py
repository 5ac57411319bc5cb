# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacement: through every key, nothing where nothing reaches, and in the bone's own space."""

import numpy as np
import pytest
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.techniques.character.displace import DISPLACE, DisplaceParams
from scipy.spatial.transform import Rotation

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "ZYX")
FRAMES, FIRST = 200, 11


@pytest.fixture(params=MODES)
def take(request, rotation_channels, in_mode, smooth):
    """An arm that turns and moves, and a value of its own; the rotations that it has."""
    turned = Rotation.from_rotvec(smooth(FRAMES, 3, size=0.8))
    channels = rotation_channels(request.param, "arm") + tuple(Channel("loc", axis, "LOCATION", "arm") for axis in range(3))
    values = np.hstack([in_mode(turned, request.param), smooth(FRAMES, 4, seed=5)])
    return Clip(values, channels + (Channel('["x"]', 0),), 30.0, FIRST), turned, request.param


def run(clip, *keys, **more):
    return DISPLACE.run(clip, DisplaceParams(displacement_keys=keys, **more))


def key(frame, turn=(10.0, -20.0, 5.0), **more):
    return {"frame": frame, "bones": {"arm": {"rotation": list(turn), "location": [0.1, 0.0, -0.2]}}, **more}


def test_it_passes_through_every_key_in_the_bones_own_space(take, as_rotations):
    clip, turned, mode = take
    keys = [key(60), key(100, (0.0, 30.0, 0.0), tension=0.5), key(150, (-15.0, 0.0, 0.0), bias=-0.4, continuity=0.3)]
    result = run(clip, *keys).values
    size = clip.values.shape[1] - 4
    for entry in keys:
        row = entry["frame"] - FIRST
        wanted = turned[row] * Rotation.from_rotvec(entry["bones"]["arm"]["rotation"], degrees=True)
        assert (as_rotations(result[row : row + 1, :size], mode) * wanted.inv()).magnitude().max() < 1e-9
        assert np.abs(result[row, size : size + 3] - clip.values[row, size : size + 3] - [0.1, 0.0, -0.2]).max() < 1e-12


def test_a_bone_that_hangs_on_another_turns_about_its_resting_axes(figure, moving):
    clip = moving(figure)
    child = next(bone for bone in figure.bones if bone.parent >= 0)
    entry = {"frame": clip.first_frame + 20, "bones": {child.name: {"rotation": [0.0, 0.0, 40.0]}}}
    result = DISPLACE.run(clip, DisplaceParams((entry,)), Surroundings(figure))
    index = figure.index(child.name)
    before, after = (figure.local(motion)[0][20, index] for motion in (clip, result))
    assert np.abs(after - Rotation.from_rotvec([0.0, 0.0, 40.0], degrees=True).as_matrix() @ before).max() < 1e-9


def test_the_first_and_last_frame_are_pinned_unless_keyed(take):
    clip, _, _ = take
    result = run(clip, key(90)).values
    assert np.abs(result[[0, -1]] - clip.values[[0, -1]]).max() < 1e-12
    assert np.abs(run(clip, key(FIRST)).values[0] - clip.values[0]).max() > 0.05


def test_beyond_its_reach_the_take_is_untouched_to_the_bit(take):
    clip, _, _ = take
    result = run(clip, key(100, reach=0.5)).values
    row = 100 - FIRST
    outside = np.abs(np.arange(FRAMES) - row) > 15
    assert (result[outside] == clip.values[outside]).all()
    assert np.abs(result[row] - clip.values[row]).max() > 0.05
    step = np.abs(np.diff((result - clip.values)[:, -4:], axis=0))  # of location and value: they are pushed as they are
    assert step[row - 17 : row - 14].max() < 0.15 * step.max()  # it sets in without a step, and without a kink


def test_angles_pushed_past_the_pole_come_back_to_the_takes_own(rotation_channels, in_mode, smooth):
    """Where the push sets in and where it is over no angle jumps, by half a turn or a whole one."""
    for seed in range(40):
        turned = Rotation.from_rotvec([0.0, 0.8, 0.0]) * Rotation.from_rotvec(smooth(FRAMES, 3, seed, size=0.4))
        clip = Clip(in_mode(turned, "XYZ"), rotation_channels("XYZ", "arm"), 30.0, FIRST)
        turn = [0.0, 60.0, 0.0] + np.random.default_rng(seed).normal(0.0, 40.0, 3)
        result = run(clip, {"frame": 100, "bones": {"arm": {"rotation": turn.tolist()}}, "reach": 0.5}).values
        for row in (100 - FIRST - 15, 100 - FIRST + 14):
            before, after = (np.abs(np.diff(values[row : row + 2], axis=0)).max() for values in (clip.values, result))
            assert after < before + 0.3, seed


def test_no_keys_and_keys_that_are_off_change_nothing(take):
    clip, _, _ = take
    assert (run(clip).values == clip.values).all()
    assert (run(clip, key(80, on=False)).values == clip.values).all()


def test_passes_stack(take):
    clip, _, _ = take
    twice = run(run(clip, {"frame": 50, "curves": {'["x"][0]': 0.5}}), {"frame": 50, "curves": {'["x"][0]': 0.25}})
    assert twice.values[50 - FIRST, -1] - clip.values[50 - FIRST, -1] == pytest.approx(0.75)


def test_only_while_moving_leaves_alone_what_stands_still():
    still = np.concatenate([np.zeros(40), np.linspace(0, 1, 20), np.ones(40)])[:, None]
    clip = Clip(still, (Channel("loc", 0, "LOCATION", "foot"),), 30.0, 1)
    push = {"frame": 100, "bones": {"foot": {"location": [0.3, 0, 0]}}}
    change = (run(clip, push, adjust=True).values - still)[:, 0]
    assert np.abs(change[:41]).max() < 1e-12 and np.abs(change[60:] - 0.3).max() < 1e-12
    assert np.abs((run(clip, push).values - still)[30]).max() > 0.01


def test_only_while_moving_is_so_between_all_keys():
    steps = np.concatenate([np.zeros(20), np.ones(10), np.zeros(20), np.zeros(15), np.ones(10), np.zeros(24)])
    still = np.concatenate([[0.0], np.cumsum(steps)])[:, None]
    clip = Clip(still, (Channel("loc", 0, "LOCATION", "foot"),), 30.0, 1)
    pushes = [{"frame": frame, "bones": {"foot": {"location": [push, 0, 0]}}} for frame, push in ((51, 0.3), (100, -0.2))]
    change = (run(clip, *pushes, adjust=True).values - still)[:, 0]
    for rows, push in ((slice(0, 21), 0.0), (slice(30, 66), 0.3), (slice(75, 100), -0.2)):
        assert np.abs(change[rows] - push).max() < 1e-12


def test_a_push_sets_in_level_at_the_edge_of_its_reach_and_grows_from_there():
    clip = Clip(np.zeros((200, 1)), (Channel("loc", 0, "LOCATION", "foot"),), 30.0, 1)
    push = {"frame": 101, "reach": 1.0, "bones": {"foot": {"location": [1.0, 0, 0]}}}
    change = run(clip, push).values[:, 0]
    assert (np.diff(change[70:101]) > 0).all() and (np.diff(change[100:131]) < 0).all()
    assert 0.0 < change[71] < 0.3 * change[72] and 0.0 < change[129] < 0.3 * change[128]  # by the square of the way


@pytest.mark.parametrize(
    "keys, words",
    [
        ([{"frame": 5}], "frame 5 is not one of 11 to 210"),
        ([{"frame": 20}, {"frame": 20}], "two stand on one frame"),
        ([{"bones": {}}], "frame"),
        ([{"frame": 20, "bones": {"leg": {"rotation": [0, 0, 1]}}}], "leg is not keyed"),
        ([{"frame": 20, "bones": {"arm": {"scale": [1, 1, 1]}}}], "scale of arm"),
        ([{"frame": 20, "weight": 1}], "weight: no such"),
        ([{"frame": 20, "bones": {"arm": {"rotation": [0, 1]}}}], "3 number"),
        ([{"frame": 20, "tension": 3}], "-1 to 1"),
        ([{"frame": 20, "curves": {"nothing[0]": 1}}], "no curve nothing"),
    ],
)
def test_keys_that_make_no_sense_are_refused(keys, words, take):
    with pytest.raises(ValueError, match=words):
        run(take[0], *keys)
