# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of recipes says what the reader takes; jsonschema is the judge."""

import dataclasses
import json
from pathlib import Path

import jsonschema
import pytest
from motion_signal.core.declare.params import build, declarations
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.recipes.recipe import Recipe, Step, recipe_from_json
from motion_signal.core.recipes.schema import schema
from motion_signal.core.techniques import TECHNIQUES

ROOT = Path(__file__).resolve().parents[3]
JUDGE = jsonschema.Draft202012Validator(schema())


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(schema())


def test_the_schema_in_the_documentation_is_this_one():
    assert json.loads((ROOT / "docs" / "recipe.schema.json").read_text("utf-8")) == schema()


@pytest.mark.parametrize("technique", TECHNIQUES, ids=[technique.name for technique in TECHNIQUES])
def test_a_recipe_that_is_written_fits_the_schema(technique):
    step = Step(technique, technique.params(), ScopeParams(keys="BODY", millimetres=3.0), on=False)
    JUDGE.validate(json.loads(Recipe((step,), "Walk", {"blender": "5.2"}).to_json()))


@pytest.mark.parametrize("path", sorted((ROOT / "presets").glob("*/*.json")), ids=lambda path: path.stem)
def test_a_shipped_preset_is_a_step_that_fits_the_schema(path):
    data = json.loads(path.read_text("utf-8"))
    JUDGE.validate({"format": 1, "steps": [{"technique": data["technique"], "params": data["params"]}]})


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"steps": 3},
        {"source": 3},
        {"stepz": []},
        {"steps": [3]},
        {"steps": [{"technique": "fly", "params": {}}]},
        {"steps": [{"technique": "equalize", "params": {"gain": 1}}]},
        {"steps": [{"technique": "equalize", "params": {"dc_gain": 9}}]},
        {"steps": [{"technique": "equalize", "params": {}, "scope": {"scope": "NONE"}}]},
        {"steps": [{"technique": "equalize", "params": {}, "scope": {"action": "Walk"}}]},
        {"steps": [{"technique": "equalize", "params": {"mute": [-1]}}]},
        {"steps": [{"technique": "equalize", "params": {}, "on": 1}]},
    ],
    ids=str,
)
def test_schema_and_reader_refuse_the_same(change):
    data = {"format": 1, "steps": [], **change}
    assert not JUDGE.is_valid(data)
    with pytest.raises(Refusal, match=r"^recipe: line \d+: "):
        recipe_from_json(json.dumps(data))


def test_the_schema_knows_every_parameter():
    steps = schema()["properties"]["steps"]["items"]["oneOf"]
    for technique, step in zip(TECHNIQUES, steps):
        assert step["properties"]["params"]["properties"].keys() == declarations(technique.params).keys()
        whole = json.loads(json.dumps(dataclasses.asdict(build(technique.params, {}))))
        JUDGE.validate({"format": 1, "steps": [{"technique": technique.name, "params": whole}]})
