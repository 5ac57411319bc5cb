# SPDX-License-Identifier: GPL-3.0-or-later
"""The controls of a rig: which one carries the body, and which moves each foot and hand; found, and corrected by the animator.

Corrections are kept with the armature (see kept_texts). The panel shows what counts: a correction, or else what was found.
"""

import json

import bpy

from ...core.numeric.refusal import Refusal
from ..bridge.kept_texts import is_own, keep
from ..bridge.measured import CONTROLS, KEPT_CONTROLS, controls_of, found_controls
from ..bridge.refuse import refusing
from .body import owner_and_armature, table_of

_found = {}  # of the rig that was looked at last, by how it stands


def controls_table(context):
    """The table of the active rig's controls, to be shown."""
    armature = context.object.data
    return (armature if is_own(armature) else context.scene).motion_signal_rig


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
    def get(self):
        owner, armature = owner_and_armature(self)
        given = controls_of(armature) if armature else {}
        return given[role] if role in given else looked_up(owner).get(role, "") if owner else ""

    def put(self, bone):
        owner, armature = owner_and_armature(self)
        given = {**controls_of(armature), role: bone}
        if owner and looked_up(owner).get(role, "") == bone:
            del given[role]
        keep(armature, KEPT_CONTROLS, json.dumps(given))

    label = role.removesuffix("_control").replace("_", " ").title()
    what = f"Bone that is moved for the {label.lower()}"
    return bpy.props.StringProperty(name=label, get=get, set=put, description=what)


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
        return bool(context.object and context.object.type == "ARMATURE")

    @refusing
    def execute(self, context):
        bone = context.object.data.bones.active
        if bone is None:
            raise Refusal(f"{context.object.name} has no active bone: click the one to be taken in Pose Mode first")
        table = controls_table(context) if self.role in CONTROLS else table_of(context)
        if not hasattr(table, self.role):
            raise Refusal(f"role: there is no {self.role!r}")
        setattr(table, self.role, bone.name)
        self.report({"INFO"}, f"{self.role.replace('_', ' ')}: {bone.name}")
        return {"FINISHED"}


class MOTION_SIGNAL_OT_rig_reset(bpy.types.Operator):
    """Forget the corrections and find the controls anew"""

    bl_idname = "motion_signal.rig_reset"
    bl_label = "Find Again"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    poll = MOTION_SIGNAL_OT_rig_pick.poll

    @refusing
    def execute(self, context):
        _found.clear()
        keep(context.object.data, KEPT_CONTROLS, "{}")
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_PG_rig, MOTION_SIGNAL_OT_rig_pick, MOTION_SIGNAL_OT_rig_reset)
HOLDERS = (bpy.types.Armature, bpy.types.Scene)


def register():
    for holder in HOLDERS:
        holder.motion_signal_rig = bpy.props.PointerProperty(type=MOTION_SIGNAL_PG_rig)


def unregister():
    _found.clear()
    for holder in HOLDERS:
        del holder.motion_signal_rig
