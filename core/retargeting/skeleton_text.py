# SPDX-License-Identifier: GPL-3.0-or-later
"""A skeleton as text, for a take to remember the figure that it was made on."""

import json

import numpy as np

from ..motion.skeleton import Bone, Skeleton

RESTING = {"QUATERNION": (1.0, 0.0, 0.0, 0.0), "AXIS_ANGLE": (0.0, 0.0, 1.0, 0.0)}


def skeleton_text(skeleton, name):
    """A skeleton as text, for an action to remember it."""
    bones = [
        [bone.name, bone.parent, np.array(bone.rest).tolist(), bone.length, bone.connected, bone.mode, bone.path]
        for bone in skeleton.bones
    ]
    return json.dumps({"name": name, "bones": bones, "world": np.array(skeleton.world).tolist()})


def skeleton_from_text(text):
    """A skeleton from text, and the name of its figure."""
    held = json.loads(text)
    bones = tuple(
        Bone(name, parent, np.array(rest), size, connected, mode, path, rotation=RESTING.get(mode, (0.0, 0.0, 0.0)))
        for name, parent, rest, size, connected, mode, path in held["bones"]
    )
    return Skeleton(bones, tuple(map(tuple, held["world"]))), held["name"]
