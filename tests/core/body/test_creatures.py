# SPDX-License-Identifier: GPL-3.0-or-later
"""A horse, a spider, a bird and a robot with three legs: legs found and feet planted, or it is said what to fill in where."""

import numpy as np
import pytest
from made_creatures import CREATURES, creature
from motion_signal.core.body.body import planted_points
from motion_signal.core.body.more_feet import more_feet, more_feet_words
from motion_signal.core.body.roles import find_roles
from motion_signal.core.declare.params import build
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.ik.hold import held
from motion_signal.core.ik.planted_feet import lock_feet
from motion_signal.core.techniques import technique


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


@pytest.mark.parametrize("name, known", [("horse", 4), ("spider", 4), ("bird", 2), ("robot", 2)])
def test_every_foot_is_known_or_named_in_words(name, known):
    skeleton, _, down = creature(name)
    table = find_roles(skeleton).table()
    found = {table[end] for end in ("left_foot", "right_foot", "left_hand", "right_hand") if table[end]}
    assert len(found) == known and found | set(more_feet(skeleton)) == set(down)
    assert table["head"] not in down and table["spine"] not in down
    words = more_feet_words(skeleton)
    assert (words == "") == (known == len(down))
    assert all(foot in words for foot in set(down) - found)


@pytest.mark.parametrize("name", CREATURES)
def test_known_feet_are_found_planted_and_stay_so(name):
    """Locked after a strong edit, feet stand as they stood; a lock alone moves nothing that stood."""
    skeleton, clip, down = creature(name)
    contacts, table = planted_points(clip, Surroundings(skeleton)), find_roles(skeleton).table()
    feet = [table[foot] for foot in ("left_foot", "right_foot")]
    assert all(len(contacts[point]) >= 3 for point in ("left_toe", "right_toe"))
    louder = build(technique("equalize").params, {"gains": [1.0] * 4 + [1.5] * 8})
    edited = technique("equalize").run(clip, louder, Surroundings(skeleton))
    assert max(slides(skeleton, edited, down, feet)) > 0.02
    assert max(slides(skeleton, lock_feet(edited, skeleton, contacts), down, feet)) < 0.02


@pytest.mark.parametrize("name", ["spider", "robot"])
def test_feet_that_are_named_in_held_stay_on_their_paths(name):
    """What the sentence says is so."""
    skeleton, clip, down = creature(name, 90)
    table = find_roles(skeleton).table()
    ends = [table[end] for end in ("left_foot", "right_foot", "left_hand", "right_hand") if table[end]]
    entry = technique("equalize")
    louder = build(entry.params, {"gains": [1.0] * 4 + [1.3] * 8})
    result = held(entry, clip, louder, Surroundings(skeleton), (*ends, *more_feet(skeleton)))
    before, after = (skeleton.posed(each)[1] for each in (clip, result.clip))
    indices = [skeleton.index(foot) for foot in down]
    assert np.linalg.norm((after - before)[:, indices], axis=2).max() < 0.01 * before[0, 0, 2]
