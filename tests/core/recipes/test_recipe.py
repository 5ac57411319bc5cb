# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets and recipes: written and read back the same, and never read wrong."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from motion_signal.core.declare.faders import EqualizeParams
from motion_signal.core.declare.params import build, declarations
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.recipes.recipe import Recipe, Step, preset_from_json, preset_to_json, recipe_from_json
from motion_signal.core.techniques import TECHNIQUES, technique
from motion_signal.core.techniques.character.equalize import EQUALIZE

PRESETS = sorted((Path(__file__).resolve().parents[3] / "presets").glob("*/*.json"))
PARAMS = EqualizeParams(gains=(0.5, 1.0, -2.0), dc_gain=0.3, mute=(1,), limbs={'Arm "L"': (2.0, 1.0)}, bands="FRAMES")
STEP = Step(EQUALIZE, PARAMS)


def test_a_preset_survives_as_json():
    assert preset_from_json("calm", preset_to_json(STEP, "Calm", "Less of it")) == (STEP, "Calm", "Less of it")


def test_a_preset_writes_only_what_differs_from_the_defaults():
    written = json.loads(preset_to_json(Step(EQUALIZE, EqualizeParams(dc_gain=2.0)), "Label"))
    assert written == {"label": "Label", "text": "", "technique": "equalize", "params": {"dc_gain": 2.0}}


def test_a_recipe_survives_as_json():
    there = Step(EQUALIZE, EqualizeParams(), ScopeParams(scope="LISTED", curves=({"path": "location", "index": 2},)), on=False)
    recipe = Recipe((STEP, there), "Walk", {"motion_signal": "9.9", "blender": "5.2.3"})
    assert recipe_from_json(recipe.to_json()) == recipe


def test_a_recipe_without_anything_but_steps_survives_as_json():
    again = recipe_from_json(Recipe((STEP,)).to_json())
    assert (again.steps, again.source, again.made_with) == ((STEP,), "", {})


def test_a_recipe_does_not_say_which_action_it_is_for():
    written = json.loads(Recipe((Step(EQUALIZE, PARAMS, ScopeParams(action="Walk", keys="BODY")),), "Walk").to_json())
    assert written["steps"][0]["scope"] == {"keys": "BODY"} and written["source"] == "Walk"


def test_numbers_of_a_list_stand_on_one_line_and_text_stays_as_it_is():
    text = Recipe((STEP, replace(STEP, scope=ScopeParams(bones="[ 1, 2 ]\n[\n3\n]"))), "[\n 1,\n 2\n]").to_json()
    assert '"gains": [0.5, 1.0, -2.0]' in text
    assert recipe_from_json(text).steps[1].scope.bones == "[ 1, 2 ]\n[\n3\n]"
    assert recipe_from_json(text).source == "[\n 1,\n 2\n]"


