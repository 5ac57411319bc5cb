# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is who: which bones are feet, hands and pelvis, found by themselves and corrected by the animator.

Corrections are kept with the armature. The table in the panel shows what counts: a correction, or else what was found.
"""

import json

import bpy

from ..core.roles import looked_up
from .armatures import CORRECTIONS, ROLES, corrections_of, skeleton_of

_found = {}  # the roles of the last armature looked at, by its bones


def found_roles(owner):
    """The roles that an armature object's bones have by themselves, as a table."""
    key = (owner.name_full, tuple((bone.name, *bone.head_local) for bone in owner.data.bones))
    if key not in _found:
        _found.clear()
        _found[key] = looked_up(skeleton_of(owner)).table()
    return _found[key]


def role_property(role):
    def get(self):
        owner = bpy.context.object
        given = corrections_of(self.id_data)
        if role in given:
            return given[role]
        return found_roles(owner)[role] if owner and owner.data == self.id_data else ""

    def put(self, bone):
        given = {**corrections_of(self.id_data), role: bone}
        owner = bpy.context.object
        if owner and owner.data == self.id_data and found_roles(owner)[role] == bone:
            del given[role]
        self.id_data[CORRECTIONS] = json.dumps(given)

    label = role.replace("_", " ").title()
    return bpy.props.StringProperty(name=label, get=get, set=put, description=f"Bone that is the {label.lower()}")


MOTION_SIGNAL_PG_body = type("MOTION_SIGNAL_PG_body", (bpy.types.PropertyGroup,),
                             {"__annotations__": {role: role_property(role) for role in ROLES}})


class MOTION_SIGNAL_OT_body_reset(bpy.types.Operator):
    """Forget the corrections and find the body parts anew"""

    bl_idname = "motion_signal.body_reset"
    bl_label = "Find Again"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    @classmethod
    def poll(cls, context):
        return bool(context.object and context.object.type == "ARMATURE")

    def execute(self, context):
        _found.clear()
        if CORRECTIONS in context.object.data:
            del context.object.data[CORRECTIONS]
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_PG_body, MOTION_SIGNAL_OT_body_reset)


def register():
    bpy.types.Armature.motion_signal_body = bpy.props.PointerProperty(type=MOTION_SIGNAL_PG_body)


def unregister():
    _found.clear()
    del bpy.types.Armature.motion_signal_body
