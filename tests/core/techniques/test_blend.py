# SPDX-License-Identifier: GPL-3.0-or-later
"""Blending: sources come back whole, selves stay themselves, rotations follow scipy, walks in two directions walk."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.roles import find_roles
from motion_signal.core.declare.params import build
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.numeric.bands import Bank
from motion_signal.core.techniques.several_takes.blend import BLEND, BlendParams
from scipy.spatial.transform import Rotation

HIPS = gait.FIGURE.bones[0]


def blended(clip, others, rows, skeleton=None, angles_apart=False, **settings):
    """Blend a clip with others by name, each with its entry of the list, the clip's own entry under an empty name."""
    params = build(BlendParams, {"takes": [{"action": name, **row} for name, row in rows.items()], **settings})
    return BLEND.run(clip, params, Surroundings(skeleton, angles_apart, others))


def walking(frames=120, fps=30.0, speed=1.3, degrees=0.0):
    """The procedural walk in some direction, as a clip of the hips' location and all rotations."""
    motion = gait.walk(frames, fps, speed)
    channels = [Channel(HIPS.path + ".location", index, "LOCATION", HIPS.name) for index in range(3)]
    channels += [
        Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in gait.FIGURE.bones for index in range(4)
    ]
    about, rest = Rotation.from_euler("z", degrees, degrees=True), Rotation.from_matrix(HIPS.rest[:3, :3])
    places = rest.inv().apply(about.apply(HIPS.rest[:3, 3] + rest.apply(motion.location)) - HIPS.rest[:3, 3])
    hips = rest.inv() * about * rest * Rotation.from_quat(motion.rotations[:, 0], scalar_first=True)
    turns = motion.rotations.copy()
    turns[:, 0] = hips.as_quat(scalar_first=True)
    return Clip(np.hstack([places, turns.reshape(frames, -1)]), tuple(channels), fps, 1)


def heads(clip):
    return gait.FIGURE.forward(*gait.FIGURE.local(clip))[1]


@pytest.mark.parametrize("alignment", ["NONE", "STRETCH"])
def test_the_whole_weight_on_one_take_gives_that_take_to_the_bit(alignment, mixed_clip):
    clip, other = mixed_clip(120), mixed_clip(90, seed=100)
    for weights, wanted in (((1.0, 0.0), clip), ((0.0, 1.0), other), ((0.0, 3.0), other)):
        rows = {"": {"weight": weights[0]}, "b": {"weight": weights[1]}}
        result = blended(clip, {"b": other}, rows, alignment=alignment)
        assert (result.values == wanted.values).all() and result.first_frame == clip.first_frame


@pytest.mark.parametrize("alignment", ["NONE", "STRETCH"])
def test_the_whole_weight_on_one_walk_gives_that_walk_to_the_bit(alignment):
    clip, other = walking(), walking(100, speed=0.9, degrees=130.0)
    for weights, wanted in (((1.0, 0.0), clip), ((0.0, 1.0), other)):
        rows = {"": {"weight": weights[0]}, "b": {"weight": weights[1]}}
        result = blended(clip, {"b": other}, rows, gait.FIGURE, alignment=alignment)
        assert (result.values == wanted.values).all()


@pytest.mark.parametrize("alignment", ["NONE", "STRETCH", "ANCHORS"])
@pytest.mark.parametrize("weights", [(1.0, 1.0), (3.0, -1.0), (0.2, 5.0), (-1.0, -1.0)])
def test_a_take_blended_with_itself_is_itself(alignment, weights, mixed_clip):
    clip = mixed_clip(120)
    rows = {"": {"weight": weights[0], "bands": [0.3, 1.0, 2.0, 0.5]}, "b": {"weight": weights[1]}}
    rows["b"]["anchors"] = [[40, 40], [80, 80]]
    result = blended(clip, {"b": clip}, rows, alignment=alignment)
    assert np.abs(result.values - clip.values).max() < 1e-6


@pytest.mark.parametrize("angles_apart", [False, True])
def test_an_unnormalised_sum_of_one_is_the_same_as_normalised(angles_apart, mixed_clip):
    clip, others = mixed_clip(80), {"b": mixed_clip(80, seed=100), "c": mixed_clip(80, seed=200)}
    rows = {"": {"weight": 0.5}, "b": {"weight": 0.7}, "c": {"weight": -0.2}}
    first, second = (blended(clip, others, rows, None, angles_apart, normalise=normalise) for normalise in (True, False))
    assert np.abs(first.values - second.values).max() < 1e-9


