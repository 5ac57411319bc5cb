# SPDX-License-Identifier: GPL-3.0-or-later
"""The active object's result: its action and its recipe; and one of its steps opened again by a script."""

import bpy

from ...core.numeric.refusal import Refusal
from ..bridge.provenance import recipe_of
from ..bridge.refuse import refusing
from ..bridge.scope import active_object, animated_owner
from ..live import preview
from ..live.lend import MARK, returning
from ..live.steps import change, index_of, rack_at_hand
from ..run.step_words import told


def current_owner(context):
    return animated_owner(active_object(context), context.window_manager.motion_signal.scope.animated)


def current_action(context):
    """The active object's action; during a preview, the one that it has again after it."""
    owner = current_owner(context)
    action = owner.animation_data.action if owner.animation_data else None
    return returning(action) if action and MARK in action else action


def current_result(context):
    """The active object's action and its recipe, or a Refusal if it was not made here."""
    action = current_action(context)
    recipe = recipe_of(action)
    if recipe is None:
        raise Refusal(f"{action.name if action else 'the object'} was not made here, so there is nothing to change")
    return action, recipe


class MOTION_SIGNAL_OT_reopen(bpy.types.Operator):
    """Open this step with what it was made with; Apply does those after it again"""

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
        preview.stop(context)
        current_result(context)
        rack = rack_at_hand(context)
        change(context, rack.with_open(index_of(rack, self.step)), "Open Step")
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_reopen,)
