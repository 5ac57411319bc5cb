# SPDX-License-Identifier: GPL-3.0-or-later
"""The equalizer's panel: a fader per octave, what moves there, mute and solo."""

import bpy

from ..operators.summary import summarize
from .shared import MotionPanel, PresetPopover, draw_apply, draw_message


class MOTION_SIGNAL_PT_equalize_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_equalize_presets"
    technique_name = "equalize"


class MOTION_SIGNAL_PT_equalize(MotionPanel, bpy.types.Panel):
    bl_label = "Equalizer"

    def draw_header_preset(self, context):
        self.layout.emboss = "NONE"
        self.layout.popover(MOTION_SIGNAL_PT_equalize_presets.bl_idname, icon="PRESET", text="")

    def draw(self, context):
        layout = self.layout
        settings = context.window_manager.motion_signal.equalize
        summary = summarize(context)
        if summary.problem:
            draw_message(layout, summary.problem, "INFO")
        if summary.bands:
            draw_faders(layout, settings, summary.bands)
        draw_apply(layout, context, "equalize", bool(summary.words))
        if summary.words:
            draw_message(layout, summary.words, "BLANK1")


def draw_faders(layout, settings, bands):
    row = "limbs_view" if settings.limbs_row else "gains_view"
    column = layout.column(align=True)
    for band in bands:
        line = column.row(align=True)
        split = line.split(factor=0.3, align=True)
        split.label(text=band.label)
        fader = split.split(factor=0.68, align=True)
        fader.prop(settings, row, index=band.place, text="", slider=True)
        if band.energy is None:
            fader.label(text="")
        else:
            fader.progress(text="", factor=band.energy, type="BAR")
        line.prop(settings, "mute_view", index=band.place, text="", icon="MUTE_IPO_ON", toggle=True)
        line.prop(settings, "solo_view", index=band.place, text="", icon="SOLO_ON", toggle=True)
    line = column.row(align=True)
    split = line.split(factor=0.3, align=True)
    split.label(text="Posture")
    split.prop(settings, "dc_gain", text="", slider=True)


class MOTION_SIGNAL_PT_equalize_options(MotionPanel, bpy.types.Panel):
    bl_label = "Options"
    bl_parent_id = "MOTION_SIGNAL_PT_equalize"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = context.window_manager.motion_signal.equalize
        layout.prop(settings, "target")
        layout.prop(settings, "boundary")
        layout.prop(settings, "bands")
        if context.object and context.object.type == "ARMATURE":
            layout.prop_search(settings, "limbs_row", context.object.pose, "bones", text="Faders For", icon="BONE_DATA")


CLASSES = (MOTION_SIGNAL_PT_equalize_presets, MOTION_SIGNAL_PT_equalize, MOTION_SIGNAL_PT_equalize_options)
