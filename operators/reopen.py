# SPDX-License-Identifier: GPL-3.0-or-later
"""Open a result again: its parameters back in the panel, at work on the take that it was made from."""

import bpy

from ..core import params as parameters
from ..core.recipe import recipe_from_json
from ..core.scope import ScopeParams
from . import preview
from .apply import RECIPE, SOURCE
from .properties import from_params
from .refusing import refusing
from .scope import animated_owner


def recipe_of(action):
    """How an action was made here, or None; one that cannot be read is a ValueError."""
    if action is None or not isinstance(action.get(SOURCE), bpy.types.Action) or not action.get(RECIPE):
        return None
    return recipe_from_json(action[RECIPE])


def made_by(context, technique_name):
    """The name of the active object's action if a technique made it, or nothing."""
    try:
        action = current_action(context)
        recipe = recipe_of(action)
        return action.name if recipe and recipe.steps[-1].technique.name == technique_name else ""
    except ValueError:  # no object, or a recipe of another version
        return ""


def current_action(context):
    owner = animated_owner(context.object, context.window_manager.motion_signal.scope.animated)
    return owner.animation_data.action if owner.animation_data else None


class MOTION_SIGNAL_OT_reopen(bpy.types.Operator):
    """Change this result: brings back what it was made with, working on the take that it was made from"""

    bl_idname = "motion_signal.reopen"
    bl_label = "Edit Again"
    bl_options = {"INTERNAL"}

    @refusing
    def execute(self, context):
        settings = context.window_manager.motion_signal
        preview.end()
        action = current_action(context)
        recipe = recipe_of(action)
        if recipe is None:
            raise ValueError(f"{action.name if action else 'the object'} was not made here, so there is nothing to change")
        step = recipe.steps[-1]
        scope = parameters.build(ScopeParams, {**recipe.scope, "action": action[SOURCE].name, "result": ""})
        with preview.paused():
            from_params(scope, settings.scope)
            from_params(step.params, getattr(settings, step.technique.name))
        preview.show(context, step.technique)
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_reopen,)
