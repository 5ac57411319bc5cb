# SPDX-License-Identifier: GPL-3.0-or-later
"""The equalizer: faders do what they say, to whom they say, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.declare.faders import EqualizeParams, fit, item_label
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.chart import Chart
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.numeric.bands import band_label
from motion_signal.core.numeric.rotation import EULER_ORDERS
from motion_signal.core.techniques.character.automate import AUTOMATE
from motion_signal.core.techniques.character.cartoon import CARTOON
from motion_signal.core.techniques.character.equalize import EQUALIZE, band_energies
from scipy.spatial.transform import Rotation

EXACT = 1e-12
SINGLE = 2e-6
MODES = ("QUATERNION", "AXIS_ANGLE", *EULER_ORDERS)
POSTURE = 12  # the index after the last band in Hz


def shares(cycles, frames, count):
    """The part of a sine that each band takes, and the constant part, by cos(omega 2^k / 2)^4 a level."""
    lows = np.cumprod([1.0, *(np.cos(np.pi * cycles / frames * 2**level) ** 4 for level in range(count))])
    return np.append(lows[:-1] - lows[1:], lows[-1])


@pytest.mark.parametrize("bands", ["HZ", "SHARP", "FRAMES"])
@pytest.mark.parametrize("boundary", ["REFLECT", "HOLD", "CYCLE"])
def test_neutral_is_identity(bands, boundary, mixed_clip):
    clip = mixed_clip()
    result = EQUALIZE.run(clip, EqualizeParams(bands=bands, boundary=boundary))
    assert np.abs(result.values - clip.values).max() < EXACT
    assert result.channels == clip.channels


def test_gains_of_one_are_neutral_too(mixed_clip):
    clip = mixed_clip()
    result = EQUALIZE.run(clip, EqualizeParams(gains=(1.0,) * 12, limbs={"xyz": (1.0,) * 12}))
    assert np.abs(result.values - clip.values).max() < EXACT


def test_a_sine_is_scaled_by_the_gain_of_its_frequency():
    frames, cycles, gains = 128, 6, (0.5, -1.0, 2.0, 3.0, 1.5, 0.0, 4.0)
    sine = np.sin(2 * np.pi * cycles * np.arange(frames) / frames)[:, None]
    clip = Clip(5.0 + sine, (Channel("energy", 0),), 24.0, 1)
    result = EQUALIZE.run(clip, EqualizeParams(gains=gains, bands="FRAMES", boundary="CYCLE"))
    gain = shares(cycles, frames, 7) @ [*gains, 1.0]
    assert abs(gain - 1) > 0.5
    assert np.abs(result.values - 5.0 - gain * sine).max() < SINGLE * 6


@pytest.mark.parametrize("mode", MODES)
def test_swinging_about_one_axis_is_scaled_by_the_gain_of_its_frequency(mode, rotation_channels, in_mode, as_rotations):
    frames, cycles, gains = 128, 6, (0.5, -1.0, 2.0, 2.0, 1.5, 0.0, 1.0)
    swing = 0.5 * np.sin(2 * np.pi * cycles * np.arange(frames) / frames + 0.1)
    axis = np.array([0.0, 0.6, 0.8])
    posture = Rotation.from_rotvec(0.7 * axis)
    values = in_mode(Rotation.from_rotvec(swing[:, None] * axis) * posture, mode)
    result = EQUALIZE.run(
        Clip(values, rotation_channels(mode), 24.0, 1), EqualizeParams(gains=gains, bands="FRAMES", boundary="CYCLE")
    )
    gain = shares(cycles, frames, 7) @ [*gains, 1.0]
    expected = Rotation.from_rotvec(gain * swing[:, None] * axis) * posture
    assert (as_rotations(result.values, mode) * expected.inv()).magnitude().max() < 1e-5


@pytest.mark.parametrize("dc_gain", [-1.0, 0.0, 0.5, 2.0])
@pytest.mark.parametrize("mode", MODES)
def test_posture_gain_scales_a_still_pose_from_rest(dc_gain, mode, rotation_channels, in_mode, as_rotations):
    posture = np.array([0.4, -0.3, 0.6])
    clip = Clip(in_mode(Rotation.from_rotvec([posture] * 20), mode), rotation_channels(mode), 30.0, 1)
    result = EQUALIZE.run(clip, EqualizeParams(dc_gain=dc_gain))
    expected = Rotation.from_rotvec([dc_gain * posture] * 20)
    assert (as_rotations(result.values, mode) * expected.inv()).magnitude().max() < 1e-5


def test_mute_is_a_gain_of_nothing(mixed_clip):
    clip = mixed_clip()
    gains = np.linspace(0.5, 1.5, 12)
    muted = EQUALIZE.run(clip, EqualizeParams(gains=tuple(gains), mute=(4, 6)))
    gains[[4, 6]] = 0.0
    assert (muted.values == EQUALIZE.run(clip, EqualizeParams(gains=tuple(gains))).values).all()


def test_muted_posture_is_a_posture_gain_of_nothing(mixed_clip):
    clip = mixed_clip()
    muted = EQUALIZE.run(clip, EqualizeParams(mute=(POSTURE,)))
    assert (muted.values == EQUALIZE.run(clip, EqualizeParams(dc_gain=0.0)).values).all()


def test_solo_silences_the_other_bands_and_leaves_the_posture(mixed_clip):
    clip = mixed_clip()
    solo = EQUALIZE.run(clip, EqualizeParams(gains=(1.4,) * 12, solo=(6, 7)))
    alone = tuple(1.4 if band in (6, 7) else 0.0 for band in range(12))
    assert (solo.values == EQUALIZE.run(clip, EqualizeParams(gains=alone)).values).all()


def test_a_muted_band_is_silent_even_in_solo(mixed_clip):
    clip = mixed_clip()
    both = EQUALIZE.run(clip, EqualizeParams(solo=(6, 7), mute=(7,)))
    assert (both.values == EQUALIZE.run(clip, EqualizeParams(solo=(6,))).values).all()


def owners_that_change(clip, params, skeleton):
    result = EQUALIZE.run(clip, params, Surroundings(skeleton))
    moved = np.abs(result.values - clip.values).max(axis=0) > 1e-6
    assert np.abs(result.values - clip.values)[:, ~moved].max(initial=0.0) < EXACT
    return {clip.channels[column].owner for column in np.flatnonzero(moved)}


def test_gains_of_a_limb_change_it_and_what_hangs_on_it(figure, moving):
    clip = moving(figure)
    louder = (2.0,) * 12
    assert owners_that_change(clip, EqualizeParams(limbs={"leg": louder}), figure) == {"leg", "foot"}
    assert owners_that_change(clip, EqualizeParams(limbs={"head": louder}), figure) == {"head"}
    assert owners_that_change(clip, EqualizeParams(limbs={"hips": louder}), figure) == {"hips", "spine", "head", "leg", "foot"}


def test_gains_of_a_limb_replace_the_common_gains(figure, moving):
    clip = moving(figure)
    params = EqualizeParams(gains=(2.0,) * 12, limbs={"leg": (1.0,) * 12})
    assert owners_that_change(clip, params, figure) == {"hips", "spine", "head"}


@pytest.mark.parametrize("names", [("leg", "foot"), ("foot", "leg")])
def test_of_limbs_that_hang_on_each_other_the_nearer_one_counts(names, figure, moving):
    gains = {"leg": (1.0,) * 12, "foot": (2.0,) * 12}
    params = EqualizeParams(limbs={name: gains[name] for name in names})
    assert owners_that_change(moving(figure), params, figure) == {"foot"}


def test_without_a_skeleton_a_limb_is_the_bone_alone(figure, moving):
    assert owners_that_change(moving(figure), EqualizeParams(limbs={"leg": (2.0,) * 12}), None) == {"leg"}


def test_a_limb_with_gains_equals_the_whole_figure_with_them(figure, moving):
    clip = moving(figure)
    gains = tuple(np.linspace(0.2, 1.8, 12))
    limb = EQUALIZE.run(clip, EqualizeParams(limbs={"leg": gains}), Surroundings(figure))
    whole = EQUALIZE.run(clip, EqualizeParams(gains=gains), Surroundings(figure))
    columns = [column for column, channel in enumerate(clip.channels) if channel.owner in ("leg", "foot")]
    assert np.abs(limb.values - whole.values)[:, columns].max() < 1e-5


def test_angles_apart_filters_euler_angles_as_they_stand(rotation_channels, smooth):
    angles = 2.0 * smooth(100, 3)
    gains = (0.3,) * 6
    turning = EQUALIZE.run(
        Clip(angles, rotation_channels("XYZ"), 30.0, 1), EqualizeParams(gains, bands="FRAMES"), Surroundings(angles_apart=True)
    )
    plain = EQUALIZE.run(
        Clip(angles, tuple(Channel("plain", index) for index in range(3)), 30.0, 1), EqualizeParams(gains, bands="FRAMES")
    )
    assert (turning.values == plain.values).all()


def test_the_process_may_be_asked_again_with_other_parameters(mixed_clip):
    clip = mixed_clip()
    process = EQUALIZE.open(clip)
    settings = [
        EqualizeParams(gains=(2.0,) * 12),
        EqualizeParams(bands="FRAMES", gains=(0.5,) * 6),
        EqualizeParams(boundary="HOLD", dc_gain=0.5),
        EqualizeParams(gains=(2.0,) * 12),
    ]
    for params in settings:
        assert (process(params).values == EQUALIZE.run(clip, params).values).all()


@pytest.mark.parametrize("bands, count", [("HZ", 12), ("FRAMES", 6)])
def test_a_wrong_number_of_gains_is_refused_by_name_and_counts(bands, count, mixed_clip):
    with pytest.raises(ValueError, match=rf"^gains: 5 given, but there are {count} bands$"):
        EQUALIZE.run(mixed_clip(100), EqualizeParams(gains=(1.0,) * 5, bands=bands))


def test_a_wrong_number_of_gains_for_a_limb_is_refused_by_its_name(mixed_clip):
    with pytest.raises(ValueError, match="^limbs xyz: 3 given, but there are 12 bands$"):
        EQUALIZE.run(mixed_clip(), EqualizeParams(limbs={"xyz": (1.0,) * 3}))


def test_a_limb_that_has_no_curve_is_refused_by_its_name(mixed_clip):
    with pytest.raises(ValueError, match="tentacle"):
        EQUALIZE.run(mixed_clip(), EqualizeParams(limbs={"tentacle": (1.0,) * 12}))


@pytest.mark.parametrize("name", ["mute", "solo"])
def test_a_mark_beyond_the_posture_is_refused(name, mixed_clip):
    EQUALIZE.run(mixed_clip(), EqualizeParams(**{name: (POSTURE,)}))
    with pytest.raises(ValueError, match="no band 13; there are 12"):
        EQUALIZE.run(mixed_clip(), EqualizeParams(**{name: (POSTURE + 1,)}))


@pytest.mark.parametrize("bands", ["HZ", "SHARP", "FRAMES"])
@pytest.mark.parametrize("boundary", ["REFLECT", "HOLD", "CYCLE"])
def test_three_frames_are_enough(bands, boundary, mixed_clip):
    clip = mixed_clip(3)
    params = fit(EqualizeParams(gains=(1.5,) * 12, bands=bands, boundary=boundary), 3, 30.0)
    result = EQUALIZE.run(clip, params)
    assert np.isfinite(result.values).all()
    assert np.abs(result.values - clip.values).max() > 1e-6


def test_fit_gives_as_many_gains_as_the_take_has_bands():
    params = EqualizeParams(gains=(0.5, 2.0), mute=(1, 5, 9), solo=(6, 7), limbs={"arm": (0.1,) * 20}, bands="FRAMES")
    fitted = fit(params, 100, 24.0)
    assert fitted.gains == (0.5, 2.0, 1.0, 1.0, 1.0, 1.0)
    assert fitted.limbs == {"arm": (0.1,) * 6}
    assert fitted.mute == (1, 5) and fitted.solo == (6,)  # 6 is the posture
    assert fit(params, 3, 24.0).gains == (0.5,)


def test_fitted_neutral_stays_neutral(mixed_clip):
    clip = mixed_clip(50)
    result = EQUALIZE.run(clip, fit(EqualizeParams(bands="FRAMES"), 50, 30.0))
    assert np.abs(result.values - clip.values).max() < EXACT


def test_band_energies_are_loudest_where_the_motion_is(rotation_channels):
    frames = 300
    swing = 0.4 * np.sin(2 * np.pi * 2.2 * np.arange(frames) / 30.0)[:, None] * [1, 0, 0]
    for apart in (False, True):
        energies = band_energies(Clip(swing, rotation_channels("XYZ"), 30.0, 1), "HZ", "REFLECT", apart)
        assert energies.shape == (12,)
        assert np.argmax(energies) == 5 and energies[5] == 1.0  # 2-4 Hz


def test_band_energies_look_at_rotations_before_anything_else(rotation_channels, smooth):
    clip = Clip(smooth(100, 3), rotation_channels("XYZ"), 30.0, 1)
    both = clip.with_channels([Channel("location", 0, "LOCATION")], [0.0])
    travelling = both.values.copy()
    travelling[:, 3] = np.linspace(0, 100, 100)
    assert (
        np.abs(band_energies(both.with_values(travelling), "HZ", "REFLECT") - band_energies(clip, "HZ", "REFLECT")).max()
        < EXACT
    )


def test_band_energies_of_stillness_are_nothing():
    still = Clip(np.ones((20, 1)), (Channel("a", 0),), 30.0, 1)
    assert band_energies(still, "HZ", "REFLECT").max() < 1e-2


@pytest.mark.parametrize(
    "edges, label",
    [((2.0, 4.0), "2-4 Hz"), ((0.125, 0.25), "1/8-1/4 Hz"), ((7.5, 15.0), "7.5-15 Hz"), ((0.5, 1.0), "1/2-1 Hz")],
)
def test_bands_are_called_by_their_hertz(edges, label):
    assert band_label(*edges) == label


def test_faders_are_called_by_hertz_or_by_number():
    assert item_label("gains", 5, EqualizeParams(), 24.0) == "2-4 Hz"
    assert item_label("gains", 2, EqualizeParams(), 24.0) == "" != item_label("gains", 2, EqualizeParams(), 120.0)
    assert item_label("gains", 5, EqualizeParams(bands="FRAMES"), 24.0) == "Band 5"


def test_a_spin_keeps_turning_when_all_bands_are_silent(rotation_channels):
    values = np.column_stack([np.zeros((240, 2)), np.linspace(0, 12 * np.pi, 240)])
    clip = Clip(values, rotation_channels("XYZ"), 30.0, 1)
    assert len(Chart(clip).owners) == 4
    result = EQUALIZE.run(clip, EqualizeParams(gains=(0.0,) * 12))
    assert np.abs(np.diff(result.values, axis=0)).max() < 0.4


@pytest.mark.parametrize("technique", [EQUALIZE, AUTOMATE, CARTOON])
def test_a_loop_stays_closed_without_being_told(technique, rotation_channels, in_mode):
    """And travels on as far as it did."""
    phase = np.linspace(0.0, 2 * np.pi, 61)[:, None]
    loud = {"cartoon": {"strength": 2.0}}.get(technique.name, {"gains": (1.0,) * 5 + (2.0,) * 7})
    for seed in range(20):
        random = np.random.default_rng(seed)
        waves = sum(random.normal(0.0, 0.3, 3) * np.sin(count * phase + random.uniform(0, 6.3, 3)) for count in (1, 2, 3))
        travel = np.column_stack([phase, 0.1 * np.sin(2 * phase + 1.0), 0 * phase])
        channels = rotation_channels("QUATERNION") + tuple(Channel("location", axis, "LOCATION") for axis in range(3))
        clip = Clip(np.hstack([in_mode(Rotation.from_rotvec(waves), "QUATERNION"), travel]), channels, 30.0, 1)
        values = technique.run(clip, technique.params(**loud)).values
        assert np.abs(values - clip.values).max() > 0.05
        assert np.abs(values[-1] - values[0] - clip.values[-1] + clip.values[0]).max() < 1e-5, seed


def test_what_is_let_repeat_is_a_loop(mixed_clip):
    clip, loud = mixed_clip(120), EqualizeParams(gains=(2.0,) * 12)
    found = EQUALIZE.run(clip, loud, Surroundings(loop=True)).values
    assert (found == EQUALIZE.run(clip, replace(loud, boundary="CYCLE")).values).all()
    assert (EQUALIZE.run(clip, loud).values == EQUALIZE.run(clip, replace(loud, boundary="REFLECT")).values).all()
