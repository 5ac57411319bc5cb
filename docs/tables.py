# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the tables of the pages again that say what is declared or measured, between their marks, and the recipes' schema.

    python docs/tables.py          or make docs, which takes the pictures as well

A table stands between <!-- table: name --> and <!-- end of table -->. Its name is a technique's, `scope`, `contacts` or
`presets`.
"""

import importlib.util
import json
import math
import re
import sys
from pathlib import Path

import numpy as np

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent

if "motion_signal" not in sys.modules:  # whatever the folder of the checkout is called
    spec = importlib.util.spec_from_file_location("motion_signal", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    sys.modules["motion_signal"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["motion_signal"])

from motion_signal.core import TECHNIQUES, Channel, Clip, ContactsParams, Recipe, run  # noqa: E402
from motion_signal.core.body import walking_figure  # noqa: E402
from motion_signal.core.declare.params import declarations, defaults  # noqa: E402
from motion_signal.core.declare.scope import ScopeParams  # noqa: E402
from motion_signal.core.recipes.recipe import preset_from_json  # noqa: E402
from motion_signal.core.recipes.schema import schema  # noqa: E402

TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
SCHEMA = DOCS / "recipe.schema.json"
KINDS = {"flag": "true or false", "words": "text", "points": "pairs", "tree": "JSON", "records": "list"}
FRAMES, FPS = 180, 30.0  # of the walk that presets are measured on


def main():
    for page in pages():
        page.write_text(written(page.read_text("utf-8")), "utf-8")
    SCHEMA.write_text(schema_text(), "utf-8")


def pages():
    return [*sorted(DOCS.glob("*.md")), ROOT / "README.md"]


def written(text):
    """The text of a page with its tables as they should be."""
    return TABLE.sub(lambda found: found[1] + table(found[2]) + found[3], text)


def schema_text():
    return json.dumps(schema(), indent=1) + "\n"


def table(name):
    params = {technique.name: technique.params for technique in TECHNIQUES}
    params |= {"scope": ScopeParams, "contacts": ContactsParams}
    if name == "presets":
        return presets_table()
    return lines([("Property", "Default", "Range", "Unit", "Meaning"), *rows(params[name])])


def rows(params, above=""):
    """A row for each parameter, and below a list of records a row for each of their fields."""
    for name, declaration in declarations(params).items():
        default = f"each {declaration.item:g}" if declaration.kind == "numbers" else said(defaults(params)[name])
        yield f"{above}`{name}`", default, span(declaration), declaration.unit, declaration.text
        if declaration.kind == "records":
            yield from rows(declaration.entry, f"{above}`{name}` > ")


def said(value):
    """A default as a reader knows it; nothing for what is empty."""
    if isinstance(value, bool):
        return str(value).lower()
    return (f"`{value}`" if isinstance(value, str) else f"{value:.7g}") if value or value == 0 else ""


def span(declaration):
    """What a parameter may be."""
    if declaration.kind == "choice":
        return ", ".join(f"`{option.name}`" for option in declaration.options)
    if declaration.kind in KINDS:
        return KINDS[declaration.kind]
    limits = limits_of(declaration.low, declaration.high)
    several = {"numbers": "list, each", "marks": "list, each", "table": "lists by name, each"}.get(declaration.kind)
    whole = "whole number" if declaration.kind in ("whole", "marks") else "number"
    return " ".join(filter(None, (several, limits and whole + " " + limits or whole)))


def limits_of(low, high):
    low_said, high_said = (f"{limit:.7g}" for limit in (low, high))
    if math.isfinite(low):
        return f"{low_said} to {high_said}" if math.isfinite(high) else f"from {low_said}"
    return f"up to {high_said}" if math.isfinite(high) else ""


def presets_table():
    """The equalizer's presets, and what each makes of the walking figure's walk."""
    clip = walk()
    found = [("(the take)", "", *measured(clip))]
    for file in sorted((ROOT / "presets" / "equalize").glob("*.json")):
        step, _, text = preset_from_json(file.stem, file.read_text("utf-8"))
        found.append((f"`{file.stem}`", text, *measured(run(Recipe((step,)), clip, walking_figure.FIGURE))))
    return lines([("Name", "What it does", "Thigh swing", "Elbow bend", "Pelvis bob"), *found], "llrrr")


def walk():
    """The walk of Add > Walking Figure."""
    motion, bones = walking_figure.walk(FRAMES, FPS), walking_figure.FIGURE.bones
    channels = [Channel(bones[0].path + ".location", index, "LOCATION", bones[0].name) for index in range(3)]
    channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in bones for index in range(4)]
    return Clip(np.hstack([motion.location, motion.rotations.reshape(FRAMES, -1)]), tuple(channels), FPS, 1)


def measured(clip):
    """Thigh swing, elbow bend and pelvis bob of a clip of the walking figure, with their units."""
    figure = walking_figure.FIGURE
    axes, joints = figure.posed(clip)
    thigh, upper, lower = (axes[:, figure.index(name), :, 1] for name in ("thigh.L", "upper_arm.L", "forearm.L"))
    swing = np.degrees(np.arctan2(-thigh[:, 1], -thigh[:, 2]))
    bend = np.degrees(np.arccos(np.clip((upper * lower).sum(axis=1), -1.0, 1.0)))
    return f"{np.ptp(swing):.1f}°", f"{np.ptp(bend):.1f}°", f"{np.ptp(1000.0 * joints[:, 0, 2]):.1f} mm"


def lines(rows, sides=""):
    """Rows, the first of which is the head, as a table."""
    head, *body = ([str(cell).replace("|", "\\|") for cell in row] for row in rows)
    rule = ["---:" if side == "r" else "---" for side in sides or "l" * len(head)]
    return "".join(f"| {' | '.join(row)} |\n" if row is not rule else f"|{'|'.join(row)}|\n" for row in (head, rule, *body))


if __name__ == "__main__":
    main()
