# SPDX-License-Identifier: GPL-3.0-or-later
"""Closing: the paper's ramp, and speeds that meet as well."""

import numpy as np
import pytest
from motion_signal.core.cycles.closing import SEAM, closed, closed_steps

FPS = 30.0


@pytest.fixture
def open_signals(smooth):
    return smooth(61, 5) + np.linspace(0.0, 0.4, 61)[:, None]


@pytest.mark.parametrize("way", ["VELOCITY", "RAMP", "SEAM"])
def test_the_end_is_the_start(way, open_signals):
    result = closed(open_signals, FPS, way)
    assert (result[0] == result[-1]).all()
    middle = 0.5 * (open_signals[0] + open_signals[-1])
    assert np.abs(result[0] - middle).max() < 1e-12  # equal and opposite amounts


def test_the_ramp_is_that_of_the_paper(open_signals):
    gap = open_signals[-1] - open_signals[0]
    wanted = np.array([row + gap / 2 - gap * frame / 60 for frame, row in enumerate(open_signals)])
    assert np.abs(closed(open_signals, FPS, "RAMP") - wanted).max() < 1e-12


@pytest.mark.parametrize("way", ["VELOCITY", "SEAM"])
@pytest.mark.parametrize("frames", [5, 6, 12, 61])
def test_it_arrives_as_fast_as_it_leaves(way, frames, open_signals):
    result = closed(open_signals[:frames], FPS, way)
    assert np.abs((result[1] - result[0]) - (result[-1] - result[-2])).max() < 1e-9


def test_far_from_the_seam_a_seam_changes_nothing(open_signals):
    result = closed(open_signals, FPS, "SEAM")
    radius = int(np.ceil(SEAM * FPS))
    assert (result[radius:-radius] == open_signals[radius:-radius]).all()


@pytest.mark.parametrize("way", ["VELOCITY", "RAMP", "SEAM"])
def test_what_is_closed_stays_as_it_is(way):
    signals = np.sin(2 * np.pi * np.arange(61) / 60)[:, None]
    assert np.abs(closed(signals, FPS, way) - signals).max() < 0.01
    assert np.abs(closed(closed(signals, FPS, way), FPS, way) - closed(signals, FPS, way)).max() < 1e-12


@pytest.mark.parametrize("start", [0.0, 5.0, -20.0])
def test_angles_that_have_come_round_keep_their_turns(start):
    spinning = start + np.linspace(0.0, 4 * np.pi + 0.1, 61)[:, None]
    result = closed(spinning, FPS, turns=4 * np.pi)
    assert result[-1, 0] - result[0, 0] == pytest.approx(4 * np.pi)
    assert closed(spinning, FPS)[-1, 0] == closed(spinning, FPS)[0, 0]


def test_steps_lead_on_into_the_first_and_come_as_far(smooth):
    steps = smooth(80, 3) + 1.0
    result = closed_steps(steps, slice(10, 60))
    assert np.abs(result.sum(axis=0) - steps[10:60].sum(axis=0)).max() < 1e-9
    assert np.abs((result[0] - result[-1]) - (steps[60] - steps[59])).max() < 0.05 * np.abs(steps[60] - steps[10]).max()
