# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of a body by its parts, and where its centre of mass is over time.

Shares of body weight, and how far along a segment its mass lies, are those of anthropometry (Winter, Biomechanics and Motor
Control of Human Movement; de Leva 1996). A segment is a line between two joints.
"""

import numpy as np

from ..body.roles import find_roles
from ..body.roles_by_shape import SIDES
from ..motion.skeleton import sub_skeleton
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal

SHARES = {  # percent of the body, one side of what there are two of
    "head": 8.1,
    "trunk": 49.7,
    "upper_arm": 2.8,
    "forearm": 1.6,
    "hand": 0.6,
    "thigh": 10.0,
    "shank": 4.65,
    "foot": 1.45,
}
TRUNK = ((0.286, 0.10), (0.280, 0.40), (0.434, 0.75))  # pelvis, belly and chest: shares of it, and how far up they lie
LIMBS = {  # segment: from which joint, to which, and how far along
    "upper_arm": ("upper_arm", "lower_arm", 0.436),
    "forearm": ("lower_arm", "hand", 0.430),
    "hand": ("hand", "", 0.506),
    "thigh": ("upper_leg", "lower_leg", 0.433),
    "shank": ("lower_leg", "foot", 0.433),
    "foot": ("foot", "toe", 0.500),
}


@frozen
class Segment:
    """Some of a body's mass on the line from one mean of joints to another; without the second, along the bone itself."""

    mass: float
    here: tuple
    there: tuple
    along: float


class MassModel:
    """The masses of a figure, in the order of its segments."""

    def __init__(self, skeleton, shares=SHARES):
        roles = {role: bone for role, bone in find_roles(skeleton).table().items() if bone}
        self.segments = [segment for segment in segments_of(roles, shares) if segment.mass > 0.0]
        total = sum(segment.mass for segment in self.segments)
        if not self.segments or total <= 0.0:
            raise Refusal(
                "weight: no part of the body that has a mass is known; say in the table of body parts which bones it has"
            )
        self.masses = np.array([segment.mass for segment in self.segments]) / total
        self.skeleton = sub_skeleton(skeleton, {bone for segment in self.segments for bone in (*segment.here, *segment.there)})
        self.world, self._last = np.array(skeleton.world), (None, None)

    def points(self, clip):
        """Where the masses are in the world, (segments, frames, 3); found once for the clip that was looked at last."""
        if self._last[0] is not clip:
            self._last = clip, self._found(clip)
        return self._last[1]

    def _found(self, clip):
        axes, heads = self.skeleton.posed(clip)
        found = np.empty((len(self.segments), clip.frames, 3))
        for row, segment in enumerate(self.segments):
            here, there = ([self.skeleton.index(name) for name in names] for names in (segment.here, segment.there))
            start = mean_of(heads, here)
            if there:
                end = mean_of(heads, there)
            else:
                end = start + self.skeleton.bones[here[0]].length * axes[:, here[0], :, 1]
            found[row] = start + segment.along * (end - start)
        return found @ self.world[:3, :3].T + self.world[:3, 3]

    def centre(self, clip):
        """Where the centre of mass is in the world, (frames, 3)."""
        return np.einsum("p,pfi->fi", self.masses, self.points(clip))


def mean_of(heads, bones):
    """The mean (frames, 3) of some joints of all, (frames, bones, 3)."""
    return sum(heads[:, bone] for bone in bones) / len(bones)


def segments_of(roles, shares):
    """The segments that a body with these roles, {role: bone}, has."""
    hips = tuple(roles[f"{side}_upper_leg"] for side in SIDES if f"{side}_upper_leg" in roles) or of(roles, "pelvis")
    shoulders = tuple(roles[f"{side}_upper_arm"] for side in SIDES if f"{side}_upper_arm" in roles) or of(roles, "head")
    if hips:
        yield from (Segment(share * shares["trunk"], hips, shoulders, along) for share, along in TRUNK)
    if "head" in roles:
        yield Segment(shares["head"], of(roles, "head"), (), 0.5)
    for name, (start, end, along) in LIMBS.items():
        for side in SIDES:
            here, there = of(roles, f"{side}_{start}"), of(roles, f"{side}_{end}") if end else ()
            if here:
                yield Segment(shares[name], here, there, along)


def of(roles, role):
    return (roles[role],) if role in roles else ()
