# SPDX-License-Identifier: GPL-3.0-or-later
"""Open a result again: a step of its recipe back in the panel, at work on what it was applied to."""

import bpy

from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import steps_to_json
from ..bridge.assign import assign
from ..bridge.provenance import SOURCE, as_made, recipe_of, take_of
from ..bridge.refuse import refusing
from ..bridge.scope import active_object, animated_owner
from ..live import preview
from ..run import recipe as recipes
from ..run.step_words import told
from ..settings.properties import from_params


def made_by(context, technique_name):
    """The name of the active object's action if a technique made it, or nothing."""
    try:
        action = current_action(context)
        recipe = recipe_of(action)
        return action.name if recipe and recipe.steps and recipe.steps[-1].technique.name == technique_name else ""
    except Refusal:  # no object, or a recipe of another version
        return ""


def current_owner(context):
    return animated_owner(active_object(context), context.window_manager.motion_signal.scope.animated)


def current_action(context):
    """The active object's action; during a preview, the one that it has again after it."""
    owner = current_owner(context)
    action = owner.animation_data.action if owner.animation_data else None
    return preview.returning(action) if action and preview.MARK in action else action


def current_result(context):
    """The active object's action and its recipe, or a Refusal if it was not made here."""
    action = current_action(context)
    recipe = recipe_of(action)
    if recipe is None:
        raise Refusal(f"{action.name if action else 'the object'} was not made here, so there is nothing to change")
    return action, recipe


class MOTION_SIGNAL_OT_reopen(bpy.types.Operator):
    """Change this step: it opens with what it was made with, and Apply does those after it again"""

    bl_idname = "motion_signal.reopen"
    bl_label = "Edit Again"
    bl_options = {"INTERNAL"}

    step: bpy.props.IntProperty(name="Step", default=-1, description="Which step, counted from 0; -1 is the last")

    @classmethod
    def description(cls, context, properties):
        try:
            recipe = current_result(context)[1]
            return "\n".join((cls.__doc__, *told(recipe.steps[index_of(recipe, properties.step)])))
        except Refusal:  # made by another version, or not here
            return cls.__doc__

    @refusing
    def execute(self, context):
        settings = context.window_manager.motion_signal
        preview.stop(context)
        action, recipe = current_result(context)
        index = index_of(recipe, self.step)
        step = recipe.steps[index]
        before = up_to(context, action, recipe, index)
        with preview.paused():
            from_params(step.scope, settings.scope)
            settings.scope.action, settings.scope.result = before.name, ""
            from_params(step.params, getattr(settings, step.technique.name))
        settings.reopened = steps_to_json(recipe.steps[index:])
        preview.show(context, step.technique)
        return {"FINISHED"}


def up_to(context, action, recipe, index):
    """The action that a result was before a step: the take, one that is still there, or one made again."""
    slot = current_owner(context).animation_data.action_slot
    if not any(step.on for step in recipe.steps[:index]):
        return take_of(action)
    for before in sources(action):
        if same_steps(before, action, recipe, index) and as_made(before, before.slots.get(slot.identifier)):
            return before
    handle = slot.handle
    made = recipes.run(context, recipe.with_steps(*recipe.steps[:index]), take_of(action))[0]
    assign(animated_owner(context.object, recipe.steps[index].scope.animated), action, handle)
    made.use_fake_user = False  # a step between, and no result
    return made


def sources(action):
    """What an action was made from, what that was made from, and so on."""
    passed = [action]
    while isinstance(before := passed[-1].get(SOURCE), bpy.types.Action) and before not in passed:
        passed.append(before)
    return passed[1:]


def same_steps(before, action, recipe, index):
    known = recipe_of(before)
    return bool(known) and known.steps == recipe.steps[:index] and take_of(before) == take_of(action)


def index_of(recipe, step):
    """Which step a number means, counted from the end if it is negative, or a Refusal."""
    if not -len(recipe.steps) <= step < len(recipe.steps):
        raise Refusal(f"step: there is no {step}; there are {len(recipe.steps)}, counted from 0")
    return step % len(recipe.steps)


def step_being_changed(context, recipe):
    """Which step of a recipe is being changed, or None."""
    current, steps = preview.session(), recipes.being_changed(context.window_manager.motion_signal)
    changing = current and steps and steps[0].technique.name == current.technique
    return len(recipe.steps) - len(steps) if changing else None


@bpy.app.handlers.persistent
def leave(*_):
    """No step is being changed any more once undo, a saved or another file has ended its preview, unless that goes on."""
    settings = bpy.context.window_manager.motion_signal
    if settings.reopened and not preview.session() and not bpy.app.timers.is_registered(preview.go_on):
        settings.scope.action = settings.reopened = ""


ENDING = ("undo_post", "redo_post", "save_post", "load_post")
CLASSES = (MOTION_SIGNAL_OT_reopen,)


def register():
    for name in ENDING:
        getattr(bpy.app.handlers, name).append(leave)


def unregister():
    for name in ENDING:
        getattr(bpy.app.handlers, name).remove(leave)
