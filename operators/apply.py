# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply a technique to a scope: one function without context, used by operators, preview and command line alike."""

import json

import bpy

from ..core.recipe import Step
from ..core.refusal import Refusal
from ..core.technique import Surroundings
from .actions import channelbag, repeats
from .curves import Curves
from .feet import feet_words
from .held import assign, note
from .keeping import opened
from .kept import is_own, kept
from .planted import CONTACTS, PLANTED, SOURCE, contacts_of, original, original_clip, planted
from .reduction import check_body, reduce_keys
from .remembered import behind, remember
from .scope import lasting
from .takes import Takes
from .writer import Writer, differs


def surroundings_of(technique, scope, params, owner):
    """What a technique may know besides its clip. `owner()` gives the scope's owner, then as now."""
    skeleton = scope.skeleton if "skeleton" in technique.needs or params.keep_ends else None
    source = original_clip(scope) if skeleton and "contacts" in technique.needs else None
    return Surroundings(skeleton, params.angles_apart, Takes(owner, scope.fps), Curves(),
                        planted(scope, source) if skeleton and "contacts" in technique.needs else dict, source,
                        scope.read_beside() if skeleton and "contacts" in technique.needs else None,
                        repeats(scope.curves))


def apply(technique, values, scope, params, since=None, must_change=False):
    """Make a new action from the scope's and give it to the owner; the source stays as it is.

    `values` are the technique's parameters, `params` the ScopeParams, `since` an earlier action, if not the source, that the
    result is held against. What changes nothing says so, or is refused if it must. Returns the action and what happened, in
    words.
    """
    if technique.waiting(values):
        raise Refusal(technique.waiting(values))
    take, words, keys = scope.read(), scope.words_of(technique), technique.keys or params.keys
    if keys == "BODY":
        check_body(scope.owner, scope.skeleton)
    around = surroundings_of(technique, scope, params, lambda: scope.owner)
    process = opened(technique, take.clip, around, scope, params)
    result, held, told = process(values), getattr(process, "held", None), getattr(process, "told", "")
    origins = process.origins(values) if getattr(process, "origins", None) else ()
    del process, around  # what a technique keeps for the next drag is larger than the take
    idle = "" if keys == "BODY" or differs(result, take.clip) else technique.waits
    if idle and must_change:
        raise Refusal(f"{technique.label.lower()}: nothing would change; {idle}")
    beginning, recipe = behind(scope.action, scope.slot)
    action = copy_action(scope, params.result or f"{original(scope.action).name} {technique.label.lower()}")
    try:
        slot = action.slots[scope.slot.identifier]
        Writer(take, keys, params.tolerance, scope.changing).write(channelbag(action, slot), result)
        for name in (CONTACTS, PLANTED) if origins or result.frames != take.clip.frames else ():
            if name in action:
                del action[name]  # they are of another time
        fewer = reduce_keys(action, slot, scope, result.channels, params) if keys == "BODY" else ""
        remember(action, slot, beginning, recipe.with_steps(*recipe.steps, Step(technique, values, lasting(params, scope))))
        del take
        feet, stands = feet_words(scope, original(scope.action), since or scope.action, result, origins)
        if stands:
            action[PLANTED] = json.dumps(stands)
        keep(action, slot, scope)
    except BaseException:
        bpy.data.actions.remove(action)
        raise
    return action, "; ".join(filter(None, (words, told, idle and f"nothing has changed: {idle}", fewer, feet,
                                           held.words() if held and held.names else "")))


def copy_action(scope, name):
    """A copy of the source that remembers it, and by that keeps it from being lost when nobody else uses it."""
    action = scope.action.copy()
    action.name = name
    action[SOURCE] = scope.action
    if not is_own(scope.action) and contacts_of(scope.action):
        action[CONTACTS] = kept(scope.action, CONTACTS)
    return action


def keep(action, slot, scope):
    """Give a result to the scope's owner; it stays in the file, whatever the owner is given after it."""
    note(action, slot, scope.owner, scope.action)
    assign(scope.owner, action, slot.handle)
    action.use_fake_user = True
