# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of what bones are, in the panel: what the animator says counts, or else what was found.

What is said is kept with the armature (see kept_texts).
"""

import json

import bpy

from ..bridge.kept_texts import is_own, keep

HOLDERS = (bpy.types.Armature, bpy.types.Scene)


def table_named(name, context):
    """A table of the active armature to be shown: Blender lets nobody type into one that is not this file's own."""
    armature = context.object.data
    return getattr(armature if is_own(armature) else context.scene, name)


def owner_and_armature(table):
    """Whose table it is, that of an armature, or a scene's, which is the active one's: the active object, and the armature.

    Blender also asks while it compares overrides on loading and saving, when there is no active object, or for a scene.
    """
    owner = getattr(bpy.context, "object", None)
    owner = owner if owner and owner.type == "ARMATURE" else None
    armature = table.id_data if isinstance(table.id_data, bpy.types.Armature) else owner and owner.data
    return owner if owner and owner.data == armature else None, armature


def said_or_found(role, kept_as, said, found, label, text):
    """A property for a role: `said(armature)` and `found(owner)` are {role: bone}; what is said is kept under a name."""

    def get(self):
        owner, armature = owner_and_armature(self)
        given = said(armature) if armature else {}
        return given[role] if role in given else found(owner).get(role, "") if owner else ""

    def put(self, bone):
        owner, armature = owner_and_armature(self)
        given = {**said(armature), role: bone}
        if owner and found(owner).get(role, "") == bone:
            del given[role]
        keep(armature, kept_as, json.dumps(given))

    return bpy.props.StringProperty(name=label, get=get, set=put, description=text)


def forget(armature, kept_as):
    """Let nothing be said."""
    if not is_own(armature):
        keep(armature, kept_as, "{}")
    elif kept_as in armature:
        del armature[kept_as]


def is_armature(context):
    return bool(context.object and context.object.type == "ARMATURE")
