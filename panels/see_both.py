# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn in the viewport beside the figure: one popover of switches, in the header while something is previewed."""

import bpy

from ..operators.live import preview


class MOTION_SIGNAL_PT_see_both(bpy.types.Panel):
    """What is drawn in the viewport beside the figure"""

    bl_label = "Before and After"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_options = {"INSTANCED"}
    bl_ui_units_x = 10

    def draw(self, context):
        view = context.window_manager.motion_signal_see_both
        layout = self.layout
        layout.label(text="Before and After")
        column = layout.column()
        column.prop(view, "skeleton")
        column.prop(view, "footprints")
        column.prop(view, "trails")
        row = column.row()
        row.enabled = view.trails
        row.prop(view, "seconds")
        layout.label(text="Hold U to see it as it was", icon="EVENT_U")


def draw_see_both(layout, context):
    """The popover's button, for whoever has before and after."""
    layout.popover(MOTION_SIGNAL_PT_see_both.__name__, text="", icon="OVERLAY")


def header_entry(self, context):
    """Before, after and what is drawn of both, in the viewport's header while there is a preview."""
    current = preview.session()
    if current is None:
        return
    row = self.layout.row(align=True)
    for after, name in ((False, "Before"), (True, "After")):
        row.operator("motion_signal.preview_flip", text=name, depress=current.after == after).after = after
    draw_see_both(row, context)


CLASSES = (MOTION_SIGNAL_PT_see_both,)


def register():
    bpy.types.VIEW3D_HT_header.append(header_entry)


def unregister():
    bpy.types.VIEW3D_HT_header.remove(header_entry)
