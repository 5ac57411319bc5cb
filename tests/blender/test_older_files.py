# SPDX-License-Identifier: GPL-3.0-or-later
"""What 0.1.0 saved and understood still works: tests/saved_by_0_1.json was written by it, with each number and flag of each
technique changed."""

import json
from pathlib import Path

import bpy
import pytest
import rigs
from bl_ext.dev.motion_signal.core.recipes.recipe import recipe_from_json
from bl_ext.dev.motion_signal.operators.bridge.provenance import recipe_of

pytestmark = [pytest.mark.usefixtures("settled"), pytest.mark.only("5.2")]
OLDER = Path(__file__).parents[1] / "saved_by_0_1.json"
STEPS = json.loads(OLDER.read_text("utf-8"))["steps"]
RUN = ("equalize", "lock", "cartoon", "reduce")  # those that need nothing but a walk
PRESET = {"technique": "equalize", "params": {"gains": [1, 1, 1, 1, 1, 1.2, 1.5, 1.6, 1.4, 1, 1, 1]}}  # Exaggerate as it was


def test_every_step_of_an_older_recipe_is_read_with_its_values():
    recipe = recipe_from_json(OLDER.read_text("utf-8"))
    assert [step.technique.name for step in recipe.steps] == [step["technique"] for step in STEPS]
    for step, older in zip(recipe.steps, STEPS):
        kept = {name: getattr(step.params, name) for name in older["params"] if hasattr(step.params, name)}
        assert kept == {name: older["params"][name] for name in kept}, older["technique"]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["technique"])
def test_an_older_call_of_an_operator_is_understood(step):
    properties = getattr(bpy.ops.motion_signal, step["technique"]).get_rna_type().properties
    for name, value in step["params"].items():
        kind = properties[name].type
        assert kind == {bool: "BOOLEAN", int: "INT", float: "FLOAT"}[type(value)], name


def test_an_older_recipe_and_an_older_preset_run(tmp_path):
    bpy.ops.motion_signal.add_figure()
    figure, take = bpy.context.object, bpy.context.object.animation_data.action
    before = rigs.record(take)
    steps = [step for step in STEPS if step["technique"] in RUN]
    path = tmp_path / "older.json"
    path.write_text(json.dumps({"format": 1, "steps": [PRESET, *steps]}), encoding="utf-8")
    assert bpy.ops.motion_signal.recipe_run(filepath=str(path)) == {"FINISHED"}
    made = figure.animation_data.action
    assert made != take and rigs.record(take) == before
    assert [step.technique.name for step in recipe_of(made).steps] == [
        PRESET["technique"],
        *(step["technique"] for step in steps),
    ]


def test_an_older_call_with_a_name_that_means_something_else_now_does_what_it_did():
    bpy.ops.motion_signal.add_figure()
    figure, take = bpy.context.object, bpy.context.object.animation_data.action
    for planted in (False, True):
        figure.animation_data.action = take
        assert bpy.ops.motion_signal.path(slide=0.5, feet=planted) == {"FINISHED"}
        (step,) = recipe_of(figure.animation_data.action).steps
        assert step.params.plant is planted and step.scope.feet == "TAKE"
