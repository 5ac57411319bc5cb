# SPDX-License-Identifier: GPL-3.0-or-later
"""The Locomotion panel: which gaits, along which curve, and how fast where."""

import bpy

from .shared import PresetPopover, TechniquePanel, split_column


class MOTION_SIGNAL_UL_speed_keys(bpy.types.UIList):
    """A row a place of the curve."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        row = layout.row(align=True)
        row.prop(item, "along", text="", emboss=False)
        row.prop(item, "speed", text="", emboss=False)


class MOTION_SIGNAL_PT_locomotion_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_locomotion_presets"
    technique_name = "locomotion"


class MOTION_SIGNAL_PT_locomotion(TechniquePanel, bpy.types.Panel):
    bl_label = "Locomotion"
    technique_name = "locomotion"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.locomotion
        split_column(layout).prop_search(settings, "curve", bpy.data, "objects", icon="CURVE_DATA")
        row = layout.row()
        row.template_list("MOTION_SIGNAL_UL_speed_takes", "locomotion", settings, "takes_rows", settings, "takes_index", rows=3)
        column = row.column(align=True)
        column.operator("motion_signal.speed_take_add", text="", icon="ADD").technique = "locomotion"
        remove = column.operator("motion_signal.record_remove", text="", icon="REMOVE")
        remove.technique, remove.field = "locomotion", "takes"
        split_column(layout).prop(settings, "speed")
        draw_keys(layout, settings)
        column = split_column(layout)
        column.prop(settings, "start")
        column.prop(settings, "end")
        column.prop(settings, "turns")


def draw_keys(layout, settings):
    """Speeds at places of the curve."""
    row = layout.row(align=True)
    row.operator("motion_signal.locomotion_key", text="Key Speed", icon="KEY_HLT").stop = False
    row.operator("motion_signal.locomotion_key", text="Stop Here", icon="SNAP_FACE").stop = True
    rows, index = settings.speed_keys_rows, settings.speed_keys_index
    if not len(rows):
        return
    row = layout.row()
    row.template_list("MOTION_SIGNAL_UL_speed_keys", "", settings, "speed_keys_rows", settings, "speed_keys_index", rows=3)
    remove = row.column().operator("motion_signal.record_remove", text="", icon="REMOVE")
    remove.technique, remove.field = "locomotion", "speed_keys"
    if 0 <= index < len(rows) and rows[index].speed == 0.0:
        split_column(layout).prop(rows[index], "wait")


CLASSES = (MOTION_SIGNAL_UL_speed_keys, MOTION_SIGNAL_PT_locomotion_presets, MOTION_SIGNAL_PT_locomotion)
