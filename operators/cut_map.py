# SPDX-License-Identifier: GPL-3.0-or-later
"""The join's map: while it is previewed, the Graph Editor shows in a corner where the takes are alike, and the best cuts."""

import bpy
import numpy as np

from ..core.join import JOIN, found_cuts
from . import preview
from .inset import boxes, draw_inset
from .properties import to_params

CELLS, BEST = 48, 5  # cells a side, and how many cuts are offered
ALIKE, UNLIKE = np.array((0.25, 0.75, 0.55, 1.0)), np.array((0.10, 0.10, 0.14, 1.0))
OTHERS, CHOSEN = (1.0, 1.0, 1.0, 0.6), (1.0, 0.62, 0.2, 1.0)
_found = {}
_handle = None


def session():
    current = preview.session()
    return current if current and current.technique == JOIN.name else None


def cuts_found(context):
    """The cuts between what is previewed, or None."""
    current = session()
    settings = context.window_manager.motion_signal.join
    if current is None or settings.cut != "SEARCH" or not (settings.take or settings.loop):
        return None
    asked = (id(current), settings.take, settings.loop, settings.transition, settings.search_end, settings.search_start)
    if asked not in _found:
        _found.clear()
        try:
            _found[asked] = found_cuts(current.take.clip, current.surroundings, to_params(JOIN.params, settings))
        except ValueError:  # the panel says why
            _found[asked] = None
    return _found[asked]


def best_cuts(context):
    """The best cuts: frame of the take, frame of what follows, how unlike they are."""
    cuts, current = cuts_found(context), session()
    if cuts is None:
        return []
    settings = context.window_manager.motion_signal.join
    first = current.take.clip.first_frame
    second = first if settings.loop else current.surroundings.takes[settings.take].first_frame
    return [(leave + first, enter + second, distance) for leave, enter, distance in cuts.best(BEST)]


def draw_map():
    context = bpy.context
    cuts = cuts_found(context)
    if cuts is None:
        return
    distances = cuts.distances
    rows, columns = (np.linspace(0, size - 1, min(CELLS, size)).round().astype(int) for size in distances.shape)
    cells = distances[np.ix_(rows, columns)]
    usual = np.where(np.isfinite(cells), cells, np.nan)
    low, high = np.nanmin(usual), np.nanmax(usual)
    near = np.nan_to_num((high - usual) / max(high - low, 1e-9))[..., None] ** 2
    width, height = (np.ptp(cuts.leaving) + 1) / len(rows), (np.ptp(cuts.entering) + 1) / len(columns)
    left, bottom = np.meshgrid(cuts.leaving[0] + width * np.arange(len(rows)),
                               cuts.entering[0] + height * np.arange(len(columns)), indexing="ij")
    colors = np.repeat((UNLIKE + (ALIKE - UNLIKE) * near).reshape(-1, 4), 6, axis=0)
    best = cuts.best(BEST)
    chosen = min(context.window_manager.motion_signal.join.cut_number, len(best)) - 1
    dots = [(CHOSEN if place == chosen else OTHERS, [cut[:2]]) for place, cut in enumerate(best)]
    draw_inset("Leave across, enter up", (cuts.leaving[0], cuts.entering[0]),
               (cuts.leaving[-1] + 1, cuts.entering[-1] + 1),
               [(colors, boxes(left.ravel(), bottom.ravel(), width, height))], dots=dots)


class MOTION_SIGNAL_OT_join_cut(bpy.types.Operator):
    """Join the takes here"""

    bl_idname = "motion_signal.join_cut"
    bl_label = "Choose Cut"
    bl_options = {"INTERNAL"}

    number: bpy.props.IntProperty(default=1, min=1, options={"SKIP_SAVE"})

    def execute(self, context):
        context.window_manager.motion_signal.join.cut_number = self.number
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_join_cut,)


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
