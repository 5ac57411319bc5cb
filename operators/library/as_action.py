# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip as an action with a key on every frame."""

import bpy
import numpy as np

from ..bridge.keyframes import new_curve, set_straight_keys


def action_from(clip, name, slot=None):
    """A new action and its slot, which is as one that it stands in for, if such is given."""
    action = bpy.data.actions.new(name)
    kind, called = (slot.target_id_type, slot.name_display) if slot else ("OBJECT", "Figure")
    own = action.slots.new(id_type=kind, name=called)
    bag = action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(own, ensure=True)
    frames = np.arange(clip.first_frame, clip.last_frame + 1, dtype=np.float32)
    pairs = np.column_stack([frames, frames])
    for channel, values in zip(clip.channels, clip.values.T):
        pairs[:, 1] = values
        set_straight_keys(new_curve(bag, channel), pairs)
    return action, own
