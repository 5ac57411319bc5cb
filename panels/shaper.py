# SPDX-License-Identifier: GPL-3.0-or-later
"""The shaper's panel: a shape, what it acts on, and the numbers that this shape has."""

import bpy

from ..operators.live.curve_widget import curve_node
from .shared import PresetPopover, TechniquePanel, split_column

LIMITS, DYNAMICS = ("HARD", "SOFT"), ("COMPRESS", "EXPAND", "GATE")


class MOTION_SIGNAL_PT_waveshape_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_waveshape_presets"
    technique_name = "waveshape"


class MOTION_SIGNAL_PT_waveshape(TechniquePanel, bpy.types.Panel):
    bl_label = "Shaper"
    technique_name = "waveshape"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.waveshape
        column = split_column(layout)
        column.prop(settings, "shape")
        if settings.span != "BONES" or settings.shape not in LIMITS:
            column.prop(settings, "measure")
            column.prop(settings, "middle")
        if settings.shape == "CURVE":
            draw_curve(layout, context)
            split_column(layout).prop(settings, "between")
        draw_numbers(split_column(layout), settings)


def draw_curve(layout, context):
    node = curve_node(context)
    if node:
        layout.template_curve_mapping(node, "mapping", type="NONE")


def draw_numbers(column, settings):
    if settings.shape in LIMITS or settings.shape == "CURVE":
        column.prop(settings, "span")
        if settings.span == "TYPED":
            pair = column.column(align=True)
            pair.prop(settings, "low")
            pair.prop(settings, "high")
    else:
        column.prop(settings, "threshold")
    if settings.shape in DYNAMICS:
        column.prop(settings, "ratio")
    if settings.shape in ("SOFT", "LIMITER"):
        column.prop(settings, "softness")


CLASSES = (MOTION_SIGNAL_PT_waveshape_presets, MOTION_SIGNAL_PT_waveshape)
