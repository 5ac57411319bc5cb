# SPDX-License-Identifier: GPL-3.0-or-later
"""What a recipe says of the takes of a library: units and parameters by folder or pattern, T-poses, what does not apply."""

from collections.abc import Mapping
from dataclasses import field, replace
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from ..declare import params as parameters
from ..numeric.frozen import frozen
from .checks import RecipeError, built, of_kind, refuse_unknown

T_POSE, NOT_APPLICABLE = ("keep", "drop"), ("fail", "skip")
RULE_PARTS = ("match", "unit", "params")


@frozen
class Rule:
    """What is other for takes whose path fits a pattern."""

    match: str
    unit: float | None = None  # metres
    params: Mapping = field(default_factory=dict)  # by technique

    def fits(self, path):
        """Whether a path below the folder of the takes fits, itself or a folder that it lies in."""
        return any(fnmatchcase(place, self.match.rstrip("/")) for place in (path, *map(str, PurePosixPath(path).parents)))

    def as_data(self):
        told = {"match": self.match, "unit": self.unit, "params": dict(self.params)}
        return {name: value for name, value in told.items() if value}


@frozen
class LibraryRules:
    """What a recipe says besides its steps; nothing, as a rule."""

    takes: tuple[Rule, ...] = ()
    t_pose: str = T_POSE[0]
    not_applicable: str = NOT_APPLICABLE[0]

    def as_data(self):
        told = {"t_pose": self.t_pose, "not_applicable": self.not_applicable}
        usual = LibraryRules().__dict__
        changed = {name: value for name, value in told.items() if value != usual[name]}
        return {**changed, **({"takes": [rule.as_data() for rule in self.takes]} if self.takes else {})}

    def of(self, path):
        """The first rule that fits a take, or none that says anything."""
        return next((rule for rule in self.takes if rule.fits(path)), Rule(""))


def steps_for(recipe, path):
    """The steps of a recipe as they are for a take: with the parameters that its rule gives them."""
    given = recipe.library.of(path).params
    return tuple(
        replace(step, params=parameters.build(type(step.params), {**step.params.__dict__, **given[step.technique.name]}))
        if step.technique.name in given
        else step
        for step in recipe.steps
    )


def library_from_data(data, techniques):
    """What plain data of a recipe says of takes, everything checked; rules name parameters of its own techniques."""
    rules = of_kind(data, "takes", list, [], (), "a list of what is other for some takes")
    rules = tuple(rule_from_data(rule, ("takes", index), techniques) for index, rule in enumerate(rules))
    return LibraryRules(rules, one_of(data, "t_pose", T_POSE), one_of(data, "not_applicable", NOT_APPLICABLE))


def one_of(data, name, options):
    value = of_kind(data, name, str, options[0], (), f"one of {', '.join(options)}")
    if value not in options:
        raise RecipeError((name,), f"{name}: {value[:64]!r} is none of {', '.join(options)}")
    return value


def rule_from_data(data, path, techniques):
    if not isinstance(data, dict):
        raise RecipeError(path, f"takes: it needs 'match' with 'unit' or 'params', and this is {data!r}")
    refuse_unknown(data, RULE_PARTS, path, "what is other for takes")
    match = of_kind(data, "match", str, None, path, "a folder or a pattern such as kids/*.bvh")
    unit = of_kind(data, "unit", int | float, 0.0, path, "a number of metres")
    if "unit" in data and not (1e-6 <= unit <= 1e6 and not isinstance(unit, bool)):
        raise RecipeError((*path, "unit"), f"unit: {unit} is no number of metres from 1e-06 to 1e+06")
    params = of_kind(data, "params", dict, {}, path, "parameters by technique")
    kinds = {technique.name: technique for technique in techniques}
    for name in params:
        if name not in kinds:
            raise RecipeError((*path, "params", name), f"params: no step is {name[:64]}; there are {', '.join(kinds)}")
        built(kinds[name].params, of_kind(params, name, dict, None, (*path, "params"), "a table"), (*path, "params", name))
    return Rule(match, float(unit) or None, params)
