# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of cartoon, mood, and the automation of older recipes."""

import bpy

from ..operators.tools.mood import wearers
from .shared import PresetPopover, TechniquePanel, split_column


class MOTION_SIGNAL_PT_cartoon_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_cartoon_presets"
    technique_name = "cartoon"


class MOTION_SIGNAL_PT_cartoon(TechniquePanel, bpy.types.Panel):
    bl_label = "Cartoon"
    technique_name = "cartoon"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.cartoon
        column = split_column(layout)
        column.prop(settings, "strength", slider=True)
        column.prop(settings, "time")
        column.prop(settings, "delay")
        column.prop(settings, "target")
        column.prop(settings, "limits")
        if settings.limits:
            column.prop(settings, "softness")
        column.prop(settings, "contacts")
        column.prop(settings, "loop")


class MOTION_SIGNAL_PT_automate_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_automate_presets"
    technique_name = "automate"


class MOTION_SIGNAL_PT_automate(TechniquePanel, bpy.types.Panel):
    bl_label = "Automation"
    technique_name = "automate"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.automate
        column = layout.column(align=True)
        for band in summary.bands:
            column.prop(settings, "gains_view", index=band.index, text=band.label, slider=True)
        column = split_column(layout)
        column.prop(settings, "automation", text="Keys")
        column.prop(settings, "crossfade")


class MOTION_SIGNAL_PT_style_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_style_presets"
    technique_name = "style"


class MOTION_SIGNAL_PT_style(TechniquePanel, bpy.types.Panel):
    bl_label = "Mood"
    technique_name = "style"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.style
        column = split_column(layout)
        column.prop(settings, "amount", slider=True)
        if settings.style:
            column.operator("motion_signal.mood_drop", icon="X")
        else:
            column.prop_search(settings, "neutral", bpy.data, "actions", icon="ACTION")
            column.prop_search(settings, "styled", bpy.data, "actions", icon="ACTION")
            column.operator("motion_signal.mood_take", icon="EYEDROPPER")
        column.prop(settings, "strides")
        column.prop(settings, "contacts")
        column.prop(settings, "standing")
        draw_wearers(layout, settings)


def draw_wearers(layout, settings):
    """Who wears what of the mood; where nothing is listed it goes by names and body parts."""
    column = layout.column(align=True)
    for source, target in wearers(settings).items():
        row = column.row(align=True)
        row.label(text=f"{source} > {target}", icon="BONE_DATA", translate=False)
        remove = row.operator("motion_signal.mood_map", text="", icon="X")
        remove.source, remove.remove = source, True
    column.operator("motion_signal.mood_map", text="Other Bones", icon="ADD")


CLASSES = (
    MOTION_SIGNAL_PT_cartoon_presets,
    MOTION_SIGNAL_PT_cartoon,
    MOTION_SIGNAL_PT_automate_presets,
    MOTION_SIGNAL_PT_automate,
    MOTION_SIGNAL_PT_style_presets,
    MOTION_SIGNAL_PT_style,
)
