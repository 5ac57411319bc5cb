# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes at work: every step from the take on, one after the other, into one new action."""

from dataclasses import replace
from pathlib import Path

import bpy

from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.recipes.opened import one_by_one
from ...core.recipes.recipe import Recipe, recipe_from_json
from ..bridge.provenance import as_made, made_with, original, remember, take_and_recipe, take_of
from ..bridge.scope import animated_owner, check_names, gather, lasting
from .along import take_along
from .apply import Treated, copy_action, keep, treat, write


def run(context, recipe, take, subject=None, exact=()):
    """Do the steps of a recipe that are on, beginning with a take; the new action and what happened, in words.

    If a step is refused, everything is as it was. Parameters are made to fit the take, those named `exact` are not.
    """
    treated = run_recipe(context, recipe, scope_of(context, recipe, take, subject), subject, exact)
    return treated.action, treated.words


def run_recipe(context, recipe, scope, subject=None, exact=()):
    """The same on a scope: the new action, and how it was made (Treated)."""
    ended = last_frame(scope.owner.animation_data.action or scope.action)
    treated = make(context, recipe, scope, subject, exact)
    follow_end(context.scene, ended, treated.action)
    return treated


def scope_of(context, recipe, take, subject=None):
    """What a recipe's first step that is on changes of a take."""
    wanted = [step for step in recipe.steps if step.on]
    first = wanted[0].scope if wanted else ScopeParams(animated=animated_by(recipe))
    return gather(context, replace(first, action=take.name), subject or context.object)


def make(context, recipe, scope, subject=None, exact=(), given=0, view_layer=None):
    """Do the steps of a recipe that are on, on a scope's action: a new action for its owner, and how it was made (Treated).

    Where there is a view layer the owner is evaluated there as soon as it has the action.
    """
    wanted = [lasting_step(context, step, scope, subject) for step in recipe.steps if step.on]
    beginning, prior = take_and_recipe(scope.action, scope.slot)
    treated = treat(scope, wanted, exact, given) if wanted else Treated(None, {}, plain=scope.words)
    try:
        if wanted:
            slot = write(treated, scope, name_of(wanted[-1], scope))
        else:
            treated.action = copy_action(scope, f"{scope.action.name} copy")
            slot = treated.action.slots[scope.slot.identifier]
        done = iter([each.step for each in treated.run.done] if wanted else ())
        steps = [next(done) if step.on else step for step in recipe.steps]
        remember_steps(treated.action, slot, beginning, prior, steps, treated.known)
        had = scope.owner.animation_data.action
        keep(treated.action, slot, scope, view_layer)
    except BaseException:
        if treated.action is not None:
            bpy.data.actions.remove(treated.action)
        raise
    take_along(context.scene, treated, scope, had)
    return treated


def remember_steps(action, slot, beginning, prior, steps, known):
    """Write down in a result the steps that lead to it from where its recipe begins."""
    done = one_by_one(prior.steps if prior else (), steps)
    remember(action, slot, beginning, Recipe(done, beginning.name, made_with()), known)


def name_of(step, scope):
    return step.scope.result or f"{original(scope.action).name} {step.technique.label.lower()}"


def lasting_step(context, step, scope, subject):
    """A step that means the same later: what is selected, and which frames are previewed, is looked up."""
    params = replace(step.scope, action=scope.action.name)
    if params.scope in ("BONES", "CURVES") or params.frames == "PREVIEW":
        params = lasting(params, gather(context, params, subject))
    elif params.scope == "NAMED":
        check_names(params, scope.owner)
    return replace(step, scope=replace(params, action=step.scope.action))


def last_frame(action):
    return round(action.frame_range[1])


def follow_end(scene, before, action):
    """Let the scene end with an action if it ended at the frame `before`, and not before anything else in it does."""
    if scene.frame_end == before:
        moving = [thing.animation_data for thing in scene.objects if thing.animation_data and thing.animation_data.action]
        scene.frame_end = max(scene.frame_start, last_frame(action), *(last_frame(data.action) for data in moving))


def apply_and_go_on(context, step, scope, following, subject):
    """Apply a step to a scope, and then others to what it makes: one new action, or everything as it was.

    The result is evaluated at once: who follows what is active is to be paused.
    """
    ended = last_frame(scope.action)
    treated = make(context, Recipe((step, *following)), scope, subject, given=1, view_layer=context.view_layer)
    follow_end(context.scene, ended, treated.action)
    return treated.action, treated.words


def animated_by(recipe):
    """Whose animation a recipe changes: the object's, its shape keys' or its data's."""
    return recipe.steps[0].scope.animated if recipe.steps else ScopeParams().animated


def used(action):
    """Whether anybody has an action, apart from being kept in the file."""
    return action.users > action.use_fake_user


def run_instead(context, recipe, result, subject=None):
    """Do a recipe from the take of a result, and put what comes of it in the place of that result.

    A result that is as its recipe makes it can be made again, and goes, unless somebody else uses it. One that was changed by
    hand stays.
    """
    subject = subject or context.object
    owner = animated_owner(subject, animated_by(recipe))
    own = as_made(result, result.slots.get(owner.animation_data.action_slot.identifier))
    action, words = run(context, recipe, take_of(result), subject)
    if own and not used(result):
        name = result.name
        bpy.data.actions.remove(result)
        action.name = name
    return action, words if own else f"{words}; {result.name} was changed by hand, and stays"


def read_recipe_file(path):
    """The recipe in a file, or a Refusal that names the file and the line that is wrong."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"{path.name}: cannot be read ({error})") from None
    return recipe_from_json(text, path.name)
