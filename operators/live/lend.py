# SPDX-License-Identifier: GPL-3.0-or-later
"""The lent action: a copy of the take that an object is given while something is previewed.

It is marked and remembers what the object had before, so that whatever happens to it (undo, a saved file, a crash of the
session behind it) `sweep` can put that back.
"""

import json

import bpy

from ...core.numeric.refusal import Refusal
from ..bridge.assign import assign
from ..bridge.provenance import SOURCE
from ..bridge.unanimated import value_at
from ..run.apply import copy_action

MARK, RETURN = "motion_signal_preview", "motion_signal_return"
STOOD = "motion_signal_stood"  # of a lent action: what paths led to that nothing else animates, as JSON


def lend(scope):
    """Give the owner of a scope a copy of its action to show things on."""
    data = scope.owner.animation_data
    if data.action is None:
        raise Refusal(f"{scope.action.name} is only on an NLA strip: nothing is shown before Apply")
    action = copy_action(scope, f"{scope.action.name} (preview)")
    action[MARK] = data.action_slot.handle
    if data.action != scope.action:
        action[RETURN] = data.action
    assign(scope.owner, action, scope.slot.handle)
    return action


def returning(lent):
    """What the owner of a lent action had before: its source, unless another take was worked on."""
    return lent.get(RETURN) or lent.get(SOURCE)


def give_back(owner, lent):
    """What was there instead of a lent action."""
    assign(owner, returning(lent), lent[MARK])


def sweep():
    """Put back what was there wherever a lent action is still in use, and remove the lent actions."""
    for action in [action for action in bpy.data.actions if MARK in action]:
        users = [user for user in bpy.data.user_map(subset={action})[action] if plays(user, action)]
        if returning(action):
            for user in users:
                give_back(user, action)
            action.user_remap(returning(action))  # what was made of it meanwhile: NLA strips, constraints
        stood = json.loads(action.get(STOOD, "{}"))
        bpy.data.actions.remove(action)
        for user in users if stood else ():
            put_back(user, stood)


def plays(user, action):
    """Whether a user of an action plays it, and may be given another."""
    data = getattr(user, "animation_data", None)
    return bool(data and data.action == action and not data.use_tweak_mode)


def put_back(user, stood):
    """Give what paths lead to the values that it had."""
    for path, value in stood.items():
        owner, _, name = path.rpartition(".") if not path.endswith("]") else path.rpartition("[")
        holder = value_at(user, owner)
        if holder is None or value is None:
            continue
        if path.endswith("]"):
            key = json.loads(name[:-1])
            holder[key] = type(holder[key])(value)
        else:
            setattr(holder, name, value)
    user.update_tag()
