# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply a technique to a scope: one function without context, used by operators, preview and command line alike."""

import bpy

from ..core import params as parameters
from ..core.recipe import Recipe, Step
from ..core.technique import Surroundings
from .actions import channelbag, slot_of
from .feet import feet_words
from .takes import Takes
from .writer import Writer

RECIPE, SOURCE = "motion_signal_recipe", "motion_signal_source"


def surroundings_of(technique, scope, params, owner):
    """What a technique may know besides its clip. `owner()` gives the scope's owner, then as now."""
    return Surroundings(scope.skeleton if "skeleton" in technique.needs else None, params.angles_apart, Takes(owner, scope.fps))


def apply(technique, values, scope, params):
    """Make a new action from the scope's and give it to the owner; the source stays as it is.

    `values` are the technique's parameters, `params` the ScopeParams. Returns the action and what happened, in words.
    """
    take, words = scope.read(), scope.words
    around = surroundings_of(technique, scope, params, lambda: scope.owner)
    result = technique.open(take.clip, around, scope.weights)(values)
    name = params.result or f"{original(scope.action).name} {technique.label.lower()}"
    action = copy_action(scope, name)
    try:
        Writer(take, params.keys, params.tolerance, scope.changing).write(
            channelbag(action, action.slots[scope.slot.identifier]), result)
        asked = {name: value for name, value in parameters.changed(params).items() if name != "action"}
        action[RECIPE] = Recipe((Step(technique, values),), scope.action.name, asked).to_json()
        assign(scope.owner, action, scope.slot.handle)
    except BaseException:
        bpy.data.actions.remove(action)
        raise
    return action, "; ".join(filter(None, (words, feet_words(scope, original(scope.action), result))))


def copy_action(scope, name):
    """A copy of the source that remembers it, and by that keeps it from being lost when nobody else uses it."""
    action = scope.action.copy()
    action.name = name
    action[SOURCE] = scope.action
    return action


def original(action):
    """The take that an action was made from, by however many steps; itself if it was not made here."""
    passed = []
    while isinstance(action.get(SOURCE), bpy.types.Action) and action not in passed:
        passed.append(action)
        action = action[SOURCE]
    return action


def assign(owner, action, handle):
    data = owner.animation_data
    data.action = action
    data.action_slot = slot_of(action, handle)
