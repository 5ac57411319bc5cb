# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters: taken when right, refused in one sentence with name and value when wrong."""

import dataclasses
from dataclasses import dataclass

import pytest
from motion_signal.core.declare.params import (
    build,
    changed,
    choice,
    declarations,
    defaults,
    flag,
    marks,
    number,
    numbers,
    read_text,
    table,
    whole,
    words,
    write_text,
)
from motion_signal.core.techniques import technique


@dataclass(frozen=True)
class Example:
    """One field of each kind."""

    speed: float = number(1.0, "How fast", 0.0, 10.0, "m")
    count: int = whole(3, "How many", 1, 5)
    loop: bool = flag(False, "Whether it goes round", label="Goes Round")
    side: str = choice("LEFT", "Which side", (("LEFT", "Left", "That one"), ("RIGHT", "Right", "The other")))
    name: str = words("", "What it is called")
    gains: tuple = numbers("Gains", "Gain", -4.0, 4.0, item=1.0)
    mute: tuple = marks("Silent ones", "Silent")
    limb_gains: dict = table("Gains by name", "Gain", -4.0, 4.0, item=1.0, like="gains")


VALUES = {
    "speed": 2.5,
    "count": 4,
    "loop": True,
    "side": "RIGHT",
    "name": "walk",
    "gains": (1.0, -2.0),
    "mute": (0, 3),
    "limb_gains": {"arm": (0.5,)},
}
KNOWN = declarations(Example)

REFUSED = [
    ("height", 1.0, "height: no such parameter; there are speed, count"),
    ("speed", 10.5, "speed: 10.5 is outside 0 to 10 m"),
    ("speed", -0.1, "speed: -0.1 is outside 0 to 10 m"),
    ("speed", "fast", "speed: 'fast' is no number"),
    ("speed", None, "speed: None is no number"),
    ("speed", True, "speed: True is no number"),
    ("speed", float("nan"), "speed: nan is no number"),
    ("speed", float("inf"), "speed: inf is no number"),
    ("speed", 10**400, "is no number"),
    ("speed", [1.0], r"speed: \[1.0\] is no number"),
    ("count", 2.5, "count: 2.5 is no whole number"),
    ("count", 6, "count: 6 is outside 1 to 5"),
    ("count", False, "count: False is no number"),
    ("count", float("nan"), "count: nan is no number"),
    ("loop", 1, "loop: 1 is neither true nor false"),
    ("loop", "true", "loop: 'true' is neither true nor false"),
    ("side", "MIDDLE", "side: 'MIDDLE' is none of LEFT, RIGHT"),
    ("side", 0, "side: 0 is none of"),
    ("side", ["LEFT"], r"side: \['LEFT'\] is none of"),
    ("name", 5, "name: 5 is no text"),
    ("gains", 1.0, "gains: 1.0 is no list of numbers"),
    ("gains", "1, 2", "gains: '1, 2' is no list"),
    ("gains", [1.0, 5.0], r"gains\[1\]: 5 is outside -4 to 4"),
    ("gains", [1.0, "x"], r"gains\[1\]: 'x' is no number"),
    ("gains", [float("nan")], r"gains\[0\]: nan is no number"),
    ("gains", {"a": 1}, "gains: {'a': 1} is no list"),
    ("mute", 3, "mute: 3 is no list of whole numbers"),
    ("mute", [-1], r"mute\[0\]: -1 is outside 0 to inf"),
    ("mute", [1.5], r"mute\[0\]: 1.5 is no whole number"),
    ("mute", [10**400], r"mute\[0\]: 1000.* is no number"),
    ("limb_gains", [1.0], r"limb_gains: \[1.0\] is no table"),
    ("limb_gains", {"arm": 1.0}, "limb_gains arm: 1.0 is no list"),
    ("limb_gains", {"arm": [9.0]}, r"limb_gains arm\[0\]: 9 is outside"),
]


@pytest.mark.parametrize("name, value, sentence", REFUSED, ids=[f"{row[0]} {str(row[1])[:20]}" for row in REFUSED])
def test_wrong_values_are_refused_by_name_and_value(name, value, sentence):
    with pytest.raises(ValueError, match=sentence):
        build(Example, {name: value})


def test_right_values_are_taken():
    assert dataclasses.asdict(build(Example, VALUES)) == VALUES


