# SPDX-License-Identifier: GPL-3.0-or-later
"""A key held shows the motion as it was; let go, the motion as it will be is back."""

import bpy

from ..live import preview


class MOTION_SIGNAL_OT_before_hold(bpy.types.Operator):
    """Show the motion as it was for as long as the key is held"""

    bl_idname = "motion_signal.before_hold"
    bl_label = "Before While Held"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        return preview.session() is not None and preview.session().after

    def invoke(self, context, event):
        if context.area is None or context.area.type not in preview.SHOWING or event.is_repeat:
            return {"PASS_THROUGH"}
        self.key = event.type
        preview.flip(after=False)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        """Everything else goes on meanwhile: one may play, turn the view, change the frame."""
        released = event.type == self.key and event.value == "RELEASE"
        if not released and event.type not in ("WINDOW_DEACTIVATE", "ESC"):
            return {"RUNNING_MODAL"} if event.type == self.key else {"PASS_THROUGH"}
        if preview.session():
            preview.flip(after=True)
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_before_hold,)
