# SPDX-License-Identifier: GPL-3.0-or-later
"""Beats of sounds that are known are found: their tempo, their onsets, and that there are none."""

import numpy as np
import pytest
from made_sounds import RATE, sound
from motion_signal.core.rhythm.beats import doubled, find_beats, halved, tapped


def tempo_of(beats):
    return 60.0 / np.polyfit(np.arange(len(beats)), beats, 1)[0]


@pytest.mark.parametrize("kind", ["clicks", "drums", "tone"])
@pytest.mark.parametrize("tempo", [60.0, 75.0, 100.0, 138.0, 180.0])
@pytest.mark.parametrize("drift, swing", [(0.0, 0.5), (0.05, 0.5), (0.0, 0.62)])
def test_tempo_is_within_a_percent_and_onsets_within_fifteen_milliseconds(kind, tempo, drift, swing):
    samples, beats, onsets = sound(kind, tempo, drift, swing)
    found = find_beats(samples, RATE)
    assert abs(found.tempo / tempo_of(beats) - 1.0) < 0.01
    near = np.abs(found.onsets[:, None] - onsets)
    assert np.mean(near.min(axis=0) < 0.015) > 0.95 and np.mean(near.min(axis=1) < 0.015) > 0.9
    assert np.percentile(np.abs(found.beats[:, None] - beats).min(axis=1), 90) < 0.015


@pytest.mark.parametrize("tempo, seed", [(62.0, 2), (70.0, 2), (65.0, 4)])
def test_slow_drums_that_drift_for_half_a_minute_are_not_heard_twice_as_fast(tempo, seed):
    samples, beats, _ = sound("drums", tempo, 0.05, seconds=30.0, seed=seed)
    assert abs(find_beats(samples, RATE).tempo / tempo_of(beats) - 1.0) < 0.01


@pytest.mark.parametrize("rate", [16000, 44100, 48000])
def test_rate_and_channels_of_a_sound_do_not_count(rate):
    samples, beats, _ = sound("clicks", 96.0)
    time = np.arange(int(len(samples) * rate / RATE)) / rate
    stereo = np.repeat(np.interp(time, np.arange(len(samples)) / RATE, samples)[:, None], 2, axis=1)
    assert abs(find_beats((32000 * stereo).astype(np.int16), rate).tempo - 96.0) < 0.5


@pytest.mark.parametrize(
    "samples, said",
    [
        (np.zeros(0), "it lasts 0.00 s"),
        (np.zeros(5 * RATE), "nothing to be heard"),
        (sound("clicks", 60.0, seconds=2.2)[0], "begin in it"),
        (np.zeros((3, 3, 3)), "are no sound"),
    ],
)
def test_a_sound_without_length_or_beat_is_refused_in_a_sentence(samples, said):
    with pytest.raises(ValueError, match=said):
        find_beats(samples, RATE)


def test_beats_are_doubled_halved_and_tapped():
    beats = np.array([0.2, 0.8, 1.4, 2.1])
    assert np.allclose(doubled(beats), [0.2, 0.5, 0.8, 1.1, 1.4, 1.75, 2.1])
    assert np.allclose(halved(beats), [0.2, 1.4]) and np.allclose(halved(beats, True), [0.8, 2.1])
    assert np.allclose(halved(doubled(beats)), beats)
    tempo, start = tapped([0.0, 0.61, 1.19, 1.8])
    assert abs(tempo - 100.0) < 1.0 and abs(start) < 0.02
    with pytest.raises(ValueError, match="make no tempo"):
        tapped([0.0, 0.5])