def test_values_at_the_ends_of_their_range_are_taken():
    assert (build(Example, {"speed": 0, "count": 5}).speed, build(Example, {"speed": 10, "count": 5}).count) == (0.0, 5)


def test_lists_become_tuples_and_marks_are_sorted_once():
    built = build(Example, {"gains": [1, 2], "mute": [3, 1, 3], "limb_gains": {"arm": [2]}})
    assert (built.gains, built.mute, built.limb_gains) == ((1.0, 2.0), (1, 3), {"arm": (2.0,)})


def test_whole_numbers_may_be_written_with_a_point():
    assert build(Example, {"count": 4.0}).count == 4 and isinstance(build(Example, {"count": 4.0}).count, int)


def test_changed_names_what_differs_from_the_defaults():
    assert changed(Example()) == {}
    assert changed(build(Example, {"speed": 1.0, "loop": True, "gains": [2]})) == {"loop": True, "gains": (2.0,)}


def test_changed_values_build_the_same_again():
    example = build(Example, VALUES)
    assert build(Example, changed(example)) == example


def test_defaults_are_those_of_the_declaration():
    assert defaults(Example) == {
        "speed": 1.0,
        "count": 3,
        "loop": False,
        "side": "LEFT",
        "name": "",
        "gains": (),
        "mute": (),
        "limb_gains": {},
    }


def test_labels_are_made_from_names_where_none_is_given():
    assert (KNOWN["limb_gains"].label, KNOWN["loop"].label) == ("Limb Gains", "Goes Round")


@pytest.mark.parametrize(
    "name, text, value",
    [
        ("gains", "1, 2", [1, 2]),
        ("gains", "[1,2]", [1, 2]),
        ("gains", " [1, -2.5] ", [1, -2.5]),
        ("gains", "", []),
        ("gains", "  ", []),
        ("gains", "3", [3]),
        ("mute", "0,4", [0, 4]),
        ("mute", "", []),
        ("limb_gains", "", {}),
        ("limb_gains", '{"arm": [1, 2]}', {"arm": [1, 2]}),
        ("speed", "2.5", 2.5),
        ("count", " 4 ", 4),
        ("loop", "true", True),
        ("loop", "No", False),
        ("loop", "1", True),
        ("loop", "perhaps", "perhaps"),
        ("side", "right", "RIGHT"),
        ("name", "1, 2", "1, 2"),
        ("name", "", ""),
    ],
)
def test_text_reads_as_values(name, text, value):
    assert read_text(name, text, KNOWN[name]) == value


@pytest.mark.parametrize(
    "name, text",
    [
        ("gains", "[1, 2"),
        ("gains", "1; 2"),
        ("gains", "one"),
        ("mute", "1,,2"),
        ("limb_gains", "arm: 1"),
        ("limb_gains", '{"arm": [1}'),
        ("speed", "fast"),
        ("speed", "1 2"),
    ],
)
def test_broken_text_is_refused_by_name_and_text(name, text):
    with pytest.raises(ValueError) as refusal:
        read_text(name, text, KNOWN[name])
    assert str(refusal.value).startswith(f"{name}: '{text}' cannot be read")


@pytest.mark.parametrize(
    "name, text",
    [
        ("speed", ""),
        ("gains", "NaN"),
        ("speed", "Infinity"),
        ("loop", "perhaps"),
        ("side", "up"),
        ("gains", "[[1]]"),
        ("speed", "1" + "0" * 400),
    ],
)
def test_text_that_reads_but_is_wrong_is_refused_when_built(name, text):
    with pytest.raises(ValueError, match=f"^{name}"):
        build(Example, {name: read_text(name, text, KNOWN[name])})


@pytest.mark.parametrize("name", ["gains", "mute", "limb_gains"])
@pytest.mark.parametrize("full", [True, False])
def test_structured_values_survive_as_text(name, full):
    value = VALUES[name] if full else defaults(Example)[name]
    again = build(Example, {name: read_text(name, write_text(value), KNOWN[name])})
    assert getattr(again, name) == value


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400])
def test_a_number_that_is_none_is_refused_however_deep_in_a_tree(number):
    params = technique("displace").params
    with pytest.raises(ValueError, match="is no number"):
        build(params, {"displacement_keys": [{"bones": {"Hips": {"rotation": [5, [0, number]]}}}]})
