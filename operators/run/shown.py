# SPDX-License-Identifier: GPL-3.0-or-later
"""A result on a control rig, looked at as Blender shows it before it is written, and its controls moved as that asks for."""

import bpy
import numpy as np

from ...core.numeric.refusal import Refusal
from ...core.recipes.shown import brought_back
from ..bridge.actions import channelbag
from ..bridge.assign import note
from ..bridge.keyframes import mute_modifiers, new_curve, set_straight_keys
from ..bridge.measured import seen, seen_again
from ..bridge.switches import write_switches

ROUNDS = 3
NEAR = 1e-4  # metres
SAME = 1e-9  # a channel that changes by less is seen as it was


def settle(run, scope):
    """Bring feet and hands of what steps made where they are to be on a rig whose constraints make something else of it.

    Where joints that deform are seen to be then, {bone: (frames, 3)}; nothing of a rig that is not looked at."""
    if not scope.model or not scope.model.measured or not any(each.changed for each in run.done):
        return {}
    free = {channel.owner for done in run.done for channel in done.channels if not channel.measured}
    run.hold()
    before, matrices = None, None
    for _ in range(ROUNDS):
        clip = run.whole.clip
        matrices, before = shown(run, scope, before, matrices), clip
        measured = scope.model.against(matrices, clip.first_frame, clip.fps)
        try:
            result, away = brought_back(clip, measured, scope.skeleton, free)
        except Refusal:  # who has no feet that can be moved; whoever needs them says so
            break
        if away < NEAR:
            break
        run.amend(result)
    run.see(measured)
    return {bone.name: matrices[bone.name][:, :3, 3] for bone in scope.owner.data.bones if bone.use_deform}


def shown(run, scope, before=None, known=None):
    """The matrices of all bones in what steps have made by now; as far as that is as in the clip `before`, they are `known`."""
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
        if before is None or before.channels != clip.channels or before.frames != clip.frames:
            return seen(scope.owner, action, slot, clip.first_frame, clip.last_frame)
        own = [not channel.measured for channel in clip.channels]
        rows = np.abs(clip.values - before.values)[:, own].max(axis=1) > SAME
        return seen_again(known, rows, scope.owner, action, slot, clip.first_frame)
    finally:
        bpy.data.actions.remove(action)
