# SPDX-License-Identifier: GPL-3.0-or-later
"""Sections that are slowed or hurried: what comes after them goes along, and nothing else changes its speed."""

import numpy as np
import pytest
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.techniques.time.timewarp import EASE, TIMEWARP, TimewarpParams
from motion_signal.core.timing.sections import (
    Section,
    at_percent,
    dragged,
    fits,
    moves_of,
    sections_of,
    starts_of,
    with_section,
)

TWO = [Section(20, 40, 40), Section(100, 140, 20)]  # half as fast, twice as fast


def test_moves_and_sections_say_the_same():
    assert moves_of(0, TWO) == [(20, 20), (40, 60), (100, 120), (140, 140)]
    assert sections_of(moves_of(0, TWO)) == (0, TWO) and starts_of(0, TWO) == [20, 120]
    assert [section.percent for section in TWO] == [50.0, 200.0]


def test_a_new_section_takes_the_place_of_those_it_overlaps():
    assert with_section(TWO, 120, 130, 50.0) == [TWO[0], Section(120, 130, 20)]
    assert with_section([], 60, 30, 25.0) == [Section(30, 60, 120)]


def test_a_hundred_percent_is_no_section():
    assert at_percent(TWO, 0, 100.0) == TWO[1:]


def test_ends_are_dragged():
    assert dragged(TWO, 0, 20, 20, 50) == [Section(20, 40, 30), TWO[1]]
    assert dragged(TWO, 1, 120, 125, 145)[1] == Section(105, 145, 20)
    assert dragged(TWO, 0, 20, 30, 60)[0] == Section(30, 40, 20)
    assert fits(TWO, 1, 150) and not fits(TWO, 30, 150) and not fits([Section(20, 40, 1)], 1, 150)


@pytest.mark.parametrize("start, end, percent", [(20, 21, 50.0), (20, 40, 0.0), (20, 40, float("nan"))])
def test_what_is_no_section_is_refused(start, end, percent):
    with pytest.raises(Refusal, match="too short|no speed"):
        with_section([], start, end, percent)


def test_the_rest_keeps_its_speed_and_no_frame_jumps():
    """A ramp that rises by 1 a frame tells the speed of every moment."""
    fps = 24.0
    clip = Clip(np.arange(160.0)[:, None], (Channel("location", 0, "LOCATION"),), fps, 1)
    ease = round(EASE * fps)
    params = TimewarpParams(moves=tuple(moves_of(0, TWO)))
    speed = np.diff(TIMEWARP.run(clip, params).values[:, 0])
    assert len(speed) == 159 and abs(speed.min() - 0.42) < 0.1 and speed.max() < 2.5
    for first, last in ((1, 20 - ease), (60 + ease, 120 - ease), (140 + ease, 159)):
        assert np.abs(speed[first - 1 : last - 1] - 1.0).max() < 1e-9, first
    assert np.abs(np.diff(speed)).max() < 0.25  # it comes and goes over frames
