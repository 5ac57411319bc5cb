# SPDX-License-Identifier: GPL-3.0-or-later
"""The rack's menus: steps by what they are for, what can be done with a step, and what with the whole rack."""

import bpy

from ..core.declare.technique import INTENTS
from ..core.techniques import TECHNIQUES


class MOTION_SIGNAL_MT_step_add(bpy.types.Menu):
    """Add a step, by what it is for"""

    bl_idname = "MOTION_SIGNAL_MT_step_add"
    bl_label = "Add Step"

    def draw(self, context):
        for intent in INTENTS:
            self.layout.menu(f"MOTION_SIGNAL_MT_{intent.lower()}", text=intent)


def menu_of(intent):
    def draw(self, context):
        for technique in TECHNIQUES:
            if intent in technique.intents:
                self.layout.operator("motion_signal.step_add", text=technique.label).technique = technique.name

    name = f"MOTION_SIGNAL_MT_{intent.lower()}"
    return type(name, (bpy.types.Menu,), {"bl_idname": name, "bl_label": intent, "draw": draw})


class MOTION_SIGNAL_MT_step(bpy.types.Menu):
    bl_idname = "MOTION_SIGNAL_MT_step"
    bl_label = "Step"

    def draw(self, context):
        row = getattr(context, "motion_signal_row", None)
        if row is None:
            return
        for change, icon in (("UP", "TRIA_UP"), ("DOWN", "TRIA_DOWN"), ("COPY", "DUPLICATE"), ("REMOVE", "X")):
            button = self.layout.operator("motion_signal.step_change", text=LABELS[change], icon=icon)
            button.step, button.change = row.place, change


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


CLASSES = (MOTION_SIGNAL_MT_step_add, *map(menu_of, INTENTS), MOTION_SIGNAL_MT_step, MOTION_SIGNAL_MT_rack)
