# SPDX-License-Identifier: GPL-3.0-or-later
"""The cycle's tools: the loops that were found, as a map and a list, and repeating a cycle for ever."""

import bpy
import numpy as np

from ...core.cycles.find_loops import find_loops
from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.techniques.time.cycle import CYCLE, extrapolations
from ..bridge.actions import channelbag
from ..bridge.provenance import remember_alone
from ..bridge.refuse import refusing
from ..bridge.scope import gather
from ..draw.handlers import Drawing
from ..draw.inset import draw_alike
from ..live import preview
from ..run.apply import copy_action, keep

BEST, WORST = 6, 1.0  # loops that are offered, and the gap beyond which all are equally bad
_found = {}


def loops_found(context):
    """The loops in what is previewed, or None."""
    current = preview.shown(context, CYCLE.name)
    settings = context.window_manager.motion_signal.cycle
    if current is None or settings.find != "SEARCH":
        return None
    asked = (current, settings.shortest, settings.longest)
    if asked not in _found:
        _found.clear()
        try:
            _found[asked] = find_loops(current.take.clip, current.surroundings, settings.shortest, settings.longest)
        except Refusal:  # the panel says why
            _found[asked] = None
    return _found[asked]


def best_loops(context):
    found = loops_found(context)
    return found.best[:BEST] if found else ()


def draw_map():
    context = bpy.context
    found = loops_found(context)
    if found is not None:
        chosen = context.window_manager.motion_signal.cycle.loop_number - 1
        best = [(loop.first, loop.last) for loop in found.best[:BEST]]
        draw_alike("Start across, end up", found.starts, found.ends, np.minimum(found.gaps, WORST), best, chosen)


class MOTION_SIGNAL_OT_cycle_repeat(bpy.types.Operator):
    """Repeat for ever, travelling on where the figure travels: a new action with Blender's Cycles modifier on its curves"""

    bl_idname = "motion_signal.cycle_repeat"
    bl_label = "Repeat For Ever"
    bl_options = {"REGISTER", "UNDO"}

    @refusing
    def execute(self, context):
        preview.stop(context)
        scope = gather(context, ScopeParams())
        modes = extrapolations(scope.read().clip)
        action = copy_action(scope, f"{scope.action.name} for ever")
        slot = action.slots[scope.slot.identifier]
        try:
            repeat(channelbag(action, slot), modes)
        except Refusal:
            bpy.data.actions.remove(action)
            raise
        remember_alone(action, slot)
        keep(action, slot, scope)
        self.report({"INFO"}, f"{action.name} repeats for ever; {scope.action.name} is as it was")
        return {"FINISHED"}


def repeat(bag, modes):
    """Let the curves of a channelbag repeat, each in its mode."""
    for channel, mode in modes.items():
        curve = bag.fcurves.find(channel.path, index=channel.index)
        if curve is None:
            continue
        first, *others = [modifier for modifier in curve.modifiers if modifier.type == "CYCLES"] or [None]
        for modifier in others:
            curve.modifiers.remove(modifier)
        modifier = first or curve.modifiers.new("CYCLES")
        if modifier is None:  # Blender 4.5 lets only the first of a curve's modifiers repeat it
            raise Refusal(f"{channel.path} has another modifier, which Blender cannot repeat: bake that first")
        modifier.mode_before = modifier.mode_after = mode
        modifier.cycles_before = modifier.cycles_after = 0


CLASSES = (MOTION_SIGNAL_OT_cycle_repeat,)
DRAWING = Drawing((draw_map, "POST_PIXEL"))
register = DRAWING.register


def unregister():
    _found.clear()
    DRAWING.unregister()
