# SPDX-License-Identifier: GPL-3.0-or-later
"""The Music panel: a sound and its beats, what is brought onto them, and how far."""

import bpy

from .shared import PresetPopover, TechniquePanel, draw_more, split_column


class MOTION_SIGNAL_PT_music_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_music_presets"
    technique_name = "music"


class MOTION_SIGNAL_PT_music(TechniquePanel, bpy.types.Panel):
    bl_label = "Music"
    technique_name = "music"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.music
        layout.operator("motion_signal.music_find", icon="SPEAKER")
        column = split_column(layout)
        column.prop(settings, "sound")
        column.prop(settings, "sound_start")
        column.prop(settings, "tempo", text="Tempo (BPM)" if settings.tempo else "Found Tempo")
        if settings.tempo:
            column.prop(settings, "first_beat")
        row = layout.row(align=True)
        for how, text in (("DOUBLE", "x 2"), ("HALVE", "/ 2"), ("OTHER", "Half Later")):
            row.operator("motion_signal.music_change", text=text).how = how
        row.operator("motion_signal.music_tap")
        column = split_column(layout)
        column.prop(settings, "strength", slider=True)
        column.prop(settings, "moments")
        if settings.moments == "MARKS":
            column.prop(settings, "marks")
        column.prop(settings, "every")
        more = draw_more(layout, "music_limits", "Limits")
        if more:
            more.prop(settings, "slowest", slider=True)
            more.prop(settings, "fastest", slider=True)


CLASSES = (MOTION_SIGNAL_PT_music_presets, MOTION_SIGNAL_PT_music)
