# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of values in JSON: every value has one, and it is the right one."""

import json
import random

import pytest
from motion_signal.core.recipes.json_source import lines_of, read_json


def paths(data, path=()):
    yield path, data
    children = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for name, value in children:
        yield from paths(value, (*path, name))


def anything(chance, depth):
    if not depth or chance.random() < 0.3:
        return chance.choice([None, True, 1, -2.5e-3, "", "a, b", 'quote " and \\ and } ]', "line\nbreak", "\u2603"])
    if chance.random() < 0.5:
        return [anything(chance, depth - 1) for _ in range(chance.randint(0, 4))]
    return {chance.choice(["a", "b{", 'c"', "d,e:"]): anything(chance, depth - 1) for _ in range(chance.randint(0, 4))}


@pytest.mark.parametrize("seed", range(30))
def test_each_value_stands_on_the_line_where_python_writes_it(seed):
    """The oracle numbers values: written one a line, the line of a number is where that number is found."""
    chance, data = random.Random(seed), None
    while not isinstance(data, dict):
        data = anything(chance, 5)
    text = json.dumps(data, indent=chance.choice([None, 0, 2]))
    lines = lines_of(text)
    assert lines.keys() == {path for path, _ in paths(data)}
    rows = text.split("\n")
    for path, value in paths(data):
        if isinstance(value, str):
            assert json.dumps(value) in rows[lines[path] - 1]


def test_a_value_on_a_later_line_than_its_name_has_its_own_line():
    assert lines_of('{\n"a":\n\n[1,\n2]}') == {(): 1, ("a",): 4, ("a", 0): 4, ("a", 1): 5}


@pytest.mark.parametrize("depth, fine", [(64, True), (65, False)])
def test_only_so_many_lists_stand_in_one_another(depth, fine):
    text = '{"a":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"
    if fine:
        assert read_json("x", text)
    else:
        with pytest.raises(ValueError, match="^x: lists stand in lists more than 64 deep"):
            read_json("x", text)
