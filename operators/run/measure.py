# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers instead of faith: what a motion is like, and what an edit did to it, for panel, scripts and batch."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ...core.body.contacts import find_contacts, fit
from ...core.body.figure import FEET
from ...core.body.report import report
from ...core.body.roles import find_roles
from ...core.declare.scope import ScopeParams
from ...core.motion.clip import Clip
from ...core.motion.skeleton import Skeleton
from ...core.numeric.refusal import Refusal
from ..bridge.actions import channelbag
from ..bridge.keyframes import key_total
from ..bridge.provenance import PLANTED, contacts_of, original
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
    return None if source == action else measured(context, source), measured(context, action)


def compared(before, after):
    """The report of a result and that of its take, or None without one."""
    if before is None:
        return after.report(), None
    numbers = before.report()
    same = before.clip.frames == after.clip.frames
    return after.report(after.moved or after.kept or (before.contacts if same else None), numbers["ground_m"]), numbers


@dataclass(frozen=True)
class Measured:
    """A motion of an armature, ready to be measured."""

    clip: Clip
    skeleton: Skeleton
    keys: int
    kept: Mapping  # contacts that are kept with it
    moved: Mapping | None = None  # what should stand since its frames were moved in time

    @cached_property
    def roles(self):
        return find_roles(self.skeleton)

    @cached_property
    def contacts(self):
        """What is planted when, as kept or else found; nothing without feet."""
        stands = any(self.roles.table()[foot] for foot in FEET)
        return self.kept or (find_contacts(self.clip, self.skeleton, self.roles) if stands else None)

    def report(self, contacts=None, ground=None):
        return report(self.clip, self.skeleton, self.roles, contacts or self.contacts, ground, self.keys)


def measured(context, action):
    """An action on the active object, read to be measured."""
    scope = gather(context, ScopeParams(action=action.name))
    skeleton = check_skeleton(scope.skeleton, scope.owner)
    clip, moved = scope.read().clip, contacts_of(action, PLANTED)
    keys = key_total(channelbag(scope.action, scope.slot))
    return Measured(clip, skeleton, keys, contacts_of(action), moved if fit(moved, clip) else None)


def measured_run(context, treated, scope):
    """The take and the result of steps that were just done, as they still are in memory, each ready to be measured.

    A result that was given few keys is read again: they are what is played.
    """
    run = treated.run
    if run is None or original(scope.action) != scope.action:
        return before_and_after(context, treated.action)
    skeleton = check_skeleton(run.figure.skeleton, scope.owner)
    before = Measured(run.before.clip, skeleton, key_total(channelbag(scope.action, scope.slot)), run.stood_before)
    if any(how.keys != "EVERY_FRAME" for how in run.writing.values()):
        return before, measured(context, treated.action)
    slot = treated.action.slots[scope.slot.identifier]
    keys, moved = key_total(channelbag(treated.action, slot)), run.standing if run.moves else None
    return before, Measured(run.whole.clip, skeleton, keys, {} if run.moves else run.figure.contacts, moved)


def check_skeleton(skeleton, owner):
    """The skeleton, or a Refusal for whoever has no body that can be measured."""
    if skeleton is None:
        raise Refusal(f"{owner.name} is no armature: there is no body to measure")
    if skeleton.led:
        raise Refusal(f"{skeleton.led[0]} is moved by constraints or drivers: bake the take to its bones first")
    return skeleton
