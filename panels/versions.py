# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of the take: a row each with its picture, to click, star and compare."""

import bpy

from ..operators.desk.version_pictures import picture_of
from ..operators.desk.versions import at_hand
from .shared import MotionPanel, characters, draw_message, in_editors, shortened


def draw_versions(layout, context):
    """A row for the take and for every result made from it."""
    found = at_hand(context)
    if not found:
        draw_message(layout, "There is no action: its versions are listed here", "INFO")
        return
    compared = context.window_manager.motion_signal_see_both.compared
    column = layout.column(align=True)
    for version in found:
        row = column.row(align=True)
        picture = picture_of(context.object, version.action, version.made)
        row.template_icon(picture or bpy.types.UILayout.icon(version.action), scale=2.0)
        name = row.row(align=True)
        name.scale_y = 2.0
        show = name.operator(
            "motion_signal.version_show",
            text=shortened(version.name, characters() - 19),
            depress=version.shown,
            translate=False,
        )
        show.action = version.action.name
        for operator, icon, pressed in (
            ("motion_signal.version_star", "SOLO_ON" if version.starred else "SOLO_OFF", False),
            ("motion_signal.version_compare", "MOD_ARRAY", compared == version.action.name),
        ):
            name.operator(operator, text="", icon=icon, depress=pressed).action = version.action.name
    if compared:
        layout.prop(context.window_manager.motion_signal_see_both, "aside")


class VersionsPanel(MotionPanel):
    """The take and what was made of it"""

    bl_label = "Versions"
    bl_order = 10
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        draw_versions(self.layout, context)


CLASSES = in_editors("MOTION_SIGNAL_PT_versions", VersionsPanel)
