# SPDX-License-Identifier: GPL-3.0-or-later
"""The scope's panel: which curves and frames change, and how the result is keyed. One for all techniques."""

import bpy

from .shared import MotionPanel


class MOTION_SIGNAL_PT_scope(MotionPanel, bpy.types.Panel):
    bl_label = "Scope"
    bl_order = 100

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = context.window_manager.motion_signal.scope
        column = layout.column()
        data = context.object.animation_data if context.object else None
        if settings.action or data and not data.action and len(data.nla_tracks):
            column.prop_search(settings, "action", bpy.data, "actions", icon="ACTION")
        column.prop(settings, "animated")
        column.prop(settings, "scope")
        if settings.scope == "NAMED":
            column.prop(settings, "bones")
        if settings.scope == "LISTED":
            column.prop(settings, "curves")
        column.prop(settings, "angles_apart")
        column.prop(settings, "feet")
        column.prop_search(settings, "ground", bpy.data, "objects", icon="MESH_GRID")
        column.prop(settings, "keep_ends")
        if settings.keep_ends:
            column.prop(settings, "held_bones")
            column.prop(settings, "share")
        column.prop(settings, "frames")
        if settings.frames == "RANGE":
            column = layout.column(align=True)
            column.prop(settings, "frame_start")
            column.prop(settings, "frame_end")
        if settings.frames != "WHOLE":
            column = layout.column(align=True)
            column.prop(settings, "fade_in")
            column.prop(settings, "fade_out")


class MOTION_SIGNAL_PT_result(MotionPanel, bpy.types.Panel):
    bl_label = "Result"
    bl_parent_id = "MOTION_SIGNAL_PT_scope"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = context.window_manager.motion_signal.scope
        column = layout.column()
        column.prop(settings, "result", placeholder="After the source")
        column.prop(settings, "keys")
        if settings.keys == "FEWEST":
            column.prop(settings, "tolerance")
        if settings.keys == "BODY":
            draw_allowed(column, settings)
        if settings.keys == "AUTO":
            column.prop(settings, "millimetres")
        column = layout.column(heading="In Time")
        column.prop(settings, "slots_along")
        column.prop(settings, "scene_along")
        layout.operator("motion_signal.reduce", icon="KEYFRAME")


def draw_allowed(column, settings):
    """How far feet, hands and head may be off."""
    numbers = column.column(align=True)
    numbers.prop(settings, "millimetres")
    numbers.prop(settings, "degrees")
    column.prop(settings, "together")
    column.prop(settings, "effectors", placeholder="Feet, hands and head")


CLASSES = (MOTION_SIGNAL_PT_scope, MOTION_SIGNAL_PT_result)
