# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of speed, wavelet blend and avatar."""

import bpy

from ..operators.live.band_names import band_name
from ..operators.live.words import matched_words
from ..operators.tools.speed import answer_words
from .shared import PresetPopover, TechniquePanel, draw_words, listed, split_column

LEVELS = 6  # levels that have a fader
FAMILIES = {"haar": "Sharp", "db4": "Even", "sym8": "Smooth"}  # wavelets by what their levels are like


class MOTION_SIGNAL_UL_speed_takes(bpy.types.UIList):
    """A row a take."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        layout.label(text=listed(item.action) or "This take", icon="ACTION", translate=False)


class MOTION_SIGNAL_PT_speed_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_speed_presets"
    technique_name = "speed"


class MOTION_SIGNAL_PT_speed(TechniquePanel, bpy.types.Panel):
    bl_label = "Speed"
    technique_name = "speed"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.speed
        row = layout.row()
        row.template_list("MOTION_SIGNAL_UL_speed_takes", "", settings, "takes_rows", settings, "takes_index", rows=3)
        column = row.column(align=True)
        column.operator("motion_signal.speed_take_add", text="", icon="ADD")
        remove = column.operator("motion_signal.record_remove", text="", icon="REMOVE")
        remove.technique, remove.field = "speed", "takes"
        column = split_column(layout)
        column.prop(settings, "goal")
        column.prop(settings, settings.goal.lower())
        column.prop(settings, "extrapolate")
        column.prop(settings, "scale")
        column.prop(settings, "path")
        column.prop(settings, "lock", slider=True)
        column.prop(settings, "repeats")
        draw_words(layout, answer_words(context))


class MOTION_SIGNAL_PT_wavelet_blend_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_wavelet_blend_presets"
    technique_name = "wavelet_blend"


class MOTION_SIGNAL_PT_wavelet_blend(TechniquePanel, bpy.types.Panel):
    bl_label = "Wavelet Blend"
    technique_name = "wavelet_blend"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.wavelet_blend
        column = split_column(layout)
        column.prop_search(settings, "take", bpy.data, "actions", icon="ACTION")
        column.prop(settings, "amount", slider=True)
        levels = split_column(layout).column(align=True)
        fps = context.scene.render.fps / context.scene.render.fps_base
        for index in range(LEVELS):
            fastest = fps / 2 ** (index + 1)
            levels.prop(settings, "levels_view", index=index, slider=True, text=band_name(0.5 * fastest, fastest)[0])
        levels.prop(settings, "coarse", slider=True)
        column = split_column(layout)
        draw_families(column, settings)
        for name in ("ends", "events"):
            column.prop(settings, name)
        draw_events(layout, settings)
        draw_words(layout, matched_words(context, settings.take))


def draw_families(column, settings):
    """How the motion is taken apart, as a choice; other wavelets can be given by scripts."""
    row = column.row(align=True, heading="Levels")
    for name, text in FAMILIES.items():
        button = row.operator("wm.context_set_string", text=text, depress=settings.family == name)
        button.data_path, button.value = "window_manager.motion_signal.wavelet_blend.family", name


def draw_events(layout, settings):
    """Events of both takes, to be found and moved."""
    row = layout.row(align=True)
    row.operator("motion_signal.wavelet_events", icon="CON_FOLLOWPATH").markers = False
    row.operator("motion_signal.wavelet_events", text="From Markers", icon="PMARKER_ACT").markers = True
    if settings.events == "ANCHORS":
        row = layout.row()
        row.template_list("MOTION_SIGNAL_UL_pairs", "wavelet", settings, "anchors_rows", settings, "anchors_index", rows=3)
        remove = row.column().operator("motion_signal.record_remove", text="", icon="REMOVE")
        remove.technique, remove.field = "wavelet_blend", "anchors"


class MOTION_SIGNAL_PT_avatar_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_avatar_presets"
    technique_name = "avatar"


class MOTION_SIGNAL_PT_avatar(TechniquePanel, bpy.types.Panel):
    bl_label = "Avatar"
    technique_name = "avatar"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.avatar
        column = split_column(layout)
        column.prop(settings, "scale")
        column.prop(settings, "legs", text="Leg Length" if settings.legs else "Legs by Scale")
        column.prop(settings, "lock", slider=True)


CLASSES = (
    MOTION_SIGNAL_UL_speed_takes,
    MOTION_SIGNAL_PT_speed_presets,
    MOTION_SIGNAL_PT_speed,
    MOTION_SIGNAL_PT_wavelet_blend_presets,
    MOTION_SIGNAL_PT_wavelet_blend,
    MOTION_SIGNAL_PT_avatar_presets,
    MOTION_SIGNAL_PT_avatar,
)
