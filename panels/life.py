# SPDX-License-Identifier: GPL-3.0-or-later
"""The Life panel: the take that gives life to a few poses, and how much of each octave."""

import bpy

from ..core.techniques.character.life import LIFE
from .shared import PresetPopover, TechniquePanel, draw_more, split_column

OCTAVES = range(1, 9)  # those that have a fader: from 32-64 Hz down to 1/4-1/2 Hz


class MOTION_SIGNAL_PT_life_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_life_presets"
    technique_name = "life"


class MOTION_SIGNAL_PT_life(TechniquePanel, bpy.types.Panel):
    bl_label = "Life"
    technique_name = "life"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.life
        column = split_column(layout)
        column.prop_search(settings, "take", bpy.data, "actions", icon="ACTION")
        column.prop(settings, "amount", slider=True)
        column.prop(settings, "slowest")
        column.prop(settings, "later")
        more = draw_more(layout, "life_octaves", "Octaves")
        if more:
            fps = context.scene.render.fps / context.scene.render.fps_base
            faders = more.column(align=True)
            for index in OCTAVES:
                faders.prop(
                    settings, "gains_view", index=index, slider=True, text=LIFE.item_label("gains", index, settings, fps)
                )


CLASSES = (MOTION_SIGNAL_PT_life_presets, MOTION_SIGNAL_PT_life)
