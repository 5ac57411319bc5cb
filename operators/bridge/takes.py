# SPDX-License-Identifier: GPL-3.0-or-later
"""Other takes: the actions that a technique asks for by name, read when they are first asked for."""

import json
from collections.abc import Mapping
from dataclasses import replace

import bpy
import numpy as np

from ...core.motion.clip import Channel, Clip
from ...core.motion.compatible import difference, rest_of
from ...core.numeric.refusal import Refusal
from ...core.retargeting.foreign import Foreign
from ...core.retargeting.skeleton_text import RESTING, skeleton_from_text
from .actions import bone_and_property, channelbag, key_count, kind_of, read_dense, read_take
from .armatures import skeleton_of
from .deforming import deforming
from .measured import evaluated, handles_of, measured_clip, plain, turns_of
from .provenance import original
from .scope import action_named, frame_range
from .switches import SwitchFinder, read_switches

FPS = "motion_signal_fps"  # the frame rate of an action that is not the scene's
FIGURE = "motion_signal_figure"  # the skeleton of the figure that an action was made on, if that is not there
REST = "motion_signal_rest"  # how the figure rests that an action was made on, if it is not there


class Takes(Mapping):
    """Clips by the name of their action, as the same owner would play them; `owner()` finds it anew each time.

    `model` is the rig as core sees it, with bones that are measured.
    """

    def __init__(self, owner, fps, model=None):
        self.owner, self.fps, self.model, self.clips = owner, fps, model, {}

    def __getitem__(self, name):
        if name not in self.clips:
            self.clips[name] = self.read(name)
        return self.clips[name]

    def read(self, name):
        owner = self.owner()
        foreign = of_another(owner, bpy.data.actions.get(name), self.fps)
        if foreign is not None:
            return foreign
        action, slot = action_named(name, owner)
        bag = channelbag(action, slot)
        there = [curve for curve in (bag.fcurves if bag else ()) if key_count(curve) and not curve.mute]
        switches = SwitchFinder(owner).among(there)
        curves = [curve for curve in there if curve not in switches]
        if not curves:
            raise Refusal(f"action: {name} has no curves for {owner.name}")
        fps = float(action.get(FPS, self.fps))
        frames = frame_range(action, curves)
        clip = read_take(action, slot, curves, owner, *frames, fps, handles_of(self.model)).clip.check()
        refuse_stranger(owner, action, clip)
        clip = clip.with_clip(measured_clip(self.model, owner, action, slot, *frames, fps))
        return replace(clip, switches=read_switches(action, slot, switches, owner, *frames, fps))

    def __iter__(self):
        return iter(bpy.data.actions.keys())

    def __len__(self):
        return len(bpy.data.actions)


def of_another(owner, action, fps):
    """A take with its skeleton (Foreign), if it was made on another figure, as far as is known, whose bones have other names
    or rest otherwise; else None."""
    own, others = skeleton_of(owner), makers(action) if action else []
    if own is None or action is None or owner in others:
        return None
    fps = float(action.get(FPS, fps))
    made = (foreign_take(other, action, fps) for other in others)
    for take in filter(None, made if others else [remembered_take(action, fps)]):
        names = {bone.name for bone in own.bones}
        keyed = {channel.owner for channel in take.clip.channels} - {""}
        known = 2 * len(keyed & names) >= len(keyed)
        if not (known and not difference(rest_of(own), rest_of(take.skeleton), take.clip)):
            return take
        return None
    return None


def refuse_stranger(owner, action, clip):
    """Refuse a take that was made on another figure, if only its rest is known, whose bones rest otherwise."""
    own = skeleton_of(owner)
    if own is None or makers(action) or REST not in action or FIGURE in action:
        return
    apart = difference(rest_of(own), json.loads(action[REST]), clip)
    if apart:
        raise Refusal(f"{action.name} was made on another skeleton than {owner.name}'s: {apart}")


