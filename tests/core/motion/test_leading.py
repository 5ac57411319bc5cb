# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows before a take that no body could move through: found by the jump, kept out of filters, kept as they are."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.bench.make_moods import clip_of, shipped
from motion_signal.core.body.walking_figure import FIGURE, walk
from motion_signal.core.declare.params import build
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.mixing.mood import to_data
from motion_signal.core.motion.fade import BEGINNING
from motion_signal.core.motion.leading import leading_rows
from motion_signal.core.recipes.opened import opened
from motion_signal.core.techniques import TECHNIQUES, technique

STRONG = {
    "equalize": {"gains": [1.0] * 4 + [2.0] * 8},
    "automate": {"automation": [{"band": 6, "keys": [[1, 1.0], [90, 3.0]]}]},
    "cartoon": {"strength": 2.0},
    "waveshape": {"points": [[0, 0], [0.25, 0.1], [0.75, 0.9], [1, 1]]},
    "style": {"style": to_data(shipped("tired"))},
}


def walking(fps=60.0, frames=240, speed=1.3):
    motion = walk(frames, fps, speed=speed, seed=3)
    return replace(clip_of(motion.rotations, motion.location), fps=fps)


def at_rest_before(clip, rows=1):
    """The take with rows at rest, at the origin, before it: what captures call their T-pose."""
    rest = [FIGURE.held(channel) for channel in clip.channels]
    return clip.with_values(np.concatenate([np.repeat([rest], rows, axis=0), clip.values]))


@pytest.mark.parametrize("fps", [24.0, 60.0, 120.0])
@pytest.mark.parametrize("rows", [0, 1, 2, 12])
def test_they_are_found_by_the_jump(fps, rows):
    assert leading_rows(at_rest_before(walking(fps, round(3 * fps)), rows), FIGURE) == rows


def test_a_bad_row_after_them_is_one_too():
    clip = walking()
    rest = [FIGURE.held(channel) for channel in clip.channels]
    far = [value + 3.0 * (channel.kind == "LOCATION") for channel, value in zip(clip.channels, rest)]
    assert leading_rows(clip.with_values(np.concatenate([[rest, far], clip.values])), FIGURE) == 2


@pytest.mark.parametrize("fps", [24.0, 120.0])
def test_who_starts_or_stops_in_haste_does_not_jump(fps):
    """From a stand to a walk in a tenth of a second, and the other way round."""
    clip = walking(fps, round(4 * fps), 1.8)
    pace = np.clip(np.arange(2 * round(fps)) / (0.1 * fps) - 3.0, 0.0, 1.0)
    for rows in (np.cumsum(pace), np.cumsum(1.0 - pace)):
        at = np.clip(rows, 0, clip.frames - 1)
        moved = np.stack([np.interp(at, np.arange(clip.frames), values) for values in clip.values.T], axis=1)
        assert leading_rows(clip.with_values(moved), FIGURE) == 0


def test_a_cut_within_a_take_is_no_start():
    clip = walking()
    values = np.concatenate(
        [clip.values[:90], clip.values[150:] + 2.0 * np.array([c.kind == "LOCATION" for c in clip.channels])]
    )
    assert leading_rows(clip.with_values(values), FIGURE) == 0


@pytest.mark.parametrize("name", STRONG)
def test_no_filter_lets_them_leak(name):
    """The motion begins as in the take, soon is what it is without them, they are what they were, and it is said."""
    chosen, clip = technique(name), walking()
    params = chosen.fit(build(chosen.params, STRONG[name]), clip.frames, clip.fps)
    alone = chosen.run(clip, params, Surroundings(FIGURE))
    before = replace(at_rest_before(clip, 2), first_frame=clip.first_frame - 2)
    process = chosen.open(before, Surroundings(FIGURE))
    whole = process(params)
    assert np.array_equal(whole.values[:2], before.values[:2])
    begun = 2 + round(BEGINNING * clip.fps)
    assert np.array_equal(whole.values[begun:], alone.values[begun - 2 :])
    steps = np.abs(np.diff(FIGURE.posed(whole)[1] - FIGURE.posed(before)[1], axis=0)).max(axis=(1, 2))
    assert steps[:2].max() < 1e-9 and steps[2] < 0.01 and steps[2] < 0.3 * steps[2:begun].max()
    assert (whole.first_frame, whole.frames) == (before.first_frame, before.frames)
    assert process.told.startswith("frames -1-0 left as they are: the whole figure jumps from there into the motion")


def test_contacts_that_begin_in_them_begin_after_them():
    clip = walking()
    chosen, params = technique("cartoon"), build(technique("cartoon").params, {"strength": 2.0})
    before = at_rest_before(clip)
    planted = [{"left_toe": [[first, 30]]} for first in (1, 2)]
    results = [
        opened(chosen, before, Surroundings(FIGURE, contacts=lambda these=these: these), ScopeParams())(params)
        for these in planted
    ]
    assert np.array_equal(results[0].values, results[1].values)


def test_joints_that_stretch_keep_them_too():
    chosen, before = technique("equalize"), at_rest_before(walking())
    params = build(chosen.params, {"gains": [1.0] * 5 + [1.5] * 7, "target": "POSITIONS"})
    result = chosen.run(before, params, Surroundings(FIGURE))
    assert np.abs(FIGURE.posed(result)[1][0] - FIGURE.posed(before)[1][0]).max() < 1e-9


def test_neutral_is_the_take_and_says_nothing():
    chosen, before = technique("equalize"), at_rest_before(walking())
    process = chosen.open(before, Surroundings(FIGURE))
    assert np.array_equal(process(chosen.params()).values, before.values)
    assert process.told == ""


def test_a_part_of_the_take_says_it_as_well():
    chosen, before = technique("equalize"), at_rest_before(walking())
    params = chosen.fit(build(chosen.params, STRONG["equalize"]), before.frames, before.fps)
    process = chosen.open(before, Surroundings(FIGURE), np.linspace(0.0, 1.0, before.frames))
    process(params)
    assert process.told.startswith("frame 1 left as it is")


def test_whatever_filters_over_time_is_tried_here():
    assert {entry.name for entry in TECHNIQUES if entry.filters} == set(STRONG)
