# SPDX-License-Identifier: GPL-3.0-or-later
"""Throwing results away: only what was made here and can be made again, never a take nor what was changed by hand."""

import bpy

from ...core.declare.scope import count_of
from ...core.numeric.refusal import Refusal
from ..bridge.assign import assign
from ..bridge.provenance import SOURCE, as_made, original
from ..bridge.refuse import refusing
from ..live import preview
from ..run.recipe import used
from .reopen import current_action, current_owner


def made_here(action):
    """Whether an action is a result as it was made here, which can be made again from its take."""
    return (
        isinstance(action.get(SOURCE), bpy.types.Action)
        and preview.MARK not in action
        and action.is_editable
        and any(as_made(action, slot) for slot in action.slots)
    )


def throw_unused():
    """Remove the results that nobody has, one made from another first; how many they were."""
    count = 0
    while unused := [action for action in bpy.data.actions if not used(action) and made_here(action)]:
        count += len(unused)
        for action in unused:
            bpy.data.actions.remove(action)
    return count


def throw(owner):
    """Remove the result that an owner has, and give it its take; both names."""
    data = owner.animation_data
    result, handle = data.action, data.action_slot.handle
    if not made_here(result):
        raise Refusal(
            f"{result.name} was {'changed by hand since it was made' if SOURCE in result else 'not made here'}, and stays"
        )
    take, name = original(result), result.name
    assign(owner, take, handle)
    if used(result):
        assign(owner, result, handle)
        raise Refusal(f"{name} is used elsewhere too, and stays")
    bpy.data.actions.remove(result)
    return name, take.name


class MOTION_SIGNAL_OT_throw_away(bpy.types.Operator):
    """Throw results away. Takes stay, and so does what was changed by hand"""

    bl_idname = "motion_signal.throw_away"
    bl_label = "Throw Away"
    bl_options = {"REGISTER", "UNDO"}

    which: bpy.props.EnumProperty(
        name="Which",
        description="Which results go",
        items=(
            ("THIS", "This Result", "Throw this result away and go back to its take"),
            ("UNUSED", "Unused Results", "Throw all results away that nothing plays or was made from"),
        ),
    )

    @classmethod
    def description(cls, context, properties):
        return cls.bl_rna.properties["which"].enum_items[properties.which].description

    @refusing
    def execute(self, context):
        preview.stop(context)
        if self.which == "UNUSED":
            self.report({"INFO"}, f"Threw {count_of(throw_unused(), 'result')} away")
            return
        if current_action(context) is None:
            raise Refusal(f"{context.object.name} has no action")
        self.report({"INFO"}, "Threw {} away; this is {}".format(*throw(current_owner(context))))


CLASSES = (MOTION_SIGNAL_OT_throw_away,)
