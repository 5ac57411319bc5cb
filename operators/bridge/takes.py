# SPDX-License-Identifier: GPL-3.0-or-later
"""Other takes: the actions that a technique asks for by name, read when they are first asked for."""

import json
from collections.abc import Mapping
from dataclasses import replace

import bpy

from ...core.motion.compatible import difference, rest_of
from ...core.numeric.refusal import Refusal
from .actions import channelbag, key_count, read_take
from .armatures import skeleton_of
from .measured import handles_of, measured_clip
from .provenance import original
from .scope import action_named, frame_range
from .switches import SwitchFinder, read_switches

FPS = "motion_signal_fps"  # the frame rate of an action that is not the scene's
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


def refuse_stranger(owner, action, clip):
    """Refuse a take that was made on another figure, if that is known, whose bones have the same names but rest otherwise."""
    own, others = skeleton_of(owner), makers(action)
    if own is None or owner in others:
        return
    rests = [rest_of(skeleton_of(other)) for other in others] or ([json.loads(action[REST])] if REST in action else [])
    apart = [difference(rest_of(own), rest, clip) for rest in rests]
    if apart and all(apart):
        raise Refusal(f"{action.name} was made on another skeleton than {owner.name}'s: {apart[0]}")


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
