# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts in Blender: found, kept with the action, shown as bars in lanes, dragged, added and deleted."""

import bpy

from ...core.body.contacts import ContactsParams, find_contacts
from ...core.body.figure import POINTS
from ...core.body.roles import find_roles, without_led_hands
from ...core.declare.scope import ScopeParams
from ...core.motion.bars import CONTACT, contact_bars, contacts_from
from ...core.numeric.refusal import Refusal
from ...core.techniques import technique
from ..bridge.kept_texts import contacts_of, keep_bars
from ..bridge.provenance import SOURCE, original
from ..bridge.refuse import refusing
from ..bridge.scope import active_object, animated_owner, gather
from ..draw.bar_lanes import bar_lane
from ..draw.lanes import add_lane, remove_lane
from ..live import preview
from ..settings.properties import annotations, from_params, to_params

COLORS = {"left": (0.35, 0.65, 1.0, 0.9), "right": (1.0, 0.45, 0.4, 0.9)}
NEW = 0.2  # seconds that a contact added by hand lasts


def take_at_hand(context):
    """The action that contacts are kept with: the source of what is previewed, or the one that the object has; or None."""
    current = preview.session()
    if current:
        return current.lent[SOURCE]
    try:
        data = animated_owner(active_object(context), "OBJECT").animation_data
    except Refusal:
        return None
    return data.action if data else None


def keep_contacts(context, action, contacts):
    keep_bars(action, CONTACT, contact_bars(contacts))
    current = preview.session()
    if current:
        preview.touched(context, technique(current.technique))
    preview.redraw()


class MOTION_SIGNAL_OT_contacts(bpy.types.Operator):
    """Find when heels, toes and hands are planted, and keep that with the action"""

    bl_idname = "motion_signal.contacts"
    bl_label = "Find Contacts"
    bl_options = {"REGISTER", "UNDO"}
    __annotations__ = annotations(ContactsParams)

    @classmethod
    def poll(cls, context):
        return bool(context.object and context.object.type == "ARMATURE")

    def invoke(self, context, event):
        from_params(to_params(ContactsParams, context.window_manager.motion_signal.contacts), self)
        return self.execute(context)

    @refusing
    def execute(self, context):
        contacts, action = found(context, to_params(ContactsParams, self))
        keep_contacts(context, action, contacts)
        context.window_manager.motion_signal.show_contacts = True
        self.report({"INFO"}, f"{action.name}: planted {sum(map(len, contacts.values()))} times")
        return {"FINISHED"}


def found(context, params):
    """The contacts of the take at hand, and the action; or a Refusal.

    What an edit has set sliding stood in the take that it was made from: that is looked at, if it has the same frames.
    """
    action = take_at_hand(context)
    source = original(action) if action else None
    same = source and tuple(source.frame_range) == tuple(action.frame_range)
    scope = gather(context, ScopeParams(action=(source if same else action).name if action else ""))
    skeleton, roles = scope.skeleton, find_roles(scope.skeleton)
    return find_contacts(scope.read().clip, skeleton, without_led_hands(roles, skeleton), params), action


class MOTION_SIGNAL_OT_contact_add(bpy.types.Operator):
    """Add a contact at the current frame"""

    bl_idname = "motion_signal.contact_add"
    bl_label = "Add Contact"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    @refusing
    def execute(self, context):
        settings, action = context.window_manager.motion_signal, take_at_hand(context)
        if action is None:
            raise Refusal("there is no action to keep contacts with")
        fps = context.scene.render.fps / context.scene.render.fps_base
        first = context.scene.frame_current
        contacts = contacts_of(action)
        spans = [*contacts.get(settings.contact_point, ()), [first, first + max(1, round(NEW * fps))]]
        keep_contacts(context, action, {**contacts, settings.contact_point: merged(spans)})


class MOTION_SIGNAL_OT_contact_remove(bpy.types.Operator):
    """Delete the chosen contact: click it in its lane to choose it"""

    bl_idname = "motion_signal.contact_remove"
    bl_label = "Delete Contact"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    @refusing
    def execute(self, context):
        settings, action = context.window_manager.motion_signal, take_at_hand(context)
        if not 0 <= settings.contact_index < len(contacts_of(action).get(settings.contact_point, ())):
            raise Refusal("no contact is chosen: click one in its lane")
        remove_contact(context, settings.contact_point, settings.contact_index)
        return {"FINISHED"}


def remove_contact(context, point, index):
    """Delete a contact, so that none is chosen."""
    action = take_at_hand(context)
    contacts = contacts_of(action)
    spans = list(contacts[point])
    del spans[index]
    keep_contacts(context, action, {**contacts, point: spans})
    context.window_manager.motion_signal.contact_index = -1


def merged(spans):
    """Spans in order, those that meet made one."""
    result = []
    for first, last in sorted(map(tuple, spans)):
        if result and first <= result[-1][1] + 1:
            result[-1][1] = max(last, result[-1][1])
        else:
            result.append([first, last])
    return result


def lane_of(point):
    def own(context):
        settings = context.window_manager.motion_signal
        spans = contacts_of(take_at_hand(context)).get(point, ()) if settings.show_contacts else ()
        return contact_bars({point: spans}), settings.contact_index if settings.contact_point == point else -1

    def keep_own(context, bars):
        action = take_at_hand(context)
        keep_contacts(context, action, {**contacts_of(action), **{point: [], **contacts_from(bars)}})

    def choose(context, index):
        settings = context.window_manager.motion_signal
        settings.contact_point, settings.contact_index = point, index

    def done(context):
        if preview.session() is None:
            bpy.ops.ed.undo_push(message="Change Contact")

    color = COLORS[point.split("_")[0]]
    return bar_lane(point.replace("_", " ").title(), own, keep_own, choose, lambda bar: color, take_range, done)


def take_range(context):
    return take_at_hand(context).frame_range


LANES = tuple(map(lane_of, POINTS))
CLASSES = (MOTION_SIGNAL_OT_contacts, MOTION_SIGNAL_OT_contact_add, MOTION_SIGNAL_OT_contact_remove)


def register():
    for lane in LANES:
        add_lane(lane)


def unregister():
    for lane in LANES:
        remove_lane(lane)
