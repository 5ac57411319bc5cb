# SPDX-License-Identifier: GPL-3.0-or-later
"""Alignments and the pace that aligned takes share."""

import numpy as np
import pytest
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.mixing.weights import BlendTake
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.timing.align import ALIGNMENTS, SLOWEST, paced

CHANNELS = (Channel('["effort"]', 0),)


def still(frames):
    return Clip(np.zeros((frames, 1)), CHANNELS, 30.0, 1)


def bent(frames, last):
    """An alignment that is quick in its first half."""
    return np.interp(np.arange(frames), [0.0, frames / 2, frames - 1.0], [0.0, 0.8 * last, last])


def test_stretching_puts_start_on_start_and_end_on_end():
    rows = ALIGNMENTS["STRETCH"](still(50), still(99), BlendTake("b"), None)
    assert rows[0] == 0 and rows[-1] == 98 and np.allclose(np.diff(rows), 2.0)


def test_anchors_are_met_and_time_never_goes_back():
    take = BlendTake("b", anchors=((51, 21), (61, 151)))
    rows = ALIGNMENTS["ANCHORS"](still(101), still(201), take, Surroundings(takes={"b": still(201)}))
    assert np.allclose(rows[[0, 50, 60, 100]], [0.0, 20.0, 150.0, 200.0]) and (np.diff(rows) > 0).all()


@pytest.mark.parametrize("take", [0, 1])
def test_a_take_with_all_the_weight_keeps_its_own_pace(take):
    alignments = np.stack([np.arange(80.0), bent(80, 119.0)])
    rows, times = paced(alignments, np.eye(2)[:, [take]])
    assert np.abs(times[take] - np.arange(len(rows))).max() < 1e-9
    assert np.abs(np.interp(rows, alignments[0], alignments[1]) - times[1]).max() < 1e-9


def test_the_length_is_the_weighted_mean_of_lengths_and_every_moment_comes_at_the_mean_of_its_times():
    alignments = np.stack([np.arange(101.0), bent(101, 200.0)])
    rows, times = paced(alignments, np.array([[0.75], [0.25]]))
    assert len(rows) == 126 and np.allclose(times[:, -1], [100.0, 200.0])
    assert np.abs(0.75 * times[0] + 0.25 * times[1] - np.arange(126)).max() < 1e-9


def test_shares_that_change_change_the_pace_while_they_do():
    share = np.where(np.arange(101) < 50, 0.0, 1.0)
    rows, _ = paced(np.stack([np.arange(101.0), 3.0 * np.arange(101.0)]), np.stack([1.0 - share, share]))
    assert np.allclose(np.diff(rows)[:45], 1.0, atol=0.01) and np.allclose(np.diff(rows)[-100:], 1 / 3, atol=0.01)


def test_time_goes_on_whatever_the_weights():
    alignments = np.stack([np.arange(101.0), 3.0 * np.arange(101.0)])
    rows, times = paced(alignments, np.array([[2.0], [-1.0]]))
    assert len(rows) == round(SLOWEST * 100) + 1 and (np.diff(times) > 0).all()
