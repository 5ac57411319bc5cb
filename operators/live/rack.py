# SPDX-License-Identifier: GPL-3.0-or-later
"""The rack: the steps over a take that an object is given, as data that is kept with the object until they are applied.

So saving, undo and work on other objects never lose it. Once it is applied, the result's own recipe is the rack. What is kept
goes by the name of the action that the object had, so that every action of an object has a rack of its own.
"""

import json
from dataclasses import field, replace
from functools import lru_cache

import bpy

from ...core.numeric.frozen import frozen
from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import Step, steps_from_json, steps_to_json
from ..bridge.kept_texts import is_own, keep, kept
from ..bridge.provenance import recipe_of, take_and_recipe, take_of
from ..bridge.scope import animated_owner
from .lend import MARK, returning

RACK = "motion_signal_rack"  # of an object: {name of its action: {"take": name, "open": index, "steps": [...]}}
CLOSED = -1


@frozen
class Rack:
    """Steps over a take, and which of them is open."""

    take: str  # name of the action that they begin with
    steps: tuple[Step, ...] = ()
    open: int = CLOSED
    kept: bool = False  # whether it is not applied yet, and so kept with the object

    step: Step | None = field(init=False, repr=False, compare=False)  # the one that is open
    technique: str = field(init=False, repr=False, compare=False)  # name of the open step's technique, or nothing

    def __post_init__(self):
        step = self.steps[self.open] if 0 <= self.open < len(self.steps) else None
        object.__setattr__(self, "step", step)
        object.__setattr__(self, "technique", step.technique.name if step else "")

    def with_step(self, step, index=None):
        """The same with another step at an index, the open one unless given."""
        index = self.open if index is None else index
        return replace(self, steps=(*self.steps[:index], step, *self.steps[index + 1 :]))

    def with_open(self, index):
        """The same with the step at an index open."""
        return replace(self, open=index)

    def with_more(self, step):
        """The same with one more step, after the open one or at the end, which is open then."""
        index = self.open + 1 if self.step else len(self.steps)
        return replace(self, steps=(*self.steps[:index], step, *self.steps[index:]), open=index)


def action_of(subject, animated):
    """The action that an object has, or that it gets back after a preview, and its slot; or a Refusal."""
    data = (subject if animated == "OBJECT" else animated_owner(subject, animated)).animation_data
    action = data.action if data else None
    if action is not None and MARK in action:
        action = returning(action)  # nothing if that was deleted meanwhile
    if action is None:
        raise Refusal(f"{subject.name} has no action")
    return action, data.action_slot


def rack_of(subject, animated, made=False):
    """The rack of an object's action: the one that is kept, or what the action was made by, or an empty one; or a Refusal.

    An action that was just `made` is not looked at for changes by hand.
    """
    action, slot = action_of(subject, animated)
    entry = entries(kept(subject, RACK)).get(action.name)
    if entry is not None:
        return entry
    take, recipe = (take_of(action), recipe_of(action)) if made else take_and_recipe(action, slot)
    return Rack(take.name, recipe.steps)


def keep_rack(subject, animated, rack):
    """Keep a rack with an object; one that is what its action was made by needs no keeping."""
    action, slot = action_of(subject, animated)
    take, recipe = take_and_recipe(action, slot)
    same = (rack.take, rack.steps) == (take.name, recipe.steps)
    write_entry(subject, action.name, None if same else rack)
    return replace(rack, kept=not same)


def write_entry(subject, name, rack):
    text = kept(subject, RACK)
    held = {key: value for key, value in read_text(text).items() if key != name and key in bpy.data.actions}
    if rack is not None:
        steps = json.loads(steps_to_json(rack.steps))
        held[name] = {"take": rack.take, "open": rack.open, "steps": steps}
    written = json.dumps(held) if held else ""
    if written == text:
        return
    if written or not is_own(subject):
        keep(subject, RACK, written)
    else:
        del subject[RACK]


def read_text(text):
    try:
        held = json.loads(text or "{}")
    except json.JSONDecodeError:
        return {}
    return held if isinstance(held, dict) else {}


@lru_cache(maxsize=32)
def entries(text):
    """The racks in a text by the name of their action; one that this version cannot read counts as none."""
    found = {}
    for name, entry in read_text(text).items():
        try:
            steps = steps_from_json(json.dumps(entry["steps"]))
            found[name] = Rack(str(entry["take"]), steps, int(entry["open"]), True)
        except (Refusal, KeyError, TypeError, ValueError):
            continue
    return found


def whose(rack, otherwise):
    """Whose animation a rack changes: the object's, its shape keys' or its data's."""
    return rack.steps[0].scope.animated if rack.steps else otherwise