def test_a_preset_without_a_label_goes_by_its_name():
    assert preset_from_json("calm", '{"technique": "equalize", "params": {}}')[1:] == ("calm", "")


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "preset calm: line 1 cannot be read"),
        ("{\n,", "preset calm: line 2 cannot be read"),
        ("[]", "preset calm: it holds no JSON object"),
        ("3", "preset calm: it holds no JSON object"),
        ("{}", "preset calm: line 1: technique: it needs the name"),
        ('{"technique": "equalize"}', "preset calm: line 1: params: it needs a table"),
        ('{"technique": "equalize", "params": []}', "preset calm: line 1: params: it needs a table"),
        ('{"technique": ["equalize"], "params": {}}', "preset calm: line 1: technique: it needs the name"),
        ('{"technique": "equalize", "params": {}, "run": "rm"}', "preset calm: line 1: run: no such part of a preset"),
        ('{"technique": "fly", "params": {}}', "preset calm: line 1: fly: no such technique; there are [a-z_, ]*equalize"),
        ('{"technique": "equalize", "params": {"gain": 1}}', "preset calm: line 1: gain: no such parameter; there are gains"),
        ('{"technique": "equalize", "params": {"dc_gain": 9}}', "preset calm: line 1: dc_gain: 9 is outside -4 to 4"),
        ('{"technique": "equalize", "params": {"dc_gain": NaN}}', "preset calm: line 1: dc_gain: nan is no number"),
        (
            '{"technique": "equalize", "params": {"dc_gain": 1' + "0" * 400 + "}}",
            "preset calm: line 1: dc_gain: 1000.* is no number",
        ),
        ('{"technique": "equalize", "params": {"dc_gain": 1' + "0" * 5000 + "}}", "preset calm: line 1 cannot be read"),
        ("[" * 200_000, "preset calm: line 1 cannot be read"),
        ('{"technique": "equalize", "params": {}, "label": 5}', "preset calm: line 1: label: it needs text, and 5 is none"),
        ('{"technique": "equalize", "params": {}, "text": null}', "preset calm: line 1: text: it needs text, and None is none"),
        (
            '{"technique": "equalize", "params": {"bands": "TENTHS"}}',
            "preset calm: line 1: bands: 'TENTHS' is none of HZ, SHARP, FRAMES",
        ),
    ],
    ids=lambda value: value[:60],
)
def test_a_wrong_preset_is_refused_by_its_name(text, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        preset_from_json("calm", text)


def test_a_preset_of_another_technique_is_refused():
    other = Step(EQUALIZE, EqualizeParams())
    with pytest.raises(ValueError, match="^preset calm: line .: it is for equalize, not for "):
        preset_from_json(
            "calm",
            preset_to_json(other, "Label"),
            expected=type(EQUALIZE)("timewarp", "Timewarp", EqualizeParams, EQUALIZE.function),
        )


WHOLE = Recipe((STEP, Step(EQUALIZE, EqualizeParams(), ScopeParams(scope="NAMED", bones="a, b"), on=False)), "Walk").to_json()


@pytest.mark.parametrize(
    "old, new, sentence",
    [
        ('"format": 1', '"format": 2', "recipe: line 2: format 2 is of a newer Motion Signal; this one reads format 1"),
        (
            '"format": 1',
            f'"format": 1{"0" * 400}',
            "recipe: line 2: format that large is of a newer Motion Signal; this one reads",
        ),
        ('"format": 1', '"format": true', "recipe: line 2: format: True is not 1"),
        ('"format": 1,', "", "recipe: line 1: format: None is not 1"),
        ('"source"', '"sauce"', "recipe: line 4: sauce: no such part of a recipe; there are .*source"),
        ('"Walk"', "3", "recipe: line 4: source: it needs text, and 3 is none"),
        ('"steps": [', '"steps": [3, ', "recipe: line 5: a step is a table with 'technique', and this is 3"),
        ('"equalize"', '"fly"', "recipe: line 7: fly: no such technique; there are [a-z_, ]*equalize"),
        ('"gains"', '"gain"', "recipe: line 9: gain: no such parameter; there are gains"),
        ("-2.0", "\n-9.0", r"recipe: line 10: gains\[2\]: -9 is outside -4 to 4"),
        ('"HZ"', "HZ", "recipe: line 15 cannot be read"),
        ('"NAMED"', '"NONE"', "recipe: line 22: scope: 'NONE' is none of ALL"),
        ('"bones"', '"action"', "recipe: line 23: action: a recipe works on the take that it is given"),
        ('"on": false', '"on": "no"', "recipe: line 25: on: it needs true or false, and 'no' is none"),
        ('"on"', '"off"', "recipe: line 25: off: no such part of a step; there are technique, preset, params, scope, on"),
    ],
    ids=lambda value: value[:40],
)
def test_a_wrong_recipe_is_refused_by_its_line(old, new, sentence):
    text = WHOLE.replace('"FRAMES"', '"HZ"')
    assert old in text
    with pytest.raises(ValueError, match=f"^{sentence}"):
        recipe_from_json(text.replace(old, new, 1))


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "walk.json: line 1 cannot be read"),
        ("[]", "walk.json: it holds no JSON object"),
        ("{}", "walk.json: line 1: format: None is not 1"),
        ('{"format": 1}', "walk.json: line 1: steps: it needs a list of steps, and None is none"),
        (
            '{"format": 1, "steps": [], "source": ' + "[" * 80 + "]" * 80 + "}",
            "walk.json: lists stand in lists more than 64 deep",
        ),
    ],
)
def test_what_is_no_recipe_is_refused_by_the_name_of_its_file(text, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        recipe_from_json(text, "walk.json")


@pytest.mark.parametrize("seed", range(3))
def test_a_mutated_recipe_loads_or_is_refused_and_nothing_else(seed):
    chance, refused = random.Random(seed), 0
    for _ in range(300):
        characters = list(WHOLE)
        for _ in range(chance.randint(1, 4)):
            index = chance.randrange(len(characters))
            characters[index] = chance.choice(["", characters[index] * 2, *'0123456789-+.eE,:{}[]"\\ \n\x00xNnu\u00e9'])
        try:
            recipe = recipe_from_json("".join(characters))
        except ValueError as refusal:
            assert str(refusal).startswith("recipe: ")
            refused += 1
        else:
            assert recipe_from_json(recipe.to_json()) == recipe
    assert refused > 100


def test_there_are_presets():
    assert len(PRESETS) >= 6


@pytest.mark.parametrize("path", PRESETS, ids=[f"{path.parent.name}/{path.stem}" for path in PRESETS])
def test_a_shipped_preset_loads_changes_something_and_belongs_to_its_folder(path):
    expected = technique(path.parent.name)
    step, label, text = preset_from_json(path.stem, path.read_text(encoding="utf-8"), expected)
    assert label and text and not text.endswith(".")
    assert step.params != expected.params()


@pytest.mark.parametrize("path", PRESETS, ids=[f"{path.parent.name}/{path.stem}" for path in PRESETS])
def test_a_shipped_preset_runs_on_a_take(path, figure, moving):
    step, *_ = preset_from_json(path.stem, path.read_text(encoding="utf-8"))
    limited = Skeleton(tuple(replace(bone, limits=(-5.0, 5.0) * 3) for bone in figure.bones))
    clip = moving(limited)
    result = step.technique.run(clip, step.technique.fit(step.params, clip.frames, clip.fps), Surroundings(limited))
    assert abs(result.values - clip.values).max() > 1e-4


@pytest.mark.parametrize("seed", range(6))
def test_a_mutated_preset_loads_or_is_refused_and_nothing_else(seed):
    """Characters swapped, dropped and doubled; then values of all shapes in all places."""
    chance = random.Random(seed)
    text = preset_to_json(STEP, "Calm", "Less of it")
    refused = 0
    for _ in range(400):
        characters = list(text)
        for _ in range(chance.randint(1, 4)):
            index = chance.randrange(len(characters))
            characters[index] = chance.choice(["", characters[index] * 2, *'0123456789-+.eE,:{}[]"\\ \n\x00xNnu\u00e9'])
        refused += not loads("".join(characters))
    assert refused > 100


@pytest.mark.parametrize("seed", range(6))
def test_a_preset_with_any_values_loads_or_is_refused_and_nothing_else(seed):
    chance = random.Random(seed)
    data = json.loads(preset_to_json(STEP, "Calm"))
    names = [*declarations(EqualizeParams), "unknown"]
    refused = 0
    for _ in range(400):
        params = {chance.choice(names): anything(chance, 3) for _ in range(chance.randint(1, 3))}
        refused += not loads(json.dumps({**data, "params": params}))
    assert refused > 100


def loads(text):
    try:
        step, _, _ = preset_from_json("fuzz", text)
    except ValueError as refusal:
        assert str(refusal).startswith("preset fuzz: ")
        return False
    assert build(type(step.params), step.as_data()["params"]) == step.params
    return True


def anything(chance, depth):
    plain = [
        None,
        True,
        False,
        0,
        1,
        -1,
        2.5,
        1e308,
        -0.0,
        float("nan"),
        float("inf"),
        10**400,
        -(10**400),
        "",
        "HZ",
        "FRAMES",
        "1, 2",
        "\u2603",
        [],
        {},
        [1.0, 1.0],
        {"arm": [1.0]},
    ]
    if depth and chance.random() < 0.3:
        items = [anything(chance, depth - 1) for _ in range(chance.randint(0, 3))]
        return items if chance.random() < 0.5 else {str(index): item for index, item in enumerate(items)}
    return chance.choice(plain)


def test_an_unknown_technique_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match=f"^fly: no such technique; there are {TECHNIQUES[0].name}"):
        technique("fly")


def test_a_step_without_parameters_has_the_defaults():
    (step,) = recipe_from_json('{"format": 1, "steps": [{"technique": "equalize"}]}').steps
    assert step == Step(EQUALIZE, EqualizeParams())
