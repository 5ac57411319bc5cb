# SPDX-License-Identifier: GPL-3.0-or-later
"""Other takes: the actions that a technique asks for by name, read when they are first asked for."""

from collections.abc import Mapping

import bpy

from ..core.refusal import Refusal
from .actions import channelbag, key_count, read_take
from .scope import action_named, frame_range, is_switch

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
        curves = [curve for curve in (bag.fcurves if bag else ())
                  if key_count(curve) and not curve.mute and not is_switch(curve, owner)]
        if not curves:
            raise Refusal(f"action: {name} has no curves for {owner.name}")
        fps = float(action.get(FPS, self.fps))
        return read_take(action, slot, curves, owner, *frame_range(action, curves), fps).clip.check()

    def __iter__(self):
        return iter(bpy.data.actions.keys())

    def __len__(self):
        return len(bpy.data.actions)
