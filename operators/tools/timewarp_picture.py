# SPDX-License-Identifier: GPL-3.0-or-later
"""The timewarp in the Graph Editor: its curve in a corner, the reference as a ghost, joined to the take by thin lines."""

import bpy
import numpy as np

from ...core.numeric.rotation import ROTATION_SIZES
from ..draw.ghost import MOST
from ..draw.handlers import Drawing
from ..draw.inset import draw, draw_inset
from ..live import preview
from .timewarp import settings_of, shown_map

EVEN, WARP, ANCHOR = (1.0, 1.0, 1.0, 0.25), (1.0, 0.62, 0.2, 1.0), (0.35, 0.75, 0.95, 1.0)
GHOST, JOINING = (0.35, 0.75, 0.95, 0.8), (1.0, 1.0, 1.0, 0.16)
EVERY = 0.1  # seconds between joining lines


def draw_curve():
    pairs, context = shown_map(bpy.context), bpy.context
    if pairs is None:
        return
    settings = settings_of(context)
    rows = settings.anchors_rows if settings.reference else settings.moves_rows
    low, high = pairs.min(axis=0), pairs.max(axis=0)
    words = "Take across, reference up" if settings.reference else "Old time across, new time up"
    draw_inset(
        words,
        low,
        high,
        lines=[(EVEN, [low, high]), (WARP, pairs)],
        dots=[(ANCHOR, [(row.frame, row.there) for row in rows])] if len(rows) else (),
    )


def draw_joined():
    """The reference's curves as ghosts, with lines from frames of the take to those that they belong to."""
    context, current = bpy.context, preview.session()
    reference = settings_of(context).reference
    pairs = shown_map(context) if current and reference else None
    if pairs is None or context.space_data.use_normalization:
        return
    import gpu

    clip, other = current.take.clip, current.surroundings.takes[reference]
    columns = [
        {(channel.path, channel.index): column for column, channel in enumerate(take.channels)} for take in (clip, other)
    ]
    shown = [
        curve
        for curve in context.visible_fcurves or ()
        if curve.id_data == current.lent and all((curve.data_path, curve.array_index) in known for known in columns)
    ]
    gpu.state.blend_set("ALPHA")
    for curve in ([curve for curve in shown if curve.select] or shown)[:MOST]:
        here, there = (known[curve.data_path, curve.array_index] for known in columns)
        unit = 57.29577951308232 if ROTATION_SIZES.get(clip.channels[here].kind) == 3 else 1.0
        draw_ghost_and_lines(pairs, (clip, clip.values[:, here] * unit), (other, other.values[:, there] * unit))
    gpu.state.blend_set("NONE")


def draw_ghost_and_lines(pairs, take, other):
    frames = [np.arange(clip.first_frame, clip.last_frame + 1) for clip, _ in (take, other)]
    draw("LINE_STRIP", GHOST, np.column_stack([frames[1], other[1]]))
    step = max(1, round(EVERY * take[0].fps))
    moments = np.arange(pairs[0, 0], pairs[-1, 0] + 1, step)
    ends = [moments, np.interp(moments, *pairs.T)]
    points = [
        np.column_stack([end, np.interp(end, *known)])
        for end, known in zip(ends, ((frames[0], take[1]), (frames[1], other[1])))
    ]
    draw("LINES", JOINING, np.stack(points, axis=1).reshape(-1, 2))


DRAWING = Drawing((draw_curve, "POST_PIXEL"), (draw_joined, "PRE_VIEW"))
register, unregister = DRAWING.register, DRAWING.unregister
