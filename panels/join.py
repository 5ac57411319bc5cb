# SPDX-License-Identifier: GPL-3.0-or-later
"""The join's panel: what follows, how long the transition is, and where the cut lies."""

import bpy

from ..operators.draw.cut_map import best_cuts
from ..operators.live.words import matched_words
from .shared import PresetPopover, TechniquePanel, draw_choice, draw_words, split_column


class MOTION_SIGNAL_PT_join_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_join_presets"
    technique_name = "join"


class MOTION_SIGNAL_PT_join(TechniquePanel, bpy.types.Panel):
    bl_label = "Join"
    technique_name = "join"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.join
        column = split_column(layout)
        column.prop(settings, "loop")
        then = column.column()
        then.active = not settings.loop
        then.prop_search(settings, "take", bpy.data, "actions", icon="ACTION")
        column.prop(settings, "transition")
        column.prop(settings, "curve")
        column.prop(settings, "by_bands")
        column.prop(settings, "cut")
        block = column.column(align=True)
        names = ("search_end", "search_start") if settings.cut == "SEARCH" else ("cut_frame", "enter_frame")
        for name in names:
            block.prop(settings, name)
        draw_words(layout, "" if settings.loop else matched_words(context, settings.take))
        draw_cuts(layout, context, settings)


def draw_cuts(layout, context, settings):
    """The best cuts that were found, to choose from."""
    column = layout.column(align=True)
    for index, (leave, enter, _) in enumerate(best_cuts(context)):
        text = f"Leave at {leave}, enter at {enter}"
        draw_choice(column, text, "join", settings, "cut_number", index + 1)


CLASSES = (MOTION_SIGNAL_PT_join_presets, MOTION_SIGNAL_PT_join)