def test_weights_that_are_not_normalised_swing_about_the_mean_posture_of_the_first_take_and_go_faster(mixed_clip):
    clip = mixed_clip(80)
    result = blended(clip, {"b": clip}, {"": {"weight": 0.5}, "b": {"weight": 1.0}}, normalise=False, alignment="NONE")
    plain = [column for column, channel in enumerate(clip.channels) if channel.kind in ("LOCATION", "SCALE")]
    got, source = result.values[:, plain], clip.values[:, plain]
    about = np.where(np.arange(6) < 2, source[0], source.mean(axis=0))  # on the ground it starts from the same place
    assert np.abs(got - (about + 1.5 * (source - about))).max() < 1e-9


@pytest.mark.parametrize("weight", [0.3, 0.5, 1.4, -0.5])
def test_rotations_of_two_takes_blend_along_the_turn_between_them(weight, rotation_channels, smooth):
    turns = [Rotation.from_rotvec(smooth(60, 3, seed, size=0.5) + seed * np.array([0.3, -0.2, 0.1])) for seed in (1, 4)]
    flips = np.where(np.arange(60) % 7 < 3, -1.0, 1.0)[:, None]
    clips = [
        Clip(q * flips, rotation_channels("QUATERNION"), 30.0, 1)
        for q in (turns[0].as_quat(scalar_first=True), -turns[1].as_quat(scalar_first=True))
    ]
    rows = {"": {"weight": 1.0 - weight}, "b": {"weight": weight}}
    result = Rotation.from_quat(blended(clips[0], {"b": clips[1]}, rows, alignment="NONE").values, scalar_first=True)
    wanted = turns[0] * Rotation.from_rotvec(weight * (turns[0].inv() * turns[1]).as_rotvec())
    assert (result.inv() * wanted).magnitude().max() < 1e-6


@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (0.6, 0.1, 0.3), (0.2, 0.5, 0.3)])
def test_rotations_of_three_takes_blend_to_where_the_turns_to_them_cancel(weights, rotation_channels, smooth):
    offsets = ([1.2, 0.0, 0.2], [-0.3, 0.9, -0.6], [0.0, -0.8, 1.0])
    turns = [Rotation.from_rotvec(smooth(60, 3, seed, size=0.2) + offset) for seed, offset in enumerate(offsets)]
    clips = [Clip(turn.as_quat(scalar_first=True), rotation_channels("QUATERNION"), 30.0, 1) for turn in turns]
    rows = {name: {"weight": weight} for name, weight in zip(("", "b", "c"), weights)}
    result = Rotation.from_quat(blended(clips[0], dict(zip("bc", clips[1:])), rows, alignment="NONE").values, scalar_first=True)
    left = sum(weight * (result.inv() * turn).as_rotvec() for weight, turn in zip(weights, turns)) / sum(weights)
    assert np.degrees(np.linalg.norm(left, axis=1).max()) < 0.02  # 0.06 to 0.09 where the mean is not looked for again


def test_takes_with_whole_turns_between_them_blend_as_if_there_were_none(rotation_channels, smooth):
    angles = smooth(60, 3, 3, size=0.4)
    clip = Clip(angles, rotation_channels("XYZ"), 30.0, 1)
    other = clip.with_values(angles + 0.2 + np.array([2 * np.pi, 0.0, -4 * np.pi]))
    for angles_apart in (False, True):
        result = blended(clip, {"b": other}, {"b": {}}, None, angles_apart, alignment="NONE")
        assert np.abs(result.values - angles).max() < 0.2


@pytest.mark.parametrize("degrees", [0.0, 90.0, 170.0])
def test_two_walks_in_different_directions_walk_on_between_them(degrees):
    clip, other = walking(), walking(degrees=degrees)
    result = blended(clip, {"b": other}, {"b": {}}, gait.FIGURE, alignment="NONE")
    places, source = heads(result)[:, 0, :2], heads(clip)[:, 0, :2]
    length = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert np.abs(length - np.linalg.norm(np.diff(source, axis=0), axis=1)).max() < 1e-6
    way, before = places[-1] - places[0], source[-1] - source[0]
    turned = np.degrees(np.arctan2(before[0] * way[1] - before[1] * way[0], before @ way))
    assert abs(turned - degrees / 2) < 1e-3


def test_pace_and_stride_of_two_aligned_walks_are_mixed():
    clip, other = walking(120, speed=1.6), walking(180, speed=0.8)
    result = blended(clip, {"b": other}, {"b": {}}, gait.FIGURE, alignment="STRETCH")
    assert result.frames == 150
    ways = [np.linalg.norm(np.ptp(heads(one)[:, 0, :2], axis=0)) for one in (clip, other, result)]
    assert abs(ways[2] - 0.5 * (ways[0] + ways[1])) < 0.02 * ways[2]


