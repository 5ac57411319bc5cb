# SPDX-License-Identifier: GPL-3.0-or-later
"""The ghost: during a preview the source's curves are drawn under the result's in the Graph Editor."""

import math

import bpy
import numpy as np

from ...core.numeric.rotation import ROTATION_SIZES
from ..live import preview
from .handlers import Drawing

MOST = 24  # curves; more would be a carpet
COLOR = (1.0, 1.0, 1.0, 0.35)


def draw_ghost():
    current = preview.session()
    if current is None or current.result is None:
        return
    import gpu
    from gpu_extras.batch import batch_for_shader

    context = bpy.context
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    shader.uniform_float("viewportSize", (context.region.width, context.region.height))
    shader.uniform_float("lineWidth", 1.5)
    shader.uniform_float("color", COLOR)
    for points in ghost_lines(context, current):
        batch_for_shader(shader, "LINE_STRIP", {"pos": points}).draw(shader)
    gpu.state.blend_set("NONE")


def ghost_lines(context, current):
    """Lines (frames, 3) in the editor's own units for the source of every curve shown."""
    columns = {(channel.path, channel.index): column for column, channel in enumerate(current.take.clip.channels)}
    shown = [
        curve
        for curve in context.visible_fcurves or ()
        if curve.id_data == current.lent and (curve.data_path, curve.array_index) in columns
    ]
    chosen = [curve for curve in shown if curve.select] or shown
    clip = current.take.clip
    frames = np.arange(clip.first_frame, clip.last_frame + 1, dtype=np.float32)
    for curve in chosen[:MOST]:
        column = columns[curve.data_path, curve.array_index]
        values = clip.values[:, column]
        if context.space_data.use_normalization:
            values = normalized(values, current.result.values[:, column])
        elif is_angle(clip.channels[column]):
            values = np.degrees(values)
        yield np.column_stack([frames, values, np.zeros_like(frames)]).astype(np.float32)


def is_angle(channel):
    """Whether Blender shows this curve in degrees."""
    return ROTATION_SIZES.get(channel.kind) == 3 or (channel.kind == "AXIS_ANGLE" and channel.index == 0)


def normalized(values, shown):
    """As the Graph Editor normalizes: what the shown curve spans becomes -1 to 1."""
    low, high = shown.min(), shown.max()
    span = high - low if math.isfinite(high - low) and high > low else 2.0
    return (values - (low + high) / 2) * (2.0 / span)


DRAWING = Drawing((draw_ghost, "PRE_VIEW"))
register = DRAWING.register
unregister = DRAWING.unregister
