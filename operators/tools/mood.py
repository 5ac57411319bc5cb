# SPDX-License-Identifier: GPL-3.0-or-later
"""Moods as things of their own: the difference of two actions taken as data, to be saved as a preset and used anywhere."""

import bpy

from ...core.declare.params import declarations, write_text
from ...core.declare.scope import ScopeParams
from ...core.mixing.mood import to_data
from ...core.numeric.refusal import Refusal
from ...core.techniques.character.style import STYLE, opened
from ..bridge.refuse import refusing
from ..bridge.scope import gather
from ..live import preview
from ..run.apply import surroundings_of
from ..settings.properties import readable, to_params


class MOTION_SIGNAL_OT_mood_take(bpy.types.Operator):
    """Take the mood out of the two actions, so that it can be saved as a preset and laid over other takes and rigs"""

    bl_idname = "motion_signal.mood_take"
    bl_label = "Take Mood"
    bl_options = {"INTERNAL"}

    @refusing
    def execute(self, context):
        settings = context.window_manager.motion_signal
        if not settings.style.styled:
            raise Refusal("choose the action that has the mood first")
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


def wearers(settings):
    """Bones of the mood's figure and who wears what they do, as the table has them."""
    return readable(settings, "mapping", declarations(STYLE.params)["mapping"])


class MOTION_SIGNAL_OT_mood_map(bpy.types.Operator):
    """Say which bone wears what a bone of the mood's figure does"""

    bl_idname = "motion_signal.mood_map"
    bl_label = "Wear"
    bl_options = {"INTERNAL"}

    source: bpy.props.StringProperty(name="Of the Mood", description="Bone of the figure that the mood was taken from")
    target: bpy.props.StringProperty(name="Worn By", description="Bone that wears it, or object for the object itself")
    remove: bpy.props.BoolProperty(options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def description(cls, context, properties):
        return "Let nobody wear this" if properties.remove else cls.__doc__

    def invoke(self, context, event):
        return self.execute(context) if self.remove else context.window_manager.invoke_props_dialog(self)

    def draw(self, context):
        self.layout.use_property_split = True
        self.layout.prop(self, "source")
        if context.object and context.object.type == "ARMATURE":
            self.layout.prop_search(self, "target", context.object.pose, "bones", icon="BONE_DATA")
        else:
            self.layout.prop(self, "target")

    def execute(self, context):
        settings = context.window_manager.motion_signal.style
        table = {source: target for source, target in wearers(settings).items() if source != self.source}
        if not self.remove and self.source:
            table[self.source] = self.target or "object"
        settings.mapping = write_text(table)
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_mood_take, MOTION_SIGNAL_OT_mood_drop, MOTION_SIGNAL_OT_mood_map)
