# SPDX-License-Identifier: GPL-3.0-or-later
"""What menus open: a technique, live on the figure, and the tab that has its controls."""

import bpy

from ...core.numeric.refusal import Refusal
from ...core.techniques import technique as technique_named
from ..bridge.refuse import refusing
from ..live import preview

TAB = "Motion"


class MOTION_SIGNAL_OT_add_step(bpy.types.Operator):
    """Open this on the figure, live"""

    bl_idname = "motion_signal.add_step"
    bl_label = "Add Step"
    bl_options = {"INTERNAL"}

    technique: bpy.props.StringProperty(name="Technique", options={"SKIP_SAVE"}, description="Technique to open")

    @classmethod
    def poll(cls, context):
        return context.object is not None

    @classmethod
    def description(cls, context, properties):
        return f"{technique_named(properties.technique).text}. The take stays as it is"

    @refusing
    def execute(self, context):
        technique = technique_named(self.technique)
        preview.touched(context, technique.name)
        notice = context.window_manager.motion_signal.notice
        if preview.session() is None:
            raise Refusal(notice or f"{technique.label}: Live is off; switch it on in the Motion tab")
        reveal(context)


def reveal(context):
    """Open the tab that has the controls, beside where the menu was."""
    area = context.area
    if area and has_tab(area.type):
        area.spaces.active.show_region_ui = True
        kind = area.type  # the area itself may be gone by then
        bpy.app.timers.register(lambda: turn_to_tab(kind), first_interval=0.05)  # a region has tabs once it was drawn


def has_tab(kind):
    return any(
        panel.bl_space_type == kind and getattr(panel, "bl_category", "") == TAB for panel in bpy.types.Panel.__subclasses__()
    )


def turn_to_tab(kind):
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            for region in area.regions if area.type == kind else ():
                if region.type == "UI" and region.width > 1:
                    region.active_panel_category = TAB
                    area.tag_redraw()


CLASSES = (MOTION_SIGNAL_OT_add_step,)
