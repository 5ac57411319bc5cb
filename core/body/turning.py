# SPDX-License-Identifier: GPL-3.0-or-later
"""How the rotations of a clip turn from frame to frame, flip, and come round, all found in one look at them."""

from typing import NamedTuple

import numpy as np

from ..motion.chart import components, rotation_groups
from ..motion.orientations import as_quaternions
from ..numeric import rotation
from ..numeric.parallel import few_enough

DEGREES = 180.0 / np.pi
FLIP = np.pi / 2  # a bone that turns more from one frame to the next is flipped, not moved
KEPT = 1 << 19  # numbers in a clip of which rotations are kept


class Turning(NamedTuple):
    """How the rotations of a clip turn."""

    turns: list  # pairs of owner and degrees from each frame to the next (frames - 1,)
    flips: int  # how often a rotation jumps from one frame to the next: in space, or only in the numbers of its curves
    pose_gap: float  # degrees: how far the last frame is from the first, the worst bone
    velocity_gap: float  # degrees a second: the same of how fast bones turn


def turning_of(clip):
    """How the rotations of a clip turn, found once."""
    if "_turning" not in clip.__dict__:
        turns, flips, gaps = [], 0, [(0.0, 0.0)]
        for mode, owners, values, q in rotations(clip):
            cosine = np.einsum("cft,cft->ft", q[:, 1:], q[:, :-1])
            flips += np.count_nonzero((np.abs(cosine) < np.cos(0.5 * FLIP)) | JUMPS.get(mode, wraps)(values, cosine))
            gaps.append(loop_gaps(q, clip.fps))
            turns += zip(owners, (2.0 * DEGREES * np.arccos(np.abs(cosine).clip(0.0, 1.0))).T.astype(np.float32))
        pose, velocity = (float(DEGREES * max(each)) for each in zip(*gaps))
        clip.__dict__["_turning"] = Turning(turns, int(flips), pose, velocity)
    return clip.__dict__["_turning"]


def rotations(clip):
    """Every keyed rotation, some at a time: (mode, owners, values (size, frames, rotations), unit quaternions (4, frames,
    rotations)); kept with a clip that is not long."""
    kept = clip.__dict__.get("_rotations")
    return kept if kept is not None else keep(clip) if clip.values.size <= KEPT else found(clip)


def keep(clip):
    clip.__dict__["_rotations"] = kept = list(found(clip))
    return kept


def found(clip):
    groups = rotation_groups(clip.channels)[0]
    few = [(mode, members[some]) for mode, members in groups for some in few_enough(len(members), clip.frames)]
    for mode, members in few:  # few at a time: on the way to quaternions they are many times as large
        values = components(clip.values, members)
        owners = [clip.channels[columns[0]].owner for columns in members]
        yield mode, owners, values, rotation.normalized(as_quaternions(mode, values))[0]


def wraps(angles, cosine):
    return (np.abs(np.diff(angles, axis=1)) > np.pi).any(axis=0)


JUMPS = {
    "QUATERNION": lambda values, cosine: cosine < 0,
    "AXIS_ANGLE": lambda values, cosine: wraps(values[:1], cosine) | rotation.turns_over(values[1:])[1:],
}


def loop_gaps(q, fps):
    """How far the last frame is from the first, in pose and in how fast bones turn, in radians: the worst bone."""
    steps = rotation.multiply(rotation.conjugate(q[:, [0, 0, -2]]), q[:, [-1, 1, -1]])  # the gap, first and last step
    vectors = rotation.log(steps * np.where(steps[0] < 0, -1.0, 1.0))
    return np.linalg.norm(vectors[:, 0], axis=0).max(), np.linalg.norm(vectors[:, 2] - vectors[:, 1], axis=0).max() * fps
