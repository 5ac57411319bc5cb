# SPDX-License-Identifier: GPL-3.0-or-later
"""Words: what is measured agrees with what is known of the takes, and stretches are where it holds."""

import made_library
import made_takes
import numpy as np
import pytest
from motion_signal.core.library.features import features_of
from motion_signal.core.library.measures import EVERY, NAMES, measured
from motion_signal.core.library.words import BRIDGED, SHORTEST, find_words, known_words, read_words, runs
from motion_signal.core.numeric.refusal import Refusal


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return made_library.library(tmp_path_factory.mktemp("library"))


@pytest.mark.parametrize("name", ["walk", "slow", "run", "fast", "turn"])
def test_speed_and_turn_are_those_that_the_take_was_made_with(name):
    made = made_takes.take(name)
    rows = measured(features_of(made.clip, made.skeleton))[4:-4]  # a second and a half at the ends has less of it
    assert np.median(rows[:, NAMES.index("speed")]) == pytest.approx(made.speed, rel=0.05)
    whole = measured(features_of(made.clip, made.skeleton))[:, NAMES.index("turn")].sum() * EVERY / 30.0
    assert whole == pytest.approx(abs(made.turn), abs=25.0)


def test_steps_are_as_many_as_feet_strike():
    made = made_takes.take("walk")
    steps = measured(features_of(made.clip, made.skeleton))[:, NAMES.index("steps")].sum()
    assert abs(steps - sum(map(len, made.strikes.values()))) <= 1


def test_a_walk_comes_round_and_neither_who_stands_nor_half_a_stride_does():
    made = made_takes.take("walk")
    whole, half = (features_of(made.clip.with_values(made.clip.values[:count]), made.skeleton) for count in (360, 60))
    still = whole.__class__(np.repeat(whole.values[:1], 90, axis=0), np.zeros(90, np.uint8), whole.fps, 1, whole.leg)
    walk, rest, none = (measured(each)[:, NAMES.index("loops")] for each in (whole, still, half))
    assert np.median(walk[: len(walk) // 2]) > 0.8 and not rest.any() and not none.any()


@pytest.mark.parametrize(
    "words, names",
    [
        ("speed > 2", {"run"}),
        ("speed < 0.1", {"kick"}),
        ("speed > 0.5, turn > 25, seconds > 1", {"turn"}),
        ("speed < 1 m/s and strides >= 2", {"slow", "limp", "turn"}),
        ("speed > 7.2 km/h", {"run"}),
    ],
)
def test_words_find_what_they_say(library, words, names):
    assert {hit.path for hit in find_words(library, words, 100)} - names <= set() and find_words(library, words, 100)


def test_stretches_are_the_runs_in_which_it_holds():
    for seed in range(20):
        random = np.random.default_rng(seed)
        starts = np.concatenate([[0], np.cumsum(random.integers(5, 40, 4))])
        good = random.uniform(size=starts[-1]) < 0.7
        assert list(runs(good, starts)) == list(slow_runs(good, starts))


def slow_runs(good, starts):
    """Take by take: gaps between two good moments of no more than so many count as good."""
    for begin, end in zip(starts, starts[1:]):
        marks = [moment for moment in range(begin, end) if good[moment]]
        first = last = None
        for moment in marks:
            if last is not None and moment - last - 1 > BRIDGED:
                if last - first + 1 >= SHORTEST:
                    yield first, last + 1
                first = None
            first, last = moment if first is None else first, moment
        if first is not None and last - first + 1 >= SHORTEST:
            yield first, last + 1


@pytest.mark.parametrize("text", ["sped > 3", "speed >", "speed > fast", "speed > 3 parsecs", "", " , "])
def test_what_is_nothing_measured_is_refused_with_what_there_is(text):
    with pytest.raises(Refusal, match="words: "):
        read_words(text)


@pytest.mark.parametrize("phrase", known_words()[10:])
def test_every_phrase_can_be_asked(library, phrase):
    find_words(library, phrase)
