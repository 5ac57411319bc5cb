# SPDX-License-Identifier: GPL-3.0-or-later
"""What a take does halfway between its frames, which none of its frames says.

Every curve bends there by as much as the frames beside agree on. Curves that each bend by themselves need not bend the body
that way: near gimbal lock two angles race against each other, and what of both is noise is centimetres at a foot. So the
body has the last word: bends count as far as feet, hands and head bend with them.
"""

import numpy as np

from ..motion.skeleton import sub_skeleton

STEP = 2  # rows a frame
FELT = 1e-6  # of the skeleton's unit, squared: what is moved by less says nothing of bends


def halved(clip, skeleton, names):
    """The clip at half frames too, two rows a frame; `names` are the bones whose places say how the body bends."""
    straight, bend = halfway(clip.values)
    if names:
        ends = sub_skeleton(skeleton, names)
        before, straight_there, bent_there = (
            places(ends, clip.with_values(values), names) for values in (clip.values, straight, straight + bend)
        )
        wanted, moved = sum(halfway(before)) - straight_there, bent_there - straight_there
        size = (moved * moved).sum(axis=1)
        agreed = (moved * wanted).sum(axis=1) / np.maximum(size, FELT)
        bend = bend * np.where(size > FELT, np.clip(agreed, 0.0, 1.0), 1.0)[:, None]
    result = np.asfortranarray(np.repeat(clip.values, STEP, axis=0)[: STEP * (clip.frames - 1) + 1])
    result[1::STEP] = straight + bend
    return clip.with_values(result)


def halfway(values):
    """Values (frames, columns) halfway along straight lines, and by how much both frames beside agree that they bend.

    Beside a jump they do not: what is smooth before and after it stays so.
    """
    bends = np.diff(values, n=2, axis=0)[np.clip(np.arange(-1, len(values) - 1), 0, len(values) - 3)]
    before, after = bends[:-1], bends[1:]
    agreed = np.where(before * after > 0.0, np.sign(before) * np.minimum(np.abs(before), np.abs(after)), 0.0)
    return 0.5 * (values[:-1] + values[1:]), -agreed / 8.0


def places(skeleton, clip, names):
    """Where joints and tips of bones are, (frames, numbers)."""
    axes, heads = skeleton.posed(clip)
    indices = [skeleton.index(name) for name in names]
    lengths = np.array([skeleton.bones[index].length for index in indices])[:, None]
    joints = heads[:, indices]
    return np.stack([joints, joints + lengths * axes[:, indices][..., 1]]).swapaxes(0, 1).reshape(clip.frames, -1)
