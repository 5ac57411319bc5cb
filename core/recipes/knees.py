# SPDX-License-Identifier: GPL-3.0-or-later
"""How far knees and elbows move for what moves a limb's ends: the more, the straighter it is.

Of a limb with two bones of a length that reaches over a fraction r of both, the joint between them moves r / 2 sqrt(1 - r^2)
times as far as one end is moved along it.
"""

import numpy as np

from ..body.body import LIMBS
from ..body.more_feet import sides_in, whole_table
from ..body.roles import find_roles
from ..motion.skeleton import sub_skeleton

STRAIGHT = 0.992  # of its length: nearer than that a limb is not taken for straighter
BENT = 2.0  # times as far as either end, both of which may be off, moves the joint of a limb that is well bent
STANDING = 0.5  # times as far off as elsewhere may a control be whose foot stands
STILL = 0.1  # metres a second: what is slower may be a foot that stands


class Knees:
    """How far joints between limbs' bones move in a clip, `gains`, and when they stand, `still`, both
    {name of what moves the limb's end: (frames,)}."""

    def __init__(self, clip, skeleton):
        table = whole_table(skeleton, find_roles(skeleton)) if skeleton is not None and skeleton.bones else {}
        chains = [
            [table.get(f"{side}_{segment}") for segment in segments] for side in sides_in(table) for segments in LIMBS.values()
        ]
        chains = [chain for chain in chains if all(chain)]
        self.gains, self.still = {}, {}
        if not chains:
            return
        limbs = sub_skeleton(skeleton, {name for chain in chains for name in chain})
        joints = limbs.posed(clip)[1]
        world = np.linalg.norm(np.array(skeleton.world)[:3, :3], axis=0).max()
        for chain in chains:
            root, middle, tip = (joints[:, limbs.index(name)] for name in chain)
            length = sum(np.linalg.norm(one - other, axis=1) for one, other in ((root, middle), (middle, tip)))
            fraction = np.clip(np.linalg.norm(tip - root, axis=1) / np.maximum(length, 1e-9), 0.0, STRAIGHT)
            gain = np.maximum(BENT, fraction / (2.0 * np.sqrt(1.0 - fraction**2)))
            speed = world * clip.fps * np.linalg.norm(np.gradient(tip, axis=0), axis=1) if clip.frames > 1 else np.zeros(1)
            bone = skeleton.bones[skeleton.index(chain[2])]
            self.gains[bone.handle or bone.name] = gain
            self.still[bone.handle or bone.name] = speed < STILL

    def slack(self, name, most):
        """How many times as far off (frames,) as where a limb is straight, and moves its knee `most` times as far, what moves
        a bone may be; 1 where nothing is known of limbs, less where a foot stands."""
        if not self.gains:
            return 1.0
        if name in self.gains:
            return np.where(self.still[name], STANDING, most / np.minimum(self.gains[name], most))
        return most / np.minimum(np.max(list(self.gains.values()), axis=0), most)
