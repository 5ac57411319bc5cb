# SPDX-License-Identifier: GPL-3.0-or-later
"""A horse, a spider, a bird and a robot with three legs: legs found and feet planted, or it is said what to fill in where."""

from dataclasses import replace

import numpy as np
import pytest
from made_creatures import CREATURES, creature
from motion_signal.core.body.body import planted_points
from motion_signal.core.body.more_feet import more_feet, more_feet_words, whole_table
from motion_signal.core.body.roles import MORE, find_roles
from motion_signal.core.declare.params import build
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.ik.hold import held
from motion_signal.core.ik.planted_feet import lock_feet
from motion_signal.core.numeric.height_field import HeightField
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.paths.on_ground import put_on
from motion_signal.core.recipes.recipe import Recipe, Step
from motion_signal.core.recipes.run import run
from motion_signal.core.techniques import technique
from technique_cases import FIGURE


def standing(down):
    """Rows of every stand of a foot that is whole in the take."""
    edges = np.flatnonzero(np.diff(down.astype(int)))
    return [slice(first + 1, last + 1) for first, last in zip(edges, edges[1:]) if down[first + 1]]


def slides(skeleton, clip, down, names):
    """How far feet get from where they stand, in parts of the figure's height, the worst stand of each."""
    heads = skeleton.posed(clip)[1]
    return [
        max(np.ptp(heads[rows, skeleton.index(name)], axis=0).max() for rows in standing(down[name])) / heads[0, 0, 2]
        for name in names
    ]


@pytest.mark.parametrize("name", CREATURES)
def test_the_made_walk_stands_on_its_feet(name):
    skeleton, clip, down = creature(name)
    assert max(slides(skeleton, clip, down, down)) < 1e-9


def ends_of(skeleton):
    """The bones of all feet, and of hands, that are known."""
    table = whole_table(skeleton, find_roles(skeleton))
    return {name for role, name in table.items() if name and role.endswith(("_foot", "_hand"))}


@pytest.mark.parametrize("name", CREATURES)
def test_every_foot_is_known(name):
    skeleton, _, down = creature(name)
    assert ends_of(skeleton) == set(down) and more_feet_words(skeleton) == ""
    table = find_roles(skeleton).table()
    assert table["head"] not in down and table["spine"] not in down


def test_a_body_on_two_legs_has_no_more():
    assert find_roles(FIGURE).further == () and whole_table(FIGURE, find_roles(FIGURE)) == find_roles(FIGURE).table()


def test_feet_that_are_not_found_are_named_in_words_and_planted_when_they_are_filled_in():
    """What the sentence says is so."""
    skeleton, clip, down = creature("robot")
    without = skeleton.corrected({MORE: ""})
    (foot,) = more_feet(without)
    assert foot in down and more_feet_words(without).startswith(f"{foot} stands on the ground too: name")
    filled = without.corrected({MORE: foot})
    assert ends_of(filled) == set(down) and more_feet_words(filled) == ""
    with pytest.raises(Refusal, match="roles more_feet: the armature has no bone 'wheel'"):
        find_roles(without.corrected({MORE: "wheel"}))
    with pytest.raises(Refusal, match="roles more_feet: upper_strut0 has no leg of two bones above it"):
        lock_feet(clip, without.corrected({MORE: "upper_strut0"}))


@pytest.mark.parametrize("name", CREATURES)
def test_all_feet_are_found_planted_and_stay_so_after_strong_edits(name):
    """By the feet of the walk as it was made: planted as in the take, and locked, where the edit alone slides."""
    skeleton, clip, down = creature(name)
    contacts = planted_points(clip, Surroundings(skeleton))
    assert all(len(intervals) >= 3 for point, intervals in contacts.items() if point.endswith("toe"))
    louder = Step(technique("equalize"), build(technique("equalize").params, {"gains": [1.0] * 4 + [1.5] * 8}), ScopeParams())
    off = {
        feet: max(slides(skeleton, run(Recipe((replace(louder, scope=ScopeParams(feet=feet)),)), clip, skeleton), down, down))
        for feet in ("FREE", "TAKE", "LOCKED")
    }
    assert off["FREE"] > 0.02 and off["TAKE"] < 0.02 and off["LOCKED"] < 0.02


@pytest.mark.parametrize("name", CREATURES)
def test_all_feet_stand_on_a_slope(name):
    skeleton, clip, down = creature(name)
    sole = 0.5 * CREATURES[name][0].foot[2]
    corners = [[x, y, 0.17 * y + sole] for x, y in ((-9, -9), (9, -9), (9, 9), (-9, 9))]
    hill = HeightField(corners, [[0, 1, 2], [0, 2, 3]])
    result, words = put_on(clip, skeleton, hill, "Hill")
    heads, level = skeleton.posed(result)[1], skeleton.posed(clip)[1]
    tall = level[0, 0, 2]
    for foot, planted in down.items():
        there, before = (each[:, skeleton.index(foot)] for each in (heads, level))
        high = there[:, 2] - 0.17 * there[:, 1]
        for rows in standing(planted):
            assert np.abs(high[rows] - before[rows, 2]).max() < 0.03 * tall, (foot, words)


@pytest.mark.parametrize("name", ["spider", "robot"])
def test_feet_that_are_named_in_held_stay_on_their_paths(name):
    """What the sentence says is so."""
    skeleton, clip, down = creature(name, 90)
    entry = technique("equalize")
    louder = build(entry.params, {"gains": [1.0] * 4 + [1.3] * 8})
    result = held(entry, clip, louder, Surroundings(skeleton), sorted(ends_of(skeleton)))
    before, after = (skeleton.posed(each)[1] for each in (clip, result.clip))
    indices = [skeleton.index(foot) for foot in down]
    assert np.linalg.norm((after - before)[:, indices], axis=2).max() < 0.01 * before[0, 0, 2]
