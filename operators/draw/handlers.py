# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn in the Graph Editor and in 3D viewports for as long as the extension is on."""

import bpy


class Drawing:
    """Functions that draw, each with when: below the curves in their units, PRE_VIEW, or above all in pixels, POST_PIXEL."""

    def __init__(self, *functions):
        self.functions, self.handles = functions, []

    def register(self):
        if not bpy.app.background:
            self.handles = [
                bpy.types.SpaceGraphEditor.draw_handler_add(draw_over_time, (function,), "WINDOW", when)
                for function, when in self.functions
            ]

    def unregister(self):
        while self.handles:
            bpy.types.SpaceGraphEditor.draw_handler_remove(self.handles.pop(), "WINDOW")


def draw_over_time(function):
    """Draw where frames go across: an editor of drivers is a Graph Editor too."""
    if bpy.context.space_data.mode == "FCURVES":
        function()


def in_graph(context):
    """Whether the mouse is over curves of a Graph Editor, where things are drawn."""
    area, region = context.area, context.region
    return bool(area and area.type == "GRAPH_EDITOR" and region.type == "WINDOW" and context.space_data.mode == "FCURVES")


class ViewportDrawing:
    """A function that draws in 3D viewports, in the units of the world, for as long as the extension is on."""

    def __init__(self, function):
        self.function, self.handle = function, None

    def register(self):
        if not bpy.app.background:
            self.handle = bpy.types.SpaceView3D.draw_handler_add(self.function, (), "WINDOW", "POST_VIEW")

    def unregister(self):
        if self.handle:
            bpy.types.SpaceView3D.draw_handler_remove(self.handle, "WINDOW")
            self.handle = None
