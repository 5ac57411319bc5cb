# SPDX-License-Identifier: GPL-3.0-or-later
"""Scope: whose action, which curves and which frames, gathered from the context once."""

import math
from collections import Counter
from dataclasses import replace
from functools import cached_property

import bpy
import numpy as np

from ...core.body.upright import stood
from ...core.declare.lists import split_names
from ...core.declare.scope import FAR, scope_words
from ...core.motion.fade import range_weights
from ...core.numeric.frozen import frozen
from ...core.numeric.refusal import Refusal
from .actions import SAME_TIME, channel_of, channelbag, key_count, read_take
from .armatures import selected_bones
from .assign import settle
from .measured import handles_of, measured_clip, model_of
from .switches import SwitchFinder, read_switches

FEWEST_KEYS = 3


@frozen
class Scope:
    """What will change. Lives for one call only: its curves are references into Blender."""

    owner: bpy.types.ID
    action: bpy.types.Action
    slot: object
    curves: tuple
    switches: tuple  # curves asked for that are no signals: they go along where time changes, and else stay
    staying: int  # curves asked for that stay: they, or a part of their rotation, are locked or muted
    first: int
    last: int
    changing: tuple | None  # first and last frame that may change, None for all
    fades: tuple  # seconds
    fps: float
    everything: bool = True  # whether all that the action animates was asked for

    @property
    def words(self):
        """What will change, in words: 12 bones, 48 curves, frames 20-180."""
        return self._words()

    def words_of(self, technique):
        """The same of a technique, which may take switches along."""
        return self._words(technique.retimes)

    def _words(self, along=False):
        bones = {channel_of(curve.data_path, 0, self.owner).owner for curve in self.curves} - {""}
        first, last = self.changing or (self.first, self.last)
        frames = max(first, self.first), min(last, self.last)
        return scope_words(len(bones), len(self.curves), frames, self.staying, len(self.switches), along)

    @property
    def chosen(self):
        """Path and index of every curve that may change."""
        return {(curve.data_path, curve.array_index) for curve in self.curves}

    @cached_property
    def model(self):
        """The rig as core sees it, with the bones of it that are measured; None for what is no armature."""
        return model_of(self.owner, self.action, self.slot)

    @cached_property
    def skeleton(self):
        return self.model and stood(self.model.skeleton)

    @property
    def measured(self):
        """The clip of bones that are measured; None if there are none."""
        return measured_clip(self.model, self.owner, self.action, self.slot, self.first, self.last, self.fps)

    @property
    def weights(self):
        """How much each frame changes, (frames,), or None where everything does."""
        if self.changing is None:
            return None
        start, end = (frame - self.first for frame in self.changing)
        fade_in, fade_out = (fade * self.fps for fade in self.fades)
        return range_weights(
            self.last - self.first + 1,
            start,
            end,
            fade_in if start > 0 else 0.0,
            fade_out if end < self.last - self.first else 0.0,
        )

    def read(self):
        asked = self.owner, self.first, self.last, self.fps
        take = read_take(self.action, self.slot, self.curves, *asked, handles_of(self.model) if self.everything else ())
        clip = take.clip.with_clip(self.measured) if self.everything else take.clip
        switches = read_switches(self.action, self.slot, self.switches, *asked)
        return replace(take, clip=replace(clip, switches=switches) if switches else clip)

    def read_beside(self):
        """The clip of what bones do that is out of scope; None if they do nothing else."""
        chosen = self.chosen
        curves = [
            curve
            for curve in channelbag(self.action, self.slot).fcurves
            if key_count(curve)
            and not curve.mute
            and (curve.data_path, curve.array_index) not in chosen
            and channel_of(curve.data_path, curve.array_index, self.owner).owner
        ]
        measured = None if self.everything else self.measured
        if not curves:
            return measured
        return read_take(self.action, self.slot, curves, self.owner, self.first, self.last, self.fps).clip.with_clip(measured)


