# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure: the button that tells in numbers what a motion is like."""

import json

import bpy

from ...core.body.report import compare, words
from ..bridge.refuse import refusing
from .contacts import take_at_hand


class MOTION_SIGNAL_OT_report(bpy.types.Operator):
    """Measure the motion: slide of planted feet, smoothness, flips, loop, limits, keys and gait, before and after"""

    bl_idname = "motion_signal.report"
    bl_label = "Measure"
    bl_options = {"REGISTER"}

    path: bpy.props.StringProperty(
        name="File", subtype="FILE_PATH", options={"SKIP_SAVE"}, description="JSON file to write the numbers to; empty for none"
    )

    @classmethod
    def poll(cls, context):
        return bool(context.object and context.object.type == "ARMATURE")

    @refusing
    def execute(self, context):
        from ..run.measure import measure  # with all that is measured, for which Blender's start need not wait

        after, before = measure(context, take_at_hand(context))
        if self.path:
            with open(bpy.path.abspath(self.path), "w", encoding="utf-8") as file:
                json.dump(compare(before, after) if before else after, file, indent=2)
        context.window_manager.motion_signal.measured = json.dumps([after, before])
        self.report({"INFO"}, words(after, before))
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_report,)
