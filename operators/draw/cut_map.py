# SPDX-License-Identifier: GPL-3.0-or-later
"""The join's map: while it is previewed, the Graph Editor shows in a corner where the takes are alike, and the best cuts."""

import bpy

from ...core.numeric.refusal import Refusal
from ...core.techniques.several_takes.join import JOIN, found_cuts
from ..live import preview
from ..settings.properties import to_params
from .handlers import Drawing
from .inset import draw_alike

BEST = 5  # cuts that are offered
_found = {}


def cuts_found(context):
    """The cuts between what is previewed, or None."""
    current = preview.shown(context, JOIN.name)
    settings = context.window_manager.motion_signal.join
    if current is None or settings.cut != "SEARCH" or not (settings.take or settings.loop):
        return None
    asked = (current, settings.take, settings.loop, settings.transition, settings.search_end, settings.search_start)
    if asked not in _found:
        _found.clear()
        try:
            _found[asked] = found_cuts(current.take.clip, current.surroundings, to_params(JOIN.params, settings))
        except Refusal:  # the panel says why
            _found[asked] = None
    return _found[asked]


def best_cuts(context):
    """The best cuts: frame of the take, frame of what follows, how unlike they are."""
    cuts, current = cuts_found(context), preview.session()
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
    best = cuts.best(BEST)
    chosen = min(context.window_manager.motion_signal.join.cut_number, len(best)) - 1
    draw_alike("Leave across, enter up", cuts.leaving, cuts.entering, cuts.distances, [cut[:2] for cut in best], chosen)


DRAWING = Drawing((draw_map, "POST_PIXEL"))
register = DRAWING.register


def unregister():
    _found.clear()
    DRAWING.unregister()
