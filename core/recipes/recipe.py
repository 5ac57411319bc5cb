# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipe and preset: techniques with their parameters, as data that reads and writes as JSON.

Whatever such a text holds, nothing of it is run, and nothing of it names a file: parameters are numbers, choices and the names
of things in the scene, and each is checked against its declaration.
"""

import json
import re
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from ..declare import params as parameters
from ..declare.scope import ScopeParams
from ..declare.technique import Technique
from ..motion.clip import Clip
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from ..techniques import technique
from .checks import NOT_KEPT, RecipeError, built, of_kind, refuse_unknown
from .json_source import lines_of, read_json
from .library import LibraryRules, library_from_data
from .shipped import shipped_params

FORMAT = 1
PARTS = ("$schema", "format", "made_with", "source", "steps", "takes", "t_pose", "not_applicable")
PRESET_PARTS = ("label", "text", "technique", "params")
STEP_PARTS = ("technique", "preset", "params", "scope", "on", "planted")
NUMBERS = re.compile(r"\[\n\s*([-+.\deE,\s]+?)\n\s*\]")  # a list of nothing else reads best on one line
RENAMED = {("path", "feet"): "plant"}  # parameters that older recipes call otherwise
MOST = 1000  # steps


@frozen
class Step:
    """One technique with its parameters and its scope; only what differs from the defaults is written down."""

    technique: Technique
    params: Any
    scope: ScopeParams = ScopeParams()
    on: bool = True
    planted: bool = False  # its feet were planted before the lock that follows came: it was applied by itself

    def as_data(self) -> dict[str, Any]:
        scope = {name: value for name, value in parameters.changed(self.scope).items() if name not in NOT_KEPT}
        return {
            "technique": self.technique.name,
            "params": parameters.changed(self.params),
            **({"scope": scope} if scope else {}),
            **({} if self.on else {"on": False}),
            **({"planted": True} if self.planted else {}),
        }

    def refuse_waiting(self) -> None:
        """Say what the step waits for, if it was given nothing to work with."""
        words = self.technique.waiting(self.params) if self.technique.wants else ""
        if words:
            raise Refusal(words)

    def fitted(self, clip: Clip, exact: Any = ()) -> Any:
        """The parameters made to fit a clip, apart from those named `exact` (True for all)."""
        if exact is True:
            return self.params
        fit = self.technique.fit(self.params, clip.frames, clip.fps)
        return replace(fit, **{name: getattr(self.params, name) for name in exact})


@frozen
class Recipe:
    """Techniques in a row, the name of the take that they were applied to, and the versions that did it."""

    steps: tuple[Step, ...]
    source: str = ""
    made_with: dict[str, str] = field(default_factory=dict)
    library: LibraryRules = LibraryRules()  # what it says of takes in a batch

    def to_json(self) -> str:
        text = json.dumps(
            {
                "format": FORMAT,
                "made_with": self.made_with,
                "source": self.source,
                "steps": [step.as_data() for step in self.steps],
                **self.library.as_data(),
            },
            indent=2,
        )
        return NUMBERS.sub(lambda found: "[" + ", ".join(found[1].split()).replace(",,", ",") + "]", text) + "\n"

    def with_steps(self, *steps: Step) -> "Recipe":
        return replace(self, steps=tuple(steps))


def in_turn(steps):
    """Steps that are on, each with the one that follows it, None for the last."""
    steps = [step for step in steps if step.on]
    return list(zip(steps, [*steps[1:], None]))


def recipe_from_json(text: str, what: str = "recipe") -> Recipe:
    """The recipe in a text, or a Refusal that names the line that is wrong."""
    return pointed(what, text, recipe_from_data)


def read_recipe(source: str | Path) -> Recipe:
    """The recipe in a file, or in a text that is JSON itself; or a Refusal that names file or line."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return recipe_from_json(source)
    try:
        text = Path(source).read_text("utf-8-sig")  # with the mark that Windows puts before a text
    except (OSError, ValueError) as error:
        raise Refusal(f"{source}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    return recipe_from_json(text, str(source))


def pointed(what, text, read):
    """What `read` makes of the data in a JSON text; what is wrong in it is a Refusal with its line."""
    data = read_json(what, text)
    try:
        return read(data)
    except RecipeError as wrong:
        lines, path = lines_of(text), wrong.path
        while path not in lines:
            path = path[:-1]
        raise Refusal(f"{what}: line {lines[path]}: {wrong}") from None


def recipe_from_data(data):
    refuse_unknown(data, PARTS, (), "a recipe")
    form = data.get("format")
    if isinstance(form, int | float) and not isinstance(form, bool) and form > FORMAT:
        shown = f"{form:g}" if form < 1e9 else "that large"  # a whole number may be larger than any other
        raise RecipeError(("format",), f"format {shown} is of a newer Motion Signal; this one reads format {FORMAT}")
    if form != FORMAT or isinstance(form, bool):
        raise RecipeError(("format",), f"format: {form!r} is not {FORMAT}")
    of_kind(data, "source", str, "", (), "text")
    made_with = of_kind(data, "made_with", dict, {}, (), "a table of versions")
    for name in made_with:
        of_kind(made_with, name, str, "", ("made_with",), "text")
    steps = of_kind(data, "steps", list, None, (), "a list of steps")
    if len(steps) > MOST:
        raise RecipeError(("steps",), f"steps: there are {len(steps):,}, and {MOST:,} are the most")
    done = tuple(step_from_data(step, ("steps", index)) for index, step in enumerate(steps))
    return Recipe(done, data.get("source", ""), made_with, library_from_data(data, [step.technique for step in done]))


def step_from_data(data, path=()):
    """A step from plain data, everything checked; what is wrong is a RecipeError at its path."""
    if not isinstance(data, dict):
        raise RecipeError(path, f"a step is a table with 'technique', and this is {data!r}")
    refuse_unknown(data, STEP_PARTS, path, "a step")
    name = of_kind(data, "technique", str, None, path, "the name of a technique")
    try:
        chosen = technique(name)
    except Refusal as error:
        raise RecipeError((*path, "technique"), error) from None
    given = of_kind(data, "params", dict, {}, path, "a table")
    if "preset" in data:
        given = {**preset_params(chosen, of_kind(data, "preset", str, None, path, "the name of a preset"), path), **given}
    params = built(chosen.params, {RENAMED.get((name, key), key): value for key, value in given.items()}, (*path, "params"))
    scope = built(ScopeParams, of_kind(data, "scope", dict, {}, path, "a table"), (*path, "scope"))
    on, planted = (
        of_kind(data, name, bool, usual, path, "true or false") for name, usual in (("on", True), ("planted", False))
    )
    return Step(chosen, params, scope, on, planted)


def preset_params(technique, name, path):
    """The parameters of a shipped preset; what a step says besides goes over them."""
    try:
        return shipped_params(technique.name, name)
    except Refusal as error:
        raise RecipeError((*path, "preset"), error) from None


def steps_from_json(text):
    """A bare list of steps, as operators hand them on."""
    held = read_json("then", '{"steps": ' + (text or "[]") + "}")
    return tuple(step_from_data(step) for step in of_kind(held, "steps", list, None, (), "a list of steps"))


def steps_to_json(steps):
    return json.dumps([step.as_data() for step in steps])


def preset_to_json(step, label, text=""):
    return json.dumps({"label": label, "text": text, **step.as_data()}, indent=2) + "\n"


def preset_from_json(name, text, expected=None):
    """The step in a preset's text, and its label and tooltip; `expected` is the technique it must be for."""
    return pointed(f"preset {name}", text, lambda data: preset_from_data(data, name, expected))


def preset_from_data(data, name, expected):
    refuse_unknown(data, PRESET_PARTS, (), "a preset")
    step = step_from_data({entry: data.get(entry) for entry in ("technique", "params")})
    if expected is not None and step.technique is not expected:
        raise RecipeError(("technique",), f"it is for {step.technique.name}, not for {expected.name}")
    return step, of_kind(data, "label", str, name, (), "text"), of_kind(data, "text", str, "", (), "text")
