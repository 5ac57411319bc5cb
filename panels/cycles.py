# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of cycles: finding and closing a loop, its harmonics, and the network of cycles."""

import bpy

from ..operators.tools.cycle import best_loops
from .shared import PresetPopover, TechniquePanel, draw_choice, draw_key_and_clear, listed, split_column

SHOWN = 8  # harmonics that have a fader
NAMES = {"WHOLE": (), "SEARCH": ("shortest", "longest", "threshold"), "FRAMES": ("loop_start", "loop_end")}


class MOTION_SIGNAL_PT_cycle_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_cycle_presets"
    technique_name = "cycle"


class MOTION_SIGNAL_PT_cycle(TechniquePanel, bpy.types.Panel):
    bl_label = "Cycle"
    technique_name = "cycle"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.cycle
        column = split_column(layout)
        column.prop(settings, "find")
        block = column.column(align=True)
        for name in NAMES[settings.find]:
            block.prop(settings, name)
        column = split_column(layout)
        if settings.find != "WHOLE":
            column.prop(settings, "closing")
            column.prop(settings, "undo_limp")
        column.prop(settings, "path")
        column.prop(settings, "phase", slider=True)
        column.prop(settings, "mirror")
        column.prop(settings, "repeats")
        layout.operator("motion_signal.cycle_repeat", icon="FILE_REFRESH")
        draw_loops(layout, context, settings)


def draw_loops(layout, context, settings):
    """The best cycles that were found, to choose from."""
    column = layout.column(align=True)
    for index, loop in enumerate(best_loops(context)):
        text = f"Frames {loop.first}-{loop.last}"
        draw_choice(column, text, "cycle", settings, "loop_number", index + 1)


class MOTION_SIGNAL_PT_harmonics_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_harmonics_presets"
    technique_name = "harmonics"


class MOTION_SIGNAL_PT_harmonics(TechniquePanel, bpy.types.Panel):
    bl_label = "Harmonics"
    technique_name = "harmonics"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.harmonics
        column = split_column(layout)
        column.prop(settings, "harmonics", text="Keep" if settings.harmonics else "Keep All")
        column.prop(settings, "length", text="Length" if settings.length else "Own Length")
        if context.object and context.object.type == "ARMATURE":
            column.prop_search(settings, "limbs_row", context.object.pose, "bones", text="Faders For", icon="BONE_DATA")
        gains, phases = ("limbs_view", "limb_phases_view") if settings.limbs_row else ("gains_view", "phases_view")
        split = layout.split(factor=0.2)
        names, faders = split.column(align=True), split.column(align=True)
        names.label(text="")
        titles = faders.row(align=True)
        titles.label(text="Gain")
        titles.label(text="Phase")
        for index in range(SHOWN):
            names.label(text=f"{index + 1} x")
            row = faders.row(align=True)
            row.prop(settings, gains, index=index, text="", slider=True)
            row.prop(settings, phases, index=index, text="", slider=True)


class MOTION_SIGNAL_UL_network_points(bpy.types.UIList):
    """A row a cycle: its name and its place."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        split = layout.split(factor=0.5)
        split.label(
            text=listed(item.action, 0.5) or ("Made of others" if item.superpose or item.network else "This take"),
            icon="ACTION",
            translate=False,
        )
        row = split.row(align=True)
        row.prop(item, "x", text="", emboss=False)
        row.prop(item, "y", text="", emboss=False)


class MOTION_SIGNAL_PT_network_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_network_presets"
    technique_name = "network"


class MOTION_SIGNAL_PT_network(TechniquePanel, bpy.types.Panel):
    bl_label = "Blend Space"
    technique_name = "network"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.network
        row = layout.row()
        row.template_list("MOTION_SIGNAL_UL_network_points", "", settings, "points_rows", settings, "points_index", rows=4)
        column = row.column(align=True)
        column.operator("motion_signal.network_point_add", text="", icon="ADD")
        remove = column.operator("motion_signal.record_remove", text="", icon="REMOVE")
        remove.technique, remove.field = "network", "points"
        layout.operator("motion_signal.network_place", icon="DRIVER_DISTANCE")
        rows, index = settings.points_rows, settings.points_index
        if 0 <= index < len(rows):
            column = split_column(layout)
            column.prop(rows[index], "shift", slider=True)
            column.prop(rows[index], "mirror")
        draw_place(layout, settings)
        column = split_column(layout)
        column.prop(settings, "align")
        column.prop(settings, "harmonics", text="Harmonics" if settings.harmonics else "All Harmonics")
        column.prop(settings, "path")
        column.prop(settings, "lock", slider=True)
        column.prop(settings, "repeats")


def draw_place(layout, settings):
    column = split_column(layout).column(align=True)
    column.prop(settings, "puck_x")
    column.prop(settings, "puck_y")
    draw_key_and_clear(layout.row(align=True), "motion_signal.network_puck_key", bool(settings.puck_keys))


CLASSES = (
    MOTION_SIGNAL_PT_cycle_presets,
    MOTION_SIGNAL_PT_cycle,
    MOTION_SIGNAL_PT_harmonics_presets,
    MOTION_SIGNAL_PT_harmonics,
    MOTION_SIGNAL_UL_network_points,
    MOTION_SIGNAL_PT_network_presets,
    MOTION_SIGNAL_PT_network,
)
