# SPDX-License-Identifier: GPL-3.0-or-later
"""The scope of the open step: which curves and frames change, and how the result is keyed."""

import bpy

from ..operators.run.step_words import part_of
from .shared import characters, draw_more


def draw_scope(layout, context, step):
    """Which part of the take the open step changes, in words, and its controls where one opens them."""
    settings = context.window_manager.motion_signal.scope
    column = draw_more(layout, "scope", f"Scope: {part_of(step, characters() - 18) or 'whole take'}")
    if column is None:
        return
    data = context.object.animation_data if context.object else None
    if data and not data.action and len(data.nla_tracks):
        column.prop_search(settings, "action", bpy.data, "actions", icon="ACTION")
    column.prop(settings, "animated")
    column.prop(settings, "scope")
    if settings.scope == "NAMED":
        column.prop(settings, "bones")
    if settings.scope == "LISTED":
        column.prop(settings, "curves")
    column.prop(settings, "frames")
    if settings.frames == "RANGE":
        part = column.column(align=True)
        part.prop(settings, "frame_start")
        part.prop(settings, "frame_end")
    if settings.frames != "WHOLE":
        part = column.column(align=True)
        part.prop(settings, "fade_in")
        part.prop(settings, "fade_out")
    column.prop(settings, "angles_apart")
    column.prop_search(settings, "ground", bpy.data, "objects", icon="MESH_GRID")
    column.prop(settings, "keep_ends")
    if settings.keep_ends:
        column.prop(settings, "held_bones")
        column.prop(settings, "share")
    draw_result(column, settings)


def draw_result(column, settings):
    """How the result is keyed and called."""
    column.prop(settings, "keys")
    if settings.keys == "FEWEST":
        column.prop(settings, "tolerance")
    if settings.keys == "AUTO":
        column.prop(settings, "millimetres")
    if settings.keys == "BODY":
        draw_allowed(column, settings)
    along = column.column(heading="In Time")
    along.prop(settings, "slots_along")
    along.prop(settings, "scene_along")
    column.prop(settings, "result", placeholder="After the source")


def draw_allowed(column, settings):
    """How far feet, hands and head may be off."""
    numbers = column.column(align=True)
    numbers.prop(settings, "millimetres")
    numbers.prop(settings, "degrees")
    column.prop(settings, "together")
    column.prop(settings, "effectors", placeholder="Feet, hands and head")
