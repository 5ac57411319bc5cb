# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply a technique to a scope: one function without context, used by operators, preview and command line alike."""

import bpy

from ..core.recipe import Step
from ..core.technique import Surroundings
from .actions import channelbag, repeats, slot_of
from .body import corrections_of
from .curves import Curves
from .feet import feet_words
from .keeping import opened
from .planted import CONTACTS, SOURCE, original, original_clip, planted
from .reduction import check_body, reduce_keys
from .remembered import behind, remember
from .scope import lasting
from .takes import Takes
from .writer import Writer


def surroundings_of(technique, scope, params, owner):
    """What a technique may know besides its clip. `owner()` gives the scope's owner, then as now."""
    skeleton = scope.skeleton if "skeleton" in technique.needs or params.keep_ends else None
    source = original_clip(scope) if skeleton and "contacts" in technique.needs else None
    return Surroundings(skeleton, params.angles_apart, Takes(owner, scope.fps), Curves(),
                        corrections_of(scope.owner.data) if skeleton else {},
                        planted(scope, source) if skeleton and "contacts" in technique.needs else dict, source,
                        repeats(scope.curves))


def apply(technique, values, scope, params, since=None):
    """Make a new action from the scope's and give it to the owner; the source stays as it is.

    `values` are the technique's parameters, `params` the ScopeParams, `since` an earlier action, if not the source, that the
    result is held against. Returns the action and what happened, in words.
    """
    take, words, keys = scope.read(), scope.words, technique.keys or params.keys
    if keys == "BODY":
        check_body(scope.owner, scope.skeleton)
    around = surroundings_of(technique, scope, params, lambda: scope.owner)
    process = opened(technique, take.clip, around, scope, params)
    result, held = process(values), getattr(process, "held", None)
    del process, around  # what a technique keeps for the next drag is larger than the take
    beginning, recipe = behind(scope.action, scope.slot)
    action = copy_action(scope, params.result or f"{original(scope.action).name} {technique.label.lower()}")
    try:
        slot = action.slots[scope.slot.identifier]
        Writer(take, keys, params.tolerance, scope.changing).write(channelbag(action, slot), result)
        if result.frames != take.clip.frames and CONTACTS in action:
            del action[CONTACTS]  # they are of another time
        fewer = reduce_keys(action, slot, scope, result.channels, params) if keys == "BODY" else ""
        remember(action, slot, beginning, recipe.with_steps(*recipe.steps, Step(technique, values, lasting(params, scope))))
        assign(scope.owner, action, scope.slot.handle)
    except BaseException:
        bpy.data.actions.remove(action)
        raise
    del take
    feet = feet_words(scope, original(scope.action), since or scope.action, result)
    return action, "; ".join(filter(None, (words, fewer, feet, held.words() if held and held.names else "")))


def copy_action(scope, name):
    """A copy of the source that remembers it, and by that keeps it from being lost when nobody else uses it."""
    action = scope.action.copy()
    action.name = name
    action[SOURCE] = scope.action
    return action


def assign(owner, action, handle):
    data = owner.animation_data
    data.action = action
    data.action_slot = slot_of(action, handle)
