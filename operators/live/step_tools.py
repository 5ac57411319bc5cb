# SPDX-License-Identifier: GPL-3.0-or-later
"""Small things that are done to steps with one click: a fader put back, feet fixed."""

from dataclasses import replace

import bpy

from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import Step
from ...core.techniques.figure.lock import LOCK
from ..bridge.refuse import refusing
from .band_names import band_name
from .steps import change, rack_at_hand


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
        if not rack.steps:
            raise Refusal("there are no steps whose feet could be fixed")
        steps = tuple(
            replace(step, scope=replace(step.scope, feet="TAKE")) if step.scope.feet == "FREE" else step for step in rack.steps
        )
        if steps == rack.steps:
            steps = (*steps, Step(LOCK, LOCK.params(), replace(rack.steps[-1].scope, scope="ALL", bones="", frames="WHOLE")))
        change(context, replace(rack, steps=steps), self.bl_label)


CLASSES = (MOTION_SIGNAL_OT_band_neutral, MOTION_SIGNAL_OT_feet_fix)
