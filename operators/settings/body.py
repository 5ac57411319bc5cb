# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is who: which bones are feet, hands and pelvis, found by themselves and corrected by the animator.

Corrections are kept with the armature; the table in the panel shows what counts (see said_of_body).
"""

from dataclasses import asdict
from functools import partial

import bpy

from ...core.body.roles import MORE, looked_up
from ..bridge.armatures import CORRECTIONS, ROLES, corrections_of, skeleton_of
from ..bridge.refuse import refusing
from .said_of_body import HOLDERS, forget, is_armature, said_or_found, table_named

_found = {}  # the roles of the last armature looked at, by its bones


def found_roles(owner):
    """The roles that an armature object's bones have by themselves, as a table."""
    key = (owner.name_full, tuple((bone.name, *bone.head_local) for bone in owner.data.bones))
    if key not in _found:
        _found.clear()
        _found[key] = asdict(looked_up(skeleton_of(owner)))
    return _found[key]


table_of = partial(table_named, "motion_signal_body")


def role_property(role):
    label = role.replace("_", " ").title()
    text = f"Bone that is the {label.lower()}" if role != MORE else "Bones that are the feet of further legs, between commas"
    return said_or_found(role, CORRECTIONS, corrections_of, found_roles, label, text)


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
        return is_armature(context)

    @refusing
    def execute(self, context):
        _found.clear()
        forget(context.object.data, CORRECTIONS)


CLASSES = (MOTION_SIGNAL_PG_body, MOTION_SIGNAL_OT_body_reset)


def register():
    for holder in HOLDERS:
        holder.motion_signal_body = bpy.props.PointerProperty(type=MOTION_SIGNAL_PG_body)


def unregister():
    _found.clear()
    for holder in HOLDERS:
        del holder.motion_signal_body
