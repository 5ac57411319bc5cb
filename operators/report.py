# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers instead of faith: what a motion is like, and what an edit did to it, for panel, scripts and batch."""

import json

import bpy

from ..core.contacts import find_contacts
from ..core.figure import FEET
from ..core.refusal import Refusal
from ..core.report import compare, report, words
from ..core.roles import find_roles
from ..core.scope import ScopeParams
from .actions import channelbag
from .contacts import take_at_hand
from .keys import key_total
from .planted import PLANTED, contacts_of, fit, original
from .refusing import refusing
from .scope import gather


def measure(context):
    """The report of the take at hand and, if it was made here, of the take that it was made from: (numbers, before).

    Where both have the same frames, what stood in the one should stand in the other: contacts and ground are the source's.
    """
    return compared(*before_and_after(context))


def before_and_after(context):
    """The take that the take at hand was made from, or None if it was not made here, and the take at hand."""
    action = take_at_hand(context)
    if action is None:
        raise Refusal("the object has no action to measure")
    source = original(action)
    return None if source == action else Measured(context, source), Measured(context, action)


def compared(before, after):
    """The report of a result and that of its take, or None without one."""
    if before is None:
        return after.report(), None
    numbers = before.report()
    same = before.clip.frames == after.clip.frames
    return after.report(after.moved or (before.contacts if same else None), numbers["ground_m"]), numbers


class Measured:
    """An action on the active object, ready to be measured."""

    def __init__(self, context, action):
        scope = gather(context, ScopeParams(action=action.name))
        self.skeleton = scope.skeleton
        if self.skeleton is None:
            raise Refusal(f"{scope.owner.name} is no armature: there is no body to measure")
        if self.skeleton.led:
            raise Refusal(f"{self.skeleton.led[0]} is moved by constraints or drivers: bake the take to its bones first")
        self.clip, self.roles = scope.read().clip, find_roles(self.skeleton)
        self.keys = key_total(channelbag(scope.action, scope.slot))
        self.kept, moved = contacts_of(action), contacts_of(action, PLANTED)
        self.moved = moved if moved and fit(moved, self.clip) else None

    @property
    def contacts(self):
        """What is planted when, as kept with the action or else found; nothing without feet."""
        stands = any(self.roles.table()[foot] for foot in FEET)
        return self.kept or (find_contacts(self.clip, self.skeleton, self.roles) if stands else None)

    def report(self, contacts=None, ground=None):
        return report(self.clip, self.skeleton, self.roles, contacts or self.kept or None, ground, self.keys)


class MOTION_SIGNAL_OT_report(bpy.types.Operator):
    """Measure the motion: slide of planted feet, smoothness, flips, loop, limits, keys and gait, before and after"""

    bl_idname = "motion_signal.report"
    bl_label = "Measure"
    bl_options = {"REGISTER"}

    path: bpy.props.StringProperty(name="File", subtype="FILE_PATH", options={"SKIP_SAVE"},
                                   description="JSON file to write the numbers to; empty for none")

    @classmethod
    def poll(cls, context):
        return bool(context.object and context.object.type == "ARMATURE")

    @refusing
    def execute(self, context):
        after, before = measure(context)
        if self.path:
            with open(bpy.path.abspath(self.path), "w", encoding="utf-8") as file:
                json.dump(compare(before, after) if before else after, file, indent=2)
        context.window_manager.motion_signal.measured = json.dumps([after, before])
        self.report({"INFO"}, words(after, before))
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_report,)
