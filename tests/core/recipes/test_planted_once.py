# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that are locked by the step after one are planted with that, and not before it as well."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.declare.faders import EqualizeParams
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.ik import planted_feet
from motion_signal.core.ik.foot_solver import Solver
from motion_signal.core.recipes.figure import Figure
from motion_signal.core.recipes.recipe import Recipe, Step
from motion_signal.core.recipes.run import Run, run
from motion_signal.core.recipes.stack import Stack
from motion_signal.core.recipes.whole import Whole
from motion_signal.core.techniques.character.equalize import EQUALIZE
from motion_signal.core.techniques.figure.lock import LOCK, LockParams
from technique_cases import FIGURE, walking

LOUD = Step(EQUALIZE, EqualizeParams(gains=(1.0, 1.0, 1.5, 2.0, 2.0, 1.5)))
FEET = Step(LOCK, LockParams())
STANDS = Figure(FIGURE).footing(walking())[0]


@pytest.fixture
def solves(monkeypatch):
    """A number for every time that feet are looked at to be planted."""
    seen = []
    monkeypatch.setattr(planted_feet, "Solver", lambda *arguments: seen.append(len(seen)) or Solver(*arguments))
    return seen


def slides(clip):
    """How far each foot goes along the ground while its toe stands in the take, in legs' metres, at most."""
    _, heads = FIGURE.posed(clip)
    most = 0.0
    for side in ("left", "right"):
        toe = FIGURE.index(Figure(FIGURE).roles.table()[f"{side}_toe"] or Figure(FIGURE).roles.table()[f"{side}_foot"])
        for first, last in STANDS.get(f"{side}_toe", ()):
            rows = heads[first - clip.first_frame : last + 1 - clip.first_frame, toe, :2]
            most = max(most, float(np.ptp(rows, axis=0).max()))
    return most


def test_feet_that_the_next_step_locks_are_planted_once(solves):
    made = run(Recipe((LOUD, FEET)), walking(), FIGURE)
    assert solves == [0]
    free = run(Recipe((replace(LOUD, scope=ScopeParams(feet="FREE")),)), walking(), FIGURE)
    assert slides(made) < 1e-3 < 0.01 < slides(free)


@pytest.mark.parametrize(
    "lock",
    (
        replace(FEET, params=LockParams(contacts={"left_toe": [[20, 30]]})),
        replace(FEET, params=LockParams(hands=False)),
        replace(FEET, scope=ScopeParams(frames="RANGE", frame_start=20, frame_end=60)),
    ),
    ids=("of its own contacts", "of feet alone", "of some frames"),
)
def test_a_lock_of_less_leaves_feet_to_the_step_before(solves, lock):
    run(Recipe((LOUD, lock)), walking(), FIGURE)
    assert solves == [0, 1]


def test_while_a_fader_moves_its_own_step_plants_and_at_rest_it_is_as_applied(solves):
    stack = Stack(Run(Whole(walking()), Figure(FIGURE)))
    moved = stack.show([LOUD, FEET], up_to=0).whole.clip
    assert np.array_equal(moved.values, run(Recipe((LOUD,)), walking(), FIGURE).values)
    rested = stack.show([LOUD, FEET]).whole.clip
    assert np.array_equal(rested.values, run(Recipe((LOUD, FEET)), walking(), FIGURE).values)
    solves.clear()
    stack.show([LOUD, FEET])
    assert solves == []
