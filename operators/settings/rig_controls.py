# SPDX-License-Identifier: GPL-3.0-or-later
"""The controls of a rig: which one carries the body, and which moves each foot and hand; found, and corrected by the animator.

Corrections are kept with the armature; the panel shows what counts (see said_of_body).
"""

from functools import partial

import bpy

from ...core.numeric.refusal import Refusal
from ..bridge.measured import CONTROLS, KEPT_CONTROLS, controls_of, found_controls
from ..bridge.refuse import refusing
from .body import table_of
from .said_of_body import HOLDERS, forget, is_armature, said_or_found, table_named

_found = {}  # of the rig that was looked at last, by how it stands


controls_table = partial(table_named, "motion_signal_rig")


def looked_up(owner):
    """The controls that were found, {role: bone}; looked for again once anything about the rig is different."""
    data = owner.animation_data
    acting = tuple(constraint.influence for pose in owner.pose.bones for constraint in pose.constraints)
    key = owner.name_full, len(owner.data.bones), data and data.action and data.action.name_full, acting
    if key not in _found:
        _found.clear()
        try:
            _found[key] = found_controls(owner)
        except Refusal:  # said by whoever works with the rig
            _found[key] = {}
    return _found[key]


def control_property(role):
    label = role.removesuffix("_control").replace("_", " ").title()
    return said_or_found(role, KEPT_CONTROLS, controls_of, looked_up, label, f"Bone that is moved for the {label.lower()}")


MOTION_SIGNAL_PG_rig = type(
    "MOTION_SIGNAL_PG_rig", (bpy.types.PropertyGroup,), {"__annotations__": {role: control_property(role) for role in CONTROLS}}
)


class MOTION_SIGNAL_OT_rig_pick(bpy.types.Operator):
    """Take the active bone"""

    bl_idname = "motion_signal.rig_pick"
    bl_label = "Pick Bone"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    role: bpy.props.StringProperty(options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return is_armature(context)

    @refusing
    def execute(self, context):
        bone = context.object.data.bones.active
        if bone is None:
            raise Refusal(f"{context.object.name} has no active bone: click the one to be taken in Pose Mode first")
        table = (controls_table if self.role in CONTROLS else table_of)(context)
        if not hasattr(table, self.role):
            raise Refusal(f"role: there is no {self.role!r}")
        setattr(table, self.role, bone.name)
        self.report({"INFO"}, f"{self.role.replace('_', ' ')}: {bone.name}")


class MOTION_SIGNAL_OT_rig_reset(bpy.types.Operator):
    """Forget the corrections and find the controls anew"""

    bl_idname = "motion_signal.rig_reset"
    bl_label = "Find Again"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    poll = MOTION_SIGNAL_OT_rig_pick.poll

    @refusing
    def execute(self, context):
        _found.clear()
        forget(context.object.data, KEPT_CONTROLS)


CLASSES = (MOTION_SIGNAL_PG_rig, MOTION_SIGNAL_OT_rig_pick, MOTION_SIGNAL_OT_rig_reset)


def register():
    for holder in HOLDERS:
        holder.motion_signal_rig = bpy.props.PointerProperty(type=MOTION_SIGNAL_PG_rig)


def unregister():
    _found.clear()
    for holder in HOLDERS:
        del holder.motion_signal_rig
