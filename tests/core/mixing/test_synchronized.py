# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes in step: one alone is itself, events meet, time lies in between, cycles go round."""

import numpy as np
import pytest
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.mixing.synchronized import Synchronized, Track
from motion_signal.core.motion.clip import Channel, Clip

FPS = 30.0


def plain(*columns):
    return Clip(np.column_stack(columns), tuple(Channel(f'["{index}"]', 0) for index in range(len(columns))), FPS, 1)


def in_step(clips, events, cyclic=False):
    missing = [np.zeros(len(clips[0].channels), dtype=bool)] * len(clips)
    return Synchronized(list(clips), events, missing, Surroundings(), cyclic)


def bump(frames, middle):
    """A wave that has its one crest at a frame."""
    return np.exp(-0.5 * ((np.arange(frames) - middle) / 4.0) ** 2)


@pytest.mark.parametrize("take", [0, 1])
def test_one_take_alone_is_itself_at_its_own_frames(take):
    clips = plain(bump(60, 20)), plain(bump(91, 55))
    result = in_step(clips, [[20.0], [55.0]]).mixed(np.eye(2)[take]).clip
    assert np.abs(result.values - clips[take].values).max() < 1e-12


@pytest.mark.parametrize("weight", [0.25, 0.5, 0.8, 1.2])
def test_an_event_is_between_its_times_and_the_mix_as_long_as_the_mean(weight):
    clips = plain(bump(61, 20)), plain(bump(91, 56))
    result = in_step(clips, [[20.0], [56.0]]).mixed(np.array([1.0 - weight, weight])).clip
    assert result.frames - 1 == round(60 + 30 * weight)
    assert np.argmax(result.values[:, 0]) == pytest.approx(20 + 36 * weight, abs=1.0)
    assert result.values.max() == pytest.approx(1.0, abs=0.01)  # crests lie on each other


def test_without_events_crests_stay_apart():
    clips = plain(bump(61, 20)), plain(bump(91, 56))
    result = in_step(clips, [[], []]).mixed(np.array([0.5, 0.5])).clip
    assert result.values.max() < 0.7


def test_time_that_would_run_back_is_refused():
    pair = in_step((plain(bump(61, 20)), plain(bump(91, 56))), [[20.0, 30.0], [26.0, 70.0]])
    with pytest.raises(ValueError, match="amount: .* time would run back between events, at rows 20 and 30, 26 and 70"):
        pair.rows(np.array([3.0, -2.0]))


def test_cycles_go_on_and_on_and_close():
    time = [np.arange(count + 1) / count for count in (40, 61)]
    waves = [plain(np.sin(2 * np.pi * fraction), np.cos(4 * np.pi * fraction)) for fraction in time]
    pair = in_step(waves, [[0.0, 20.0], [0.0, 30.5]], cyclic=True)
    result = pair.mixed(np.array([0.5, 0.5]), rounds=3, around=10).clip
    assert result.frames == round(3 * 50.5) + 1 + 20
    phase = 2 * np.pi * (np.arange(result.frames) - 10) / (result.frames - 21) * 3
    assert np.abs(result.values - np.column_stack([np.sin(phase), np.cos(2 * phase)])).max() < 2e-3


def test_a_cycle_that_begins_elsewhere_is_brought_in_step():
    early, late = (plain(np.sin(2 * np.pi * np.arange(61) / 60 + shift)) for shift in (0.0, -1.0))
    pair = in_step((early, late), [[15.0, 45.0], [15.0 + 60 / (2 * np.pi), 45.0 + 60 / (2 * np.pi)]], cyclic=True)
    result = pair.mixed(np.array([0.5, 0.5])).clip
    assert np.abs(result.values[:, 0] - np.sin(2 * np.pi * np.arange(61) / 60 - 0.5)).max() < 2e-3


def test_the_difference_added_to_the_one_is_the_other_at_the_time_of_the_one():
    pair = in_step((plain(bump(61, 20)), plain(bump(91, 56))), [[20.0], [56.0]])
    moved = pair.mixed(np.array([1.0, 0.0]), more=pair.added(pair.difference(1))).clip
    assert moved.frames == 61 and np.argmax(moved.values[:, 0]) == 20
    none = pair.mixed(np.array([1.0, 0.0]), more=pair.added(0.0 * pair.difference(1))).clip
    assert np.abs(none.values[:, 0] - bump(61, 20)).max() < 1e-12


def test_a_track_of_a_cycle_counts_on_what_it_gains_each_time_round():
    track = Track(np.arange(11.0)[:, None] * [1.0, 0.0], cyclic=True)
    assert np.allclose(track.at(np.array([-12.5, -0.5, 3.25, 27.75]))[:, 0], [-12.5, -0.5, 3.25, 27.75])


def test_events_that_a_take_has_in_one_frame_are_one():
    clips = plain(bump(60, 20)), plain(bump(61, 30))
    assert np.array_equal(
        in_step(clips, [[5.0, 5.0, 20.0], [5.0, 8.0, 30.0]]).knots, in_step(clips, [[5.0, 20.0], [5.0, 30.0]]).knots
    )
