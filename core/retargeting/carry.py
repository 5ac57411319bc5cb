# SPDX-License-Identifier: GPL-3.0-or-later
"""Carry: the turns of one figure's bones as those of another's, over a whole take at once, and the clip that has them.

World turns are carried, bone by bone, so that a wrong shoulder does not become a wrong hand. In a trunk with more bones those
that have no counterpart get turns between those that have, by how far up they are.
"""

from dataclasses import replace

import numpy as np

from ..motion.clip import Channel
from ..motion.posing import frames_last, read, time_last
from ..numeric import rotation
from ..numeric.matrix import between, matrices, product, turned, turns
from ..numeric.vectors import length
from .chains import TWIST, places_along, trunk_of
from .stance import in_world

SAME = 1e-7  # how far the axes of turns are apart that are one


class Carry:
    """What carries clips of a source onto a target; `alignment` says how their bones lie to each other, `given` are bones of
    which the animator says whom they follow."""

    def __init__(self, alignment, given=()):
        self.alignment, self.source, self.target = alignment, alignment.source, alignment.target
        between_bones = {} if alignment.alike else spreads(alignment)
        self.spread = {index: way for index, way in between_bones.items() if index not in given and index in alignment.pairs}
        self.shared = twists(self.target)
        bones, pelvis = self.target.skeleton.bones, self.target.roles["pelvis"]
        self.pelvis = pelvis
        self.mover = next(
            (index for index in reversed(self.target.skeleton.chain(pelvis)) if not bones[index].connected), pelvis
        )

    def __call__(self, clip):
        """A clip of the source on the target: rotations of all bones that have a counterpart, and where the pelvis is."""
        axes, heads = in_world(self.source.skeleton, clip)
        return self._clip(clip, self._wanted(axes), heads)

    def _wanted(self, axes):
        """World axes (3, 3, frames) that bones of the target are to have, {index: axes}."""
        wanted = {}
        for index, other in self.alignment.pairs.items():
            if index in self.spread:
                wanted[index] = self._between(index, axes)
            else:
                inside = self.alignment.inside(index)[:, :, None]
                wanted[index] = product(time_last(axes[:, other]), inside)
        return wanted

    def _between(self, index, axes):
        """The turn from its stance that a bone of the trunk has between two of the other's."""
        first, second, fraction = self.spread[index]
        one, other = (product(time_last(axes[:, each]), self.source.axes[each].T[:, :, None]) for each in (first, second))
        step = rotation.log(between(one, other))
        turn = np.moveaxis(matrices(rotation.exp(fraction * step)), 0, -1)
        rest = (self.alignment.turns[index] @ self.target.axes[index])[:, :, None]
        return product(product(turn, one), rest)

    def _clip(self, clip, wanted, heads):
        skeleton, world = self.target.skeleton, np.array(self.target.skeleton.world, dtype=np.float64)
        back = (world[:3, :3] / np.linalg.norm(world[:3, :3], axis=0)).T[:, :, None]
        axes = frames_last(clip.frames, len(skeleton.bones), 3, 3)
        origin = frames_last(clip.frames, len(skeleton.bones), 3)
        into, places, local, moves = time_last(axes), time_last(origin), {}, {}
        goals = self._goals(clip, heads, np.linalg.inv(world))
        for index, bone in enumerate(skeleton.bones):
            base, along, start = (
                np.broadcast_to(each[..., None], (*each.shape, clip.frames)) if bone.parent < 0 else time_last(each)
                for each in skeleton.parented(index, axes, origin)
            )
            base = base / length(base)
            if index in wanted:
                local[index] = product(base.transpose(1, 0, 2), product(back, wanted[index]))
            elif index in self.shared and self.shared[index][0] in wanted:
                local[index] = self._share(index, wanted)
            held = turns(bone.mode, np.array(bone.rotation)[:, None])
            into[index] = product(base, local.get(index, held))
            places[index] = start
            if index in goals and not bone.connected:
                way = goals[index] - start
                moves[index] = np.linalg.solve(np.moveaxis(along, -1, 0), way.T[:, :, None])[:, :, 0].T
                places[index] = goals[index]
            elif index in local and not bone.connected and any(bone.location):
                moves[index] = np.zeros((3, clip.frames))
            elif any(bone.location) and not bone.connected:
                places[index] = start + turned(along, np.array(bone.location)[:, None])
        self._place(moves, axes, origin, heads, np.linalg.inv(world))
        return written(clip, skeleton, local, moves, self._near(clip, local))

    def _goals(self, clip, heads, inverse):
        """Where joints of a figure of the same build are to be in the armature that the take moves by themselves, {index:
        (3, frames)}."""
        if not self.alignment.alike:
            return {}
        moved = {channel.owner for channel in clip.channels if channel.kind == "LOCATION"}
        bones = self.source.skeleton.bones
        goals = {}
        for index, other in self.alignment.pairs.items():
            if bones[other].name in moved or index == self.mover == self.pelvis:
                place = self.alignment.scale * heads[:, other].T
                goals[index] = inverse[:3, :3] @ place + inverse[:3, 3:]
        return goals

    def _place(self, moves, axes, origin, heads, inverse):
        """Put the hips where those of the source are, as much farther as legs are longer, and as much higher as feet are."""
        if self.alignment.alike and self.mover in moves:
            return
        source, target = self.source, self.target
        legs = [[stance.roles[f"{side}_upper_leg"] for side in ("left", "right")] for stance in (source, target)]
        up = np.array([0.0, 0.0, 0.0 if self.alignment.alike else target.ankle - self.alignment.scale * source.ankle])
        wanted = self.alignment.scale * heads[:, legs[0]].mean(axis=1) + up
        shift = (wanted @ inverse[:3, :3].T + inverse[:3, 3] - origin[:, legs[1]].mean(axis=1)).T
        _, along, _ = self.target.skeleton.parented(self.mover, axes, origin)
        along = np.broadcast_to(along, (shift.shape[1], 3, 3))
        move = np.linalg.solve(along, shift.T[:, :, None])[:, :, 0].T
        moves[self.mover] = moves.get(self.mover, np.array(target.skeleton.bones[self.mover].location)[:, None]) + move

    def _share(self, index, wanted):
        """A twist bone: its share of how far the end of its limb is twisted against it."""
        above, end, fraction = self.shared[index]
        if end not in wanted:
            return np.broadcast_to(np.eye(3)[:, :, None], wanted[above].shape)
        rest = self.target.axes[above].T @ self.target.axes[end]
        relative = product(wanted[above].transpose(1, 0, 2), product(wanted[end], rest.T[:, :, None]))
        q = between(np.broadcast_to(np.eye(3)[:, :, None], relative.shape), relative)
        along = self.target.axes[above].T @ (self.target.heads[end] - self.target.heads[above])
        along = along / max(np.linalg.norm(along), 1e-12)
        angle = np.unwrap(2.0 * np.arctan2(along @ q[1:], q[0]))
        angle -= 2.0 * np.pi * np.rint(np.median(angle) / (2.0 * np.pi))
        inside = self.target.axes[index].T @ self.target.axes[above] @ along
        return np.moveaxis(matrices(rotation.exp(inside[:, None] * (fraction * angle))), 0, -1)

    def _near(self, clip, local):
        """Rotations of the source in the modes that the target's bones have too, {index: (components, frames)}: where figures
        are the same, so are their numbers."""
        if not self.alignment.alike:
            return {}
        columns = {(channel.path, channel.index): column for column, channel in enumerate(clip.channels)}
        bones, near = self.source.skeleton.bones, {}
        for index in local:
            other = bones[self.alignment.pairs[index]] if index in self.alignment.pairs else None
            if other is not None and other.mode == self.target.skeleton.bones[index].mode:
                values = read(clip.values, columns, other.rotation_path, other.rotation)
                near[index] = np.broadcast_to(values, (len(values), clip.frames))
        return near


