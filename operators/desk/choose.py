# SPDX-License-Identifier: GPL-3.0-or-later
"""Choosing: an action by searching for its name, pose markers that two actions share, one of several things that were found."""

import bpy

from ...core.numeric.refusal import Refusal
from ..live.preview import MARK

_items = []  # Blender does not keep the texts itself


def action_items(self, context):
    """Actions that an object may be given: those that are not only lent."""
    _items[:] = [(action.name, action.name, "") for action in bpy.data.actions if MARK not in action]
    return _items


class ChoosesAction:
    """What operators share that ask for an action by name."""

    bl_options = {"INTERNAL"}

    action: bpy.props.EnumProperty(name="Action", description="Action to add", options={"SKIP_SAVE"}, items=action_items)

    def __init_subclass__(cls):
        super().__init_subclass__()
        cls.bl_property = "action"  # what the popup lists: Blender looks for it in the operator's own dict, not in its bases'

    def invoke(self, context, event):
        context.window_manager.invoke_search_popup(self)
        return {"RUNNING_MODAL"}


def marker_pairs(action, other):
    """Frames of the pose markers that have the same name in two actions, in order, or a Refusal if there are none."""
    own, there = ({marker.name: marker.frame for marker in each.pose_markers} for each in (action, other))
    pairs = sorted((own[name], there[name]) for name in own if name in there)
    if not pairs:
        raise Refusal(
            f"{action.name} has no pose markers"
            if not own or action == other
            else f"{action.name} and {other.name} have no pose markers of the same name"
        )
    return pairs


class MOTION_SIGNAL_OT_number_choose(bpy.types.Operator):
    """Take this one"""

    bl_idname = "motion_signal.number_choose"
    bl_label = "Choose"
    bl_options = {"INTERNAL"}

    technique: bpy.props.StringProperty(options={"SKIP_SAVE"})
    field: bpy.props.StringProperty(options={"SKIP_SAVE"})
    number: bpy.props.IntProperty(default=1, min=1, options={"SKIP_SAVE"})

    def execute(self, context):
        setattr(getattr(context.window_manager.motion_signal, self.technique), self.field, self.number)
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_number_choose,)
