# SPDX-License-Identifier: GPL-3.0-or-later
"""A result on a control rig, looked at as Blender shows it before it is written, and its controls moved as that asks for."""

import bpy
import numpy as np

from ...core.numeric.refusal import Refusal
from ...core.recipes.shown import brought_back
from ..bridge.actions import channelbag
from ..bridge.assign import note
from ..bridge.keyframes import mute_modifiers, new_curve, set_straight_keys
from ..bridge.switches import write_switches

ROUNDS = 3
NEAR = 1e-4  # metres


def settle(run, scope):
    """Bring feet and hands of what steps made where they are to be on a rig whose constraints make something else of it."""
    if not scope.model or not scope.model.measured or not any(each.changed for each in run.done):
        return
    free = {channel.owner for done in run.done for channel in done.channels if not channel.measured}
    for _ in range(ROUNDS):
        clip = run.whole.clip
        measured = shown(run, scope)
        try:
            result, away = brought_back(clip, measured, scope.skeleton, free)
        except Refusal:  # who has no feet that can be moved; whoever needs them says so
            return
        if away < NEAR:
            break
        run.amend(result)
    run.see(measured)


def shown(run, scope):
    """The clip of measured bones in what steps have made by now."""
    clip, action = run.whole.clip, scope.action.copy()
    try:
        slot = action.slots[scope.slot.identifier]
        bag = channelbag(action, slot)
        write_switches(bag, clip, run.before.clip, set())
        frames = np.arange(clip.first_frame, clip.last_frame + 1, dtype=np.float32)
        pairs = np.column_stack([frames, frames])
        for channel, values in zip(clip.channels, clip.values.T):
            if channel in run.writing and not channel.measured:
                curve = bag.fcurves.find(channel.path, index=channel.index) or new_curve(bag, channel)
                mute_modifiers(curve)
                pairs[:, 1] = values
                set_straight_keys(curve, pairs)
        note(action, slot, scope.owner, scope.action)
        return scope.model.seen(scope.owner, action, slot, clip.first_frame, clip.last_frame, clip.fps)
    finally:
        bpy.data.actions.remove(action)