def test_a_limb_has_its_own_weight_and_the_rest_the_takes():
    clip, other = walking(), walking(speed=0.8)
    limb = gait.FIGURE.below("chest")
    result = blended(
        clip, {"b": other}, {"": {"weight": 1.0}, "b": {"weight": 0.0, "limbs": {"chest": 1.0}}}, gait.FIGURE, alignment="NONE"
    )
    half = blended(clip, {"b": other}, {"b": {}}, gait.FIGURE, alignment="NONE")
    in_limb = np.array([channel.owner in limb for channel in clip.channels])
    assert (result.values[:, ~in_limb] == clip.values[:, ~in_limb]).all()
    assert np.abs(result.values[:, in_limb] - half.values[:, in_limb]).max() < 1e-12
    assert np.abs(half.values[:, in_limb] - clip.values[:, in_limb]).max() > 0.01


def test_a_weight_curve_goes_from_one_take_to_the_other(mixed_clip):
    clip, other = mixed_clip(100), mixed_clip(100, seed=100)
    rows = {"": {"weight_curve": [[1, 1], [31, 1], [61, 0]]}, "b": {"weight_curve": [[31, 0], [61, 1]]}}
    result = blended(clip, {"b": other}, rows, alignment="NONE")
    pose = [column for column, channel in enumerate(clip.channels) if channel.path != "location"]
    assert np.abs(result.values[:31, pose] - clip.values[:31, pose]).max() < 1e-9
    scale = [column for column, channel in enumerate(clip.channels) if channel.kind == "SCALE"]
    assert np.abs(result.values[61:, scale] - other.values[61:, scale]).max() < 1e-9
    shares = (result.values - clip.values)[31:60, scale] / (other.values - clip.values)[31:60, scale]
    assert np.abs(np.ptp(shares, axis=1)).max() < 1e-9 and (np.diff(shares[:, 0]) > 0).all()


def test_bands_come_from_the_takes_that_their_gains_name():
    time = np.arange(600) / 60.0
    slow, fast = np.sin(2 * np.pi * 0.5 * time), 0.2 * np.sin(2 * np.pi * 8.0 * time)
    channels = (Channel('["effort"]', 0),)
    clip, other = (
        Clip((posture + sway * slow + nerves * fast)[:, None], channels, 60.0, 1)
        for posture, sway, nerves in ((1.0, 1.0, 0.0), (5.0, 3.0, 1.0))
    )
    fine = [1.0] * 6 + [0.0] * 6  # from 128 Hz down to 2 Hz
    rows = {"": {"bands": [0.0] * 6 + [1.0] * 6}, "b": {"bands": fine, "posture": 0.0}}
    result = blended(clip, {"b": other}, rows, alignment="NONE").values[:, 0]
    inner = slice(60, 540)
    assert np.abs(result - (1.0 + slow + fast))[inner].max() < 0.12
    wanted = Bank(clip.values, 60.0).weighted([0.0] * 6 + [1.0] * 7) + Bank(other.values, 60.0).weighted(fine + [0.0])
    assert np.abs(result - wanted[:, 0]).max() < 1e-6


def test_bands_that_are_silent_in_every_take_are_left_out(mixed_clip):
    clip, other = mixed_clip(120), mixed_clip(120, seed=100)
    silent = {"bands": [0.0] * 12}
    result = blended(clip, {"b": other}, {"": silent, "b": silent}, alignment="NONE")
    scale = [column for column, channel in enumerate(clip.channels) if channel.kind == "SCALE"]
    assert np.ptp(result.values[:, scale], axis=0).max() < 0.5 * np.ptp(clip.values[:, scale], axis=0).max()


def test_anchors_bring_events_together_and_their_time_is_mixed():
    def pulse(at, frames):
        return np.exp(-0.5 * ((np.arange(frames) - at) / 3.0) ** 2)[:, None]

    channels = (Channel('["effort"]', 0),)
    clip, other = Clip(pulse(30, 101), channels, 30.0, 1), Clip(pulse(70, 101), channels, 30.0, 11)
    row = {"anchors": [[31, 81]]}
    result = blended(clip, {"b": other}, {"b": row}, alignment="ANCHORS").values[:, 0]
    assert result.argmax() == 50 and result.max() > 0.99
    loose = blended(clip, {"b": other}, {"b": row}, alignment="NONE").values[:, 0]
    assert loose.max() < 0.51


