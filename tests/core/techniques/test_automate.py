# SPDX-License-Identifier: GPL-3.0-or-later
"""Automation: the plain equalizer wherever gains stand still, the take itself wherever they are one, no clicks between."""

import numpy as np
import pytest
from motion_signal.core.declare.faders import EqualizeParams
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.mixing.moving_gains import faded
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.numeric.bands import Bank, band_edges
from motion_signal.core.techniques.character.automate import AUTOMATE, AutomateParams, curve_name
from motion_signal.core.techniques.character.equalize import EQUALIZE

FPS, FRAMES = 30.0, 240
BANDS = 12


def clip_of(values):
    return Clip(values, tuple(Channel("location", index, "LOCATION") for index in range(values.shape[1])), FPS, 1)


@pytest.fixture
def clip(smooth):
    return clip_of(smooth(FRAMES, 3))


@pytest.mark.parametrize("boundary", ["REFLECT", "HOLD", "CYCLE"])
@pytest.mark.parametrize("bands", ["HZ", "SHARP", "FRAMES"])
def test_constant_gains_are_the_plain_equalizer(mixed_clip, bands, boundary):
    clip = mixed_clip(200)
    count = len(band_edges(bands, clip.fps, clip.frames))
    gains = tuple(0.2 + 0.3 * band for band in range(count))
    records = tuple({"band": band, "keys": [[1, gain], [90, gain]]} for band, gain in enumerate(gains))
    shared = {"bands": bands, "boundary": boundary}
    wanted = EQUALIZE.run(clip, EqualizeParams(gains=gains, dc_gain=1.1, **shared)).values
    keyed = AUTOMATE.run(clip, AutomateParams(automation=(*records, {"band": count, "keys": [[1, 1.1]]}), **shared)).values
    assert np.abs(wanted - clip.values).max() > 0.1
    assert np.abs(keyed - wanted).max() < 1e-6
    assert (AUTOMATE.run(clip, AutomateParams(gains=gains, dc_gain=1.1, **shared)).values == wanted).all()


def test_gains_of_one_are_the_take(mixed_clip):
    clip = mixed_clip(200)
    records = tuple({"band": band, "keys": [[1, 1.0], [200, 1.0]]} for band in range(BANDS + 1))
    assert np.abs(AUTOMATE.run(clip, AutomateParams(automation=records)).values - clip.values).max() < 1e-9


