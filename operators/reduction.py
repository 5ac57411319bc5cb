# SPDX-License-Identifier: GPL-3.0-or-later
"""The fewest keys that keep feet, hands and head where they are: written into a new action."""

import bpy

from ..core.reduce import distances, drawn, reduced
from ..core.scope import ScopeParams
from . import preview
from .actions import channelbag
from .apply import assign, copy_action
from .body import roles_of
from .keys import dense_keys, key_total, mute_modifiers, set_keys
from .planted import contacts_of
from .refusing import refusing
from .scope import gather


class MOTION_SIGNAL_OT_reduce(bpy.types.Operator):
    """Make a new action with as few smooth keys as keep feet, hands and head within so many millimetres and degrees"""

    bl_idname = "motion_signal.reduce"
    bl_label = "Reduce Keys"
    bl_options = {"REGISTER", "UNDO"}

    millimetres: bpy.props.FloatProperty(name="Millimetres", default=2.0, min=0.001, soft_max=20.0,
                                         description="How far feet, hands and head may be from where they are")
    degrees: bpy.props.FloatProperty(name="Degrees", default=0.5, min=0.001, soft_max=10.0,
                                     description="How far they may be turned from how they are")
    together: bpy.props.BoolProperty(name="Same Frames", description="Key all curves of a bone on the same frames")
    effectors: bpy.props.StringProperty(name="Bones", description="Bones that are measured, between commas; empty for feet, "
                                                                  "hands and head")

    @classmethod
    def poll(cls, context):
        return bool(context.object and context.object.type == "ARMATURE")

    @refusing
    def execute(self, context):
        preview.end()
        scope = gather(context, ScopeParams())
        action, words = reduce_keys(scope, self.millimetres, self.degrees, self.together, named(self.effectors))
        context.window_manager.motion_signal.report = words
        self.report({"INFO"}, f"{action.name}: {words}")


def named(words):
    return tuple(word.strip() for word in words.split(",") if word.strip())


def reduce_keys(scope, millimetres, degrees, together=False, effectors=()):
    """A new action of the scope's with fewer keys, given to the owner, and what came of it in words."""
    clip, skeleton = scope.read().clip, scope.skeleton
    if skeleton.led:
        raise ValueError(f"{skeleton.led[0]} is moved by constraints or drivers: bake the take to its bones first")
    roles = roles_of(scope.owner, skeleton)
    keys = reduced(clip, skeleton, roles, millimetres, degrees, contacts_of(scope.action) or None, together, effectors)
    off, turned = distances(clip, drawn(clip, keys), skeleton, roles, effectors)
    action = copy_action(scope, f"{scope.action.name} reduced")
    bag = channelbag(action, action.slots[scope.slot.identifier])
    before = key_total(bag)
    for channel, key in zip(clip.channels, keys):
        curve = bag.fcurves.find(channel.path, index=channel.index)
        if curve is not None:
            mute_modifiers(curve)
            set_keys(curve, dense_keys(clip.first_frame + key.rows, key.values, key.slopes))
    after = key_total(bag)
    assign(scope.owner, action, scope.slot.handle)
    return action, (f"{after:,} keys instead of {before:,}; feet, hands and head are off by {off.max():.1f} mm and "
                    f"{turned.max():.2f} degrees at most")


CLASSES = (MOTION_SIGNAL_OT_reduce,)
