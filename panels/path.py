# SPDX-License-Identifier: GPL-3.0-or-later
"""The path's panel: which curve to go along, how fast, and what the feet do."""

import bpy

from .path_points import draw_path_curve
from .shared import PresetPopover, TechniquePanel, split_column


class MOTION_SIGNAL_PT_path_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_path_presets"
    technique_name = "path"


class MOTION_SIGNAL_PT_path(TechniquePanel, bpy.types.Panel):
    bl_label = "Path"
    technique_name = "path"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.path
        draw_path_curve(layout, context)
        column = split_column(layout)
        column.prop_search(settings, "curve", bpy.data, "objects", icon="CURVE_DATA")
        if settings.curve:
            draw_shapes(layout)
            column = split_column(layout)
        column.prop(settings, "timing")
        if settings.timing == "SPEED":
            column.prop(settings, "ends")
        column.prop(settings, "slide")
        column.prop(settings, "height")
        column.prop(settings, "plant")
        if settings.plant:
            column.prop(settings, "instant")
            column.prop(settings, "ease")


def draw_shapes(layout):
    """Buttons that change the curve as a whole."""
    column = layout.column(align=True)
    for names in (("STRAIGHT", "MIRROR"), ("END", "RESET")):
        row = column.row(align=True)
        for name in names:
            row.operator("motion_signal.path_shape", text=LABELS[name]).shape = name


LABELS = {"STRAIGHT": "Straighten", "MIRROR": "Mirror", "END": "End at Cursor", "RESET": "Reset"}
CLASSES = (MOTION_SIGNAL_PT_path_presets, MOTION_SIGNAL_PT_path)
