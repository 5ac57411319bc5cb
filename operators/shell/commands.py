# SPDX-License-Identifier: GPL-3.0-or-later
"""What the commands do: a recipe or one technique on takes, and the schema of recipes."""

import json
import sys
from pathlib import Path

from ...core.declare import params as parameters
from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.recipes.presets import named_preset
from ...core.recipes.recipe import Recipe, Step, read_recipe
from ...core.recipes.schema import schema
from ...core.recipes.shipped import ENDING, shipped_presets
from ..batch import run as batch
from ..batch.jobs import has_blender
from ..batch.onto import onto_of
from ..files import kinds
from .arguments import given

ORDERED = (
    "jobs",
    "scheduler",
    "ending",
    "others",
    "object",
    "unit",
    "limit",
    "include",
    "exclude",
    "shard",
    "dry_run",
    "log_json",
)


def run(chosen):
    """A recipe on takes."""
    recipe = read_recipe(Path(chosen.recipe))
    if not any(step.on for step in recipe.steps):
        raise Refusal(f"{Path(chosen.recipe).name}: none of its steps is on")
    return ordered(chosen, recipe, (), chosen.action or "")


def treat(chosen):
    """One technique on takes: a recipe of one step."""
    if len(chosen.files) == 1 and not Path(chosen.output).is_dir() and Path(chosen.output).suffix:
        kinds.check_ending(Path(chosen.output))
    preset = preset_named(chosen.technique, chosen.preset).params if chosen.preset else chosen.technique.params()
    flags, scope = given(chosen.technique.params, chosen), given(ScopeParams, chosen)
    action = scope.pop("action", "")  # which take it is, a recipe does not say
    values = parameters.build(chosen.technique.params, {**preset.__dict__, **flags})
    recipe = Recipe((Step(chosen.technique, values, parameters.build(ScopeParams, scope)),))
    return ordered(chosen, recipe, tuple(flags), action)


def preset_named(technique, name):
    """The step of a preset: one's own as well, where Blender is there to say where these are."""
    if has_blender() and not name.endswith(ENDING):
        from ..live.presets import load_preset

        return load_preset(technique, name)
    return named_preset(technique, name, shipped_presets(technique))


def ordered(chosen, recipe, exact, action):
    """Have a recipe run as the command line asks; the exit code."""
    asked = {name: getattr(chosen, name) for name in ORDERED if getattr(chosen, name) is not None}
    onto = onto_of(recipe)
    if onto and onto.params.onto.lower().endswith(".blend"):
        asked.setdefault("ending", ".blend")
    said = "nothing" if chosen.quiet else "everything" if chosen.verbose else "takes"
    takes = (*chosen.files, *listed(chosen.takes_from))
    if not takes:
        raise Refusal("takes: none are named; name files or folders, or --takes-from")
    order = batch.Order(recipe, takes, chosen.output, exact, action=action, said=said, **asked)
    return 0 if batch.run(order) else 1


def listed(source):
    """The takes in a list, one a line; empty lines and what follows # are passed by."""
    if not source:
        return ()
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"{source}: cannot be read ({error})") from None
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def tell_schema(chosen):
    """Print the schema of recipes."""
    print(json.dumps(schema(), indent=1))
