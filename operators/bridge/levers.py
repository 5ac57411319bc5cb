# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a curve moves anything: what is off by a degree at a hip is off by centimetres at the foot that hangs on it."""

from functools import lru_cache

import numpy as np

from ...core.numeric.rotation import EULER_ORDERS

FINE = 0.005  # of its range: how far a curve may be off that moves nothing that has a place
SMALLEST = 0.05  # metres: a bone's own end counts, however short it is
AIMING = ("IK", "SPLINE_IK", "STRETCH_TO", "DAMPED_TRACK", "LOCKED_TRACK", "TRACK_TO")
METRE = 1e3  # millimetres
KNEES = 4.0  # times as far as the hip or the ankle of a leg with IK that is nearly straight does its knee move


class Levers:
    """Of the channels of an owner, by how much what they move may be off."""

    def __init__(self, owner):
        self.bones = owner.pose.bones if getattr(owner, "pose", None) else {}
        self.size = max(np.linalg.norm(np.array(owner.matrix_world)[:3, :3], axis=0)) if hasattr(owner, "matrix_world") else 1.0
        self.extent = max([SMALLEST, *getattr(owner, "dimensions", ())])
        self.led = led_bones(owner) if self.bones else {}
        self.lever = lru_cache(maxsize=None)(self._lever)

    def tolerance(self, channel, values, millimetres):
        """How far off a channel may be so that nothing is by more than so many millimetres."""
        if channel.kind == "VALUE":
            return FINE * max(float(np.ptp(values)), 1e-6)
        return millimetres / (METRE * self.moves(channel))

    def moves(self, channel):
        """Metres that the point which moves farthest does so for one unit of a channel."""
        size = self.size if channel.owner else 1.0
        if channel.kind == "LOCATION":
            return KNEES * size
        lever = size * self.lever(channel.owner) if channel.owner else self.extent
        return (
            lever * (2.0 if channel.kind == "QUATERNION" else 1.0) if channel.kind in (*EULER_ORDERS, "QUATERNION") else lever
        )

    def _lever(self, name):
        """How far the end of anything that a bone carries is from where it turns, at rest."""
        if name not in self.bones:
            return self.extent
        head = self.bones[name].bone.head_local
        return max([SMALLEST, *((self.bones[each].bone.tail_local - head).length for each in self.carried(name))])

    def carried(self, name):
        """The names of all bones that a bone carries, by hanging on it or by constraints, and its own."""
        carried, left = {name}, [name]
        while left:
            bone = left.pop()
            following = [child.name for child in self.bones[bone].children] + self.led.get(bone, [])
            left += set(following) - carried
            carried.update(following)
        return carried


def led_bones(owner):
    """Bones that follow another by a constraint, {name of that: names}; who only aims at a target does not turn with it."""
    found = {}
    for pose in owner.pose.bones:
        for constraint in pose.constraints:
            targets = constraint.targets if constraint.type == "ARMATURE" else [constraint]
            for entry in targets if constraint.type not in AIMING else ():
                name = getattr(entry, "subtarget", "")
                holds = getattr(entry, "weight", 1.0) > 0.0  # parents that are not chosen now hold nothing
                if holds and getattr(entry, "target", None) == owner and name in owner.pose.bones:
                    found.setdefault(name, []).append(pose.name)
    return found
