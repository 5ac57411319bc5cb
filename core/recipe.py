# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipe and preset: techniques with their parameters, as data that reads and writes as JSON."""

import json
from dataclasses import dataclass

from . import params as parameters
from .catalog import technique

FORMAT = 1


@dataclass(frozen=True)
class Step:
    """One technique with its parameters; only what differs from the defaults is written down."""

    technique: object
    params: object

    def as_data(self):
        return {"technique": self.technique.name, "params": parameters.changed(self.params)}


@dataclass(frozen=True)
class Recipe:
    """Techniques in a row, with what they were applied to."""

    steps: tuple
    source: str = ""
    scope: dict | None = None

    def to_json(self):
        return json.dumps({"format": FORMAT, "source": self.source, "scope": self.scope or {},
                           "steps": [step.as_data() for step in self.steps]})


def step_from_data(data):
    """A step from plain data, everything checked."""
    if not isinstance(data, dict) or not isinstance(data.get("technique"), str) or not isinstance(data.get("params"), dict):
        raise ValueError("a step needs 'technique' and 'params'")
    chosen = technique(data["technique"])
    return Step(chosen, parameters.build(chosen.params, data["params"]))


def recipe_from_json(text):
    data = read_json("recipe", text)
    steps = data.get("steps")
    if data.get("format") != FORMAT or not isinstance(steps, list):
        raise ValueError(f"recipe: needs format {FORMAT} and a list of steps")
    source, scope = data.get("source", ""), data.get("scope")
    if not isinstance(source, str) or not isinstance(scope, dict | None):
        raise ValueError(f"recipe: its source {source!r} must be text and its scope {scope!r} a table")
    return Recipe(tuple(step_from_data(step) for step in steps), source, scope)


def preset_to_json(step, label, text=""):
    return json.dumps({"label": label, "text": text, **step.as_data()}, indent=2) + "\n"


def preset_from_json(name, text, expected=None):
    """The step in a preset's text, and its label and tooltip; `expected` is the technique it must be for."""
    data = read_json(f"preset {name}", text)
    try:
        step = step_from_data({"technique": data.get("technique"), "params": data.get("params")})
    except ValueError as error:
        raise ValueError(f"preset {name}: {error}") from None
    if expected is not None and step.technique is not expected:
        raise ValueError(f"preset {name}: it is for {step.technique.name}, not for {expected.name}")
    label, tooltip = data.get("label", name), data.get("text", "")
    if not isinstance(label, str) or not isinstance(tooltip, str):
        raise ValueError(f"preset {name}: its label {label!r} and its text {tooltip!r} must be text")
    return step, label, tooltip


def read_json(what, text):
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers too long and lists too deep for Python
        line, reason = getattr(error, "lineno", 1), getattr(error, "msg", error)
        raise ValueError(f"{what}: line {line} cannot be read ({reason})") from None
    if not isinstance(data, dict):
        raise ValueError(f"{what}: it holds no JSON object")
    return data
