# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings behind the panels: one property group a technique and one for the scope, made from the declarations.

They live in the window manager: a preview in progress is no part of the file and no step of the undo history.
"""

import json

import bpy

from ...core.body.contacts import ContactsParams
from ...core.body.figure import POINTS
from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.techniques import TECHNIQUES
from ..bridge.provenance import FINGERPRINT
from ..bridge.scope import active_object, animated_owner
from ..settings.lists import ROW_CLASSES, follow, row_annotations
from ..settings.properties import annotations
from . import preview
from .at_hand import AtHand, in_step, is_paused
from .lend import MARK, returning
from .rows import FEET_ITEMS, MOTION_SIGNAL_PG_row, fit_rows, get_feet, set_feet


def group(name, fields):
    return type(f"MOTION_SIGNAL_PG_{name}", (bpy.types.PropertyGroup,), {"__annotations__": fields})


def touching(technique):
    """What happens when a parameter is changed, by the kind of that: rows of a list follow, and the preview shows it."""

    update = preview.touching(technique)

    def update_list(self, context):
        follow(self, technique)
        update(self, context)

    return lambda declaration: update_list if declaration.entry else update


def scope_touched(self, context):
    """Another scope of the open step: show that instead."""
    if AtHand.rack and AtHand.rack.step and in_step():
        preview.touched(context, AtHand.rack.step.technique)


def live_touched(self, context):
    """The eye: show the rack, or what was there before."""
    if is_paused():
        return
    if not self.live:
        preview.end()
    elif AtHand.rack and AtHand.rack.kept and in_step():
        try:
            preview.show_rack(context)
        except Refusal as error:
            preview.notify(self, str(error))


TECHNIQUE_GROUPS = {
    technique.name: group(technique.name, {**annotations(technique.params, touching(technique)), **row_annotations(technique)})
    for technique in TECHNIQUES
}
SCOPE_GROUP = group("scope", annotations(ScopeParams, lambda declaration: scope_touched))
CONTACTS_GROUP = group("contacts", annotations(ContactsParams, lambda declaration: lambda self, context: None))
POINT_ITEMS = tuple((point, point.replace("_", " ").title(), "") for point in POINTS)


def said(name):
    """A text about the action at hand: it is gone as soon as there is another, and there again if that comes back."""

    def get(self):
        held = getattr(self, f"{name}_said")
        about, words = json.loads(held) if held else (None, "")
        return words if words and about == at_hand(self) else ""

    def put(self, words):
        setattr(self, f"{name}_said", json.dumps([at_hand(self), words]) if words else "")

    hidden = {"HIDDEN", "SKIP_SAVE"}
    return {
        name: bpy.props.StringProperty(get=get, set=put, options=hidden),
        f"{name}_said": bpy.props.StringProperty(options=hidden),
    }


def at_hand(settings):
    """The active object and its action, and what that was like when it was made."""
    subject = active_object(bpy.context)
    try:
        data = animated_owner(subject, settings.scope.animated).animation_data
    except Refusal:  # there is none
        data = None
    action = data.action if data else None
    action = returning(action) if action and MARK in action else action
    return [subject.name if subject else "", action.name if action else "", action.get(FINGERPRINT, "") if action else ""]


COMMON = {
    "live": bpy.props.BoolProperty(
        name="Live",
        default=True,
        update=live_touched,
        description="Show the result on the figure as soon as something is touched",
    ),
    "rows": bpy.props.CollectionProperty(type=MOTION_SIGNAL_PG_row, options={"SKIP_SAVE"}),
    "feet": bpy.props.EnumProperty(
        name="Feet", items=FEET_ITEMS, get=get_feet, set=set_feet, description="What becomes of feet that stand, in all steps"
    ),
    **said("notice"),  # what stands in the way
    **said("report"),  # what the last apply did
    "preset_name": bpy.props.StringProperty(
        name="Name", default="My Preset", description="Name of a new preset", options={"SKIP_SAVE"}
    ),
    **said("measured"),  # the last report, as JSON: now and before
    "show_contacts": bpy.props.BoolProperty(
        name="Show Contacts", description="Show contacts as bars above the curves, to be dragged, chosen and deleted"
    ),
    "contact_point": bpy.props.EnumProperty(
        name="Point", items=POINT_ITEMS, description="What is added or deleted touches here"
    ),
    "contact_index": bpy.props.IntProperty(default=-1, options={"HIDDEN", "SKIP_SAVE"}),  # the chosen contact of that point
    **{
        name: bpy.props.PointerProperty(type=kind)
        for name, kind in {**TECHNIQUE_GROUPS, "scope": SCOPE_GROUP, "contacts": CONTACTS_GROUP}.items()
    },
}
MOTION_SIGNAL_PG_settings = type("MOTION_SIGNAL_PG_settings", (bpy.types.PropertyGroup,), {"__annotations__": COMMON})

CLASSES = (
    MOTION_SIGNAL_PG_row,
    *ROW_CLASSES,
    *TECHNIQUE_GROUPS.values(),
    SCOPE_GROUP,
    CONTACTS_GROUP,
    MOTION_SIGNAL_PG_settings,
)


def register():
    bpy.types.WindowManager.motion_signal = bpy.props.PointerProperty(type=MOTION_SIGNAL_PG_settings)
    bpy.app.timers.register(fit_rows, first_interval=0.0)  # there is no window manager to write to while it is enabled


def unregister():
    del bpy.types.WindowManager.motion_signal
