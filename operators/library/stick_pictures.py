# SPDX-License-Identifier: GPL-3.0-or-later
"""Stick figures: three poses of a take as a small picture, of joints, or of features of a library alone; without Blender."""

import numpy as np

from ...core.library.features import COLUMNS, POSE, RATE
from ..batch.thumbnail import main_direction, travelled

SIZE, LINE, MARGIN = 96, 2.2, 0.06  # pixels, pixels, of the picture
MOMENTS, STRENGTHS, APART = (0.3, 0.5, 0.7), (0.4, 1.0, 0.4), 0.3  # of the take; of a figure's height from pose to pose
COLORS = {False: (0.62, 0.75, 0.95), True: (1.0, 0.66, 0.3)}  # a take, a result
HIP, SHOULDER = 0.11, (0.22, 0.62)  # legs: from the middle to a hip; from the hips to a shoulder, across and along the trunk
UPPER_ARM, LOWER_ARM, THIGH, SHIN = 0.34, 0.33, 0.52, 0.52


def pixels_of_stretch(features, first, last, mirrored=False):
    """A picture (SIZE, SIZE, 4), from the bottom up, of some frames of a take of a library."""
    ends = (float(np.clip(features.row(frame), 0, features.rows - 1)) for frame in (first, last))
    rows = np.rint(np.interp(MOMENTS, (0.0, 1.0), tuple(ends))).astype(int)
    joints, tips, way = sticks(features.values, rows, mirrored)
    return drawn(joints, tips, COLORS[False], way)


def drawn(joints, tips, color, way=None):
    """Lines from joints to tips (poses, lines, 3) as pixels; `way` is the level direction that is to the right, if given."""
    lines = np.stack([joints, tips], axis=2)
    track, height = lines[..., :2].mean(axis=(1, 2)), np.ptp(lines[..., 2])
    way = travelled(track, height) if way is None else way
    way = main_direction((lines[..., :2] - track[:, None, None]).reshape(-1, 2)) if way is None else way
    across = (lines[..., :2] - track[:, None, None]) @ way + APART * height * (np.arange(len(lines)) - 1)[:, None, None]
    flat = np.stack([across, lines[..., 2]], axis=3)
    low, extent = flat.min(axis=(0, 1, 2)), np.ptp(flat.reshape(-1, 2), axis=0).max()
    scale = SIZE * (1 - 2 * MARGIN) / max(extent, 1e-9)
    middle = 0.5 * (SIZE - scale * np.ptp(flat[..., 0]))
    places = (flat - low) * scale + (middle, SIZE * MARGIN)
    picture = np.zeros((SIZE, SIZE, 4), dtype=np.float32)
    for pose, strength in zip(places, STRENGTHS):
        picture[..., 3] = np.maximum(picture[..., 3], strength * covered(pose))
    picture[..., :3] = picture[..., 3:] * np.float32(color)  # Blender wants it so
    return picture


def covered(pose):
    """How far each pixel is covered by the lines (lines, 2, 2) of a pose, 0 to 1."""
    x, y = np.meshgrid(np.arange(SIZE) + 0.5, np.arange(SIZE) + 0.5)
    points = np.stack([x, y], axis=2)[:, :, None]
    start, along = pose[:, 0], pose[:, 1] - pose[:, 0]
    share = np.clip(((points - start) * along).sum(axis=3) / np.maximum((along**2).sum(axis=1), 1e-9), 0.0, 1.0)
    gap = np.linalg.norm(points - start - share[..., None] * along, axis=3).min(axis=2)
    return np.clip(LINE + 0.5 - gap, 0.0, 1.0)


def sticks(values, rows, mirrored):
    """Where the lines of a figure start and end at some rows of features, (rows, lines, 3) each, in legs; and which way it
    faces in the middle, (2,)."""
    heading = np.cumsum(values[:, POSE + 2]) / RATE
    steps = (values[:, POSE] + 1j * values[:, POSE + 1]) * np.exp(1j * heading) / RATE
    way = np.cumsum(steps)[rows]
    poses = [pose_lines(values[row]) for row in rows]
    lines = np.stack(poses)
    turned = (lines[..., 0] + 1j * lines[..., 1]) * np.exp(1j * heading[rows])[:, None, None] + way[:, None, None]
    lines = np.stack([-turned.real if mirrored else turned.real, turned.imag, lines[..., 2]], axis=3)
    ahead = -1j * np.exp(1j * heading[rows[len(rows) // 2]])
    return lines[:, :, 0], lines[:, :, 1], np.array([-ahead.real if mirrored else ahead.real, ahead.imag])


def pose_lines(row):
    """The lines (lines, 2, 3) of one pose, as the hips see it, with knees and elbows where they can be."""
    place = {name[:-2]: row[index : index + 3] for index, name in enumerate(COLUMNS) if name.endswith("_x") and index < POSE}
    hips = np.array([0.0, 0.0, row[0]])
    along = place["trunk"] / max(np.linalg.norm(place["trunk"]), 1e-6)
    across = np.array([1.0, 0.0, 0.0]) - along[0] * along
    across /= max(np.linalg.norm(across), 1e-6)
    ahead = np.cross(across, along)  # the figure faces -Y
    lines = [(hips, hips + SHOULDER[1] * along), (hips + SHOULDER[1] * along, hips + place["head"])]
    lines.append((hips + place["head"], hips + place["head"] + 0.22 * along))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for root, end, upper, lower, way in (
            (hips + sign * HIP * across, hips + place[f"{side}_foot"], THIGH, SHIN, ahead),
            (
                hips + SHOULDER[1] * along + sign * SHOULDER[0] * across,
                hips + place[f"{side}_hand"],
                UPPER_ARM,
                LOWER_ARM,
                -ahead,
            ),
        ):
            middle = bent(root, end, upper, lower, way)
            lines += [(root, middle), (middle, end)]
    return np.array(lines)


def bent(root, end, upper, lower, way):
    """Where a limb's middle joint is that bends a given way."""
    apart = end - root
    length = max(np.linalg.norm(apart), 1e-6)
    reach = np.clip((upper**2 - lower**2 + length**2) / (2.0 * length), -upper, upper)
    out = way - (way @ apart) / length**2 * apart
    return root + reach / length * apart + np.sqrt(max(upper**2 - reach**2, 0.0)) * out / max(np.linalg.norm(out), 1e-6)
