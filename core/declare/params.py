# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters declared once: a frozen dataclass whose fields carry range, unit and text.

Operator properties, panel settings, presets, recipes and command-line flags are all derived from such a declaration.
"""

import dataclasses
import json
import math
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from ..numeric.refusal import Refusal


class Option(NamedTuple):
    """One of the values that a choice may have."""

    name: str
    label: str
    text: str


class Declaration(NamedTuple):
    """What a field is: its kind, what it says to the animator and what it takes."""

    kind: str  # number, whole, flag, choice, words, numbers, marks, points, table, tree, records
    text: str
    label: str = ""
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""  # s, Hz, m, degrees, frames or nothing
    options: tuple = ()
    item: float = 0.0  # numbers and table: what a missing entry stands for
    each: str = ""  # numbers, marks and table: what one entry says to the animator
    like: str = ""  # table: the list that a name without a row follows
    slider_range: tuple = ()  # what a slider spans, if less than low to high; more can be typed
    names: str = ""  # words and trees: "action", "curve", "mesh" or "object" if they are names of such
    entry: type | None = None  # records: the params class that each is one of; points: one with a field for x and for y

    def called(self, name: str) -> "Declaration":
        """The same with the name of its field for a label, if it has none."""
        return self if self.label else self._replace(label=name.replace("_", " ").title())


FARTHEST = sys.float_info.max  # whole numbers in JSON may be larger than any float
TABLES = ("table", "tree")
STRUCTURED = ("numbers", "marks", "points", "table", "tree", "records")  # written as JSON where only text will do


def number(default, text, low=-math.inf, high=math.inf, unit="", label="", slider_range=()):
    return declare(default, Declaration("number", text, label, low, high, unit, slider_range=slider_range))


def whole(default, text, low=-math.inf, high=math.inf, unit="", label=""):
    return declare(default, Declaration("whole", text, label, low, high, unit))


def flag(default, text, label=""):
    return declare(default, Declaration("flag", text, label))


def choice(default, text, options, label=""):
    """`options`: rows of name, label, text."""
    return declare(default, Declaration("choice", text, label, options=tuple(Option(*row) for row in options)))


def words(default, text, label="", names=""):
    return declare(default, Declaration("words", text, label, names=names))


def numbers(text, each, low, high, item, label="", slider_range=()):
    """A list of any length, such as a gain per band; empty means `item` everywhere. `each` is the text of one entry."""
    return declare((), Declaration("numbers", text, label, low, high, item=item, each=each, slider_range=slider_range))


def marks(text, each, label=""):
    """Indices in such a list that are switched on, counted from 0."""
    return declare((), Declaration("marks", text, label, low=0, each=each))


def points(text, label="", entry=None):
    """Points (x, y) of a curve, or pairs that the two fields of a params class `entry` name."""
    return declare((), Declaration("points", text, label, entry=entry))


def records(text, entry, label=""):
    """A list of JSON objects, each with values of the params class `entry`."""
    return declare((), Declaration("records", text, label, entry=entry))


def tree(text, label="", names=""):
    """A JSON object, which the technique itself reads and checks."""
    return dataclasses.field(default_factory=dict, metadata={"is": Declaration("tree", text, label, names=names)})


def table(text, each, low, high, item, like, label="", slider_range=()):
    """Names, each with such a list; a name without one follows the list called `like`."""
    declaration = Declaration("table", text, label, low, high, item=item, each=each, like=like, slider_range=slider_range)
    return dataclasses.field(default_factory=dict, metadata={"is": declaration})


def declare(default, declaration):
    return dataclasses.field(default=default, metadata={"is": declaration})


@cache
def declarations(params: type) -> dict[str, Declaration]:
    """The declarations of a params class by field name, labels filled in; not to be written to."""
    return {field.name: field.metadata["is"].called(field.name) for field in dataclasses.fields(params)}


def defaults(params: type) -> dict[str, Any]:
    return dataclasses.asdict(params())


def changed(instance: Any) -> dict[str, Any]:
    """The values of a params instance that are not the defaults."""
    standing = defaults(type(instance))
    return {name: value for name, value in dataclasses.asdict(instance).items() if value != standing[name]}


def build(params: type, values: Mapping[str, Any], within: str = "") -> Any:
    """An instance of the params class from plain values, or a Refusal that names parameter (`within` what) and value."""
    known = declarations(params)
    for name in values:
        if name not in known:
            raise Refusal(f"{within}{name}: no such parameter; there are {', '.join(known)}")
    return params(**{name: CHECKS[known[name].kind](within + name, value, known[name]) for name, value in values.items()})


def read_text(name, text, declaration):
    """A value typed as text (an operator's string, a flag of the command line): JSON, or numbers between commas."""
    if declaration.kind == "words":
        return text
    if declaration.kind == "choice":
        return text.upper()
    if declaration.kind == "flag":
        return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(text.lower(), text)
    stripped = text.strip() or ("{}" if declaration.kind in TABLES else "[]")
    if declaration.kind in ("numbers", "marks", "points") and not stripped.startswith("["):
        stripped = f"[{stripped}]"
    try:
        return json.loads(stripped)
    except json.JSONDecodeError as error:
        raise Refusal(f"{name}: '{text}' cannot be read ({error.msg} at character {error.colno})") from None


def write_text(value):
    """The text form of a structured value; nothing for an empty one."""
    return json.dumps(value) if value else ""


def check_number(name, value, declaration):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value or abs(value) > FARTHEST:
        raise Refusal(f"{name}: {value!r} is no number")
    if not declaration.low <= value <= declaration.high:
        unit = declaration.unit and " " + declaration.unit
        raise Refusal(f"{name}: {value:g} is outside {declaration.low:g} to {declaration.high:g}{unit}")
    return float(value)


def check_whole(name, value, declaration):
    value = check_number(name, value, declaration)
    if value != int(value):
        raise Refusal(f"{name}: {value:g} is no whole number")
    return int(value)


def check_flag(name, value, declaration):
    if not isinstance(value, bool):
        raise Refusal(f"{name}: {value!r} is neither true nor false")
    return value


def check_choice(name, value, declaration):
    names = [option.name for option in declaration.options]
    if value not in names:
        raise Refusal(f"{name}: {value!r} is none of {', '.join(names)}")
    return value


def check_words(name, value, declaration):
    if not isinstance(value, str):
        raise Refusal(f"{name}: {value!r} is no text")
    return value


def check_numbers(name, value, declaration):
    if not isinstance(value, (list, tuple)):
        raise Refusal(f"{name}: {value!r} is no list of numbers")
    return tuple(check_number(f"{name}[{index}]", item, declaration) for index, item in enumerate(value))


def check_marks(name, value, declaration):
    if not isinstance(value, (list, tuple)):
        raise Refusal(f"{name}: {value!r} is no list of whole numbers")
    return tuple(sorted({check_whole(f"{name}[{index}]", item, declaration) for index, item in enumerate(value)}))


def check_points(name, value, declaration):
    if not isinstance(value, (list, tuple)) or any(not isinstance(row, (list, tuple)) or len(row) != 2 for row in value):
        raise Refusal(f"{name}: {value!r} is no list of points [x, y]")
    return tuple(check_numbers(f"{name}[{index}]", row, declaration) for index, row in enumerate(value))


def check_records(name, value, declaration):
    if not isinstance(value, (list, tuple)) or any(not isinstance(row, dict) for row in value):
        raise Refusal(f"{name}: {value!r} is no list of JSON objects")
    for index, row in enumerate(value):
        build(declaration.entry, row, f"{name}[{index}] ")
    return tuple(value)


def check_tree(name, value, declaration):
    if not isinstance(value, dict):
        raise Refusal(f"{name}: {value!r} is no JSON object")
    check_leaves(name, value)
    return value


def check_leaves(name, value):
    """Refuse numbers that are none, or larger than any float, wherever in a tree they stand."""
    if isinstance(value, dict | list | tuple):
        for entry in value.values() if isinstance(value, dict) else value:
            check_leaves(name, entry)
    elif isinstance(value, int | float) and (value != value or abs(value) > FARTHEST):
        raise Refusal(f"{name}: {value!r} is no number")


def check_table(name, value, declaration):
    if not isinstance(value, dict):
        raise Refusal(f"{name}: {value!r} is no table of names and numbers")
    return {key: check_numbers(f"{name} {key}", row, declaration) for key, row in value.items()}


CHECKS = {
    "number": check_number,
    "whole": check_whole,
    "flag": check_flag,
    "choice": check_choice,
    "words": check_words,
    "numbers": check_numbers,
    "marks": check_marks,
    "points": check_points,
    "table": check_table,
    "tree": check_tree,
    "records": check_records,
}
