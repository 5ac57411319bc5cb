# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step was made with, in the words of the panels."""

import json

from ...core.declare import params as parameters
from ...core.recipes.checks import NOT_KEPT

LINE = 60  # characters of a tooltip's line


def part_of(step, room):
    """Which part of the take a step changes, in a few words; nothing where it is all of it. Bones are counted where their names
    have no room."""
    which = {"NAMED": step.scope.bones, "LISTED": f"{len(step.scope.curves)} curves"}.get(step.scope.scope, "")
    frames = f"Frames {step.scope.frame_start}-{step.scope.frame_end}" if step.scope.frames == "RANGE" else ""
    words = ", ".join(filter(None, (frames, which)))
    several = which.count(",") + 1
    return ", ".join(filter(None, (frames, f"{several} bones"))) if several > 1 and len(words) > room else words


def told(step):
    """What a step was made with, a line each, by the names that the panels have for it."""
    lines = []
    for params in (step.params, step.scope):
        declared = parameters.declarations(type(params))
        lines += [
            f"{declared[name].label}: {SAID.get(declared[name].kind, said_as_json)(value, declared[name])}"
            for name, value in parameters.changed(params).items()
            if name not in NOT_KEPT
        ]
    return lines


def said_as_json(value, _):
    text = json.dumps(value)
    return text if len(text) <= LINE else text[:LINE] + "..."


SAID = {
    "number": lambda value, declaration: f"{value:.4g} {declaration.unit}".strip(),
    "flag": lambda value, _: "on" if value else "off",
    "choice": lambda value, declaration: next(option.label for option in declaration.options if option.name == value),
    "words": lambda value, _: value,
    "numbers": lambda value, _: ", ".join(f"{item:.3g}" for item in value),
}
