# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes along when the time of a take changes: other slots of its action, and all else that is animated in the scene."""

import bpy
import numpy as np

from ...core.keys.as_keyed import retimed
from ..bridge.actions import channelbag
from ..bridge.as_keyed import is_dense
from ..bridge.assign import assign
from ..bridge.keyframes import as_curve, keys_of, put_keys, set_straight_keys
from ..bridge.provenance import original

CLOSE = 0.02  # of its range: how far a curve may be off before it gets a key more
BEGINNING = "motion_signal_along"  # on an action that went along: the one that it was made from


def take_along(scene, treated, scope, had):
    """Let what was asked to go along do so; `had` is the action that the scope's owner had before."""
    run, action = treated.run, treated.action
    moments = run.moments if run else None
    asked = [done.step.scope for done in run.done if done.step.technique.retimes] if moments else []
    span = moments and (run.before.clip.first_frame, run.before.clip.last_frame)
    along = any(step.slots_along for step in asked)
    for slot in action.slots if along else ():
        if slot.identifier != scope.slot.identifier:
            retime(channelbag(action, slot), moments, span)
    left = {had, scope.action} if along else {had} - {scope.action}  # a result that is replaced takes nobody with it
    for owner in users_of(left - {None}, scope.owner):
        slot = action.slots.get(owner.animation_data.action_slot.identifier)
        if slot and slot.identifier != scope.slot.identifier:
            assign(owner, action, slot.handle)
    if any(step.scene_along for step in asked):
        anew = original(scope.action) == scope.action  # from the start, and not on what went along before
        for owner in animated_in(scene) - {scope.owner}:
            data = owner.animation_data
            if data.action not in (action, had, scope.action) and owner.is_editable and not data.use_tweak_mode:
                go_along(owner, action.name, moments, span, anew)


def go_along(owner, name, moments, span, anew):
    """Give an owner a copy of its action in another time."""
    data = owner.animation_data
    before, identifier = data.action, data.action_slot.identifier
    before = before.get(BEGINNING) if anew and before.get(BEGINNING) else before
    action = before.copy()
    action.name, action[BEGINNING] = f"{before.name}, {name}", before
    for slot in action.slots:
        retime(channelbag(action, slot), moments, span)
    assign(owner, action, action.slots[identifier].handle)


def retime(bag, moments, span):
    """Move the keys of all curves of a bag to where their moments are now."""
    for curve in bag.fcurves if bag else ():
        if len(curve.keyframe_points):
            first, last = curve.range()
            own = moments.beyond(first, last, *span)
            old = keys_of(curve)
            keyed = as_curve(old)
            if is_dense(curve, last - first + 1) and len(keyed) > 2 and np.isfinite(own.frames).all():
                frames = own.first + np.arange(len(own.frames), dtype=np.float32)
                inside = (own.frames >= first) & (own.frames <= last)
                values = np.interp(own.frames, keyed.times, keyed.values)
                set_straight_keys(curve, np.column_stack([frames, values]).astype(np.float32)[inside])
                continue
            moved = retimed(keyed, own, CLOSE * max(float(np.ptp(keyed.values)), 1e-6))
            if moved is not None:
                put_keys(curve, old, moved)


def users_of(actions, owner):
    """Who else has one of some actions."""
    found = set().union(*bpy.data.user_map(subset=actions).values()) if actions else set()
    return {user for user in found if user != owner and data_of(user) and user.animation_data.action in actions}


def animated_in(scene):
    """All of a scene that has an action of its own: objects, their data, shape keys and materials, the world and itself."""
    found = {scene, scene.world, *scene.objects}
    found |= {subject.data for subject in scene.objects}
    found |= {slot.material for subject in scene.objects for slot in subject.material_slots}
    found |= {getattr(each, part, None) for each in found for part in ("shape_keys", "node_tree")}
    return {each for each in found - {None} if data_of(each)}


def data_of(each):
    data = getattr(each, "animation_data", None)
    return bool(data and data.action and data.action_slot)