def test_in_a_blend_of_warped_walks_one_foot_always_stands_as_in_a_walk():
    clip, other = walking(200, speed=0.8), walking(142, speed=1.6)  # as many steps
    figure = Legs(gait.FIGURE, find_roles(gait.FIGURE))

    def slipping(one):
        """How fast whatever is slowest of the feet is, on the whole, in metres a second."""
        points = figure.places(one)[0][:, figure.on_foot]
        return np.linalg.norm(np.diff(points, axis=0), axis=2).min(axis=1).mean() * one.fps

    together, apart = (blended(clip, {"b": other}, {"b": {}}, gait.FIGURE, alignment=way) for way in ("TIMEWARP", "NONE"))
    assert slipping(together) < 0.05 < 0.25 < slipping(apart)
    same = blended(clip, {"b": clip}, {"b": {}}, gait.FIGURE, alignment="TIMEWARP")
    assert np.abs(same.values - clip.values).max() < 1e-9


def test_takes_of_another_rate_and_with_missing_bones_are_matched(mixed_clip):
    clip, other = mixed_clip(91, 30.0), mixed_clip(241, 80.0, seed=100)
    kept = [column for column, channel in enumerate(other.channels) if channel.owner != "quaternion"]
    other = Clip(other.values[:, kept], tuple(other.channels[column] for column in kept), 80.0, 500)
    result = blended(clip, {"b": other}, {"": {"weight": 0.0}, "b": {}}, alignment="NONE")
    assert result.frames == 91 and result.channels == clip.channels
    own = [column for column, channel in enumerate(clip.channels) if channel.owner == "quaternion"]
    assert (result.values[:, own] == clip.values[:, own]).all()
    there = [column for column, channel in enumerate(clip.channels) if channel.kind == "SCALE"]
    rows = other.values[:, [other.channels.index(clip.channels[column]) for column in there]]
    wanted = [np.interp(np.arange(91) / 30.0, np.arange(241) / 80.0, row) for row in rows.T]
    assert np.abs(result.values[:, there].T - wanted).max() < 4e-3  # straight between frames


def test_the_process_gives_the_same_again_after_other_parameters(mixed_clip):
    clip, others = mixed_clip(90), {"b": mixed_clip(70, seed=100), "c": mixed_clip(110, seed=200)}
    process = BLEND.open(clip, Surroundings(takes=others))
    one = BlendParams(takes=({"action": "b"}, {"action": "c", "weight": 0.4, "bands": [2.0, 0.1]}), alignment="STRETCH")
    before = process(one).values
    process(replace(one, takes=({"action": "c"},), alignment="NONE"))
    assert (process(one).values == before).all()


@pytest.mark.parametrize(
    ("rows", "settings", "sentence"),
    [
        ([{"action": "x"}], {}, "takes: there is no action x"),
        ([{"action": "b", "wieght": 1}], {}, r"takes\[0\] wieght: no such parameter"),
        ([{"weight": 1}, {"weight": 2}], {}, "2 of them are the take itself"),
        ([{"action": "b", "weight": -1.0}], {}, "the weights of the takes sum to zero"),
        ([{"action": "b", "weight_curve": [[1, 1], [50, -2]]}], {}, "the weights of the takes sum to zero"),
        ([{"weight": 0}, {"action": "b", "weight": 0}], {"alignment": "NONE"}, "sum to zero"),
        ([{"action": "b", "limbs": {"quaternion": -1}}], {}, "the weights of quaternion sum to zero"),
        ([{"action": "b", "limbs": {"tail": 1}}], {}, "limbs: no curve in scope belongs to tail"),
        ([{"action": "b", "limbs": {"quaternion": "much"}}], {}, "limbs quaternion: 'much' is no number"),
        ([{"action": "b", "bands": [1] * 13}], {}, "bands: 13 given, but there are 12"),
        ([{"action": "b", "weight_curve": [[5, 1], [3, 0]]}], {}, "weight_curve: the frames 5, 3 do not follow each other"),
        (
            [{"action": "b", "anchors": [[10, 20], [20, 10]]}],
            {"alignment": "ANCHORS"},
            "anchors: 10 belongs to 20, so 20 cannot",
        ),
        ([{"action": "b", "anchors": [[10, 2000]]}], {"alignment": "ANCHORS"}, "anchors: the reference has no frame 2000"),
        ([{"action": "still"}], {}, r"1 frame\(s\); it needs at least 3"),
        ([{"action": "stranger"}], {}, "none of the .* curves of the take is in the other one"),
    ],
)
def test_bad_input_gets_a_sentence(rows, settings, sentence, mixed_clip):
    clip, stranger = mixed_clip(60), Clip(np.zeros((60, 1)), (Channel('["other"]', 0),), 30.0, 1)
    others = {"b": mixed_clip(50, seed=100), "still": clip.with_values(clip.values[:1]), "stranger": stranger}
    with pytest.raises(ValueError, match=sentence):
        params = build(BlendParams, {"takes": rows, "alignment": "STRETCH", **settings})
        BLEND.run(clip, params, Surroundings(takes=others))
