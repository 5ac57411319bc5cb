# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose set by hand, as what it changes of a take at that frame: the contents of a displacement key."""

import numpy as np

from . import rotation
from .chart import components, rotation_groups
from .orientations import as_quaternions

VECTORS = ("LOCATION", "SCALE")


def difference(clip, frame, posed, touched, angles_apart=False, hung=frozenset()):
    """What a pose (channels,) changes of the take at a frame, for the channels (columns) that were touched.

    `hung` are the bones that have a parent. Gives {"bones": {bone: {"rotation": degrees, "location": ..., "scale": ...}},
    "curves": {curve: ...}}.
    """
    row = clip.values[frame - clip.first_frame]
    by_mode, plain = rotation_groups(clip.channels, angles_apart)
    bones, curves = {}, {}
    for mode, members in by_mode:
        for columns in members:
            if touched.intersection(columns):
                owner = clip.channels[columns[0]].owner
                bones.setdefault(owner, {})["rotation"] = turned(mode, row, posed, columns, owner in hung)
    for column in touched.intersection(plain):
        channel, change = clip.channels[column], float(posed[column] - row[column])
        if channel.kind in VECTORS:
            kinds = bones.setdefault(channel.owner, {})
            kinds.setdefault(channel.kind.lower(), [0.0, 0.0, 0.0])[channel.index] = change
        else:
            curves[str(channel)] = change
    return {"bones": bones, "curves": curves}


def turned(mode, row, posed, columns, hangs):
    """How far a rotation was turned the short way, in degrees about X, Y and Z, at rest if it hangs, else its own."""
    before, after = (rotation.normalized(as_quaternions(mode, components(values[None], [columns])))[0]
                     for values in (row, posed))
    before = rotation.conjugate(before)
    change = rotation.multiply(after, before) if hangs else rotation.multiply(before, after)
    return np.degrees(rotation.log(change * np.where(change[0] < 0, -1.0, 1.0)))[:, 0, 0].tolist()


def merged(key, change):
    """A key with a pose taken on top: what was touched is replaced, the rest stays as strong as it was."""
    strength = key.get("strength", 1.0)
    bones = {bone: {kind: [strength * value for value in values] for kind, values in kinds.items()}
             for bone, kinds in key.get("bones", {}).items()}
    for bone, kinds in change["bones"].items():
        bones[bone] = {**bones.get(bone, {}), **kinds}
    curves = {curve: strength * value for curve, value in key.get("curves", {}).items()} | change["curves"]
    rest = {name: value for name, value in key.items() if name not in ("strength", "bones", "curves")}
    return {**rest, "bones": bones, "curves": curves}
