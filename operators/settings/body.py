# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is who: which bones are feet, hands and pelvis, found by themselves and corrected by the animator.

Corrections are kept with the armature (see kept). The table in the panel shows what counts: a correction, or else what was
found.
"""

import json
from dataclasses import asdict

import bpy

from ...core.body.roles import MORE, looked_up
from ..bridge.armatures import CORRECTIONS, ROLES, corrections_of, skeleton_of
from ..bridge.kept_texts import is_own, keep
from ..bridge.refuse import refusing

_found = {}  # the roles of the last armature looked at, by its bones


def found_roles(owner):
    """The roles that an armature object's bones have by themselves, as a table."""
    key = (owner.name_full, tuple((bone.name, *bone.head_local) for bone in owner.data.bones))
    if key not in _found:
        _found.clear()
        _found[key] = asdict(looked_up(skeleton_of(owner)))
    return _found[key]


def table_of(context):
    """The table of the active armature to be shown: Blender lets nobody type into one that is not this file's own."""
    armature = context.object.data
    return (armature if is_own(armature) else context.scene).motion_signal_body


def owner_and_armature(table):
    """Whose table it is, that of an armature, or a scene's, which is the active one's: the active object, and the armature.

    Blender also asks while it compares overrides on loading and saving, when there is no active object, or for a scene.
    """
    owner = getattr(bpy.context, "object", None)
    owner = owner if owner and owner.type == "ARMATURE" else None
    armature = table.id_data if isinstance(table.id_data, bpy.types.Armature) else owner and owner.data
    return owner if owner and owner.data == armature else None, armature


def role_property(role):
    def get(self):
        owner, armature = owner_and_armature(self)
        given = corrections_of(armature) if armature else {}
        if role in given:
            return given[role]
        return found_roles(owner)[role] if owner else ""

    def put(self, bone):
        owner, armature = owner_and_armature(self)
        given = {**corrections_of(armature), role: bone}
        if owner and found_roles(owner)[role] == bone:
            del given[role]
        keep(armature, CORRECTIONS, json.dumps(given))

    label = role.replace("_", " ").title()
    what = f"Bone that is the {label.lower()}" if role != MORE else "Bones that are the feet of further legs, between commas"
    return bpy.props.StringProperty(name=label, get=get, set=put, description=what)


MOTION_SIGNAL_PG_body = type(
    "MOTION_SIGNAL_PG_body", (bpy.types.PropertyGroup,), {"__annotations__": {role: role_property(role) for role in ROLES}}
)


class MOTION_SIGNAL_OT_body_reset(bpy.types.Operator):
    """Forget the corrections and find the body parts anew"""

    bl_idname = "motion_signal.body_reset"
    bl_label = "Find Again"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    @classmethod
    def poll(cls, context):
        return bool(context.object and context.object.type == "ARMATURE")

    @refusing
    def execute(self, context):
        _found.clear()
        armature = context.object.data
        if not is_own(armature):
            keep(armature, CORRECTIONS, "{}")
        elif CORRECTIONS in armature:
            del armature[CORRECTIONS]
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_PG_body, MOTION_SIGNAL_OT_body_reset)
HOLDERS = (bpy.types.Armature, bpy.types.Scene)


def register():
    for holder in HOLDERS:
        holder.motion_signal_body = bpy.props.PointerProperty(type=MOTION_SIGNAL_PG_body)


def unregister():
    _found.clear()
    for holder in HOLDERS:
        del holder.motion_signal_body
