# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs with faders of their own: which there are, and taking them away again."""

import bpy

from ...core.declare.faders import EqualizeParams
from ...core.declare.params import declarations, write_text
from ..settings.properties import readable


def limb_names(settings):
    return tuple(readable(settings, "limbs", declarations(EqualizeParams)["limbs"]))


class MOTION_SIGNAL_OT_limb_remove(bpy.types.Operator):
    """Let this limb follow the faders of the whole figure again"""

    bl_idname = "motion_signal.limb_remove"
    bl_label = "Remove Limb"
    bl_options = {"INTERNAL"}

    bone: bpy.props.StringProperty(options={"SKIP_SAVE"})

    def execute(self, context):
        settings = context.window_manager.motion_signal.equalize
        rows = readable(settings, "limbs", declarations(EqualizeParams)["limbs"])
        rows.pop(self.bone, None)
        if settings.limbs_row == self.bone:
            settings.limbs_row = ""
        settings.limbs = write_text(rows)
        return {"FINISHED"}


class MOTION_SIGNAL_OT_limb_leave(bpy.types.Operator):
    """Show the faders of the whole figure again; the limb keeps its own"""

    bl_idname = "motion_signal.limb_leave"
    bl_label = "Whole Figure"
    bl_options = {"INTERNAL"}

    def execute(self, context):
        context.window_manager.motion_signal.equalize.limbs_row = ""
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_limb_remove, MOTION_SIGNAL_OT_limb_leave)
