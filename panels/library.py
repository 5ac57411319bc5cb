# SPDX-License-Identifier: GPL-3.0-or-later
"""The library: a folder, what is looked for in it, and what was found, each with its picture, to click through."""

from ..core.numeric.refusal import Refusal
from ..operators.desk.library import library_of, names_of, settings_of
from ..operators.desk.library_pictures import picture_of
from ..operators.desk.library_show import seen
from .shared import MotionPanel, draw_message, in_editors


def draw_asking(layout, settings, scene):
    """What can be looked for."""
    column = layout.column(align=True)
    row = column.row(align=True)
    row.operator("motion_signal.library_find", text="Like This", icon="FORWARD").what = "LIKE"
    if scene.use_preview_range:
        row.label(text=f"{scene.frame_preview_start}-{scene.frame_preview_end}")
    else:
        row.prop(settings, "seconds", text="")
    row = column.row(align=True)
    row.operator("motion_signal.library_find", text="Like This Pose", icon="ARMATURE_DATA").what = "POSE"
    row.prop(settings, "mirror", text="", icon="MOD_MIRROR")
    row = column.row(align=True)
    row.operator("motion_signal.library_find", text="What Next", icon="TRACKING_FORWARDS").what = "NEXT"
    row.prop(settings, "length", text="")
    row = column.row(align=True)
    row.prop_search(settings, "curve", scene, "objects", text="", icon="CURVE_DATA")
    find = row.row(align=True)
    find.enabled = bool(settings.curve)
    find.operator("motion_signal.library_find", text="", icon="VIEWZOOM").what = "CURVE"
    row = column.row(align=True)
    row.prop(settings, "words", text="")
    row.operator("motion_signal.library_find", text="", icon="VIEWZOOM").what = "WORDS"


def draw_found(layout, context, settings, library):
    """A row for every stretch."""
    column = layout.column(align=True)
    for number, found in enumerate(settings.found):
        name, words = names_of(found)
        row = column.row(align=True)
        row.template_icon(picture_of(library, found), scale=2.0)
        texts = row.column(align=True)
        shown = settings.shown == number and seen(context)
        texts.operator("motion_signal.library_show", text=name, depress=shown, translate=False).number = number
        below = texts.row()
        below.active = False
        below.label(text=words, translate=False)
        more = row.column(align=True)
        more.operator("motion_signal.library_keep", text="", icon="ADD").number = number
        more.operator("motion_signal.library_continue", text="", icon="TRACKING_FORWARDS").number = number


class LibraryPanel(MotionPanel):
    """A folder of takes that can be asked"""

    bl_label = "Library"
    bl_order = 11
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.layout, settings_of(context)
        row = layout.row(align=True)
        row.prop(settings, "folder", text="")
        row.operator("motion_signal.library_index", text="", icon="FILE_REFRESH").folder = ""
        if not settings.folder:
            draw_message(layout, "Choose a folder of takes, and press the arrows to index it", "INFO")
            return
        try:
            library = library_of(settings.folder)
        except Refusal as refusal:
            draw_message(layout, str(refusal), "INFO")
            return
        draw_asking(layout, settings, context.scene)
        if settings.said:
            draw_message(layout, settings.said, "NONE")
        if len(settings.found) > 1:
            layout.operator("motion_signal.library_between", icon="OVERLAY")
        draw_found(layout, context, settings, library)
        layout.operator("motion_signal.library_assets", icon="ASSET_MANAGER")


CLASSES = in_editors("MOTION_SIGNAL_PT_library", LibraryPanel)