def gather(context, params, subject=None):
    """The scope that ScopeParams name for an object (the active one unless given), or a Refusal that says why not."""
    subject = subject or active_object(context)
    owner = animated_owner(subject, params.animated)
    data = owner.animation_data
    strips = strips_of(data)
    if data is None or data.action is None and not (params.action and strips):
        where = f": {strips[0].action.name} is on an NLA strip; choose it under Scope > From (action)" if strips else ""
        raise Refusal(f"{owner.name} has no action{where}")
    if data.use_tweak_mode:
        raise Refusal(f"{owner.name} is being tweaked in the NLA: leave tweak mode first")
    if not owner.is_editable:
        raise Refusal(f"{owner.name} is linked: make a library override of it first")
    settle(owner)
    action, slot = action_named(params.action, owner) if params.action else (data.action, data.action_slot)
    bag = channelbag(action, slot)
    if bag is None or not len(bag.fcurves):
        raise Refusal(f"action {action.name} has no curves for {owner.name}")
    curves, switches, staying = choose_curves(bag, params, owner)
    first, last = frame_range(action, curves)
    scene = context.scene
    changing = changing_frames(scene, params, first, last)
    return Scope(
        owner,
        action,
        slot,
        tuple(curves),
        tuple(switches),
        staying,
        first,
        last,
        changing,
        (params.fade_in, params.fade_out),
        scene.render.fps / scene.render.fps_base,
        params.scope == "ALL",
    )


def strips_of(data):
    """Strips of the NLA that play an action."""
    return [strip for track in data.nla_tracks for strip in track.strips if strip.action] if data else []


def active_object(context):
    """The active object, or None; for handlers and timers, whose context may be that of a window being closed."""
    return getattr(context, "object", None)


def action_named(name, owner):
    """An action by its name, and the slot in it that fits the owner, or a Refusal."""
    action = bpy.data.actions.get(name)
    if action is None:
        raise Refusal(f"action: there is no {name}")
    current = owner.animation_data.action_slot if owner.animation_data else None
    fitting = [slot for slot in action.slots if slot.target_id_type in (owner.id_type, "UNSPECIFIED")]
    same = [slot for slot in fitting if current and (slot.handle, slot.identifier) == (current.handle, current.identifier)]
    named = [slot for slot in fitting if current and slot.identifier == current.identifier]
    named += [strip.action_slot for strip in strips_of(owner.animation_data) if strip.action == action and strip.action_slot]
    if not fitting:
        raise Refusal(f"action: {name} has nothing for {owner.name}")
    return action, (same or named or fitting)[0]


def animated_owner(subject, animated):
    if subject is None:
        raise Refusal("there is no active object")
    if animated == "OBJECT":
        return subject
    owner = subject.data if animated == "DATA" else getattr(subject.data, "shape_keys", None)
    if owner is None:
        raise Refusal(f"{subject.name} has no {'data' if animated == 'DATA' else 'shape keys'}")
    return owner


def choose_curves(bag, params, owner):
    """The curves that may change, those that are switches, and how many of those asked for stay: locked or muted."""
    everything = [curve for curve in bag.fcurves if key_count(curve)]
    wanted = list(filter(CHOICES[params.scope](params, owner), everything))
    if not wanted:
        raise Refusal(f"nothing to change: no curve of {owner.name} is in scope ({params.scope.lower()})")
    held = {whole(curve) for curve in everything if is_held(curve)}
    stepped = {whole(curve) for curve in SwitchFinder(owner).among(everything)}
    free = [curve for curve in wanted if whole(curve) not in held]
    curves = [curve for curve in free if whole(curve) not in stepped]
    if not curves:
        raise Refusal(f"all {len(wanted)} curves in scope are locked, muted, switches or keyed in steps")
    refuse_parts_of_quaternions(curves, everything, owner)
    return curves, [curve for curve in free if whole(curve) in stepped], len(wanted) - len(free)


def whole(curve):
    """Curves that only make sense together have the same name here: the components of one quaternion."""
    path = curve.data_path
    return path if path.endswith(("rotation_quaternion", "rotation_axis_angle")) else (path, curve.array_index)


