# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels that a result animates and its take does not: what they held before comes back once nothing animates them.

Blender leaves a channel where an action left it when another one is assigned that has no curve for it. So a result that has
curves of its own, as bones that stretch have for their scale, remembers what these channels held. Whoever plays it remembers
the same, and gets it back when something else is played, no matter who assigned that.
"""

import json

import bpy

from .actions import channelbag, slot_of
from .unanimated import HELD, noted, standing, value_at


def assign(owner, action, handle):
    """Give an owner an action, and channels back what they held where this one does not animate them."""
    settle(owner)
    data, slot = owner.animation_data, slot_of(action, handle) if action else None
    if (data.action, data.action_slot) != (action, slot):  # assigning it again would have Blender evaluate it again
        data.action = action
        if action:
            data.action_slot = slot
    settle(owner)


def note(action, slot, owner, source):
    """Write down in a result what channels hold that it animates and its source does not. It must not be played yet."""
    held, among = noted(action), noted(owner)
    added = animated_by(action, slot) - animated_by(source, source.slots.get(slot.identifier)) - held.keys()
    held.update({channel: standing(owner, *channel, among) for channel in sorted(added)})
    if added:
        action[HELD] = json.dumps([(*channel, value) for channel, value in held.items() if value is not None])


def settle(owner):
    """Give channels back what they held that the owner's action does not animate, and remember those that only it does."""
    data = owner.animation_data
    action = data.action if data else None
    now = action.get(HELD) if action else None
    if owner.get(HELD) == now:
        return
    animated = animated_by(action, data.action_slot if data else None)
    for (path, index), value in noted(owner).items():
        if (path, index) not in animated and value_at(owner, path) is not None:
            value_at(owner, path)[index] = value
    if now is None:
        del owner[HELD]
    else:
        owner[HELD] = now


def animated_by(action, slot):
    bag = channelbag(action, slot)
    return {(curve.data_path, curve.array_index) for curve in bag.fcurves} if bag else set()


@bpy.app.handlers.persistent
def settle_all(*_):
    """The animator may have assigned another action by hand."""
    for subject in bpy.data.objects:
        data = subject.animation_data
        if (HELD in subject or data and data.action and HELD in data.action) and subject.is_editable:
            settle(subject)


HANDLERS = ("depsgraph_update_post", "frame_change_post")


def register():
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).append(settle_all)


def unregister():
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).remove(settle_all)
