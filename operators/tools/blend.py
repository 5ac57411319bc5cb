# SPDX-License-Identifier: GPL-3.0-or-later
"""The blend's tools: takes added to the list, weights keyed over time, limbs with weights of their own."""

import json

import bpy

from ...core.techniques.several_takes.blend import BLEND
from ..desk.choose import ChoosesAction
from ..settings.lists import index_name, put_records, records_of

FIELD = "takes"


def settings_of(context):
    return context.window_manager.motion_signal.blend


def active(context):
    """The takes of the list, and the active one or None."""
    settings = settings_of(context)
    takes, index = records_of(settings, BLEND, FIELD), getattr(settings, index_name(FIELD))
    return takes, takes[index] if 0 <= index < len(takes) else None


def put(context, takes, index=None):
    put_records(settings_of(context), BLEND, FIELD, takes, index)


class MOTION_SIGNAL_OT_blend_take_add(ChoosesAction, bpy.types.Operator):
    """Add a take to the list, with no weight yet"""

    bl_idname = "motion_signal.blend_take_add"
    bl_label = "Add Take"

    def execute(self, context):
        takes, _ = active(context)
        takes = takes or [{}]  # the take itself comes first
        put(context, [*takes, {"action": self.action, "weight": 0.0}], len(takes))
        return {"FINISHED"}


class MOTION_SIGNAL_OT_blend_weight_key(bpy.types.Operator):
    """Key the weight of the active take at the current frame, or take its keys away"""

    bl_idname = "motion_signal.blend_weight_key"
    bl_label = "Key Weight"
    bl_options = {"INTERNAL"}

    clear: bpy.props.BoolProperty(options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        return (
            "Let the weight be the same over the whole take again"
            if properties.clear
            else "Key the weight of the active take at the current frame"
        )

    def execute(self, context):
        takes, take = active(context)
        if take is None:
            return {"CANCELLED"}
        frame = context.scene.frame_current
        keys = {} if self.clear else dict(map(tuple, take.get("weight_curve", ())))
        if not self.clear:
            keys[frame] = take.get("weight", 1.0)
        take["weight_curve"] = [[frame, keys[frame]] for frame in sorted(keys)]
        put(context, takes)
        return {"FINISHED"}


class MOTION_SIGNAL_OT_blend_limb(bpy.types.Operator):
    """Give a bone and everything below it a weight of its own in the active take"""

    bl_idname = "motion_signal.blend_limb"
    bl_label = "Limb Weight"
    bl_options = {"INTERNAL"}

    bone: bpy.props.StringProperty(name="Bone", description="Bone that has a weight of its own, with everything below it")
    weight: bpy.props.FloatProperty(name="Weight", default=0.0, soft_min=-1.0, soft_max=2.0, description="Weight of the limb")
    remove: bpy.props.BoolProperty(options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def description(cls, context, properties):
        return "Let this limb follow the weight of the whole take again" if properties.remove else cls.__doc__

    def invoke(self, context, event):
        return self.execute(context) if self.remove else context.window_manager.invoke_props_dialog(self)

    def draw(self, context):
        self.layout.use_property_split = True
        self.layout.prop_search(self, "bone", context.object.pose, "bones", icon="BONE_DATA")
        self.layout.prop(self, "weight", slider=True)

    def execute(self, context):
        takes, take = active(context)
        if take is None or not self.bone:
            return {"CANCELLED"}
        limbs = {**take.get("limbs", {}), self.bone: self.weight}
        if self.remove:
            del limbs[self.bone]
        take["limbs"] = limbs
        put(context, takes)
        return {"FINISHED"}


def limb_weights(row):
    """The limbs of a row of the list with their weights."""
    return json.loads(row.limbs or "{}")


CLASSES = (MOTION_SIGNAL_OT_blend_take_add, MOTION_SIGNAL_OT_blend_weight_key, MOTION_SIGNAL_OT_blend_limb)
