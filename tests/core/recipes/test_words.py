# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers one can trust: slide, turns, knees and depth are said of every body, on slopes, in other units, moved in time."""

import numpy as np
import pytest
from made_creatures import creature
from motion_signal.core.declare.params import build
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.numeric.height_field import HeightField
from motion_signal.core.recipes.figure import Figure
from motion_signal.core.recipes.recipe import Step
from motion_signal.core.recipes.run import Run
from motion_signal.core.recipes.whole import Whole
from motion_signal.core.recipes.words import run_words
from motion_signal.core.techniques import technique
from other_rests import grown
from technique_cases import CASES, FIGURE, loud, walking

WALK, FREE, HILL = walking(), ScopeParams(feet="FREE"), ScopeParams(ground="Hill", feet="TAKE")
DOWNHILL = HeightField([[x, y, 0.18 * y] for x, y in ((-9, -9), (9, -9), (9, 9), (-9, 9))], [[0, 1, 2], [0, 2, 3]])
WAY = np.array([[0.0, -way, 0.0] for way in np.linspace(0.0, 3.2, 6)])


def said(skeleton, clip, name="equalize", scope=FREE, **params):
    run = Run(Whole(clip), Figure(skeleton), grounds={"Hill": DOWNHILL})
    params = params or {"gains": loud(1.0)}
    run.do(Step(technique(name), build(technique(name).params, params), scope), exact=True)
    return run_words(run)


def test_every_leg_of_a_creature_is_looked_at():
    skeleton, clip, _ = creature("spider")
    words = said(skeleton, clip)
    assert "they slid 0 mm before" in words and "leg" in words.split("; ")[-1] and "deeper in the ground" in words


@pytest.mark.parametrize("height", [0.18, -0.18], ids=["uphill", "downhill"])
def test_a_path_that_rises_or_falls_is_the_ground(height):
    """Level ground would be half a metre off."""
    there = (WAY + np.outer(-height * WAY[:, 1], [0.0, 0.0, 1.0])).tolist()
    more = {"path": {"control": there}, "original": {"control": WAY.tolist()}, "height": "FOLLOW", "timing": "KEEP"}
    words = said(FIGURE, WALK, "path", ScopeParams(), **more)
    assert "they slid" in words and "deeper in the ground" not in words


def test_a_mesh_is_the_ground():
    words = said(FIGURE, WALK, scope=HILL)
    assert "they slid" in words and "deeper in the ground" not in words


def test_centimetres_say_the_same():
    skeleton, (clip,) = grown(FIGURE, [WALK], 100.0, world=True)
    assert said(skeleton, clip) == said(FIGURE, WALK)


@pytest.mark.parametrize("case", [case for case in CASES if case.entry.retimes], ids=str)
def test_moved_in_time_says_them_too(case):
    run = Run(Whole(case.clip), Figure(FIGURE), case.around.takes)
    run.do(Step(case.entry, case.of(1.0), ScopeParams()), exact=True)
    words = run_words(run)
    assert "they slid" in words and ("no joint jumps" in words or "in frame" in words)
