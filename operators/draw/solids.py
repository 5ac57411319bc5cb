# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes in space as triangles and lines: bones as octahedra, footprints as soles, trails as fading lines."""

import numpy as np

RING, WIDE = 0.12, 0.09  # of a bone's length: where it is widest, and how wide to either side
CORNERS = np.array(
    [(0, 0, 0), (WIDE, RING, 0), (0, RING, WIDE), (-WIDE, RING, 0), (0, RING, -WIDE), (0, 1, 0)], dtype=np.float32
)
FACES = np.array([(0, 2, 1), (0, 3, 2), (0, 4, 3), (0, 1, 4), (5, 1, 2), (5, 2, 3), (5, 3, 4), (5, 4, 1)])
LIGHT = np.array([0.55, 0.75, 0.55, 0.75, 1.0, 0.85, 0.7, 0.85], dtype=np.float32)  # of each face, so that it looks solid
EDGE = 16  # corners of a sole
BROAD = 0.34  # of the length from heel to ball: as wide as a sole is to either side
BEHIND = 0.35  # of the same: how far a sole reaches past heel and ball


def octahedra(axes, heads, lengths):
    """Triangles (bones * 24, 3) of bones with axes (bones, 3, 3), heads (bones, 3) and lengths (bones,)."""
    corners = heads[:, None] + np.einsum("bij,pj->bpi", axes, CORNERS) * lengths[:, None, None]
    return corners[:, FACES].reshape(-1, 3)


def lit(color, bones):
    """A color for each corner of so many octahedra (bones * 24, 4)."""
    shade = np.tile(np.repeat(LIGHT, 3), bones)[:, None]
    return np.concatenate([shade * np.float32(color[:3]), np.full((len(shade), 1), color[3], dtype=np.float32)], axis=1)


def sole(heel, toe, lift):
    """Triangles (EDGE * 3, 3) of a footprint that lies under heel and toe (3,), lifted so far from the ground."""
    along = (toe - heel)[:2]
    length = max(float(np.linalg.norm(along)), 1e-6)
    ahead, up = np.append(along / length, 0.0), np.array((0.0, 0.0, 1.0))
    side = np.cross(up, ahead)
    turn = np.linspace(0.0, 2.0 * np.pi, EDGE + 1)
    reach = (0.5 + BEHIND) * length
    waist = 1.0 + 0.25 * np.cos(turn)  # broader at the ball than at the heel
    middle = 0.5 * (heel + toe) + lift * up
    edge = middle + np.outer(reach * np.cos(turn), ahead) + np.outer(BROAD * length * waist * np.sin(turn), side)
    return np.stack([np.broadcast_to(middle, (EDGE, 3)), edge[:-1], edge[1:]], axis=1).reshape(-1, 3)


def segments(ways, color, row, width):
    """Ways (frames, ends, 3) around a row as single lines (lines * 2, 3), with a color for each point that fades with time."""
    first, last = max(0, row - width), min(len(ways), row + width + 1)
    if last - first < 2:
        return np.empty((0, 3), dtype=np.float32), np.empty((0, 4), dtype=np.float32)
    part = ways[first:last].transpose(1, 0, 2)
    lines = np.stack([part[:, :-1], part[:, 1:]], axis=2).reshape(-1, 3)
    fading = color[3] * (1.0 - np.abs(np.arange(first, last) - row) / (width + 1.0))
    alpha = np.tile(np.stack([fading[:-1], fading[1:]], axis=1).reshape(-1), len(part))
    colors = np.empty((len(alpha), 4), dtype=np.float32)
    colors[:, :3], colors[:, 3] = color[:3], alpha
    return lines, colors
