# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of fewer keys: how far feet, hands and head may be off for it."""

import bpy

from .scope import draw_allowed
from .shared import TechniquePanel, split_column


class MOTION_SIGNAL_PT_reduce(TechniquePanel, bpy.types.Panel):
    bl_label = "Reduce Keys"
    technique_name = "reduce"

    def draw_parameters(self, layout, context, summary):
        draw_allowed(split_column(layout), context.window_manager.motion_signal.scope)


CLASSES = (MOTION_SIGNAL_PT_reduce,)