def spreads(alignment):
    """Bones of a trunk that has more than the other's, {index: (bone before, bone after, fraction of the way)}; as many as the
    other has follow one each, so that the way back is the same."""
    own, other = (trunk_of(stance.skeleton, stance.roles) for stance in (alignment.source, alignment.target))
    found = {}
    for start, row, begin, into in (
        (own.pelvis, own.spine, other.pelvis, other.spine),
        (own.spine[-1] if own.spine else own.pelvis, own.neck, other.spine[-1] if other.spine else other.pelvis, other.neck),
    ):
        if not row or len(row) >= len(into):
            continue
        marks = [0, *(at + 1 for at in places_along(len(into), len(row)))]
        up = heights(alignment.target, [begin, *into])
        for at, index in enumerate(into, 1):
            after = int(np.searchsorted(marks, at))
            low, high = up[marks[after - 1]], up[marks[after]]
            fraction = float(np.clip((up[at] - low) / max(high - low, 1e-12), 0.0, 1.0)) if at != marks[after] else 1.0
            found[index] = ([start, *row][after - 1], [start, *row][after], fraction)
    return found


def heights(stance, bones):
    """How far along a row each of its bones is by its middle, from 0 for the first to 1 for the last; evenly where all joints
    lie in one place."""
    ways = np.linalg.norm(np.diff(stance.heads[bones], axis=0), axis=1)
    if ways.sum() < 1e-3 * stance.leg:
        return np.linspace(0.0, 1.0, len(bones))
    joints = np.concatenate([[0.0], np.cumsum(ways)])
    middles = np.append(0.5 * (joints[:-1] + joints[1:]), joints[-1])
    return np.concatenate([[0.0], middles[1:]]) / joints[-1]


