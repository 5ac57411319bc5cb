# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel without a window: its settings, and what its buttons do."""

import bpy
from bl_ext.dev.motion_signal.core.techniques import TECHNIQUES
from bl_ext.dev.motion_signal.operators.tools import technique_operators as techniques


def panel():
    """The panel's settings; looked up each time, because loading a file replaces them."""
    return bpy.context.window_manager.motion_signal


def reset():
    panel().live = False
    for group in (*(getattr(panel(), technique.name) for technique in TECHNIQUES), panel().scope):
        for entry in group.bl_rna.properties:
            if entry.identifier not in ("rna_type", "name") and not entry.is_readonly:
                group.property_unset(entry.identifier)
    panel().notice = ""
    panel().show_contacts = False
    panel().live = True


def press_apply(technique):
    """What the Apply button of a technique does; there are no events without a window, so a twin invokes itself."""
    twin = techniques.operator_for(technique)
    twin.bl_idname = "motion_signal.pressed"

    def execute(self, context):
        twin.execute = techniques.TechniqueOperator.execute
        return self.invoke(context, None)

    twin.execute = execute
    bpy.utils.register_class(twin)
    try:
        return bpy.ops.motion_signal.pressed()
    finally:
        bpy.utils.unregister_class(twin)
