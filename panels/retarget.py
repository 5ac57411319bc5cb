# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of retargeting: where the take is from, what is kept of it, and which bone follows which."""

import bpy

from .body import BodyPart
from .shared import in_editors, split_column


class MOTION_SIGNAL_UL_retarget_bones(bpy.types.UIList):
    """Bones, each with a field to search the one that it follows."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property):
        split = layout.split(factor=0.5)
        split.label(text=item.name, icon="BONE_DATA")
        split.prop_search(item, "source", data.source.data, "bones", text="")


def draw_retarget(layout, context):
    """What is asked, and the button."""
    settings = context.object.motion_signal_retarget
    column = split_column(layout)
    column.prop(settings, "source")
    column.prop(settings, "travel")
    kept = column.column(heading="Keep")
    kept.prop(settings, "plant")
    kept.prop(settings, "hands")
    if any(pose.constraints for pose in context.object.pose.bones):
        row = column.row()
        row.prop(settings, "arms", expand=True)
    column.prop(settings, "few")
    if settings.few:
        column.prop(settings, "millimetres")
    row = layout.row(align=True)
    row.scale_y = 1.4
    row.operator("motion_signal.retarget", icon="ARMATURE_DATA")
    if settings.source is not None:
        row.prop(settings, "live", text="", icon="HIDE_OFF" if settings.live else "HIDE_ON")
    if settings.source is not None:
        draw_bones(layout, settings)


def draw_bones(layout, settings):
    """The table of bones, once it is wanted."""
    if not settings.bones:
        layout.operator("motion_signal.retarget_bones", icon="BONE_DATA")
        return
    layout.template_list("MOTION_SIGNAL_UL_retarget_bones", "", settings, "bones", settings, "active", rows=6)
    row = layout.row(align=True)
    row.operator("motion_signal.retarget_load_map", icon="IMPORT")
    row.operator("motion_signal.retarget_save_map", icon="EXPORT")
    row.operator("motion_signal.retarget_forget", text="", icon="X")


class RetargetPanel(BodyPart):
    bl_label = "Retarget"
    bl_order = 90

    def draw(self, context):
        draw_retarget(self.layout, context)


CLASSES = (MOTION_SIGNAL_UL_retarget_bones, *in_editors("MOTION_SIGNAL_PT_retarget", RetargetPanel))
