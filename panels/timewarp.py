# SPDX-License-Identifier: GPL-3.0-or-later
"""The timewarp's panel: whose pace, whose poses, and what belongs together; or marks that move to new frames."""

import bpy

from ..operators.live.words import matched_words
from .retime import draw_retime
from .shared import PresetPopover, TechniquePanel, draw_more, draw_words, split_column


class MOTION_SIGNAL_UL_pairs(bpy.types.UIList):
    """A row a pair: two frames."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        row = layout.row(align=True)
        row.prop(item, "frame", text="", emboss=False)
        row.label(text="", icon="FORWARD")
        row.prop(item, "there", text="", emboss=False)


class MOTION_SIGNAL_PT_timewarp_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_timewarp_presets"
    technique_name = "timewarp"


class MOTION_SIGNAL_PT_timewarp(TechniquePanel, bpy.types.Panel):
    bl_label = "Timewarp"
    technique_name = "timewarp"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.timewarp
        column = split_column(layout)
        column.prop_search(settings, "reference", bpy.data, "actions", icon="ACTION")
        if settings.reference:
            column.prop(settings, "timing", slider=True)
            column.prop(settings, "pose", slider=True)
        else:
            draw_retime(layout, context)
        draw_pairs(layout, settings)
        draw_words(layout, matched_words(context, settings.reference))
        draw_options(layout, settings)


def draw_pairs(layout, settings):
    """Pairs of frames: anchors with a reference, moves without one."""
    field = "anchors" if settings.reference else "moves"
    layout.label(text="Belong Together" if settings.reference else "Marks to Move")
    row = layout.row()
    row.template_list("MOTION_SIGNAL_UL_pairs", field, settings, f"{field}_rows", settings, f"{field}_index", rows=3)
    column = row.column(align=True)
    column.operator("motion_signal.timewarp_pair_add", text="", icon="ADD")
    remove = column.operator("motion_signal.record_remove", text="", icon="REMOVE")
    remove.technique, remove.field = "timewarp", field
    row = layout.row(align=True)
    row.operator("motion_signal.timewarp_from_markers", icon="PMARKER_ACT")
    if settings.reference:
        row.operator("motion_signal.timewarp_from_steps", icon="CON_FOLLOWPATH")
    else:
        row.operator("motion_signal.timewarp_to_beats", icon="SPEAKER")


def draw_options(layout, settings):
    """How the two are matched, or what keeps its speed."""
    column = draw_more(layout, "timewarp_options", "Options")
    if column is None:
        return
    if not settings.reference:
        column.prop(settings, "hold", text="Keep Speed")
        return
    column.prop(settings, "open_ends")
    column.prop(settings, "apply")
    for names in (("slowest", "fastest"), ("stretch", "bend"), ("root",)):
        part = column.column(align=True)
        for name in names:
            part.prop(settings, name)
    column.prop(settings, "limbs", text="Limb Weights")


CLASSES = (
    MOTION_SIGNAL_UL_pairs,
    MOTION_SIGNAL_PT_timewarp_presets,
    MOTION_SIGNAL_PT_timewarp,
)