def test_a_step_leaves_what_was_before_it_untouched(clip):
    records = tuple({"band": band, "keys": [[FRAMES // 2, 1.0], [FRAMES // 2 + 1, 3.0]]} for band in range(BANDS))
    result = AUTOMATE.run(clip, AutomateParams(automation=records)).values
    assert np.abs(result - clip.values)[: FRAMES // 4].max() < 1e-6
    plain = EQUALIZE.run(clip, EqualizeParams(gains=(3.0,) * BANDS)).values
    assert np.abs(plain - clip.values).max() > 0.1
    assert np.abs(result - plain)[-FRAMES // 4 :].max() < 1e-6


def test_the_result_is_the_sum_of_bands_times_their_gains(clip):
    first, last = 0.5, 2.5
    result = AUTOMATE.run(
        clip,
        AutomateParams(
            crossfade=0.0, automation=({"band": 6, "keys": [[1, first], [FRAMES, last]]}, {"band": 5, "keys": [[1, 0.0]]})
        ),
    ).values
    bands = Bank(clip.values, FPS).split()
    gains = np.ones((BANDS + 1, FRAMES, 1))
    gains[6, :, 0], gains[5] = np.linspace(first, last, FRAMES), 0.0
    assert np.abs(result - (gains * bands).sum(axis=0)).max() < 1e-6


def test_a_step_of_a_gain_does_not_click(clip):
    """Without the crossfade the result jumps where the gain does."""

    def bend(crossfade):
        records = ({"band": BANDS, "keys": [[120, 1.0], [120.001, 2.0]]},)
        result = AUTOMATE.run(clip.with_values(clip.values + 1.0), AutomateParams(automation=records, crossfade=crossfade))
        return np.abs(np.diff(result.values, 2, axis=0)).max()

    assert bend(0.0) > 0.8
    assert bend(1.0) < 0.05 + np.abs(np.diff(clip.values, 2, axis=0)).max()


@pytest.mark.parametrize("span", [0.0, 1.0, 3.0, 7.5, 30.0])
def test_a_crossfade_is_a_smooth_rise_within_its_span(span):
    step = np.where(np.arange(200) < 100, 1.0, 3.0)
    gains, radius = faded(step, span), int(0.5 * span)
    assert (np.diff(gains) > -1e-12).all() and np.abs(gains[: 100 - radius] - 1.0).max() < 1e-12
    assert np.abs(gains[100 + radius :] - 3.0).max() < 1e-12
    assert np.diff(gains).max() <= 8.0 / max(span, 4.0)


def test_the_crossfade_takes_as_long_at_every_frame_rate():
    rates = {fps: faded(np.where(np.arange(2 * fps + 1) < fps, 1.0, 3.0), 0.5 * fps) for fps in (24, 120)}
    assert np.abs(rates[120][::5] - rates[24]).max() < 0.15


def test_a_curve_of_the_take_is_the_gain_and_stays_as_it_is(smooth):
    gains = 1.0 + 0.5 * np.sin(np.arange(FRAMES) / 40)
    path = curve_name(2.0, 4.0)
    assert path == '["gain 2-4 Hz"]'
    values = np.column_stack([smooth(FRAMES, 1), gains])
    clip = Clip(values, (Channel("location", 0, "LOCATION"), Channel(path, 0)), FPS, 5)
    params = AutomateParams(automation=({"band": 5, "gain_from": f"{path}[0]"},), crossfade=0.0, gains=(1.0,) * 7 + (2.0,) * 5)
    result = AUTOMATE.run(clip, params).values
    keyed = AutomateParams(
        automation=({"band": 5, "keys": [[5 + row, gain] for row, gain in enumerate(gains)]},),
        crossfade=0.0,
        gains=(1.0,) * 7 + (2.0,) * 5,
    )
    assert np.abs(result[:, 0] - AUTOMATE.run(clip, keyed).values[:, 0]).max() < 1e-12
    assert (result[:, 1] == gains).all() and np.abs(result[:, 0] - values[:, 0]).max() > 0.1


def test_a_limb_has_gains_of_its_own(figure, moving):
    clip = moving(figure, frames=120)
    whole, limb = ({"band": 6, "keys": [[1, 2.0]]}, {"band": 6, "keys": [[1, 1.0]], "limb": "leg"})
    result = AUTOMATE.run(clip, AutomateParams(automation=(limb, whole)), Surroundings(figure)).values
    changed = (np.abs(result - clip.values) > 1e-6).any(axis=0)
    assert {channel.owner for channel, other in zip(clip.channels, changed) if other} == {"hips", "spine", "head"}


def test_a_silenced_band_stays_silent_whatever_its_keys_say(clip):
    records = ({"band": 6, "keys": [[1, 3.0]]},)
    muted = AUTOMATE.run(clip, AutomateParams(automation=records, mute=(6,))).values
    assert np.abs(muted - EQUALIZE.run(clip, EqualizeParams(mute=(6,))).values).max() < 1e-6


@pytest.mark.parametrize(
    "record, sentence",
    [
        ({"band": 13}, "there is no band 13; there are 12"),
        ({"band": 2, "gain_from": '["gone"][0]'}, r'gain_from: there is no curve \["gone"\]\[0\] in scope'),
        ({"band": 2, "limb": "tail"}, "automation: no curve in scope belongs to tail"),
        ({"bend": 2}, r"automation\[0\] bend: no such parameter"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(clip, record, sentence):
    with pytest.raises(ValueError, match=sentence):
        AUTOMATE.run(clip, AutomateParams(automation=(record,)))


def test_a_band_that_is_there_twice_is_refused(clip):
    with pytest.raises(ValueError, match=r"automation\[1\] band: 3 is there twice"):
        AUTOMATE.run(clip, AutomateParams(automation=({"band": 3}, {"band": 3})))
