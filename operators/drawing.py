# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn in the Graph Editor for as long as the extension is on."""

import bpy


class Drawing:
    """Functions that draw, each with when: below the curves in their units, PRE_VIEW, or above all in pixels, POST_PIXEL."""

    def __init__(self, *functions):
        self.functions, self.handles = functions, []

    def register(self):
        if not bpy.app.background:
            self.handles = [bpy.types.SpaceGraphEditor.draw_handler_add(function, (), "WINDOW", when)
                            for function, when in self.functions]

    def unregister(self):
        while self.handles:
            bpy.types.SpaceGraphEditor.draw_handler_remove(self.handles.pop(), "WINDOW")
