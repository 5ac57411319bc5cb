# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers instead of faith: what a motion is like, and what an edit did to it, for panel, scripts and batch."""

from ...core.body.contacts import find_contacts
from ...core.body.figure import FEET
from ...core.body.report import report
from ...core.body.roles import find_roles
from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ..bridge.actions import channelbag
from ..bridge.keyframes import key_total
from ..bridge.provenance import PLANTED, contacts_of, fit, original
from ..bridge.scope import gather


def measure(context, action):
    """The report of an action and, if it was made here, of the take that it was made from: (numbers, before).

    Where both have the same frames, what stood in the one should stand in the other: contacts and ground are the source's.
    """
    return compared(*before_and_after(context, action))


def before_and_after(context, action):
    """The take that an action was made from, or None if it was not made here, and the action, on the active object."""
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
