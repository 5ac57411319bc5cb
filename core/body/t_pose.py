# SPDX-License-Identifier: GPL-3.0-or-later
"""T-poses before a motion: frames at the start of a take in which arms are held straight out to both sides."""

import numpy as np

from ..motion.clip import Clip
from ..motion.skeleton import Skeleton, sub_skeleton
from .roles import find_roles

LEVEL = 0.35  # of an arm's length that a wrist may be above or below the shoulder
STRAIGHT = 1.03  # times the way from shoulder to wrist that an arm may be long
APART = -0.8  # cosine between the arms, at most


def leading_t_pose(clip: Clip, skeleton: Skeleton) -> int:
    """How many frames at the start are a T-pose; none of a take that is hardly anything else."""
    table = find_roles(skeleton).table()
    arms = [[table[f"{side}_{bone}"] for bone in ("upper_arm", "lower_arm", "hand")] for side in ("left", "right")]
    if not all(name for arm in arms for name in arm):
        return 0
    body = sub_skeleton(skeleton, {name for arm in arms for name in arm})
    heads = body.posed(clip)[1] @ np.array(skeleton.world)[:3, :3].T
    out, held = [], np.ones(clip.frames, dtype=bool)
    for arm in arms:
        shoulder, elbow, wrist = (heads[:, body.index(name)] for name in arm)
        reach, long = length(wrist - shoulder), length(elbow - shoulder) + length(wrist - elbow)
        held &= (long <= STRAIGHT * reach) & (np.abs((wrist - shoulder)[:, 2]) <= LEVEL * reach)
        out.append((wrist - shoulder) / np.maximum(reach, 1e-12)[:, None])
    held &= (out[0] * out[1]).sum(axis=1) <= APART
    count = int(clip.frames if held.all() else held.argmin())
    return count if 2 * count < clip.frames else 0


def length(vectors):
    return np.linalg.norm(vectors, axis=1)
