# SPDX-License-Identifier: GPL-3.0-or-later
"""Key diamonds of the equalizer's faders: gains of bands keyed at frames."""

import bpy

from ...core.techniques.character.equalize import EQUALIZE
from ..settings.lists import put_records, records_of

FIELD = "automation"


def band_keys(context, band):
    """The keys of a band's gain, [[frame, gain], ...]."""
    settings = context.window_manager.motion_signal.equalize
    return next(
        (
            entry.get("keys", [])
            for entry in records_of(settings, EQUALIZE, FIELD)
            if entry.get("band", 0) == band and not entry.get("limb")
        ),
        [],
    )


class MOTION_SIGNAL_OT_automate_key(bpy.types.Operator):
    """Key this fader at the current frame, or delete the key that is the same"""

    bl_idname = "motion_signal.automate_key"
    bl_label = "Key Gain"
    bl_options = {"INTERNAL"}

    band: bpy.props.IntProperty(default=-1, options={"SKIP_SAVE"})  # -1 for all, where they are cleared
    clear: bpy.props.BoolProperty(options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        return "Let gains be the same over the whole take again" if properties.clear else cls.__doc__

    def execute(self, context):
        settings, frame = context.window_manager.motion_signal.equalize, context.scene.frame_current
        keys = {int(at): gain for at, gain in band_keys(context, self.band)}
        if self.clear:
            keys = {}
        elif keys.get(frame) == round(settings.gains_view[self.band], 6):
            del keys[frame]
        else:
            keys[frame] = round(settings.gains_view[self.band], 6)
        rows = [{"band": self.band, "keys": [[at, keys[at]] for at in sorted(keys)]}] if keys else []
        put_records(settings, EQUALIZE, FIELD, [*self.others(settings), *rows])
        return {"FINISHED"}

    def others(self, settings):
        """The gains that stay as they are."""
        return [
            entry
            for entry in records_of(settings, EQUALIZE, FIELD)
            if entry.get("limb") or entry.get("band", 0) != self.band and not (self.clear and self.band < 0)
        ]


CLASSES = (MOTION_SIGNAL_OT_automate_key,)
