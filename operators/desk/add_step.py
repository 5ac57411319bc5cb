# SPDX-License-Identifier: GPL-3.0-or-later
"""What menus add: a step to the rack, live on the figure, and the tab that has its controls."""

import bpy

from ...core.techniques import technique as technique_named
from ..bridge.refuse import refusing
from ..live.steps import add_step

TAB = "Motion"


class MOTION_SIGNAL_OT_add_step(bpy.types.Operator):
    """Add this to the rack, live on the figure"""

    bl_idname = "motion_signal.add_step"
    bl_label = "Add Step"
    bl_options = {"UNDO", "INTERNAL"}

    technique: bpy.props.StringProperty(name="Technique", options={"SKIP_SAVE"}, description="Technique of the step")

    @classmethod
    def poll(cls, context):
        return context.object is not None

    @classmethod
    def description(cls, context, properties):
        return f"{technique_named(properties.technique).text}. The take stays as it is"

    @refusing
    def execute(self, context):
        add_step(context, technique_named(self.technique))
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
