# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of pins: a row each, and of the active one what is held, to what, and how gently."""

import bpy

from ..operators.live.at_hand import subject_at_hand
from .shared import PresetPopover, TechniquePanel, split_column

FIELD = "pins"


class MOTION_SIGNAL_UL_pins(bpy.types.UIList):
    """A row a pin: on or off, its bone, its frames."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        row = layout.row(align=True)
        row.active = item.on
        row.prop(item, "on", text="")
        split = row.split(factor=0.55)
        split.label(text=item.bone or "Which bone?", icon="PINNED", translate=False)
        split.label(text=f"{item.first}-{item.last}", translate=False)
        row.operator("motion_signal.pin_go", text="", icon="TIME", emboss=False).index = index


class MOTION_SIGNAL_PT_pins_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_pins_presets"
    technique_name = "pins"


class MOTION_SIGNAL_PT_pins(TechniquePanel, bpy.types.Panel):
    bl_label = "Pins"
    technique_name = "pins"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.pins
        layout.operator("motion_signal.pin_add", icon="PINNED")
        row = layout.row()
        row.template_list("MOTION_SIGNAL_UL_pins", "", settings, f"{FIELD}_rows", settings, f"{FIELD}_index", rows=3)
        column = row.column(align=True)
        column.operator("motion_signal.pin_add", text="", icon="ADD")
        remove = column.operator("motion_signal.record_remove", text="", icon="REMOVE")
        remove.technique, remove.field = "pins", FIELD
        rows, index = settings.pins_rows, settings.pins_index
        if 0 <= index < len(rows):
            draw_pin(layout, rows[index])


def draw_pin(layout, pin):
    column, subject = split_column(layout), subject_at_hand()
    draw_bone(column, pin, "bone", subject)
    frames = column.row(align=True)
    frames.prop(pin, "first", text="Frames")
    frames.prop(pin, "last", text="")
    column.prop_search(pin, "target", bpy.data, "objects", text="Held To")
    target = bpy.data.objects.get(pin.target) if pin.target else subject
    if getattr(target, "pose", None):
        draw_bone(column, pin, "target_bone", target)
    column.prop(pin, "hold", text="Where")
    if pin.hold == "PLACE" and getattr(target, "type", "") != "CURVE":
        place = column.column(align=True)
        place.prop(pin, "x", text="Place X")
        place.prop(pin, "y", text="Y")
        place.prop(pin, "z", text="Z")
    ease = column.column(align=True)
    ease.prop(pin, "ease_in")
    ease.prop(pin, "ease_out")
    column.prop(pin, "along", slider=True)
    column.prop(pin, "turned")
    column.prop(pin, "priority")


def draw_bone(column, pin, name, subject):
    if getattr(subject, "pose", None):
        column.prop_search(pin, name, subject.pose, "bones", icon="BONE_DATA")
    else:
        column.prop(pin, name)


CLASSES = (MOTION_SIGNAL_UL_pins, MOTION_SIGNAL_PT_pins_presets, MOTION_SIGNAL_PT_pins)
