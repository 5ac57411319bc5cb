# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of Between Takes: the takes, a fader for every number in which they differ, and where a hand or foot is to get."""

import bpy

from ..core.library.numbers import UNITS
from ..core.techniques.several_takes.between import ASKED, BETWEEN
from ..operators.desk.between import spans
from .shared import PresetPopover, TechniquePanel, draw_message, listed, split_column


class MOTION_SIGNAL_UL_between_takes(bpy.types.UIList):
    """A row a take."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        layout.label(text=listed(item.action) or "This take", icon="ACTION", translate=False)


class MOTION_SIGNAL_PT_between_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_between_presets"
    technique_name = "between"


class MOTION_SIGNAL_PT_between(TechniquePanel, bpy.types.Panel):
    bl_label = "Between Takes"
    technique_name = "between"

    def draw_parameters(self, layout, context, summary):
        manager = context.window_manager
        settings, faders = manager.motion_signal.between, manager.motion_signal_between
        row = layout.row()
        row.template_list("MOTION_SIGNAL_UL_between_takes", "", settings, "takes_rows", settings, "takes_index", rows=3)
        column = row.column(align=True)
        column.operator("motion_signal.between_take_add", text="", icon="ADD")
        remove = column.operator("motion_signal.record_remove", text="", icon="REMOVE")
        remove.technique, remove.field = "between", "takes"
        layout.prop(settings, "itself")
        found = spans(context)
        offered = [field for field, names in ASKED.items() if getattr(settings, field) or any(name in found for name in names)]
        for field in offered:
            draw_number(layout, settings, faders, field, found)
        if settings.takes_rows and not offered:
            draw_message(layout, "The takes differ in no number that could be asked for", "INFO")
        column = split_column(layout)
        if settings.by_place or settings.by_reach:
            column.prop(settings, "limb")
        column.prop(settings, "lock", slider=True, text="Hold Feet")


def draw_number(layout, settings, faders, field, found):
    """A number: whether it is asked for, what it is, and its fader over what the takes span."""
    asked, names = getattr(settings, field), ASKED[field]
    column = layout.column(align=True)
    row = column.row(align=True)
    icon = "CHECKBOX_HLT" if asked else "CHECKBOX_DEHLT"
    row.operator("motion_signal.between_ask", text=BETWEEN.parameters[field].label, icon=icon, depress=asked).field = field
    if not asked:
        return
    if names == (field.removeprefix("by_"),):
        row.prop(settings, names[0], text="")
        draw_fader(column, faders, names[0], found)
        return
    row.operator("motion_signal.between_handle", text="Handle", icon="EMPTY_ARROWS")
    column.prop_search(settings, "target", bpy.context.scene, "objects", text="", icon="EMPTY_DATA")
    if not settings.target:
        for name in names:
            column.prop(settings, name)
            draw_fader(column, faders, name, found)


def draw_fader(column, faders, name, found):
    if name in found:
        low, high = found[name]
        column.prop(faders, name, text=f"{low:.2f} to {high:.2f} {UNITS[name]}", slider=True, translate=False)


CLASSES = (MOTION_SIGNAL_UL_between_takes, MOTION_SIGNAL_PT_between_presets, MOTION_SIGNAL_PT_between)
