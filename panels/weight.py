# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of weight: how much of jumps, balance and banking, and where the body has its weight."""

import bpy

from .shared import PresetPopover, TechniquePanel, draw_more, split_column

PARTS = ("head", "trunk", "upper_arm", "forearm", "hand", "thigh", "shank", "foot")


class MOTION_SIGNAL_PT_weight_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_weight_presets"
    technique_name = "weight"


class MOTION_SIGNAL_PT_weight(TechniquePanel, bpy.types.Panel):
    bl_label = "Weight"
    technique_name = "weight"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.weight
        column = split_column(layout)
        column.prop(settings, "amount", slider=True)
        amounts = column.column(align=True)
        for name in ("jumps", "balance", "banking"):
            amounts.prop(settings, name, slider=True)
        column.prop(settings, "ease")
        masses = draw_more(layout, "masses", "Masses")
        if masses:
            parts = masses.column(align=True)
            for name in PARTS:
                parts.prop(settings, name)


CLASSES = (MOTION_SIGNAL_PT_weight_presets, MOTION_SIGNAL_PT_weight)
