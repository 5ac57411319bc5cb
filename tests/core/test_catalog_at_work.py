# SPDX-License-Identifier: GPL-3.0-or-later
"""What every technique in the catalog must do when it changes something, and when it changes next to nothing."""

import copy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from motion_signal.core.motion.fade import range_weights
from motion_signal.core.techniques import TECHNIQUES, technique
from technique_cases import CASES, FIGURE, kept, walking

LEAST = 1e-6  # next to nothing
KEYS_ALONE = {"reduce"}  # techniques that leave the motion as it is
OF_OTHERS = {"retarget"}  # techniques that put the motion of another figure in its place: tests/core/retargeting

every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_steady_case = pytest.mark.parametrize("case", [case for case in CASES if not case.entry.retimes], ids=str)


@pytest.fixture(scope="module")
def done():
    """What comes of a case, kept."""
    return cache(lambda case: case.run())


def apart(result, clip):
    """The farthest that a channel of the clip is off in the result, and of what else is in it from what its bone holds."""
    whole = clip.with_channels(result.channels, [FIGURE.held(channel) for channel in result.channels])
    assert whole.channels == result.channels and whole.frames == result.frames
    return np.abs(result.values - whole.values).max()


def same(result, other):
    return (result.channels, result.fps, result.first_frame) == (other.channels, other.fps, other.first_frame) and (
        np.array_equal(result.values, other.values)
    )


def test_every_technique_is_tried():
    assert {case.name for case in CASES} | KEYS_ALONE | OF_OTHERS == {entry.name for entry in TECHNIQUES}


@every_case
def test_it_changes_the_take(case, done):
    clip, result = case.clip, done(case)
    assert result.frames != clip.frames or apart(result, clip) > 0.01


@every_case
def test_channels_keep_their_order_and_frames_their_place(case, done):
    clip, result = case.clip, done(case)
    assert result.channels[: len(clip.channels)] == clip.channels and len(set(result.channels)) == len(result.channels)
    assert (result.fps, result.first_frame) == (clip.fps, clip.first_frame)
    assert case.entry.retimes or result.frames == clip.frames


@every_case
def test_everything_in_it_is_a_number(case, done):
    assert np.isfinite(done(case).values).all()


@every_case
def test_whichever_order_the_channels_come_in_they_get_the_same(case, done):
    clip, order = case.clip, np.random.default_rng(1).permutation(len(case.clip.channels))
    mixed = replace(clip, values=clip.values[:, order], channels=tuple(clip.channels[column] for column in order))
    result = case.entry.run(mixed, case.of(1.0), case.around)
    columns = {channel: values for channel, values in zip(result.channels, result.values.T)}
    wanted = done(case)
    assert columns.keys() == set(wanted.channels)
    assert np.abs(np.column_stack([columns[channel] for channel in wanted.channels]) - wanted.values).max() < 1e-7


@every_case
def test_neither_take_nor_others_nor_parameters_are_written_to(case, done):
    """Their arrays are handed over so that they could be."""
    clips = {name: unguarded(clip) for name, clip in {"": case.clip, **case.around.takes}.items()}
    before, params = {name: clip.values.copy() for name, clip in clips.items()}, case.of(1.0)
    asked = copy.deepcopy(params)
    process = case.entry.open(clips[""], replace(case.around, takes={name: clips[name] for name in ("fast", "slow")}))
    for result in (process(params), process(params)):
        assert same(result, done(case))
    assert params == asked
    for name, clip in clips.items():
        assert clip.values.flags.writeable and np.array_equal(clip.values, before[name]), name


def unguarded(clip):
    """A clip whose values can be written to."""
    clip = replace(clip)
    object.__setattr__(clip, "values", clip.values.copy())
    return clip


@every_case
def test_a_process_gives_for_other_parameters_what_a_fresh_one_gives(case, done):
    process = case.entry.open(case.clip, case.around)
    wanted = {1.0: done(case), 0.5: case.run(0.5), 0.0: case.run(0.0)}
    for amount in (0.5, 1.0, 0.0, 1.0, 0.5):
        assert same(process(case.of(amount)), wanted[amount]), amount
    assert not any(same(wanted[one], wanted[other]) for one, other in ((0.5, 1.0), (0.0, 0.5)))


@pytest.mark.parametrize("case", [case for case in CASES if case.limit], ids=str)
def test_next_to_nothing_is_close_to_the_take(case):
    """Not by a way out for neutral parameters, but by the way that everything goes."""
    limit, result = case.limit(case.clip), case.run(LEAST)
    assert result is not case.clip
    assert apart(result, limit) < 10.0 * LEAST + case.off


@pytest.mark.parametrize("case", [case for case in CASES if case.limit and not case.off and case.name != "cycle"], ids=str)
def test_twice_as_much_of_next_to_nothing_is_twice_as_far(case):
    limit = case.limit(case.clip)
    once, twice = (apart(case.run(amount), limit) for amount in (1e-4, 2e-4))
    assert 0.0 < once < 1e-3 and twice == pytest.approx(2.0 * once, rel=0.05)


@every_steady_case
def test_without_weight_it_is_the_take_to_the_bit(case):
    result = case.run(weights=np.zeros(case.clip.frames))
    assert apart(result, case.clip) == 0.0


@every_steady_case
def test_with_full_weight_it_is_the_result(case, done):
    result = case.run(weights=np.ones(case.clip.frames))
    assert result.channels == done(case).channels and np.abs(result.values - done(case).values).max() < 1e-6


@every_steady_case
def test_in_a_range_the_rest_is_the_take_to_the_bit_and_the_middle_the_result(case, done):
    weights = range_weights(case.clip.frames, 20, 60, 8, 8)
    result = case.run(weights=weights)
    whole = case.clip.with_channels(result.channels, [FIGURE.held(channel) for channel in result.channels])
    assert np.array_equal(result.values[weights == 0], whole.values[weights == 0])
    assert np.abs(result.values - done(case).values)[weights == 1].max() < 1e-6
    assert np.abs(result.values - whole.values)[weights == 1].max() > 0.01


@pytest.mark.parametrize("name", sorted(KEYS_ALONE))
def test_what_changes_keys_alone_leaves_the_motion(name):
    assert same(technique(name).run(kept(walking), technique(name).params()), kept(walking))
