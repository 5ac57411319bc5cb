# SPDX-License-Identifier: GPL-3.0-or-later
"""The Fit Length panel: how long the take is to be, and whose timing it is to have."""

import bpy

from .shared import PresetPopover, TechniquePanel, draw_more, split_column


class MOTION_SIGNAL_PT_fit_length_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_fit_length_presets"
    technique_name = "fit_length"


class MOTION_SIGNAL_PT_fit_length(TechniquePanel, bpy.types.Panel):
    bl_label = "Fit Length"
    technique_name = "fit_length"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.fit_length
        column = split_column(layout)
        column.prop(settings, "goal")
        if settings.goal != "EXAMPLE":
            column.prop(settings, "seconds" if settings.goal == "LENGTH" else "tempo")
        column.prop_search(settings, "example", bpy.data, "actions", icon="ACTION")
        column.prop(settings, "amount", slider=True)
        column.prop(settings, "even", slider=True)
        more = draw_more(layout, "fit_length_limits", "Limits")
        if more:
            more.prop(settings, "slowest", slider=True)
            more.prop(settings, "fastest", slider=True)


CLASSES = (MOTION_SIGNAL_PT_fit_length_presets, MOTION_SIGNAL_PT_fit_length)
