# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of a take: the take itself and every result that was made from it. Click one to have it, star it, compare two.

None is lost when the file is saved.
"""

import bpy

from ...core.numeric.frozen import frozen
from ...core.numeric.refusal import Refusal
from ..bridge.assign import assign
from ..bridge.provenance import SOURCE, original
from ..bridge.refuse import refusing
from ..bridge.scope import active_object
from ..live import preview
from .version_names import version_name

STAR = "motion_signal_star"


@frozen
class Version:
    """One of them as the panel shows it."""

    action: bpy.types.Action
    name: str
    made: bool  # a result, not the take
    shown: bool
    starred: bool


def action_at_hand(subject):
    """The action that an object has, or gets back after a preview, or None."""
    data = subject.animation_data if subject else None
    action = data.action if data else None
    return preview.returning(action) if action and preview.MARK in action else action


def versions_of(subject):
    """The take of an object's action first, then what was made of it, the oldest first."""
    shown = action_at_hand(subject)
    if shown is None:
        return []
    take = original(shown)
    made = [action for action in bpy.data.actions if is_version(action) and original(action) == take]
    return [
        Version(action, version_name(action), action != take, action == shown, bool(action.get(STAR)))
        for action in (take, *sorted(made, key=lambda action: action.session_uid))
    ]


def is_version(action):
    """Whether an action was made here and is not only lent."""
    return isinstance(action.get(SOURCE), bpy.types.Action) and preview.MARK not in action


def version_named(subject, name):
    action = bpy.data.actions.get(name)
    if action is None or action not in [version.action for version in versions_of(subject)]:
        raise Refusal(f"version: {name} is none of this take")
    return action


class VersionOperator:
    """What operators on one version share."""

    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    action: bpy.props.StringProperty(name="Version", options={"SKIP_SAVE"}, description="Name of the version's action")

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.animation_data is not None


class MOTION_SIGNAL_OT_version_show(VersionOperator, bpy.types.Operator):
    """Give the figure this version"""

    bl_idname = "motion_signal.version_show"
    bl_label = "Show Version"

    @refusing
    def execute(self, context):
        preview.stop(context)
        subject = context.object
        action = version_named(subject, self.action)
        assign(subject, action, subject.animation_data.action_slot.handle)
        preview.redraw()


class MOTION_SIGNAL_OT_version_star(VersionOperator, bpy.types.Operator):
    """Mark this version as one to come back to, or take the mark away"""

    bl_idname = "motion_signal.version_star"
    bl_label = "Star"

    @refusing
    def execute(self, context):
        action = version_named(context.object, self.action)
        if not action.is_editable:
            raise Refusal(f"{action.name} is linked and cannot be marked")
        if action.get(STAR):
            del action[STAR]
        else:
            action[STAR] = True


class MOTION_SIGNAL_OT_version_compare(VersionOperator, bpy.types.Operator):
    """Show this version as a translucent skeleton beside the figure, or no more"""

    bl_idname = "motion_signal.version_compare"
    bl_label = "Compare"

    @refusing
    def execute(self, context):
        view = context.window_manager.motion_signal_see_both
        view.compared = "" if view.compared == self.action else version_named(context.object, self.action).name


@bpy.app.handlers.persistent
def keep_all(*_):
    """No version is lost when the file is saved: each is kept in it, whoever has it."""
    for action in bpy.data.actions:
        if is_version(action) and action.is_editable and not action.use_fake_user:
            action.use_fake_user = True


CLASSES = (MOTION_SIGNAL_OT_version_show, MOTION_SIGNAL_OT_version_star, MOTION_SIGNAL_OT_version_compare)


def register():
    bpy.app.handlers.save_pre.append(keep_all)


def unregister():
    bpy.app.handlers.save_pre.remove(keep_all)


def at_hand(context):
    """The versions of the active object's take."""
    return versions_of(active_object(context))
