# SPDX-License-Identifier: GPL-3.0-or-later
"""A small picture in the lower right corner of the Graph Editor: lines, bars and points in units of their own."""

import bpy
import numpy as np

SIZE, MARGIN, DOT = 190, 40, 4  # pixels
CELLS = 48  # of a map, a side
ALIKE, UNLIKE = np.array((0.25, 0.75, 0.55, 1.0)), np.array((0.10, 0.10, 0.14, 1.0))
OTHERS, CHOSEN = (1.0, 1.0, 1.0, 0.6), (1.0, 0.62, 0.2, 1.0)
FRAME, WORDS = (0.08, 0.08, 0.08, 0.85), (1.0, 1.0, 1.0, 0.8)


def draw_inset(words, low, high, fills=(), lines=(), dots=(), names=(), size=SIZE):
    """Draw shapes that lie between two corners, `low` and `high` (x, y), and words below them.

    `fills` are colors with triangles (3 * triangles, 2), `lines` colors with points in a row (points, 2), `dots` colors
    with single points (points, 2) and, if wanted, their size. A color for each point is (points, 4) instead. `names` are words
    with the point (x, y) that they stand beside, and `size` is how large it is, in pixels.
    """
    import gpu

    pixel = bpy.context.preferences.system.ui_scale
    corner = np.array([bpy.context.region.width - (size + MARGIN) * pixel, (MARGIN + 20) * pixel])
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    scale = size * pixel / np.maximum(high - low, 1e-9)

    def on_screen(points):
        return corner + (np.asarray(points) - low) * scale

    gpu.state.blend_set("ALPHA")
    draw("TRIS", FRAME, on_screen(boxes([low[0]], [low[1]], [high[0] - low[0]], [high[1] - low[1]])))
    for color, points in fills:
        draw("TRIS", color, on_screen(points))
    for color, points in lines:
        draw("LINE_STRIP", color, on_screen(points))
    for color, points, *across in dots:
        wide = (across or [DOT])[0] * pixel
        left, bottom = (on_screen(points) - wide / 2).T
        draw("TRIS", color, boxes(left, bottom, wide, wide))
    gpu.state.blend_set("NONE")
    draw_words(words, corner, pixel)
    for name, point in names:
        draw_name(name, on_screen(point), corner[0] + size * pixel, pixel)


def draw_alike(words, across, up, unlike, best, chosen):
    """Draw a map of how unlike moments are, `unlike` (across, up) from 0, infinite where they do not count, and the best.

    `across` and `up` are the frames that it is drawn over, `best` pairs of them, of which the one at `chosen` stands out.
    """
    rows, columns = (np.linspace(0, size - 1, min(CELLS, size)).round().astype(int) for size in unlike.shape)
    cells = unlike[np.ix_(rows, columns)]
    if not np.isfinite(cells).any():
        return
    low, high = cells[np.isfinite(cells)].min(), cells[np.isfinite(cells)].max()
    near = np.where(np.isfinite(cells), (high - cells) / max(high - low, 1e-9), 0.0)[..., None] ** 2
    width, height = ((np.ptp(frames) + 1) / len(chosen_rows) for frames, chosen_rows in ((across, rows), (up, columns)))
    left, bottom = np.meshgrid(
        across[0] + width * np.arange(len(rows)), up[0] + height * np.arange(len(columns)), indexing="ij"
    )
    colors = np.repeat((UNLIKE + (ALIKE - UNLIKE) * near).reshape(-1, 4), 6, axis=0)
    dots = [(CHOSEN if index == chosen else OTHERS, [pair]) for index, pair in enumerate(best)]
    draw_inset(
        words,
        (across[0], up[0]),
        (across[-1] + 1, up[-1] + 1),
        [(colors, boxes(left.ravel(), bottom.ravel(), width, height))],
        dots=dots,
    )


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


def draw_name(text, point, right, pixel):
    """Words beside a point, to its left where they would not fit into the picture."""
    import blf

    blf.size(0, 12 * pixel)
    blf.color(0, *WORDS)
    width = blf.dimensions(0, text)[0]
    fits = point[0] + 10 * pixel + width < right
    blf.position(0, point[0] + 10 * pixel if fits else point[0] - 10 * pixel - width, point[1] - 4 * pixel, 0)
    blf.draw(0, text)


def draw_words(text, corner, pixel):
    import blf

    blf.size(0, 11 * pixel)
    blf.color(0, *WORDS)
    blf.position(0, corner[0], corner[1] - 14 * pixel, 0)
    blf.draw(0, text)
