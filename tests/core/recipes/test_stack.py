# SPDX-License-Identifier: GPL-3.0-or-later
"""A stack of steps that stays open: it gives what a recipe gives, and does again only what it must."""

import random
from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.declare.faders import EqualizeParams
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.recipes.figure import Figure
from motion_signal.core.recipes.recipe import Recipe, Step
from motion_signal.core.recipes.run import Run, run
from motion_signal.core.recipes.stack import MOST, Stack
from motion_signal.core.recipes.whole import Whole
from motion_signal.core.techniques.character.cartoon import CARTOON, CartoonParams
from motion_signal.core.techniques.character.equalize import EQUALIZE
from motion_signal.core.techniques.figure.lock import LOCK, LockParams
from motion_signal.core.techniques.several_takes.blend import BLEND, BlendParams
from motion_signal.core.techniques.time.cycle import CYCLE, CycleParams
from technique_cases import FIGURE, walking

LOUD = Step(EQUALIZE, EqualizeParams(gains=(1.0, 1.0, 1.5, 2.0, 2.0, 1.5)))
SWING = Step(CARTOON, CartoonParams(strength=1.0))
FEET = Step(LOCK, LockParams())
LATER = Step(EQUALIZE, EqualizeParams(dc_gain=0.7), ScopeParams(frames="RANGE", frame_start=20, frame_end=60))
ROUND = Step(CYCLE, CycleParams(find="SEARCH"))


@pytest.fixture
def stack():
    return Stack(Run(Whole(walking()), Figure(FIGURE)))


@pytest.fixture
def calls(monkeypatch):
    """What is opened and done, in order."""
    seen = []
    for name in ("open", "finish"):
        monkeypatch.setattr(Run, name, noted(getattr(Run, name), name, seen))
    return seen


def noted(function, name, seen):
    def call(self, *arguments):
        step = arguments[0] if name == "open" else arguments[1]
        seen.append((name, step.technique.name))
        return function(self, *arguments)

    return call


def same(clip, other):
    return (clip.channels, clip.first_frame) == (other.channels, other.first_frame) and np.array_equal(
        clip.values, other.values
    )


def expected(steps):
    return run(Recipe(tuple(steps)), walking(), FIGURE)


@pytest.mark.parametrize("seed", range(4))
def test_any_way_of_changing_steps_gives_what_the_recipe_gives_bit_for_bit(stack, seed):
    chance = random.Random(seed)
    steps = [LOUD]
    for _ in range(8):
        index, what = chance.randrange(len(steps)), chance.choice(("add", "switch", "move", "remove", "change", "change"))
        if what == "add" and len(steps) < 4:
            steps.insert(index, chance.choice((LOUD, SWING, FEET, LATER, ROUND)))
        elif what == "switch":
            steps[index] = replace(steps[index], on=not steps[index].on)
        elif what == "move":
            steps.insert(chance.randrange(len(steps)), steps.pop(index))
        elif what == "remove" and len(steps) > 1:
            steps.pop(index)
        elif what == "change" and steps[index].technique is EQUALIZE:
            steps[index] = replace(steps[index], params=replace(steps[index].params, dc_gain=chance.uniform(0.5, 1.5)))
        stack.show(steps, up_to=index)
        shown = stack.show(steps).whole.clip
        if not stack.refusals():
            assert same(shown, expected(steps))


def test_no_steps_and_steps_that_are_off_are_the_take_itself_and_cost_nothing(stack, calls):
    assert stack.show([]).whole.clip is stack.run.whole.clip
    assert stack.show([replace(LOUD, on=False), replace(FEET, on=False)]).whole.clip is stack.run.whole.clip
    assert calls == []


def test_a_changed_parameter_does_its_step_without_opening_it_and_then_what_follows(stack, calls):
    stack.show([SWING, LOUD, LATER])
    calls.clear()
    louder = replace(LOUD, params=replace(LOUD.params, dc_gain=0.9))
    stack.show([SWING, louder, LATER], up_to=1)
    assert calls == [("finish", "equalize")]
    calls.clear()
    stack.show([SWING, louder, LATER])
    assert calls == [("open", "equalize"), ("finish", "equalize")]
    calls.clear()
    stack.show([SWING, louder, LATER])
    assert calls == []


def test_a_step_switched_off_and_on_again_is_not_done_again(stack, calls):
    steps = [LOUD, SWING, FEET]
    stack.show(steps)
    stack.show([LOUD, replace(SWING, on=False), FEET])
    calls.clear()
    stack.show(steps)
    assert calls == []


def test_what_is_asked_for_anew_is_done_again(stack, calls):
    stack.show([LOUD])
    calls.clear()
    stack.show([LOUD], anew=0)
    assert calls == [("finish", "equalize")]


def test_a_refused_step_says_why_and_the_others_go_on(stack):
    gone = Step(BLEND, BlendParams(takes=({"action": "Gone", "weight": 1.0},)))
    shown = stack.show([LOUD, gone, SWING]).whole.clip
    assert "Gone" in stack.refusals()[1] and list(stack.refusals()) == [1]
    assert same(shown, expected([LOUD, SWING]))


def test_the_same_step_twice_refused_is_said_twice(stack):
    gone = Step(BLEND, BlendParams(takes=({"action": "Gone", "weight": 1.0},)))
    stack.show([gone, gone])
    assert list(stack.refusals()) == [0, 1]


def test_what_a_step_uses_from_outside_makes_it_anew(calls):
    outside, mixed = {"blend": 1}, Step(BLEND, BlendParams(takes=({"action": "Other", "weight": 1.0},)))
    stack = Stack(Run(Whole(walking()), Figure(FIGURE), {"Other": walking()}), lambda step: outside.get(step.technique.name))
    stack.show([LOUD, mixed])
    assert not stack.refusals()
    outside["blend"] = 2
    calls.clear()
    stack.show([LOUD, mixed])
    assert calls == [("open", "blend"), ("finish", "blend")]


def test_a_drag_keeps_no_more_than_it_needs(stack):
    for gain in np.linspace(0.5, 1.5, 2 * MOST):
        stack.show([replace(LOUD, params=replace(LOUD.params, dc_gain=float(gain))), SWING])
    assert len(stack._kept) == 2