def makers(action):
    """Armature objects that play an action, or what was made from it or what it was made from."""
    family = original(action)
    return [
        subject
        for subject in bpy.data.objects
        if subject.type == "ARMATURE"
        and subject.animation_data
        and any(played and original(played) == family for played in played_by(subject.animation_data))
    ]


def played_by(data):
    return [data.action, *(strip.action for track in data.nla_tracks for strip in track.strips)]


def foreign_take(subject, action, fps):
    """A take of an armature object with its skeleton; of a control rig as what deforms is seen to move."""
    action, slot = action_named(action.name, subject)
    skeleton = skeleton_of(subject)
    if skeleton is None:
        raise Refusal(f"{subject.name} is no armature, and has no take of a figure")
    bag = channelbag(action, slot)
    curves = [curve for curve in (bag.fcurves if bag else ()) if key_count(curve) and not curve.mute]
    if not curves:
        raise Refusal(f"take: {action.name} has no keys for {subject.name}")
    first, last = frame_range(action, curves)
    if not skeleton.led:
        return Foreign(clip_of_curves(curves, skeleton, first, last, fps).check(), skeleton, subject.name)
    body = loose(deforming(subject, skeleton))
    matrices = evaluated(subject, action, slot, first, last)
    return Foreign(clip_of_matrices(matrices, body, first, fps).check(), body, subject.name)


def loose(skeleton):
    """A skeleton whose bones may be anywhere, turned by quaternions."""
    still = {"mode": "QUATERNION", "rotation": RESTING["QUATERNION"], "location": (0.0,) * 3, "scale": (1.0,) * 3}
    bones = tuple(replace(bone, connected=False, led=False, **still) for bone in skeleton.bones)
    return replace(skeleton, bones=bones)


def remembered_take(action, fps):
    """A take of a figure that is not there, as its action remembers it; None if it does not."""
    if FIGURE not in action or not action.slots:
        return None
    skeleton, name = skeleton_from_text(action[FIGURE])
    bag = channelbag(action, action.slots[0])
    curves = [curve for curve in (bag.fcurves if bag else ()) if key_count(curve) and not curve.mute]
    return Foreign(clip_of_curves(curves, skeleton, *frame_range(action, curves), fps).check(), skeleton, name)


def clip_of_curves(curves, skeleton, first, last, fps):
    """Curves over first to last frame as a clip of a skeleton's bones, and of the object that they are in."""
    modes = {bone.name: bone.mode for bone in skeleton.bones}
    channels, rows, frames = [], [], np.arange(first, last + 1)
    for curve in curves:
        owner, name = bone_and_property(curve.data_path)
        if owner and owner not in modes or name is None:
            continue
        kind = kind_of(name, modes.get(owner, "XYZ"))
        row = np.empty(len(frames))
        if read_dense(curve, first, row) is None:
            row[:] = [curve.evaluate(frame) for frame in frames]
        channels.append(Channel(curve.data_path, curve.array_index, kind, owner))
        rows.append(row)
    if not rows:
        raise Refusal("take: none of its curves moves a bone of its figure")
    return Clip(np.asfortranarray(np.array(rows).T), tuple(channels), fps, first)


def clip_of_matrices(matrices, skeleton, first, fps):
    """Matrices of bones (frames, 4, 4) by name as a clip of a skeleton without constraints."""
    channels, rows, matrices = [], [], {bone.name: plain(matrices[bone.name]) for bone in skeleton.bones}
    for bone in skeleton.bones:
        above = skeleton.bones[bone.parent] if bone.parent >= 0 else None
        rest = np.linalg.inv(above.rest) @ bone.rest if above else bone.rest
        local = np.linalg.inv((matrices[above.name] if above else np.eye(4)) @ rest) @ matrices[bone.name]
        channels += [Channel(f"{bone.path}.location", axis, "LOCATION", bone.name) for axis in range(3)]
        channels += [Channel(f"{bone.path}.rotation_quaternion", axis, "QUATERNION", bone.name) for axis in range(4)]
        rows += [*local[:, :3, 3].T, *turns_of(local[:, :3, :3])]
    return Clip(np.asfortranarray(np.array(rows).T), tuple(channels), fps, first)
