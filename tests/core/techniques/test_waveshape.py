# SPDX-License-Identifier: GPL-3.0-or-later
"""Shaping motion: angles are bent, quaternions stay rotations, and what the shape leaves alone is left exactly."""

import numpy as np
import pytest
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.techniques.character.waveshape import WAVESHAPE, WaveshapeParams, portrait
from scipy.spatial.transform import Rotation

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "ZYX")
TIME = np.arange(200) / 30.0


def hinge(axis, angle):
    return Rotation.from_rotvec(np.eye(3)["XYZ".index(axis)] * angle[:, None])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("axis", "XYZ")
def test_a_hard_limit_on_a_hinge_clips_its_angle(mode, axis, rotation_channels, in_mode, as_rotations):
    angle = 0.2 + 1.0 * np.sin(3 * TIME)
    clip = Clip(in_mode(hinge(axis, angle), mode), rotation_channels(mode), 30.0, 1)
    result = WAVESHAPE.run(clip, WaveshapeParams(shape="HARD", measure=axis, span="TYPED", low=-20.0, high=40.0))
    wanted = hinge(axis, np.clip(angle, np.radians(-20), np.radians(40)))
    assert (as_rotations(result.values, mode) * wanted.inv()).magnitude().max() < 1e-9


def test_a_shaped_axis_leaves_the_swing_alone(rotation_channels, in_mode, as_rotations, smooth):
    swing = Rotation.from_rotvec(np.column_stack([smooth(200, 2, size=0.5), np.zeros(200)])[:, [0, 2, 1]])
    turned = swing * hinge("Y", 0.8 * np.sin(4 * TIME))
    clip = Clip(in_mode(turned, "QUATERNION"), rotation_channels("QUATERNION"), 30.0, 1)
    result = WAVESHAPE.run(clip, WaveshapeParams(shape="HARD", measure="TWIST", span="TYPED", low=-0.001, high=0.001))
    assert (as_rotations(result.values, "QUATERNION") * swing.inv()).magnitude().max() < 1e-4


@pytest.mark.parametrize("measure", ["AMOUNT", "SWING"])
@pytest.mark.parametrize("mode", MODES)
def test_an_amount_is_never_more_than_the_limiter_allows(measure, mode, rotation_channels, in_mode, as_rotations, smooth):
    turned = Rotation.from_rotvec(smooth(200, 3, size=1.2))
    clip = Clip(in_mode(turned, mode), rotation_channels(mode), 30.0, 1)
    params = WaveshapeParams(shape="LIMITER", measure=measure, middle="REST", threshold=30.0, softness=10.0)
    result = as_rotations(WAVESHAPE.run(clip, params).values, mode)
    if measure == "AMOUNT":
        found, before = result.magnitude(), turned.magnitude()
    else:  # how far the bone, its own Y axis, points away from where it rests
        found, before = (np.arccos(np.clip(path.apply([0, 1, 0])[:, 1], -1, 1)) for path in (result, turned))
    assert before.max() > np.radians(35) and found.max() < np.radians(30) + 1e-9
    inside = before < np.radians(19)
    assert np.abs(found - before)[inside].max() < 1e-9


def test_locations_are_shaped_in_metres_around_their_mean():
    values = 2.0 + 0.3 * np.sin(2 * TIME)[:, None]
    clip = Clip(values, (Channel("location", 0, "LOCATION"),), 30.0, 1)
    result = WAVESHAPE.run(clip, WaveshapeParams(shape="COMPRESS", threshold=0.1, ratio=2.0)).values
    away = np.abs(values - values.mean())
    assert np.abs(np.abs(result - values.mean()) - np.where(away > 0.1, 0.1 + (away - 0.1) / 2, away)).max() < 1e-9


def test_a_curve_spans_the_channels_own_range():
    values = np.column_stack([np.linspace(-3, 5, 50), np.linspace(0, 1, 50)])
    clip = Clip(values, (Channel("a", 0), Channel("b", 0)), 30.0, 1)
    result = WAVESHAPE.run(clip, WaveshapeParams(points=((0.0, 1.0), (1.0, 0.0)))).values
    assert np.abs(result - values[::-1]).max() < 1e-9


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", ["HARD", "SOFT"])
def test_bones_stay_within_their_limits_and_others_stay(mode, shape, rotation_channels, in_mode, as_rotations, smooth):
    turned = [Rotation.from_euler("xyz", smooth(200, 3, seed=seed, size=0.9)) for seed in (1, 2)]
    values = np.hstack([in_mode(path, mode) for path in turned])
    clip = Clip(values, rotation_channels(mode, "arm") + rotation_channels(mode, "leg"), 30.0, 1)
    limits = {"arm": (-20.0, 30.0, -10.0, 10.0, 0.0, 0.0)}
    result = WAVESHAPE.run(clip, WaveshapeParams(shape=shape, span="BONES", softness=5.0, limits=limits))
    size = values.shape[1] // 2
    order = mode.lower() if mode in ("XYZ", "ZYX") else "xyz"
    angles = dict(zip(order, as_rotations(result.values[:, :size], mode).as_euler(order, degrees=True).T))
    for axis, (low, high) in {"x": (-20, 30), "y": (-10, 10), "z": (0, 0)}.items():
        assert low - 1e-6 <= angles[axis].min() and angles[axis].max() <= high + 1e-6
    assert (result.values[:, size:] == values[:, size:]).all()


