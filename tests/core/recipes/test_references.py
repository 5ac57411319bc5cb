# SPDX-License-Identifier: GPL-3.0-or-later
"""What steps name besides their take."""

import pytest
from motion_signal.core.declare.params import build
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.recipes.recipe import Step
from motion_signal.core.recipes.references import references
from motion_signal.core.techniques import technique


@pytest.mark.parametrize(
    "name, values, actions, curves",
    [
        ("equalize", {}, set(), set()),
        ("timewarp", {"reference": "brisk"}, {"brisk"}, set()),
        ("join", {"take": "then"}, {"then"}, set()),
        ("wavelet_blend", {"take": "other"}, {"other"}, set()),
        ("style", {"neutral": "calm", "styled": "sad"}, {"calm", "sad"}, set()),
        ("path", {"curve": "Way"}, set(), {"Way"}),
        ("blend", {"takes": [{"action": "a"}, {}, {"action": "b"}]}, {"a", "b"}, set()),
        ("speed", {"takes": [{"action": "slow"}]}, {"slow"}, set()),
        (
            "network",
            {
                "points": [
                    {"action": "a"},
                    {"superpose": {"plus": ["b", "c"], "minus": ["d"]}},
                    {"network": {"points": [{"action": "e"}, {"network": {"points": [{"action": "f"}]}}]}},
                ]
            },
            set("abcdef"),
            set(),
        ),
        (
            "network",
            {"points": [{"superpose": {"plus": 3}}, {"network": {"points": {"action": "x"}, "puck_x": [1, [2]]}}]},
            set(),
            set(),
        ),
    ],
)
def test_names_are_found_wherever_they_stand(name, values, actions, curves):
    step = Step(technique(name), build(technique(name).params, values), ScopeParams(ground="Hill" if curves else ""))
    assert references(step) == {"action": actions, "curve": curves, "mesh": {"Hill"} if curves else set(), "object": set()}


def test_parameters_that_say_action_are_declared_to_name_one():
    """So that a new technique's references cannot be forgotten."""
    from motion_signal.core.declare.params import declarations
    from motion_signal.core.techniques import TECHNIQUES

    asked = [
        (f"{entry.name} {field}", declaration.names)
        for entry in TECHNIQUES
        for params in (entry.params, *(field.entry for field in declarations(entry.params).values() if field.entry))
        for field, declaration in declarations(params).items()
        if declaration.kind == "words" and declaration.text.startswith(("Action ", "Curve object"))
    ]
    assert len(asked) > 5 and [name for name, names in asked if not names] == []
