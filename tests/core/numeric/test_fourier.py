# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles as waves: exact there and back, blended as the paper's equations say, aligned by going round."""

import numpy as np
import pytest
from motion_signal.core.numeric.fourier import STEADY, Palette, best_shift, played, shifted, together, waves_of

LENGTHS = (4, 5, 33, 34)


def cycle(frames, signals=3, seed=0):
    return np.random.default_rng(seed).normal(size=(frames, signals))


def equation_8(waves, frames):
    """The paper's synthesis, number by number."""
    result = np.zeros((frames, waves.shape[1]))
    for signal, column in enumerate(waves.T):
        for frame in range(frames):
            result[frame, signal] = column[0].real + sum(
                abs(wave) * np.cos(2 * np.pi * number * frame / frames + np.angle(wave))
                for number, wave in enumerate(column)
                if number
            )
    return result


@pytest.mark.parametrize("frames", LENGTHS)
@pytest.mark.parametrize("moment", [0.0, 0.5])
def test_all_harmonics_give_the_cycle_back(frames, moment):
    signals = cycle(frames)
    assert np.abs(played(waves_of(signals, moment), frames, moment) - signals).max() < 1e-12


@pytest.mark.parametrize("frames", LENGTHS)
def test_some_harmonics_are_those_of_equation_8(frames):
    waves = waves_of(cycle(frames))[:2]
    assert np.abs(played(waves, 21) - equation_8(waves, 21)).max() < 1e-12


def test_a_known_wave_is_found_and_heard_at_another_length():
    phase = np.arange(20) / 20
    waves = waves_of(np.stack([3.0 + 2.0 * np.cos(2 * np.pi * (3 * phase - 0.1)), phase * 0], axis=1))
    assert waves[0, 0] == pytest.approx(3.0) and abs(waves[3, 0]) == pytest.approx(2.0)
    assert np.allclose(played(waves, 50)[:, 0], 3.0 + 2.0 * np.cos(2 * np.pi * (3 * np.arange(50) / 50 - 0.1)))


def test_a_shift_by_whole_frames_moves_frames_round():
    signals = cycle(33)
    assert np.abs(played(shifted(waves_of(signals), 5 / 33), 33) - np.roll(signals, -5, axis=0)).max() < 1e-12


def test_a_blend_has_weighted_sizes_and_the_direction_of_weighted_sines_and_cosines():
    cycles = [waves_of(cycle(30, seed=seed)) for seed in range(3)]
    weights = np.array([0.5, 0.8, -0.3])
    blended = together(Palette(cycles).blended(weights))
    sizes = sum(weight * np.abs(waves) for weight, waves in zip(weights, cycles))
    sines, cosines = (
        sum(weight * wave(np.angle(waves)) for weight, waves in zip(weights, cycles)) for wave in (np.sin, np.cos)
    )
    steady = np.hypot(sines, cosines) >= STEADY
    steady[0] = False
    assert steady.sum() > 20
    assert np.abs(blended - sizes * np.exp(1j * np.arctan2(sines, cosines)))[steady].max() < 1e-12
    assert np.allclose(blended[0], sum(weight * waves[0] for weight, waves in zip(weights, cycles)))


@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_weight_of_one_gives_that_cycle_back_however_many_frames_the_others_have(index):
    cycles = [cycle(frames, seed=frames) for frames in (30, 34, 43)]
    palette = Palette([waves_of(signals) for signals in cycles])
    assert np.abs(palette.played(np.eye(3)[index], len(cycles[index])) - cycles[index]).max() < 1e-12


def test_waves_that_lie_opposite_each_other_do_not_jump_where_one_outweighs_the_other():
    phase = np.arange(40)[:, None] / 40
    palette = Palette([waves_of(sign * np.cos(2 * np.pi * phase)) for sign in (1.0, -1.0)])
    heard = [palette.played(np.array([0.5 + side, 0.5 - side]), 40) for side in np.linspace(-0.2, 0.2, 401)]
    assert np.abs(np.diff(heard, axis=0)).max() < 0.02


def test_a_blend_that_moves_is_at_every_moment_the_blend_with_the_weights_it_then_has():
    palette = Palette([waves_of(cycle(frames, seed=frames)) for frames in (30, 34)])
    shares = np.linspace(0.0, 1.0, 150)
    weights, phases = np.stack([1 - shares, shares], axis=1), np.arange(150) / 31.0
    moving = palette.moving(weights, phases)
    for row in (0, 63, 64, 149):
        still = together(palette.blended(weights[row]))
        wanted = np.sum(still * np.exp(2j * np.pi * np.arange(len(still)) * phases[row])[:, None], axis=0).real
        assert np.abs(moving[row] - wanted).max() < 1e-9


@pytest.mark.parametrize("rows", [0, 1, 13, 31])
def test_the_shift_between_a_cycle_and_itself_begun_later_is_found(rows):
    signals = np.cumsum(cycle(32, 6), axis=0)
    signals -= np.linspace(0, 1, 32)[:, None] * signals[-1]
    found = best_shift(waves_of(np.roll(signals, -rows, axis=0)), waves_of(signals), np.ones(6))
    assert (found * 32 - rows + 0.25) % 32 < 0.5


def test_what_counts_for_nothing_does_not_decide_the_shift():
    phase = np.arange(64) / 64
    one, other = np.sin(2 * np.pi * phase), np.sin(2 * np.pi * (phase - 0.25))
    here, there = waves_of(np.stack([one, one], axis=1)), waves_of(np.stack([other, 9 * one], axis=1))
    assert best_shift(here, there, np.array([1.0, 0.0])) == pytest.approx(0.25)
    assert best_shift(here, there, np.array([0.0, 1.0])) == pytest.approx(0.0)
