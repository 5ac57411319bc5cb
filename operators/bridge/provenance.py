# SPDX-License-Identifier: GPL-3.0-or-later
"""What is planted when in a take: as the animator keeps it with the action, or as it was in the take that it was made from."""

import hashlib
from contextlib import contextmanager
from functools import cache, lru_cache
from types import MappingProxyType

import bpy
import numpy as np

from ...core.body.contacts import find_contacts, fit
from ...core.body.roles import find_roles, without_led_hands
from ...core.declare.version import VERSION
from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import Recipe, recipe_from_json
from .actions import channelbag, key_count, read_take
from .kept_texts import CONTACTS, contacts_of
from .keyframes import attribute
from .measured import handles_of, measured_clip
from .scope import frame_range

SOURCE = "motion_signal_source"
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


@contextmanager
def unattached(action):
    """A while in which an action does not point to any other: whatever it points to when it is first evaluated Blender copies
    too, then and with every change."""
    pointed = {name: value for name, value in action.items() if isinstance(value, bpy.types.Action)}
    try:
        for name in pointed:
            del action[name]
        yield
    finally:
        for name, source in pointed.items():
            action[name] = source


def original_clip(scope):
    """The take that the scope's action was made from, all of its curves; None if that is itself, or has other frames."""
    source, slot = original(scope.action), original(scope.action).slots.get(scope.slot.identifier)
    bag = channelbag(source, slot)
    curves = [curve for curve in bag.fcurves if key_count(curve)] if bag and source != scope.action else []
    if not curves or frame_range(source, curves) != (scope.first, scope.last):
        return None
    clip = read_take(source, slot, curves, scope.owner, scope.first, scope.last, scope.fps, handles_of(scope.model)).clip
    return clip.with_clip(measured_clip(scope.model, scope.owner, source, slot, scope.first, scope.last, scope.fps))


def judged_by(action, clip):
    """What should stand when in an action, as far as is kept with it: by the animator, or since its frames were moved in time.

    What was kept before its keys were moved by hand is not of this clip, and counts for nothing.
    """
    for name in (CONTACTS, PLANTED):
        held = contacts_of(action, name)
        if held and fit(held, clip):
            return held
    return {}


def planted(scope, clip):
    """A function that gives what is planted when: kept with the action now, or with its original take, or found in the clip
    of that; nothing if there is none."""
    action, skeleton = scope.action.name, scope.skeleton
    found = contacts_of(original(scope.action)) if clip else {}  # those of a take of another length are of another time
    found = found or (found_in(clip, skeleton) if clip and skeleton else {})
    return lambda: contacts_of(bpy.data.actions.get(action)) or found


def found_in(clip, skeleton):
    try:
        return find_contacts(clip, skeleton, without_led_hands(find_roles(skeleton), skeleton))
    except Refusal:  # whoever needs feet says so
        return {}


RECIPE, FINGERPRINT = "motion_signal_recipe", "motion_signal_looks"


def checked(pairs):
    """A number that is another as soon as one key is: keys as whole numbers, times odd ones, added up modulo 2^64."""
    keys = pairs.view(np.uint64).ravel()
    return np.dot(keys, odd_numbers(len(keys))).tobytes()


@lru_cache(maxsize=4)
def odd_numbers(count):
    """As many numbers without any order among them, the same ones always (Steele et al. 2014, splitmix64)."""
    numbers = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return (numbers ^ (numbers >> np.uint64(31))) | np.uint64(1)


LENGTHS = {checked: 24, bytes: 32}  # of the text; results of earlier versions were looked at byte for byte
WAYS = {length: way for way, length in LENGTHS.items()}
SHAPE = (("interpolation", np.uint8, 1), ("handle_left", np.float32, 2), ("handle_right", np.float32, 2))


def remember(action, slot, take, recipe, known=None):
    """Write down how an action was made, and from which take; keys that are `known` need not be read again."""
    begins_at(action, take)
    action[RECIPE], action[FINGERPRINT] = recipe.to_json(), fingerprint(action, slot, known or {})


def begins_at(action, take):
    """Say where an action's recipe begins; its source says it already if that is the same."""
    if action.get(SOURCE) != take:
        action[TAKE] = take
    elif TAKE in action:
        del action[TAKE]


def forget(action):
    """Let an action be a take of its own."""
    for name in (TAKE, RECIPE, FINGERPRINT):
        if name in action:
            del action[name]


def remember_alone(action, slot):
    """Write down what an action is like that was made here by no step of a recipe."""
    forget(action)
    action[FINGERPRINT] = fingerprint(action, slot)


def recipe_of(action):
    """How an action was made here, or None; one that cannot be read is a Refusal."""
    if action is None or not take_of(action) or not isinstance(action.get(RECIPE), str):
        return None
    return read_recipe(action[RECIPE])


read_recipe = lru_cache(maxsize=32)(recipe_from_json)  # panels ask at every redraw


def take_and_recipe(action, slot):
    """The take behind an action and the recipe that leads from it to the action: itself and none if it was not made here,
    or changed by hand since."""
    try:
        recipe = recipe_of(action)
    except Refusal:  # of another version: what it is made of cannot be said
        recipe = None
    if recipe is None or not as_made(action, slot):
        return action, Recipe((), action.name, made_with())
    return take_of(action), Recipe(recipe.steps, take_of(action).name, made_with())


def as_made(action, slot):
    """Whether nobody has changed an action since it was made here."""
    noted = action.get(FINGERPRINT)
    return isinstance(noted, str) and noted == fingerprint(action, slot, way=WAYS.get(len(noted), checked))


def fingerprint(action, slot, known=MappingProxyType({}), way=checked):
    """What an action is like, as a short text: its keys, their handles unless there is one on every frame, and contacts.

    `way` is how keys are looked at; the text is as long as belongs to it.
    """
    seen = hashlib.blake2b(str(action.get(CONTACTS, "")).encode(), digest_size=LENGTHS[way] // 2)
    bag = channelbag(action, slot)
    for curve in bag.fcurves if bag else ():
        points = curve.keyframe_points
        written = known.get((curve.data_path, curve.array_index))  # a key on every frame
        pairs = attribute(points, "co", np.float32, 2) if written is None else side_by_side(*written)
        seen.update(f"{curve.data_path}[{curve.array_index}] {curve.mute} {len(curve.modifiers)}".encode())
        seen.update(way(pairs))
        if written is None and np.diff(pairs[::2]).max(initial=0.0) > 1.0:
            for name, kind, width in SHAPE:
                seen.update(attribute(points, name, kind, width))
    return seen.hexdigest()


def side_by_side(times, values):
    """Keys as Blender hands them out: time and value in turn, in single precision."""
    pairs = np.empty((len(times), 2), dtype=np.float32)
    pairs[:, 0], pairs[:, 1] = times, values
    return pairs


@cache
def made_with():
    return {"motion_signal": VERSION, "blender": bpy.app.version_string}
