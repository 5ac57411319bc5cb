# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step's row says of the part that it changes."""

import pytest
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.recipes.recipe import Step
from motion_signal.core.techniques import technique
from motion_signal.operators.run.step_words import part_of


@pytest.mark.parametrize(
    "bones, room, words",
    [
        ("upper_arm.L", 10, "Frames 40-120, upper_arm.L"),
        ("shin.L, shin.R", 40, "Frames 40-120, shin.L, shin.R"),
        ("upper_arm.L, forearm.L", 30, "Frames 40-120, 2 bones"),
    ],
)
def test_bones_are_counted_where_their_names_have_no_room(bones, room, words):
    equalize = technique("equalize")
    scope = ScopeParams(scope="NAMED", bones=bones, frames="RANGE", frame_start=40, frame_end=120)
    assert part_of(Step(equalize, equalize.params(), scope), room) == words
