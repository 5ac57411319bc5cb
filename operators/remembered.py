# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result remembers: the take that it was made from, how, and what it then looked like."""

import hashlib
import tomllib
from functools import cache, lru_cache
from pathlib import Path

import bpy
import numpy as np

from ..core.recipe import Recipe, recipe_from_json
from ..core.refusal import Refusal
from .actions import channelbag
from .keys import attribute
from .planted import CONTACTS, SOURCE, TAKE, take_of

RECIPE, LOOKS = "motion_signal_recipe", "motion_signal_looks"
SHAPE = (("interpolation", np.uint8, 1), ("handle_left", np.float32, 2), ("handle_right", np.float32, 2))


def remember(action, slot, take, recipe):
    """Write down how an action was made, and from which take."""
    begins_at(action, take)
    action[RECIPE], action[LOOKS] = recipe.to_json(), looks(action, slot)


def begins_at(action, take):
    """Say where an action's recipe begins; its source says it already if that is the same."""
    if action.get(SOURCE) != take:
        action[TAKE] = take
    elif TAKE in action:
        del action[TAKE]


def forget(action):
    """Let an action be a take of its own."""
    for name in (TAKE, RECIPE, LOOKS):
        if name in action:
            del action[name]


def remember_alone(action, slot):
    """Write down what an action is like that was made here by no step of a recipe."""
    forget(action)
    action[LOOKS] = looks(action, slot)


def recipe_of(action):
    """How an action was made here, or None; one that cannot be read is a Refusal."""
    if action is None or not take_of(action) or not isinstance(action.get(RECIPE), str):
        return None
    return read_recipe(action[RECIPE])


read_recipe = lru_cache(maxsize=32)(recipe_from_json)  # panels ask at every redraw


def behind(action, slot):
    """The take behind an action and the recipe that leads from it to the action: itself and none if it was not made here,
    or changed by hand since."""
    try:
        recipe = recipe_of(action)
    except Refusal:  # of another version: what it is made of cannot be said
        recipe = None
    if recipe is None or not as_made(action, slot):
        return action, Recipe((), action.name, made_with())
    return take_of(action), Recipe(recipe.steps, take_of(action).name, made_with())


def as_made(action, slot):
    """Whether nobody has changed an action since it was made here."""
    return action.get(LOOKS) == looks(action, slot)


def looks(action, slot):
    """What an action is like, as a short text: its keys, their handles unless there is one on every frame, and contacts."""
    seen = hashlib.blake2b(str(action.get(CONTACTS, "")).encode(), digest_size=16)
    bag = channelbag(action, slot)
    for curve in bag.fcurves if bag else ():
        points = curve.keyframe_points
        pairs = attribute(points, "co", np.float32, 2)
        seen.update(f"{curve.data_path}[{curve.array_index}] {curve.mute} {len(curve.modifiers)}".encode())
        seen.update(pairs)
        if np.diff(pairs[::2]).max(initial=0.0) > 1.0:
            for name, kind, width in SHAPE:
                seen.update(attribute(points, name, kind, width))
    return seen.hexdigest()


@cache
def made_with():
    manifest = Path(__file__).parent.parent / "blender_manifest.toml"
    return {"motion_signal": tomllib.loads(manifest.read_text("utf-8"))["version"], "blender": bpy.app.version_string}
