# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply a technique to a scope: one function without context, used by operators, preview and command line alike."""

import json

import bpy

from ...core.body.roles import find_roles
from ...core.declare.technique import Surroundings
from ...core.ik.hold import Ends
from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import Step
from ..bridge.actions import channelbag, repeats
from ..bridge.assign import assign, note
from ..bridge.curves import Curves
from ..bridge.kept_texts import is_own, kept
from ..bridge.provenance import CONTACTS, PLANTED, SOURCE, behind, contacts_of, original, original_clip, planted, remember
from ..bridge.reduce_keys import check_body, reduce_keys
from ..bridge.scope import lasting
from ..bridge.takes import Takes
from ..bridge.writer import Writer, differs
from .feet_words import feet_words


def surroundings_of(technique, scope, params, owner):
    """What a technique may know besides its clip. `owner()` gives the scope's owner, then as now."""
    skeleton = scope.skeleton if "skeleton" in technique.needs or params.keep_ends else None
    source = original_clip(scope) if skeleton and "contacts" in technique.needs else None
    return Surroundings(
        skeleton,
        params.angles_apart,
        Takes(owner, scope.fps),
        Curves(),
        planted(scope, source) if skeleton and "contacts" in technique.needs else dict,
        source,
        scope.read_beside() if skeleton and "contacts" in technique.needs else None,
        repeats(scope.curves),
    )


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
    return action, "; ".join(
        filter(
            None,
            (words, told, idle and f"nothing has changed: {idle}", fewer, feet, held.words() if held and held.names else ""),
        )
    )


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


class Keeping:
    """A technique's process whose results have their ends held; `held` is what came of the last."""

    def __init__(self, process, clip, surroundings, words):
        self.process, self.held, self.origins = process, None, getattr(process, "origins", None)
        self.ends = Ends(clip, surroundings, names_of(words, surroundings))

    @property
    def told(self):
        """What the technique has to say of its last result."""
        return getattr(self.process, "told", "")

    def __call__(self, params):
        self.held = self.ends(self.process(params))
        return self.held.clip


def opened(technique, clip, surroundings, scope, params):
    """A technique opened on a clip: parameters in, changed Clip out, with the ends kept if that is asked for."""
    process = technique.open(clip, surroundings, scope.weights)
    if not params.keep_ends:
        return process
    if surroundings.skeleton is None:
        raise Refusal(f"keep_ends: {scope.owner.name} is no armature, and has no ends")
    return Keeping(process, clip, surroundings, params.held_bones)


def names_of(words, surroundings):
    """Bones by their names or by the parts of the body that they are."""
    roles = find_roles(surroundings.skeleton).table()
    wanted = [word.strip() for word in words.split(",") if word.strip()]
    return [roles.get(word) or word for word in wanted if word not in roles or roles[word]]
