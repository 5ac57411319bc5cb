# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers instead of faith: what a motion is like, and what an edit did to it, for panel, scripts and batch."""

from ...core.body.contacts import fit
from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.recipes import measured as recorded
from ...core.recipes.measured import Measured, check_skeleton, compared
from ..bridge.actions import channelbag
from ..bridge.grounds import surface_under
from ..bridge.kept_texts import contacts_of
from ..bridge.keyframes import key_total
from ..bridge.provenance import PLANTED, original
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


def measured(context, action):
    """An action on the active object, read to be measured."""
    scope = gather(context, ScopeParams(action=action.name))
    skeleton = check_skeleton(scope.skeleton, scope.owner.name)
    clip, moved = scope.read().clip, contacts_of(action, PLANTED)
    keys = key_total(channelbag(scope.action, scope.slot))
    moved = moved if fit(moved, clip) else None
    return Measured(clip, skeleton, keys, contacts_of(action), moved, surface=surface_under(action))


def measured_run(context, treated, scope):
    """The take and the result of steps that were just done, as they still are in memory, each ready to be measured.

    A result that was given few keys is read again: they are what is played.
    """
    run = treated.run
    if run is None or original(scope.action) != scope.action:
        return before_and_after(context, treated.action)
    check_skeleton(run.figure.skeleton, scope.owner.name)
    slot = treated.action.slots[scope.slot.identifier]
    before, after = (key_total(channelbag(*each)) for each in ((scope.action, scope.slot), (treated.action, slot)))
    take, result = recorded.measured_run(run, before, after)
    return take, measured(context, treated.action) if treated.few else result
