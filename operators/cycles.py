# SPDX-License-Identifier: GPL-3.0-or-later
"""The cycle's tools: the loops that were found, as a map and a list, and repeating a cycle for ever."""

import bpy
import numpy as np

from ..core.cycle import CYCLE, extrapolations
from ..core.loops import find_loops
from ..core.scope import ScopeParams
from . import preview
from .actions import channelbag
from .inset import boxes, draw_inset
from .scope import gather

CELLS, BEST = 48, 6
ALIKE, UNLIKE = np.array((0.25, 0.75, 0.55, 1.0)), np.array((0.10, 0.10, 0.14, 1.0))
OTHERS, CHOSEN = (1.0, 1.0, 1.0, 0.6), (1.0, 0.62, 0.2, 1.0)
_found = {}
_handle = None


def loops_found(context):
    """The loops in what is previewed, or None."""
    current = preview.session()
    settings = context.window_manager.motion_signal.cycle
    if current is None or current.technique != CYCLE.name or settings.find != "SEARCH":
        return None
    asked = (id(current), settings.shortest, settings.longest)
    if asked not in _found:
        _found.clear()
        try:
            _found[asked] = find_loops(current.take.clip, current.surroundings, settings.shortest, settings.longest)
        except ValueError:  # the panel says why
            _found[asked] = None
    return _found[asked]


def best_loops(context):
    found = loops_found(context)
    return found.best[:BEST] if found else ()


def draw_map():
    context = bpy.context
    found = loops_found(context)
    if found is None or not np.isfinite(found.gaps).any():
        return
    rows, columns = (np.linspace(0, size - 1, min(CELLS, size)).round().astype(int) for size in found.gaps.shape)
    gaps = found.gaps[np.ix_(rows, columns)]
    near = np.where(np.isfinite(gaps), np.clip(1.0 - gaps, 0.0, 1.0), 0.0)[..., None] ** 2
    starts, ends = found.starts[rows], found.ends[columns]
    width, height = np.ptp(starts) / max(len(rows) - 1, 1), np.ptp(ends) / max(len(columns) - 1, 1)
    left, bottom = np.meshgrid(starts, ends, indexing="ij")
    colors = np.repeat((UNLIKE + (ALIKE - UNLIKE) * near).reshape(-1, 4), 6, axis=0)
    chosen = context.window_manager.motion_signal.cycle.loop_number - 1
    dots = [(CHOSEN if place == chosen else OTHERS, [(loop.first, loop.last)]) for place, loop in enumerate(found.best[:BEST])]
    draw_inset("Start across, end up", (starts[0], ends[0]), (starts[-1] + width, ends[-1] + height),
               [(colors, boxes(left.ravel(), bottom.ravel(), width, height))], dots=dots)


class MOTION_SIGNAL_OT_cycle_choose(bpy.types.Operator):
    """Take this cycle"""

    bl_idname = "motion_signal.cycle_choose"
    bl_label = "Choose Cycle"
    bl_options = {"INTERNAL"}

    number: bpy.props.IntProperty(default=1, min=1, options={"SKIP_SAVE"})

    def execute(self, context):
        context.window_manager.motion_signal.cycle.loop_number = self.number
        return {"FINISHED"}


class MOTION_SIGNAL_OT_cycle_repeat(bpy.types.Operator):
    """Let the action repeat for ever: adds Blender's Cycles modifier to its curves, travelling on where the figure travels"""

    bl_idname = "motion_signal.cycle_repeat"
    bl_label = "Repeat For Ever"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            if preview.session():
                raise ValueError("apply or cancel what is previewed first: only a result can repeat for ever")
            scope = gather(context, ScopeParams())
            modes = extrapolations(scope.read().clip)
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        bag = channelbag(scope.action, scope.slot)
        for channel, mode in modes.items():
            curve = bag.fcurves.find(channel.path, index=channel.index)
            old = [modifier for modifier in curve.modifiers if modifier.type == "CYCLES"] if curve else ()
            for modifier in old:
                curve.modifiers.remove(modifier)
            if curve:
                modifier = curve.modifiers.new("CYCLES")
                modifier.mode_before = modifier.mode_after = mode
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_cycle_choose, MOTION_SIGNAL_OT_cycle_repeat)


def register():
    global _handle
    if not bpy.app.background:
        _handle = bpy.types.SpaceGraphEditor.draw_handler_add(draw_map, (), "WINDOW", "POST_PIXEL")


def unregister():
    global _handle
    _found.clear()
    if _handle:
        bpy.types.SpaceGraphEditor.draw_handler_remove(_handle, "WINDOW")
        _handle = None
