# SPDX-License-Identifier: GPL-3.0-or-later
"""The shaper's panel: a shape, what it acts on, and the numbers that this shape has."""

import bpy

from ..operators.shape_curve import curve_node
from ..operators.summary import summarize
from .shared import MotionPanel, PresetPopover, draw_apply, draw_message

LIMITS, DYNAMICS = ("HARD", "SOFT"), ("COMPRESS", "EXPAND", "GATE")


class MOTION_SIGNAL_PT_waveshape_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_waveshape_presets"
    technique_name = "waveshape"


class MOTION_SIGNAL_PT_waveshape(MotionPanel, bpy.types.Panel):
    bl_label = "Shaper"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, context):
        self.layout.emboss = "NONE"
        self.layout.operator("motion_signal.reset", text="", icon="LOOP_BACK").technique = "waveshape"
        self.layout.popover(MOTION_SIGNAL_PT_waveshape_presets.bl_idname, icon="PRESET", text="")

    def draw(self, context):
        layout = self.layout
        settings = context.window_manager.motion_signal.waveshape
        summary = summarize(context)
        if summary.problem:
            draw_message(layout, summary.problem, "INFO")
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(settings, "shape")
        if settings.span != "BONES" or settings.shape not in LIMITS:
            column.prop(settings, "measure")
            column.prop(settings, "middle")
        if settings.shape == "CURVE":
            draw_curve(layout, context)
        draw_numbers(layout, settings)
        if summary.words:
            draw_message(layout, summary.words, "NONE")
        draw_apply(layout, context, "waveshape", bool(summary.words))


def draw_curve(layout, context):
    node = curve_node(context)
    if node:
        layout.template_curve_mapping(node, "mapping", type="NONE")


def draw_numbers(layout, settings):
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
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
