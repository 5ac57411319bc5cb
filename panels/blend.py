# SPDX-License-Identifier: GPL-3.0-or-later
"""The blend's panel: takes in a list with a weight each, and of the active one its bands and limbs."""

import bpy

from ..operators.live.words import matched_words
from ..operators.tools.blend import limb_weights
from .shared import MotionPanel, PresetPopover, TechniquePanel, draw_key_and_clear, draw_words, split_column


class MOTION_SIGNAL_UL_blend_takes(bpy.types.UIList):
    """A row a take: its name and its weight."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        split = layout.split(factor=0.55)
        split.label(text=item.action or "This take", icon="ACTION", translate=False)
        row = split.row(align=True)
        row.enabled = not item.weight_curve
        row.prop(item, "weight", text="", slider=True)


class MOTION_SIGNAL_PT_blend_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_blend_presets"
    technique_name = "blend"


class MOTION_SIGNAL_PT_blend(TechniquePanel, bpy.types.Panel):
    bl_label = "Blend"
    bl_options = {"DEFAULT_CLOSED"}
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
        draw_words(layout, matched_words(context, take.action) if take is not None else "")


def active_take(settings):
    rows, index = settings.takes_rows, settings.takes_index
    return rows[index] if 0 <= index < len(rows) else None


class BlendPart(MotionPanel):
    """A part of the panel about the active take."""

    bl_parent_id = "MOTION_SIGNAL_PT_blend"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return active_take(context.window_manager.motion_signal.blend) is not None


class MOTION_SIGNAL_PT_blend_bands(BlendPart, bpy.types.Panel):
    bl_label = "Bands"

    def draw(self, context):
        from ..operators.live.summary import summarize

        take = active_take(context.window_manager.motion_signal.blend)
        column = split_column(self.layout).column(align=True)
        for band in summarize(context).bands:
            column.prop(take, "bands_view", index=band.index, slider=True, text=band.label)
        column.separator()
        column.prop(take, "posture", slider=True)


class MOTION_SIGNAL_PT_blend_limbs(BlendPart, bpy.types.Panel):
    bl_label = "Limbs"

    def draw(self, context):
        take = active_take(context.window_manager.motion_signal.blend)
        column = self.layout.column(align=True)
        for bone, weight in limb_weights(take).items():
            row = column.row(align=True)
            edit = row.operator("motion_signal.blend_limb", text=f"{bone} and below: {weight:.2f}", translate=False)
            edit.bone, edit.weight = bone, weight
            remove = row.operator("motion_signal.blend_limb", text="", icon="X")
            remove.bone, remove.remove = bone, True
        self.layout.operator("motion_signal.blend_limb", text="Add Limb", icon="ADD")


CLASSES = (
    MOTION_SIGNAL_UL_blend_takes,
    MOTION_SIGNAL_PT_blend_presets,
    MOTION_SIGNAL_PT_blend,
    MOTION_SIGNAL_PT_blend_bands,
    MOTION_SIGNAL_PT_blend_limbs,
)
