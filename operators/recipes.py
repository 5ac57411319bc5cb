# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes at work: every step from the take on, one after the other, into one new action."""

from dataclasses import replace

import bpy

from ..core.recipe import Recipe
from ..core.scope import ScopeParams
from .apply import apply, assign, copy_action
from .planted import SOURCE, take_of
from .remembered import RECIPE, as_made, begins_at, behind, made_with, recipe_of, remember
from .scope import animated_owner, gather


def run(context, recipe, take, subject=None):
    """Do the steps of a recipe that are on, beginning with a take; the new action and what happened, in words.

    What the steps between make is removed again. If one is refused, everything is as it was.
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
            action, words = do(context, step, made[-1] if made else take, subject, take)
            made.append(action)
        if not made:
            made.append(plain_copy(scope))
        done = iter(recipe_of(made[-1]).steps[len(prior.steps):])
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


def apply_and_go_on(context, step, scope, following, subject):
    """Apply a step to a scope, and then others to what it makes: one new action, or everything as it was."""
    data = scope.owner.animation_data
    owner, before, ended = scope.owner, (data.action, data.action_slot.handle), last_frame(scope.action)
    action, words = apply(step.technique, step.params, scope, step.scope)
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


def do(context, step, action, subject, take):
    """Apply one step to an action, which may be what steps before have made of a take."""
    params = replace(step.scope, action=action.name)
    scope = gather(context, params, subject)
    values = step.technique.fit(step.params, scope.last - scope.first + 1, scope.fps)
    return apply(step.technique, values, scope, params, take)


def plain_copy(scope):
    """The take itself as a result: what a recipe makes that has no step switched on."""
    action = copy_action(scope, f"{scope.action.name} copy")
    assign(scope.owner, action, scope.slot.handle)
    beginning, prior = behind(scope.action, scope.slot)
    remember(action, scope.owner.animation_data.action_slot, beginning, prior)
    return action


def whose(recipe):
    """Whose animation a recipe changes: the object's, its shape keys' or its data's."""
    return recipe.steps[0].scope.animated if recipe.steps else ScopeParams().animated


def remove(actions):
    for action in actions:
        bpy.data.actions.remove(action)


def run_instead(context, recipe, result, subject=None):
    """Do a recipe from the take of a result, and put what comes of it in the place of that result.

    A result that is as its recipe makes it can be made again, and goes, unless somebody else uses it. One that was changed by
    hand stays.
    """
    subject = subject or context.object
    owner = animated_owner(subject, whose(recipe))
    own = as_made(result, result.slots.get(owner.animation_data.action_slot.identifier))
    action, words = run(context, recipe, take_of(result), subject)
    if own and not result.users:
        name = result.name
        bpy.data.actions.remove(result)
        action.name = name
    return action, words if own else f"{words}; {result.name} was changed by hand, and stays"