def twists(stance):
    """Twist bones that hang on a lower arm or lower leg, {index: (that bone, the end of the limb, share)}."""
    bones, found = stance.skeleton.bones, {}
    for side in ("left", "right"):
        for lower, end in (("lower_arm", "hand"),):
            above, tip = stance.roles.get(f"{side}_{lower}", -1), stance.roles.get(f"{side}_{end}", -1)
            for index, bone in enumerate(bones) if min(above, tip) >= 0 else ():
                if bone.parent == above and TWIST.search(bone.name):
                    way = stance.heads[tip] - stance.heads[above]
                    fraction = (stance.heads[index] - stance.heads[above]) @ way / max(way @ way, 1e-12)
                    found[index] = above, tip, float(np.clip(fraction, 0.0, 1.0)) or 0.5
    return found


def written(clip, skeleton, local, moves, near):
    """A clip of such local turns (3, 3, frames) and locations (3, frames) of bones, in the modes that they have."""
    channels, rows = [], []
    for index, bone in enumerate(skeleton.bones):
        if index in moves:
            channels += [Channel(f"{bone.path}.location", axis, "LOCATION", bone.name) for axis in range(3)]
            rows.append(moves[index])
        if index in local:
            values = components(bone.mode, local[index], near.get(index))
            channels += [Channel(bone.rotation_path, axis, bone.mode, bone.name) for axis in range(len(values))]
            rows.append(values)
    values = np.asfortranarray(np.concatenate(rows).T)
    return replace(clip, values=values, channels=tuple(channels), switches=None)


def components(mode, axes, near=None):
    """Turns (3, 3, frames) as the channels (components, frames) of a mode, continuous, close to `near` if that is given; that
    itself, jumps and all, where it says the same turns."""
    if near is not None and np.abs(turns(mode, near) - axes).max(initial=0.0) < SAME:
        return near
    q = between(np.broadcast_to(np.eye(3)[:, :, None], axes.shape), axes)
    q = q * rotation.lifted(q[:, :, None])[:, 0]
    size = rotation.ROTATION_SIZES[mode]
    near = np.zeros((size, axes.shape[-1])) if near is None else near
    if mode == "QUATERNION":
        return q * (np.where((q * near).sum() < 0.0, -1.0, 1.0) if near.any() else np.sign(q[0, 0]) or 1.0)
    if mode == "AXIS_ANGLE":
        near = np.where(near.any(axis=0), near, np.array([0.0, 0.0, 1.0, 0.0])[:, None])
        return rotation.to_axis_angle(q[:, :, None], near[:, :, None])[:, :, 0]
    return rotation.to_euler(q[:, :, None], mode, near[:, :, None])[:, :, 0]
