# SPDX-License-Identifier: GPL-3.0-or-later
"""Wavelets: every family gives signals back, levels are octaves, factors act where and when they say."""

import numpy as np
import pytest
from motion_signal.core.numeric.wavelets import Wavelets, families, level_count, level_edges

EXACT = 1e-9


@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize("frames", [3, 37, 128, 301])
def test_every_family_gives_signals_back(frames, cyclic):
    signals = np.random.default_rng(0).normal(size=(frames, 2))
    for family in families():
        levels = Wavelets(signals, family, cyclic)
        assert np.abs(levels.weighted(np.ones(levels.count + 1)) - signals).max() < EXACT, family


def test_all_common_families_are_there_and_the_one_that_is_not_exact_is_not():
    found = families()
    assert {"haar", "db4", "sym8", "coif3", "bior2.2", "rbio3.5"} <= set(found) and "dmey" not in found
    assert len(found) > 100


def test_a_family_that_does_not_exist_is_refused_by_name():
    with pytest.raises(ValueError, match="family: there is no wavelet 'daubechies'"):
        Wavelets(np.zeros((30, 1)), "daubechies")


def test_parts_add_up():
    signals = np.random.default_rng(1).normal(size=(200, 3))
    levels = Wavelets(signals, "db4")
    each = [levels.weighted(row) for row in np.eye(levels.count + 1)]
    assert np.abs(sum(each) - signals).max() < EXACT


@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_wave_is_mostly_in_the_level_that_is_labelled_with_its_hz(level, cyclic):
    fps, frames = 120.0, 480
    low, high = level_edges(4, fps)[level]
    wave = np.sin(2 * np.pi * np.sqrt(low * high) * np.arange(frames) / fps)[:, None]
    levels = Wavelets(wave, "db8", cyclic)
    energies = [np.sum(levels.weighted(row) ** 2) for row in np.eye(levels.count + 1)]
    assert np.argmax(energies) == level and energies[level] > 0.8 * sum(energies)


@pytest.mark.parametrize("family", ["haar", "db4", "sym6", "bior2.2"])
@pytest.mark.parametrize("cyclic", [False, True])
def test_what_is_taken_out_at_a_time_is_missing_there_and_nowhere_else(family, cyclic):
    signals = np.random.default_rng(2).normal(size=(256, 1))
    levels = Wavelets(signals, family, cyclic)
    for level in range(2):
        factors = [1.0] * (levels.count + 1)
        factors[level] = lambda rows: np.where(np.abs(rows - 128.0) < 20.0, 0.0, 1.0)
        changed = np.abs(levels.weighted(factors) - signals)[:, 0]
        radius = 2 ** (level + 1) * levels.wavelet.dec_len
        assert (
            changed[118:138].max() > 0.2
            and changed[: 128 - 20 - radius].max() < EXACT
            and changed[148 + radius :].max() < EXACT
        )
        middle = np.sum(np.arange(256) * changed**2) / np.sum(changed**2)
        assert middle == pytest.approx(128.0, abs=6.0)


def test_a_cycle_begun_later_is_the_same_cycle_when_the_shift_is_a_step_of_the_coarsest_level():
    signals = np.random.default_rng(3).normal(size=(128, 2))
    levels, shifted = Wavelets(signals, "db2", True), Wavelets(np.roll(signals, 64, axis=0), "db2", True)
    factors = np.linspace(0.0, 1.0, levels.count + 1)
    assert np.abs(np.roll(levels.weighted(factors), 64, axis=0) - shifted.weighted(factors)).max() < EXACT


def test_short_signals_are_coarse_alone():
    assert level_count(3, "db4") == 0
    assert Wavelets(np.arange(3.0)[:, None], "db4").weighted([2.0])[:, 0] == pytest.approx([0.0, 2.0, 4.0])
