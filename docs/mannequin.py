# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws a mannequin on a chequered ground: an ellipsoid for each bone, seen by rays, with a light and its shadow."""

from functools import lru_cache

import numpy as np

WIDTHS = {"hips": 0.15, "spine": 0.13, "chest": 0.155, "neck": 0.05, "head": 0.09, "shoulder": 0.055, "upper_arm": 0.048}
WIDTHS |= {"forearm": 0.04, "hand": 0.036, "thigh": 0.078, "shin": 0.056, "foot": 0.045, "toe": 0.04}  # metres to either side
LONGER, FLAT = 0.57, 0.75  # of a bone's length to either side of its middle; how deep the trunk is beside its width
LIGHT = np.array((0.45, -0.55, 0.70)) / np.linalg.norm((0.45, -0.55, 0.70))
TILES, SKY = np.float32(((0.29, 0.31, 0.34), (0.35, 0.37, 0.41))), np.float32((0.19, 0.20, 0.22))
FINER, LENS, SHADE, FAR = 2, 1.9, 0.55, 2.7  # pixels drawn for one; of the picture's width; in the shadow; times as far away


def ellipsoids(names, lengths, matrices, scale=1.0):
    """Middles (bones, 3) and matrices (bones, 3, 3) from a unit sphere to the ellipsoids of posed bones (bones, 4, 4)."""
    widths = scale * np.array([WIDTHS[name.partition(".")[0]] for name in names])
    radii = np.stack([widths, LONGER * np.array(lengths), np.where(widths > 0.1 * scale, FLAT, 1.0) * widths], axis=1)
    middles = matrices[:, :3, 3] + 0.5 * matrices[:, :3, 1] * np.array(lengths)[:, None]
    return middles, matrices[:, :3, :3] * radii[:, None, :]


def picture(shapes, eye, turn, size, color):
    """Colors (size, size, 3) from 0 to 1 of ellipsoids seen from an eye (3,) that is turned (3, 3) and looks along its -Z."""
    fine = FINER * size
    rays = rays_of(fine, turn.tobytes())
    colors, depth = ground(shapes, eye.astype(np.float32), rays)
    for middle, matrix in zip(*shapes):
        seen = near(middle, matrix, eye, turn, fine)
        far, normal = hit(middle, matrix, eye, rays[seen])
        closer = far < depth[seen]
        seen = seen[closer]
        depth[seen] = far[closer]
        light = 0.32 + 0.68 * np.clip(normal[closer] @ LIGHT, 0.0, 1.0)
        colors[seen] = light[:, None] * color
    return colors.reshape(size, FINER, size, FINER, 3).mean(axis=(1, 3))


@lru_cache(maxsize=2)
def rays_of(fine, turned):
    """Where the pixels of a picture look, (pixels, 3), by an eye that is turned so."""
    across = (np.arange(fine) + 0.5) / fine - 0.5
    turn = np.frombuffer(turned).reshape(3, 3)
    rays = np.stack([*np.meshgrid(across, -across), np.full((fine, fine), -LENS)], axis=2) @ turn.T
    return (rays / np.linalg.norm(rays, axis=2, keepdims=True)).reshape(-1, 3).astype(np.float32)


def ground(shapes, eye, rays):
    """What is behind the figure: chequered tiles with its shadow, which fade into the sky."""
    colors, depth = np.tile(SKY, (len(rays), 1)), np.full(len(rays), np.inf, dtype=np.float32)
    down = np.flatnonzero(rays[:, 2] < -1e-3)
    far = -eye[2] / rays[down, 2]
    places = eye + far[:, None] * rays[down]
    tiles = TILES[(np.floor(places[:, 0]) + np.floor(places[:, 1])).astype(int) % 2]
    middle = shapes[0].mean(axis=0)
    close = np.flatnonzero((np.abs(places[:, :2] - np.float32(middle[:2])) < 1.6).all(axis=1))
    dark = np.zeros(len(close), dtype=bool)
    for shape in zip(*shapes):
        dark |= np.isfinite(hit(*shape, places[close], np.broadcast_to(LIGHT, (len(close), 3)))[0])
    tiles[close[dark]] *= SHADE
    fading = np.clip(far / (FAR * np.linalg.norm(eye - middle)), 0.0, 1.0)[:, None].astype(np.float32) ** 2
    colors[down], depth[down] = tiles + fading * (SKY - tiles), far
    return colors, depth


def near(middle, matrix, eye, turn, fine):
    """Places of the pixels at which an ellipsoid may be seen."""
    place, reach = (middle - eye) @ turn, np.linalg.norm(matrix, axis=0).max()
    x, y = fine * (0.5 + LENS * place[0] / -place[2]), fine * (0.5 - LENS * place[1] / -place[2])
    wide = 1.2 * fine * LENS * reach / -place[2] + 2
    columns, rows = (np.arange(max(0, int(at - wide)), max(0, min(fine, int(at + wide)))) for at in (x, y))
    return (rows[:, None] * fine + columns).ravel()


def hit(middle, matrix, start, rays):
    """How far along rays (rays, 3) an ellipsoid is, infinite where it is not, and its normals there."""
    inverse = np.linalg.inv(matrix)
    begin, along = (start - middle) @ inverse.T, rays @ inverse.T
    square, half, rest = (along**2).sum(axis=-1), (begin * along).sum(axis=-1), (begin**2).sum(axis=-1) - 1.0
    inside = half**2 - square * rest
    far = np.where(inside > 0.0, (-half - np.sqrt(np.maximum(inside, 0.0))) / square, np.inf)
    far = np.where(far > 1e-6, far, np.inf)
    normals = (begin + np.where(np.isfinite(far), far, 0.0)[:, None] * along) @ inverse
    return far, normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
