# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's entry in the Preferences: where it is, and its manual."""

import bpy

PLACES = (
    ("Sidebar of 3D Viewport, Graph Editor and Dope Sheet: press N, then the Motion tab", "GRAPH"),
    (
        "Pose > Motion in the 3D Viewport, Key > Motion in Graph Editor and Dope Sheet, and their right-click menus",
        "MENU_PANEL",
    ),
    ('F3 finds it: try "equalizer", "lock feet", "loop"', "VIEWZOOM"),
    ("No take at hand? Add > Walking Figure in the 3D Viewport", "ARMATURE_DATA"),
)


class MOTION_SIGNAL_AP_preferences(bpy.types.AddonPreferences):
    bl_idname = __package__.rpartition(".")[0]

    def draw(self, context):
        column = self.layout.column(align=True)
        column.label(text="Where to find it:")
        for words, icon in PLACES:
            column.label(text=words, icon=icon)
        self.layout.operator("motion_signal.manual", icon="HELP")


CLASSES = (MOTION_SIGNAL_AP_preferences,)
