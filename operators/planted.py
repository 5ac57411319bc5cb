# SPDX-License-Identifier: GPL-3.0-or-later
"""What is planted when in a take: as the animator keeps it with the action, or as it was in the take that it was made from."""

import json

import bpy

from ..core.contacts import check_contacts, find_contacts
from ..core.controls import known
from ..core.refusal import Refusal
from ..core.roles import find_roles
from .actions import channelbag, key_count, read_take
from .kept import kept
from .scope import frame_range

CONTACTS, SOURCE = "motion_signal_contacts", "motion_signal_source"
PLANTED = "motion_signal_planted"  # of a result whose frames were moved in time: what should stand when, by which it is judged
TAKE = "motion_signal_take"  # of a result: where its recipe begins, if that is not its source


def original(action):
    """The take that an action was made from, by however many steps; itself if it was not made here."""
    passed = []
    while action not in passed:
        passed.append(action)
        before = action.get(SOURCE) or action.get(TAKE)  # what it was made from may have been deleted since
        action = before if isinstance(before, bpy.types.Action) else action
    return action


def take_of(result):
    """Where the recipe of a result begins, or None."""
    found = result.get(TAKE) or result.get(SOURCE)
    return found if isinstance(found, bpy.types.Action) else None


def contacts_of(action, name=CONTACTS):
    """The contacts kept with an action, as they are."""
    try:
        held = json.loads(kept(action, name) or "{}") if action else {}
    except json.JSONDecodeError:
        return {}
    return held if isinstance(held, dict) else {}


def original_clip(scope):
    """The take that the scope's action was made from, all of its curves; None if that is itself, or has other frames."""
    source, slot = original(scope.action), original(scope.action).slots.get(scope.slot.identifier)
    bag = channelbag(source, slot)
    curves = [curve for curve in bag.fcurves if key_count(curve)] if bag and source != scope.action else []
    if not curves or frame_range(source, curves) != (scope.first, scope.last):
        return None
    return read_take(source, slot, curves, scope.owner, scope.first, scope.last, scope.fps).clip


def judged_by(action, clip):
    """What should stand when in an action, as far as is kept with it: by the animator, or since its frames were moved in time.

    What was kept before its keys were moved by hand is not of this clip, and counts for nothing.
    """
    for name in (CONTACTS, PLANTED):
        held = contacts_of(action, name)
        if held and fit(held, clip):
            return held
    return {}


def fit(contacts, clip):
    """Whether contacts are of this clip's frames; those kept with an action whose keys have since moved are not."""
    try:
        return bool(check_contacts(contacts, clip))
    except Refusal:
        return False


def planted(scope, clip):
    """A function that gives what is planted when: kept with the action now, or with its original take, or found in the clip
    of that; nothing if there is none."""
    action, skeleton = scope.action.name, scope.skeleton
    found = contacts_of(original(scope.action)) if clip else {}  # those of a take of another length are of another time
    found = found or (found_in(clip, skeleton) if clip and skeleton else {})
    return lambda: contacts_of(bpy.data.actions.get(action)) or found


def found_in(clip, skeleton):
    try:
        return find_contacts(clip, skeleton, known(find_roles(skeleton), skeleton))
    except Refusal:  # whoever needs feet says so
        return {}