@pytest.mark.parametrize(
    "params, words",
    [
        ({"span": "TYPED", "low": 10.0, "high": -10.0}, "low: 10 is not below high"),
        ({"points": ((0.0, 0.0),)}, "at least two"),
        ({"shape": "SOFT"}, "always within its own range"),
        ({"shape": "SOFT", "span": "BONES"}, "no bone of the rig"),
        ({"shape": "GATE", "span": "BONES"}, "hard or soft"),
        ({"shape": "HARD", "span": "BONES", "limits": {"arm": (1.0, 0.0, 0, 0, 0, 0)}}, "limits arm"),
    ],
)
def test_shapes_that_make_no_sense_are_refused(params, words, mixed_clip):
    with pytest.raises(ValueError, match=words):
        WAVESHAPE.run(mixed_clip(), WaveshapeParams(**params))


@pytest.mark.parametrize("measure", ["X", "AMOUNT", "SWING"])
def test_the_portrait_shows_what_the_shape_does_to_a_bone(measure, rotation_channels, in_mode, as_rotations):
    angle = np.abs(np.sin(3 * TIME)) + 0.05
    clip = Clip(in_mode(hinge("X", angle), "QUATERNION"), rotation_channels("QUATERNION"), 30.0, 1)
    params = WaveshapeParams(shape="SOFT", measure=measure, middle="REST", span="TYPED", low=-40.0, high=40.0)
    inputs, line = portrait(clip, params, "bone")
    assert np.abs(inputs - np.degrees(angle)).max() < 1e-6
    beyond = 0.1 * np.ptp(inputs)
    assert np.abs(line[[0, -1], 0] - [inputs.min() - beyond, inputs.max() + beyond]).max() < 1e-6
    result = np.degrees(as_rotations(WAVESHAPE.run(clip, params).values, "QUATERNION").magnitude())
    assert np.abs(np.interp(inputs, *line.T) - result).max() < 0.1


def test_the_portrait_of_a_swing_leaves_out_the_twist(rotation_channels, in_mode):
    swing, twist = np.abs(np.sin(3 * TIME)) + 0.05, 0.8 * np.cos(2 * TIME)
    clip = Clip(in_mode(hinge("X", swing) * hinge("Y", twist), "QUATERNION"), rotation_channels("QUATERNION"), 30.0, 1)
    inputs = {
        measure: portrait(clip, WaveshapeParams(measure=measure, middle="REST"), "bone")[0] for measure in ("SWING", "AMOUNT")
    }
    assert np.abs(inputs["SWING"] - np.degrees(swing)).max() < 1e-6
    whole = (hinge("X", swing) * hinge("Y", twist)).magnitude()
    assert np.abs(inputs["AMOUNT"] - np.degrees(whole)).max() < 1e-6


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("mode", MODES)
def test_limits_that_are_not_reached_leave_the_curves_as_they_are(mode, sign, rotation_channels, in_mode, smooth):
    values = in_mode(Rotation.from_euler("xyz", smooth(200, 3, seed=1, size=0.4) + 0.2), mode)
    values = sign * values if mode == "QUATERNION" else values
    clip = Clip(values, rotation_channels(mode, "arm"), 30.0, 1)
    result = WAVESHAPE.run(clip, WaveshapeParams(shape="HARD", span="BONES", limits={"arm": (-85.0, 85.0) * 3}))
    assert np.abs(result.values - values).max() < 1e-9


def test_a_bone_without_rotation_has_no_portrait(mixed_clip):
    assert portrait(mixed_clip(), WaveshapeParams(), "nobody") is None


def test_a_swing_through_its_middle_is_the_same_however_many_frames_see_it(in_mode, rotation_channels, as_rotations):
    seen = {}
    for fps in (24.0, 96.0):
        angle = 0.6 * np.sin(2.0 * np.pi * (np.arange(int(4 * fps)) / fps + 1.0 / 96.0))  # no frame is where it is at rest
        clip = Clip(in_mode(hinge("X", angle), "QUATERNION"), rotation_channels("QUATERNION"), fps, 1)
        params = WaveshapeParams(points=((0.0, 0.0), (0.25, 0.05), (0.5, 0.5), (1.0, 1.0)), middle="REST")
        seen[fps] = as_rotations(WAVESHAPE.run(clip, params).values, "QUATERNION").as_rotvec()[:, 0]
    assert np.abs(seen[24.0] - seen[96.0][::4]).max() < 2e-3  # the highest point is not on a frame either
