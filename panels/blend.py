# SPDX-License-Identifier: GPL-3.0-or-later
"""The blend's panel: takes in a list with a weight each, and of the active one its bands and limbs."""

import bpy

from ..operators.live.words import matched_words
from ..operators.tools.blend import limb_weights
from .shared import PresetPopover, TechniquePanel, draw_key_and_clear, draw_more, draw_words, listed, split_column


class MOTION_SIGNAL_UL_blend_takes(bpy.types.UIList):
    """A row a take: its name and its weight."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        split = layout.split(factor=0.55)
        split.label(text=listed(item.action, 0.55) or "This take", icon="ACTION", translate=False)
        row = split.row(align=True)
        row.enabled = not item.weight_curve
        row.prop(item, "weight", text="", slider=True)


class MOTION_SIGNAL_PT_blend_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_blend_presets"
    technique_name = "blend"


class MOTION_SIGNAL_PT_blend(TechniquePanel, bpy.types.Panel):
    bl_label = "Blend"
    technique_name = "blend"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.blend
        row = layout.row()
        row.template_list("MOTION_SIGNAL_UL_blend_takes", "", settings, "takes_rows", settings, "takes_index", rows=4)
        column = row.column(align=True)
        column.operator("motion_signal.blend_take_add", text="", icon="ADD")
        remove = column.operator("motion_signal.record_remove", text="", icon="REMOVE")
        remove.technique, remove.field = "blend", "takes"
        take = active_take(settings)
        if take is not None:
            draw_key_and_clear(layout.row(align=True), "motion_signal.blend_weight_key", bool(take.weight_curve))
        column = split_column(layout)
        column.prop(settings, "alignment", text="Align")
        column.prop(settings, "normalise")
        if take is not None:
            draw_words(layout, matched_words(context, take.action))
            draw_bands(layout, take, summary.bands)
            draw_limbs(layout, take)


def active_take(settings):
    rows, index = settings.takes_rows, settings.takes_index
    return rows[index] if 0 <= index < len(rows) else None


def draw_bands(layout, take, bands):
    """How much of the active take there is in each band."""
    column = draw_more(layout, "blend_bands", "Bands")
    if column is None:
        return
    part = column.column(align=True)
    for band in bands:
        part.prop(take, "bands_view", index=band.index, slider=True, text=band.label)
    part.separator()
    part.prop(take, "posture", slider=True)


def draw_limbs(layout, take):
    """How much of the active take limbs have that have a weight of their own."""
    column = draw_more(layout, "blend_limbs", "Limbs")
    if column is None:
        return
    part = column.column(align=True)
    for bone, weight in limb_weights(take).items():
        row = part.row(align=True)
        edit = row.operator("motion_signal.blend_limb", text=f"{bone} and below: {weight:.2f}", translate=False)
        edit.bone, edit.weight = bone, weight
        remove = row.operator("motion_signal.blend_limb", text="", icon="X")
        remove.bone, remove.remove = bone, True
    part.operator("motion_signal.blend_limb", text="Add Limb", icon="ADD")


CLASSES = (
    MOTION_SIGNAL_UL_blend_takes,
    MOTION_SIGNAL_PT_blend_presets,
    MOTION_SIGNAL_PT_blend,
)
