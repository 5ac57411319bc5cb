# SPDX-License-Identifier: GPL-3.0-or-later
"""What is planted when in a take: as the animator keeps it with the action, or as it was in the take that it was made from."""

import json

import bpy

from ..core.contacts import find_contacts
from .actions import channelbag, key_count, read_take
from .body import roles_of
from .scope import frame_range

CONTACTS, SOURCE = "motion_signal_contacts", "motion_signal_source"


def original(action):
    """The take that an action was made from, by however many steps; itself if it was not made here."""
    passed = []
    while isinstance(action.get(SOURCE), bpy.types.Action) and action not in passed:
        passed.append(action)
        action = action[SOURCE]
    return action


def contacts_of(action):
    """The contacts kept with an action, as they are."""
    try:
        held = json.loads(action.get(CONTACTS, "{}")) if action else {}
    except ValueError:
        return {}
    return held if isinstance(held, dict) else {}


def planted(scope):
    """A function that gives what is planted when: kept with the action now, or found in the original take; nothing if that
    is the take itself, or of other frames."""
    action, source = scope.action.name, original(scope.action)
    found = contacts_of(source)
    if source != scope.action and not found:
        found = found_in(source, scope)
    return lambda: contacts_of(bpy.data.actions.get(action)) or found


def found_in(source, scope):
    skeleton, slot = scope.skeleton, source.slots.get(scope.slot.identifier)
    bag = channelbag(source, slot)
    curves = [curve for curve in bag.fcurves if key_count(curve)] if bag and skeleton and not skeleton.led else []
    if not curves or frame_range(source, curves) != (scope.first, scope.last):
        return {}
    clip = read_take(source, slot, curves, scope.owner, scope.first, scope.last, scope.fps).clip
    return find_contacts(clip, skeleton, roles_of(scope.owner, skeleton))
