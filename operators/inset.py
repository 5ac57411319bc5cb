# SPDX-License-Identifier: GPL-3.0-or-later
"""A small picture in the lower right corner of the Graph Editor: lines, bars and points in units of their own."""

import bpy
import numpy as np

SIZE, MARGIN, DOT = 190, 40, 4  # pixels
FRAME, WORDS = (0.08, 0.08, 0.08, 0.85), (1.0, 1.0, 1.0, 0.8)


def draw_inset(words, low, high, fills=(), lines=(), dots=()):
    """Draw shapes that lie between two corners, `low` and `high` (x, y), and words below them.

    `fills` are colors with triangles (3 * triangles, 2), `lines` colors with points in a row (points, 2), `dots` colors
    with single points (points, 2) and, if wanted, their size. A color for each point is (points, 4) instead.
    """
    import gpu

    pixel = bpy.context.preferences.system.ui_scale
    corner = np.array([bpy.context.region.width - (SIZE + MARGIN) * pixel, (MARGIN + 20) * pixel])
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    scale = SIZE * pixel / np.maximum(high - low, 1e-9)

    def place(points):
        return corner + (np.asarray(points) - low) * scale

    gpu.state.blend_set("ALPHA")
    draw("TRIS", FRAME, place(boxes([low[0]], [low[1]], [high[0] - low[0]], [high[1] - low[1]])))
    for color, points in fills:
        draw("TRIS", color, place(points))
    for color, points in lines:
        draw("LINE_STRIP", color, place(points))
    for color, points, *size in dots:
        wide = (size or [DOT])[0] * pixel
        left, bottom = (place(points) - wide / 2).T
        draw("TRIS", color, boxes(left, bottom, wide, wide))
    gpu.state.blend_set("NONE")
    draw_words(words, corner, pixel)


def draw(kind, color, points):
    import gpu
    from gpu_extras.batch import batch_for_shader

    each = np.ndim(color) == 2
    shader = gpu.shader.from_builtin("FLAT_COLOR" if each else "UNIFORM_COLOR")
    attributes = {"pos": np.asarray(points, dtype=np.float32)}
    if each:
        attributes["color"] = np.asarray(color, dtype=np.float32)
    batch = batch_for_shader(shader, kind, attributes)
    if not each:
        shader.uniform_float("color", color)
    batch.draw(shader)


def boxes(left, bottom, width, height):
    """Two triangles a box, (6 * boxes, 2)."""
    left, bottom, right, top = left, bottom, np.add(left, width), np.add(bottom, height)
    corners = [(left, bottom), (right, bottom), (right, top), (left, bottom), (right, top), (left, top)]
    return np.stack([np.column_stack(corner) for corner in corners], axis=1).reshape(-1, 2)


def draw_words(text, corner, pixel):
    import blf

    blf.size(0, 11 * pixel)
    blf.color(0, *WORDS)
    blf.position(0, corner[0], corner[1] - 14 * pixel, 0)
    blf.draw(0, text)
