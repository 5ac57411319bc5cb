# SPDX-License-Identifier: GPL-3.0-or-later
"""The displacement's panel: the keys in a list, and how the motion passes through the active one."""

import bpy

from ..operators.tools.displace import pose_shown, session
from .shared import PresetPopover, TechniquePanel, split_column

FIELD = "displacement_keys"
SHORT = 18  # characters that have room in a row of the list


class MOTION_SIGNAL_UL_displacement_keys(bpy.types.UIList):
    """A row a key: on or off, its frame, what it moves."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        row = layout.row(align=True)
        row.active = item.on
        row.prop(item, "on", text="")
        split = row.split(factor=0.3)
        split.prop(item, "frame", text="", emboss=False)
        split.label(text=touched_words(item))
        row.operator("motion_signal.displace_key_go", text="", icon="TIME", emboss=False).index = index


def touched_words(item):
    """The bones that a key moves, as its text names them."""
    names = [name for name in named_bones(item.bones) if name]
    words = " and ".join(names) or ("Object" if item.bones or item.curves else "The take itself")
    return words if len(words) <= SHORT or len(names) < 2 else f"{len(names)} bones"


def named_bones(text):
    import json

    return list(json.loads(text or "{}"))


class MOTION_SIGNAL_PT_displace_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_displace_presets"
    technique_name = "displace"


class MOTION_SIGNAL_PT_displace(TechniquePanel, bpy.types.Panel):
    bl_label = "Displacement"
    technique_name = "displace"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.displace
        row = layout.row(align=True)
        starting = row.row(align=True)
        starting.enabled = session() is None
        starting.operator("motion_signal.displace_start", icon="POSE_HLT")
        row.operator("motion_signal.displace_key_add", icon="KEY_HLT", depress=pose_shown(context) is not None)
        row = layout.row()
        row.template_list(
            "MOTION_SIGNAL_UL_displacement_keys", "", settings, f"{FIELD}_rows", settings, f"{FIELD}_index", rows=4
        )
        column = row.column(align=True)
        column.operator("motion_signal.displace_key_add", text="", icon="ADD")
        remove = column.operator("motion_signal.record_remove", text="", icon="REMOVE")
        remove.technique, remove.field = "displace", FIELD
        column.separator()
        column.operator("motion_signal.displace_key_copy", text="", icon="DUPLICATE")
        rows, index = settings.displacement_keys_rows, settings.displacement_keys_index
        if 0 <= index < len(rows):
            draw_key(layout, rows[index])
        split_column(layout).prop(settings, "adjust")


def draw_key(layout, key):
    column = split_column(layout)
    column.prop(key, "frame")
    column.prop(key, "strength", slider=True)
    shape = column.column(align=True)
    for name in ("tension", "continuity", "bias"):
        shape.prop(key, name, slider=True)
    column.prop(key, "reach", text="Reach")


CLASSES = (MOTION_SIGNAL_UL_displacement_keys, MOTION_SIGNAL_PT_displace_presets, MOTION_SIGNAL_PT_displace)
