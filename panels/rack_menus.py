# SPDX-License-Identifier: GPL-3.0-or-later
"""The rack's menus: what can be done with a step, and what with the whole rack."""

import bpy


class MOTION_SIGNAL_MT_step(bpy.types.Menu):
    bl_idname = "MOTION_SIGNAL_MT_step"
    bl_label = "Step"

    def draw(self, context):
        row = getattr(context, "motion_signal_row", None)
        if row is None:
            return
        for change, icon in (("UP", "TRIA_UP"), ("DOWN", "TRIA_DOWN"), ("COPY", "DUPLICATE"), ("REMOVE", "X")):
            button = self.layout.operator("motion_signal.step_change", text=LABELS[change], icon=icon)
            button.step, button.change = row.index, change


LABELS = {"UP": "Move Up", "DOWN": "Move Down", "COPY": "Duplicate", "REMOVE": "Remove"}


class MOTION_SIGNAL_MT_rack(bpy.types.Menu):
    bl_idname = "MOTION_SIGNAL_MT_rack"
    bl_label = "Rack"

    def draw(self, context):
        layout = self.layout
        layout.operator("motion_signal.recipe_run", text="Run Recipe File...", icon="FILEBROWSER")
        layout.operator("motion_signal.recipe_save", text="Save Recipe...", icon="EXPORT")
        layout.operator("motion_signal.recipe_change", text="Run Again from the Take", icon="FILE_REFRESH").change = "RUN"
        layout.separator()
        layout.operator("motion_signal.throw_away", text="Throw This Result Away", icon="TRASH").which = "THIS"
        layout.operator("motion_signal.throw_away", text="Throw Unused Results Away").which = "UNUSED"


CLASSES = (MOTION_SIGNAL_MT_step, MOTION_SIGNAL_MT_rack)
