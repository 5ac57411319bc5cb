# SPDX-License-Identifier: GPL-3.0-or-later
"""Other takes: the actions that a technique asks for by name, read when they are first asked for."""

from collections.abc import Mapping
from dataclasses import replace

import bpy

from ..core.refusal import Refusal
from .actions import channelbag, key_count, read_take
from .scope import action_named, frame_range
from .switches import SwitchFinder, read_switches

FPS = "motion_signal_fps"  # the frame rate of an action that is not the scene's


class Takes(Mapping):
    """Clips by the name of their action, as the same owner would play them; `owner()` finds it anew each time."""

    def __init__(self, owner, fps):
        self.owner, self.fps, self.clips = owner, fps, {}

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
        clip = read_take(action, slot, curves, owner, *frames, fps).clip.check()
        return replace(clip, switches=read_switches(action, slot, switches, owner, *frames, fps))

    def __iter__(self):
        return iter(bpy.data.actions.keys())

    def __len__(self):
        return len(bpy.data.actions)
