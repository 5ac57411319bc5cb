# SPDX-License-Identifier: GPL-3.0-or-later
"""The smoothed second derivative: as the formula says, at any frame rate, from end to end."""

import numpy as np
import pytest
from motion_signal.core.numeric.acceleration import Accelerations
from scipy.ndimage import gaussian_filter1d

FPS = 120.0
TIME = np.arange(601) / FPS


def test_it_is_the_second_derivative_of_a_gaussian_turned_over(smooth):
    """In the middle of a long signal, where ends play no part, scipy's own filter says the same."""
    signals, time = smooth(601, 4, fps=FPS), 0.08
    wanted = -(time**2) * FPS**2 * gaussian_filter1d(signals, time * FPS, axis=0, order=2, truncate=8.0)
    found = Accelerations(signals, FPS).swung(time)
    assert np.abs(found - wanted)[150:-150].max() < 2e-3 * np.abs(wanted).max()


@pytest.mark.parametrize("time", [0.05, 0.1, 0.2])
def test_a_step_swings_out_by_what_the_formula_says(time):
    step = np.where(TIME < 2.5, 0.0, np.where(TIME > 2.5, 1.0, 0.5))[:, None]
    away = (TIME - 2.5) / time
    wanted = away * np.exp(-0.5 * away**2) / np.sqrt(2 * np.pi)
    found = Accelerations(step, FPS).swung(time)[:, 0]
    assert np.abs(found - wanted).max() < 2e-3
    assert abs(TIME[found.argmax()] - 2.5 - time) < 0.01 and abs(TIME[found.argmin()] - 2.5 + time) < 0.01


def test_ends_and_straight_lines_do_not_swing(smooth):
    signals = smooth(300, 3, fps=FPS)
    swung = Accelerations(signals, FPS).swung(0.1)
    assert np.abs(swung[[0, -1]]).max() < 1e-9
    line = np.outer(np.arange(300), [1.0, -0.3]) + [4.0, 5.0]
    assert np.abs(Accelerations(line, FPS).swung(0.1)).max() < 1e-9


def test_a_wave_of_a_loop_is_raised_by_its_pace():
    pace, time = 2 * np.pi * 2.0, 0.1
    wave = np.cos(pace * TIME)[:, None]
    gain = (pace * time) ** 2 * np.exp(-0.5 * (pace * time) ** 2)
    assert np.abs(Accelerations(wave, FPS, loop=True).swung(time) - gain * wave).max() < 1e-9


def test_a_delay_of_any_part_of_a_frame_comes_that_much_later():
    pace, time, delay = 2 * np.pi * 1.0, 0.1, 0.0437
    wave = np.sin(pace * TIME)[:, None]
    gain = (pace * time) ** 2 * np.exp(-0.5 * (pace * time) ** 2)
    found = Accelerations(np.hstack([wave, wave]), FPS, loop=True).swung(time, np.array([0.0, delay]))
    assert np.abs(found - gain * np.sin(pace * (TIME[:, None] - [0.0, delay]))).max() < 1e-9


@pytest.mark.parametrize("hertz", [0.8, 1.5, 2.5])
def test_the_time_that_is_found_raises_the_motions_own_pace_most(hertz):
    """x^2 exp(-x^2 / 2) is largest at the square root of two."""
    wave = np.sin(2 * np.pi * hertz * TIME)[:, None]
    assert Accelerations(wave, FPS).time() == pytest.approx(np.sqrt(2) / (2 * np.pi * hertz), rel=0.03)


def test_the_time_that_is_found_does_not_depend_on_the_frame_rate_or_on_noise(smooth):
    random = np.random.default_rng(0)
    signals = smooth(601, 5, fps=FPS, fastest=2.0)
    found = Accelerations(signals, FPS).time()
    assert Accelerations(signals[::5], FPS / 5).time() == pytest.approx(found, rel=1e-3)
    assert Accelerations(signals + 1e-3 * random.normal(size=signals.shape), FPS).time() == pytest.approx(found, rel=0.01)
    assert Accelerations(np.ones((10, 2)), FPS).time() > 0
