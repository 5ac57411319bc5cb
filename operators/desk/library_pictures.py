# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of stretches of a library: three poses of a stick figure, drawn from features alone, without reading a take."""

import numpy as np

from ...core.library.features import COLUMNS, POSE, RATE
from .version_pictures import COLORS, MOMENTS, drawn, keep_picture, picture_named

HIP, SHOULDER = 0.11, (0.22, 0.62)  # legs: from the middle to a hip; from the hips to a shoulder, across and along the trunk
UPPER_ARM, LOWER_ARM, THIGH, SHIN = 0.34, 0.33, 0.52, 0.52


def picture_of(library, found):
    """The number of a stretch's icon, drawn when it is first asked for."""
    name = f"library {library.path} {found.take} {found.first} {found.last} {found.mirrored}"
    number = picture_named(name)
    if number:
        return number
    features = library.features(found.take)
    first, last = (float(np.clip(features.row(frame), 0, features.rows - 1)) for frame in (found.first, found.last))
    rows = np.rint(first + np.array(MOMENTS) * (last - first)).astype(int)
    joints, tips, way = sticks(features.values, rows, found.mirrored)
    return keep_picture(name, drawn(joints, tips, COLORS[False], way))


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
