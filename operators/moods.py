# SPDX-License-Identifier: GPL-3.0-or-later
"""Moods as things of their own: the difference of two actions taken as data, to be saved as a preset and used anywhere."""

import bpy

from ..core.mood_file import to_data
from ..core.params import write_text
from ..core.scope import ScopeParams
from ..core.style import STYLE, opened
from . import preview
from .apply import surroundings_of
from .properties import to_params
from .refusing import refusing
from .scope import gather


class MOTION_SIGNAL_OT_mood_take(bpy.types.Operator):
    """Take the mood out of the two actions, so that it can be saved as a preset and laid over other takes and rigs"""

    bl_idname = "motion_signal.mood_take"
    bl_label = "Take Mood"
    bl_options = {"INTERNAL"}

    @refusing
    def execute(self, context):
        settings = context.window_manager.motion_signal
        if not settings.style.styled:
            raise ValueError("choose the action that has the mood first")
        current = preview.session()
        subject = bpy.data.objects[current.subject] if current else context.object
        params = to_params(ScopeParams, settings.scope)
        scope = gather(context, params, subject)
        around = surroundings_of(STYLE, scope, params, lambda: scope.owner)
        mood = opened({}, settings.style.neutral, settings.style.styled, around)
        with preview.paused():
            settings.style.neutral = settings.style.styled = ""
        settings.style.style = write_text(to_data(mood))


class MOTION_SIGNAL_OT_mood_drop(bpy.types.Operator):
    """Put the mood away, to choose actions or another preset"""

    bl_idname = "motion_signal.mood_drop"
    bl_label = "Other Mood"
    bl_options = {"INTERNAL"}

    def execute(self, context):
        context.window_manager.motion_signal.style.style = ""
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_mood_take, MOTION_SIGNAL_OT_mood_drop)
