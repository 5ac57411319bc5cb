# SPDX-License-Identifier: GPL-3.0-or-later
"""What a version of a take is called: the take, and what was done to it ("walk, Tired 0.8, feet locked")."""

from functools import lru_cache

from ...core.declare import params as parameters
from ...core.numeric.refusal import Refusal
from ...core.techniques.several_takes.between import asked_names
from ..bridge.provenance import RECIPE, original, read_recipe, recipe_of
from ..live.presets import preset_files, preset_label, read_preset

AMOUNTS = ("amount", "strength")  # what is said as a number behind a preset's name
SAID = {  # what a step did, where no preset says it
    "lock": lambda params: "feet locked",
    "timewarp": lambda params: f"timed as {params.reference}" if params.reference else "retimed",
    "path": lambda params: f"along {params.curve}" if params.curve else "on another path",
    "locomotion": lambda params: f"walking {params.curve}" if params.curve else "walking a curve",
    "fit_length": lambda params: f"{params.seconds:g} s" if params.seconds else "retimed",
    "cycle": lambda params: "looped",
    "speed": lambda params: f"{params.speed:g} m/s" if params.speed else "another speed",
    "blend": lambda params: "blended",
    "between": lambda params: ", ".join(f"{name} {getattr(params, name):.3g}" for name in asked_names(params)) or "between",
    "join": lambda params: "joined",
    "network": lambda params: "blend space",
    "displace": lambda params: "posed",
    "avatar": lambda params: "resized",
    "reduce": lambda params: "few keys",
    "waveshape": lambda params: "shaped",
}


def version_name(action):
    """What an action is called among the versions of its take."""
    take = original(action)
    if take == action:
        return action.name
    text = action.get(RECIPE)
    try:
        done = done_words(text) if isinstance(text, str) and recipe_of(action) else ""
    except Refusal:  # of another version: what it is made of cannot be said
        done = ""
    return f"{take.name}, {done}" if done else action.name


@lru_cache(maxsize=64)
def done_words(text):
    """What the steps of a recipe do that are on, in a few words."""
    steps = [step for step in read_recipe(text).steps if step.on]
    words = [step_name(step) for step in steps]
    if any(step.scope.feet == "LOCKED" for step in steps) and SAID["lock"](None) not in words:
        words.append(SAID["lock"](None))
    return ", ".join(dict.fromkeys(words)) or "as it was"


def step_name(step):
    """A step by its preset with the amount, or by what it does."""
    own, name = parameters.changed(step.params), step.technique.name
    amount = next((f" {own[field]:.2g}" for field in AMOUNTS if field in own), "")
    for path in preset_files(step.technique).values():
        try:
            given = parameters.changed(read_preset(step.technique, path)[0].params)
        except Refusal:  # a file of the user's that is none
            continue
        rest = {field: value for field, value in given.items() if field not in AMOUNTS}
        if rest and all(own.get(field) == value for field, value in rest.items()):
            return preset_label(step.technique, path) + amount
    return SAID[name](step.params) if name in SAID else step.technique.label + amount
