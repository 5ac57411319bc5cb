# SPDX-License-Identifier: GPL-3.0-or-later
"""The shaper's portrait: while it is previewed, the Graph Editor shows in a corner what the shape does to the active bone.

Input goes from left to right, output from bottom to top; the bars behind tell where the motion lives.
"""

import bpy
import numpy as np

from ..core.waveshape import WAVESHAPE, portrait
from . import preview
from .properties import to_params

SIZE, MARGIN, BARS = 190, 40, 38  # pixels, and how many bars
FRAME, BAR, STRAIGHT, SHAPE = (0.08, 0.08, 0.08, 0.85), (0.35, 0.5, 0.8, 0.7), (1.0, 1.0, 1.0, 0.25), (1.0, 0.62, 0.2, 1.0)
_cache = {}
_handle = None


def draw_portrait():
    current = preview.session()
    if current is None or current.technique != WAVESHAPE.name or current.result is None:
        return
    found = picture_of(bpy.context, current)
    if found is None:
        return
    name, inputs, line = found
    low, high = min(inputs.min(), line.min()), max(inputs.max(), line.max())
    pixel = bpy.context.preferences.system.ui_scale
    scale = SIZE * pixel / max(high - low, 1e-6)
    corner = np.array([bpy.context.region.width - (SIZE + MARGIN) * pixel, (MARGIN + 20) * pixel])
    draw_shapes(inputs, line, low, high, scale, corner)
    draw_words(f"{name}: {inputs.min():.0f} to {inputs.max():.0f} degrees", corner)


def picture_of(context, current):
    """The active bone (or the first there is), its inputs and the shape, worked out once for each result."""
    pose = context.active_pose_bone
    owners = [channel.owner for channel in current.take.clip.channels if channel.owner]
    name = pose.name if pose and pose.name in owners else next(iter(owners), "")
    key = (id(current.result), name)
    if key not in _cache:
        settings = context.window_manager.motion_signal
        _cache.clear()
        try:
            drawn = portrait(current.take.clip, to_params(WAVESHAPE.params, settings.waveshape), name)
        except ValueError:  # the panel says why
            drawn = None
        _cache[key] = drawn and (name, *drawn)
    return _cache[key]


def draw_shapes(inputs, line, low, high, scale, corner):
    import gpu
    from gpu_extras.batch import batch_for_shader

    def place(points):
        return (corner + (np.asarray(points) - low) * scale).astype(np.float32)

    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    draw = {"TRIS": [], "LINES": []}
    draw["TRIS"].append((FRAME, boxes([low], [low], [high - low], [high - low])))
    counts, edges = np.histogram(inputs, bins=BARS)
    heights = counts / counts.max() * 0.5 * (high - low)
    draw["TRIS"].append((BAR, boxes(edges[:-1], np.full(BARS, low), np.diff(edges), heights)))
    for color, points in draw["TRIS"]:
        shader.uniform_float("color", color)
        batch_for_shader(shader, "TRIS", {"pos": place(points)}).draw(shader)
    for color, points in ((STRAIGHT, [[low, low], [high, high]]), (SHAPE, line)):
        shader.uniform_float("color", color)
        batch_for_shader(shader, "LINE_STRIP", {"pos": place(points)}).draw(shader)
    gpu.state.blend_set("NONE")


def boxes(left, bottom, width, height):
    """Two triangles a box, (6 * boxes, 2)."""
    left, bottom, right, top = left, bottom, np.add(left, width), np.add(bottom, height)
    corners = [(left, bottom), (right, bottom), (right, top), (left, bottom), (right, top), (left, top)]
    return np.stack([np.column_stack(corner) for corner in corners], axis=1).reshape(-1, 2)


def draw_words(text, corner):
    import blf

    blf.size(0, 11 * bpy.context.preferences.system.ui_scale)
    blf.color(0, 1.0, 1.0, 1.0, 0.8)
    blf.position(0, corner[0], corner[1] - 14 * bpy.context.preferences.system.ui_scale, 0)
    blf.draw(0, text)


def register():
    global _handle
    if not bpy.app.background:
        _handle = bpy.types.SpaceGraphEditor.draw_handler_add(draw_portrait, (), "WINDOW", "POST_PIXEL")


def unregister():
    global _handle
    _cache.clear()
    if _handle:
        bpy.types.SpaceGraphEditor.draw_handler_remove(_handle, "WINDOW")
        _handle = None
