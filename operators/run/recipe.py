# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes at work: every step from the take on, one after the other, into one new action."""

from dataclasses import replace
from pathlib import Path

import bpy

from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import Recipe, recipe_from_json, steps_from_json
from ..bridge.assign import assign
from ..bridge.provenance import RECIPE, SOURCE, as_made, begins_at, behind, made_with, recipe_of, remember, take_of
from ..bridge.scope import animated_owner, gather
from .apply import apply, copy_action, keep


def run(context, recipe, take, subject=None, exact=()):
    """Do the steps of a recipe that are on, beginning with a take; the new action and what happened, in words.

    What the steps between make is removed again. If one is refused, everything is as it was. Parameters are made to fit the
    take, but those that are named `exact` are not.
    """
    subject = subject or context.object
    wanted = [step for step in recipe.steps if step.on]
    first = wanted[0].scope if wanted else ScopeParams(animated=whose(recipe))
    scope = gather(context, replace(first, action=take.name), subject)
    owner, before = scope.owner, (scope.owner.animation_data.action, scope.owner.animation_data.action_slot.handle)
    ended = last_frame(before[0])
    (beginning, prior), made, words = behind(take, scope.slot), [], scope.words
    try:
        for step in wanted:
            action, words = do(context, step, made[-1] if made else take, subject, take, exact)
            made.append(action)
        if not made:
            made.append(plain_copy(scope))
        done = iter(recipe_of(made[-1]).steps[len(prior.steps) :])
        steps = (*prior.steps, *(next(done) if step.on else step for step in recipe.steps))
        made[-1][RECIPE] = Recipe(steps, beginning.name, made_with()).to_json()
    except BaseException:
        assign(owner, *before)
        remove(made)
        raise
    made[-1][SOURCE] = take
    begins_at(made[-1], beginning)
    remove(made[:-1])
    follow_end(context.scene, ended, made[-1])
    return made[-1], words


def last_frame(action):
    return round(action.frame_range[1])


def follow_end(scene, before, action):
    """Let the scene end with an action if it ended at the frame `before`, and not before anything else in it does."""
    if scene.frame_end == before:
        moving = [thing.animation_data for thing in scene.objects if thing.animation_data and thing.animation_data.action]
        scene.frame_end = max(scene.frame_start, last_frame(action), *(last_frame(data.action) for data in moving))


def apply_and_go_on(context, step, scope, following, subject, must_change=False):
    """Apply a step to a scope, and then others to what it makes: one new action, or everything as it was."""
    data = scope.owner.animation_data
    owner, before, ended = scope.owner, (data.action, data.action_slot.handle), last_frame(scope.action)
    action, words = apply(step.technique, step.params, scope, step.scope, must_change=must_change)
    if not following:
        follow_end(context.scene, ended, action)
        return action, words
    try:
        result, words = run(context, Recipe(following), action, subject)
        beginning = take_of(result)
        result[SOURCE] = action[SOURCE]
        begins_at(result, beginning)
    except BaseException:
        assign(owner, *before)
        raise
    finally:
        remove([action])
    follow_end(context.scene, ended, result)
    return result, words


def following(settings, technique):
    """The steps that come after the one that is being changed, while that is so."""
    steps = being_changed(settings)
    return steps[1:] if steps and steps[0].technique is technique else ()


def being_changed(settings):
    """The step that is being changed and those after it, or none."""
    return steps_from_json(settings.reopened) if settings.scope.action else ()


def let_go(settings, owner, result):
    """The owner has a new action instead of a result whose step was changed, which is kept in the file no more; unless it was
    changed by hand, and cannot be made again."""
    if being_changed(settings) and as_made(result, result.slots.get(owner.animation_data.action_slot.identifier)):
        result.use_fake_user = False


def do(context, step, action, subject, take, exact=()):
    """Apply one step to an action, which may be what steps before have made of a take."""
    params = replace(step.scope, action=action.name)
    scope = gather(context, params, subject)
    fitted = step.technique.fit(step.params, scope.last - scope.first + 1, scope.fps)
    values = replace(fitted, **{name: getattr(step.params, name) for name in exact})
    return apply(step.technique, values, scope, params, take)


def plain_copy(scope):
    """The take itself as a result: what a recipe makes that has no step switched on."""
    action = copy_action(scope, f"{scope.action.name} copy")
    slot = action.slots[scope.slot.identifier]
    remember(action, slot, *behind(scope.action, scope.slot))
    keep(action, slot, scope)
    return action


def whose(recipe):
    """Whose animation a recipe changes: the object's, its shape keys' or its data's."""
    return recipe.steps[0].scope.animated if recipe.steps else ScopeParams().animated


def remove(actions):
    for action in actions:
        bpy.data.actions.remove(action)


def used(action):
    """Whether anybody has an action, apart from being kept in the file."""
    return action.users > action.use_fake_user


def run_instead(context, recipe, result, subject=None):
    """Do a recipe from the take of a result, and put what comes of it in the place of that result.

    A result that is as its recipe makes it can be made again, and goes, unless somebody else uses it. One that was changed by
    hand stays.
    """
    subject = subject or context.object
    owner = animated_owner(subject, whose(recipe))
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
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"{path.name}: cannot be read ({error})") from None
    return recipe_from_json(text, path.name)
