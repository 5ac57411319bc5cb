# SPDX-License-Identifier: GPL-3.0-or-later
"""The automation's tools: gains of bands keyed at frames."""

import bpy

from ...core.techniques.automate import AUTOMATE
from ..settings.lists import put_records, records_of

FIELD = "automation"


def band_keys(context, band):
    """The keys of a band's gain, [[frame, gain], ...]."""
    settings = context.window_manager.motion_signal.automate
    return next(
        (
            entry.get("keys", [])
            for entry in records_of(settings, AUTOMATE, FIELD)
            if entry.get("band", 0) == band and not entry.get("limb")
        ),
        [],
    )


class MOTION_SIGNAL_OT_automate_key(bpy.types.Operator):
    """Key the gain of this band at the current frame"""

    bl_idname = "motion_signal.automate_key"
    bl_label = "Key Gain"
    bl_options = {"INTERNAL"}

    band: bpy.props.IntProperty(options={"SKIP_SAVE"})
    clear: bpy.props.BoolProperty(options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        return "Let the gain be the same over the whole take again" if properties.clear else cls.__doc__

    def execute(self, context):
        settings = context.window_manager.motion_signal.automate
        others = [
            entry for entry in records_of(settings, AUTOMATE, FIELD) if entry.get("band", 0) != self.band or entry.get("limb")
        ]
        keys = {} if self.clear else {int(frame): gain for frame, gain in band_keys(context, self.band)}
        if not self.clear:
            keys[context.scene.frame_current] = round(settings.gains_view[self.band], 6)
        rows = [{"band": self.band, "keys": [[frame, keys[frame]] for frame in sorted(keys)]}] if keys else []
        put_records(settings, AUTOMATE, FIELD, [*others, *rows])
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_automate_key,)