def is_held(curve):
    group = curve.group
    return curve.lock or curve.mute or bool(group and (group.lock or group.mute))


def refuse_parts_of_quaternions(curves, everything, owner):
    chosen, there = (Counter(map(whole, rows)) for rows in (curves, everything))
    for name, count in chosen.items():
        if isinstance(name, str) and count < there[name]:
            raise Refusal(
                f"{name}: {count} of {there[name]} curves are selected, and a rotation in this mode only changes as a whole"
            )


def bones_chosen(names, owner):
    return lambda curve: channel_of(curve.data_path, curve.array_index, owner).owner in names


def by_selected_bones(params, owner):
    names = selected_bones(owner) if getattr(owner, "pose", None) else set()
    if not names:
        raise Refusal(f"no bone of {owner.name} is selected")
    return bones_chosen(names, owner)


def by_named_bones(params, owner):
    return bones_chosen(check_names(params, owner), owner)


def check_names(params, owner):
    """The names of the bones that ScopeParams list, or a Refusal if there is none, or one that the owner does not have."""
    names = set(split_names(params.bones))
    bones = owner.pose.bones if getattr(owner, "pose", None) else ()
    for name in sorted(names):
        if name not in bones:
            raise Refusal(f"bones: {owner.name} has no bone {name}")
    if not names:
        raise Refusal("bones: no name given")
    return names


def by_path(params, owner):
    listed = {(entry.get("path", ""), entry.get("index", 0)) for entry in params.curves}
    return lambda curve: (curve.data_path, curve.array_index) in listed


CHOICES = {
    "ALL": lambda params, owner: lambda curve: True,
    "BONES": by_selected_bones,
    "CURVES": lambda params, owner: lambda curve: curve.select,
    "NAMED": by_named_bones,
    "LISTED": by_path,
}


def frame_range(action, curves, fewest=FEWEST_KEYS):
    """First and last whole frame of the keys of curves that are a motion, or a Refusal."""
    if max(key_count(curve) for curve in curves) < fewest:
        raise Refusal(f"no curve of {action.name} in scope has {fewest} keys: that is too few for a motion")
    ranges = np.array([tuple(curve.range()) for curve in curves])
    if not np.isfinite(ranges).all():
        raise Refusal(f"action {action.name} has a key at a frame that is no number")
    farthest = max(ranges.ravel(), key=abs)
    if abs(farthest) >= FAR:
        raise Refusal(f"action {action.name} has a key at frame {farthest:.0f}, farther than Blender counts")
    return math.floor(ranges.min() + SAME_TIME), math.ceil(ranges.max() - SAME_TIME)


def changing_frames(scene, params, first, last):
    if params.frames == "WHOLE":
        return None
    if params.frames == "PREVIEW":
        if not scene.use_preview_range:
            raise Refusal("the scene has no preview range")
        start, end = scene.frame_preview_start, scene.frame_preview_end
    else:
        start, end = params.frame_start, params.frame_end
    if end <= start:
        raise Refusal(f"frame_end: {end} is not after the start at {start}")
    if end <= first or start >= last:
        raise Refusal(f"frames {start}-{end} lie outside the motion, which has frames {first}-{last}")
    return start, end


def lasting(params, scope):
    """ScopeParams that mean the same later, whatever is selected then and whichever range is previewed."""
    if scope.changing and params.frames == "PREVIEW":
        params = replace(params, frames="RANGE", frame_start=scope.changing[0], frame_end=scope.changing[1])
    if params.scope not in ("BONES", "CURVES"):
        return params
    names = selected_bones(scope.owner) if params.scope == "BONES" else {","}
    if not any("," in name for name in names):
        return replace(params, scope="NAMED", bones=", ".join(sorted(names)))
    curves = tuple({"path": curve.data_path, "index": curve.array_index} for curve in scope.curves)
    return replace(params, scope="LISTED", curves=curves)
