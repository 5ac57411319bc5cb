# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirror: what the left side does, the right does, and the other way round.

Seen from the armature, a bone has turned from rest as its counterpart has, in the mirror: with the same angle, about the
mirrored axis, the other way. That holds whichever way the two bones' own axes lie, as long as the figure is symmetric at
rest. Counterparts are told by their roles, else by their names, else by where they are at rest.
"""

import re

import numpy as np

from ..motion.chart import components, rotation_groups
from ..motion.ground import Path, quaternion, sandwiched
from ..motion.orientations import Orientations
from ..numeric import rotation
from ..numeric.refusal import Refusal
from .roles import find_roles
from .roles_by_shape import SIDES, Shape

NEAR = 0.02  # of the figure's height: how exactly a bone at rest must mirror another to be its counterpart
SWAPS = (("left", "right"), ("l", "r"))
# A side stands between what are no letters, before a capital (LeftLeg, LThumb) or after a small letter (legLeft, handL).
BORDERS = r"(?<![A-Za-z]){0}(?![a-z])|(?<=[a-z]){0}(?![A-Za-z])"


class Mirror:
    """The mirror of a skeleton: its plane, and which bone is whose counterpart, {name: name}."""

    def __init__(self, skeleton):
        if skeleton is None:
            raise Refusal("mirror: there is no armature, so that nothing has a left and a right")
        shape = Shape(skeleton)
        self.skeleton, self.across = skeleton, shape.across
        self.middle = float(np.median(shape.heads @ shape.across))
        self.partners = partners(skeleton, shape, self.middle)

    def values(self, clip):
        """The clip's values seen in the mirror, (frames, channels): of a figure on the spot that faces as at rest."""
        result = np.array(clip.values, order="F")
        by_mode, plain = rotation_groups(clip.channels)
        for mode, members in by_mode:
            self._turn(result, clip, mode, members)
        columns = {(channel.owner, channel.kind, channel.index): column for column, channel in enumerate(clip.channels)}
        for kind, move in (("LOCATION", self._moved), ("SCALE", lambda moves, here, there: moves)):
            for owner in {clip.channels[column].owner for column in plain if clip.channels[column].kind == kind}:
                there = self.partners.get(owner, owner)
                own, other = ([columns.get((name, kind, index)) for index in range(3)] for name in (owner, there))
                if None not in own + other:
                    result[:, own] = move(clip.values[:, other], owner, there)
        return result

    def path(self, path):
        """The path that is walked in the mirror."""
        return Path(self._reflected(path.places), -path.headings)

    def steps(self, steps):
        """Steps (frames, 3) in the mirror."""
        return self._reflected(steps)

    def _turn(self, result, clip, mode, members):
        """Every rotation as that of the counterpart in the mirror; those that have none keyed stay as they are."""
        owners = [clip.channels[columns[0]].owner for columns in members]
        these = Orientations(mode, components(clip.values, members))
        source = [
            owners.index(self.partners.get(owner, owner)) if self.partners.get(owner, owner) in owners else index
            for index, owner in enumerate(owners)
        ]
        here = np.stack([self._rest(owner)[2] for owner in owners], axis=1)[:, None]
        turned = sandwiched(here, these.quaternions)[:, :, source]
        turned[1:] = -turned[1:] + 2.0 * self.across[:, None, None] * np.einsum("c,cft->ft", self.across, turned[1:])
        back = sandwiched(rotation.conjugate(here), turned)
        back *= np.where(np.einsum("cft,cft->t", back, these.quaternions) < 0.0, -1.0, 1.0)
        for columns, component in zip(zip(*members), these.back(back)):
            result.T[list(columns)] = component.T

    def _moved(self, moves, here, there):
        """Locations of a counterpart as those of a bone in the mirror."""
        head, along, _ = self._rest(here)
        other, across, _ = self._rest(there)
        places = other + moves @ across.T
        mirrored = self._reflected(places) + 2.0 * self.middle * self.across
        return (mirrored - head) @ np.linalg.inv(along).T

    def _reflected(self, vectors):
        return vectors - 2.0 * np.multiply.outer(vectors @ self.across, self.across)

    def _rest(self, owner):
        """Where a bone is at rest, the axes that it moves along, and its own axes as a quaternion; the object has none."""
        index = self.skeleton.index(owner)
        if index < 0:
            return np.zeros(3), np.eye(3), np.array([1.0, 0.0, 0.0, 0.0])
        bone = self.skeleton.bones[index]
        rest = np.array(bone.rest, dtype=np.float64)
        return rest[:3, 3], rest[:3, :3] if bone.local_location else np.eye(3), quaternion(rest[:3, :3])


def partners(skeleton, shape, middle):
    """Every bone's counterpart, {name: name}; a bone in the middle is its own."""
    names = [bone.name for bone in skeleton.bones]
    found, roles = {}, find_roles(skeleton).table()
    for role, name in roles.items():
        side, _, segment = role.partition("_")
        other = roles.get(f"{SIDES[1 - SIDES.index(side)]}_{segment}", "") if side in SIDES else ""
        if name and other:
            found[name] = other
    others = [name for name in names if name not in found]
    found |= {name: other for name in others for other in other_side(name) if other in others}
    ends = np.stack([shape.heads, shape.tails])
    mirrored = ends - 2.0 * ((ends @ shape.across) - middle)[..., None] * shape.across
    unknown = [index for index, name in enumerate(names) if name not in found]
    for index in unknown:
        apart = np.linalg.norm(ends[:, unknown] - mirrored[:, [index]], axis=2).max(axis=0)
        nearest = unknown[int(np.argmin(apart))]
        itself = apart.min() > NEAR * shape.height or apart[unknown.index(index)] <= apart.min()
        found[names[index]] = names[index if itself else nearest]
    return found


def other_side(name):
    """What a bone's counterpart may be called: with left for right, L for R, in whatever case, at a border of words."""
    for pair in SWAPS:
        for word, other in (pair, pair[::-1]):
            for form in (str.lower, str.upper, str.capitalize):
                pattern = BORDERS.format(form(word))
                if re.search(pattern, name):
                    yield re.sub(pattern, form(other), name, count=1)
