# SPDX-License-Identifier: GPL-3.0-or-later
"""Small things that are done to steps with one click: a fader put back, feet fixed, a section slowed."""

from dataclasses import replace

import bpy

from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import Step
from ...core.techniques.lock import LOCK
from ...core.techniques.timewarp import TIMEWARP
from ..bridge.refuse import refusing
from .band_names import band_name
from .steps import add_step, change, rack_at_hand

SLOWER = 2.0  # how many times as long a section lasts that is retimed


class MOTION_SIGNAL_OT_band_neutral(bpy.types.Operator):
    """Put this fader back to where it changes nothing"""

    bl_idname = "motion_signal.band_neutral"
    bl_label = "Neutral"
    bl_options = {"INTERNAL"}

    band: bpy.props.IntProperty(options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        from ...core.numeric.bands import band_edges

        settings = context.window_manager.motion_signal.equalize
        fps = context.scene.render.fps / context.scene.render.fps_base
        frames = round(fps * 60) if settings.bands == "FRAMES" else 1
        edges = band_edges(settings.bands, fps, frames)
        words = band_name(*edges[properties.band])[1] if properties.band < len(edges) else ""
        return f"{words}. Click to put the fader back"

    def execute(self, context):
        settings = context.window_manager.motion_signal.equalize
        view = "limbs_view" if settings.limbs_row else "gains_view"
        getattr(settings, view)[self.band] = 1.0
        return {"FINISHED"}


class MOTION_SIGNAL_OT_feet_fix(bpy.types.Operator):
    """Let feet stand still where they stand in the take: they are planted in every step, and locked at the end"""

    bl_idname = "motion_signal.feet_fix"
    bl_label = "Fix Feet"
    bl_options = {"UNDO", "INTERNAL"}

    @refusing
    def execute(self, context):
        rack = rack_at_hand(context)
        steps = tuple(
            replace(step, scope=replace(step.scope, feet="TAKE")) if step.scope.feet == "FREE" else step for step in rack.steps
        )
        if steps == rack.steps:
            steps = (*steps, Step(LOCK, LOCK.params(), replace(rack.steps[-1].scope, scope="ALL", bones="", frames="WHOLE")))
        change(context, replace(rack, steps=steps), self.bl_label)


class MOTION_SIGNAL_OT_retime_section(bpy.types.Operator):
    """Slow a section to half its speed: the preview range, or the middle third of the take; the rest moves on"""

    bl_idname = "motion_signal.retime_section"
    bl_label = "Retime a Section"
    bl_options = {"UNDO", "INTERNAL"}

    @refusing
    def execute(self, context):
        rack = rack_at_hand(context)
        action = bpy.data.actions.get(rack.take)
        if action is None:
            raise Refusal(f"{rack.take} was deleted: there is nothing to retime")
        first, last = (round(frame) for frame in action.frame_range)
        start, end = section(context.scene, first, last)
        longer = end + round((SLOWER - 1.0) * (end - start))
        moves = ((first, first), (start, start), (end, longer), (last, last + longer - end))
        params = TIMEWARP.params(moves=tuple(dict.fromkeys(moves)))
        if rack.technique == TIMEWARP.name and rack.step.params == TIMEWARP.params():
            change(context, rack.with_step(replace(rack.step, params=params)), self.bl_label)
        else:
            add_step(context, TIMEWARP, params, whole=True)


def section(scene, first, last):
    """The frames that are retimed: the preview range if there is one in the take, or the middle third of it."""
    if scene.use_preview_range:
        start, end = max(first, scene.frame_preview_start), min(last, scene.frame_preview_end)
        if start < end:
            return start, end
    third = (last - first) // 3
    return first + third, last - third


CLASSES = (MOTION_SIGNAL_OT_band_neutral, MOTION_SIGNAL_OT_feet_fix, MOTION_SIGNAL_OT_retime_section)
