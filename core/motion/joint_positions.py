# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion as joint positions, and positions back as turned and stretched bones (Bruderlin and Williams 1995, figure 4)."""

import numpy as np

from ..numeric import rotation
from ..numeric.refusal import Refusal
from .clip import Channel
from .skeleton import FULL, NONE, matrices, to_quaternions

SHORTEST = 1e-6  # metres; a bone without length has no direction to stretch in


class Stretch:
    """Joints of a clip as signals (frames, bones * 6): head and tail of every bone that the clip moves."""

    def __init__(self, clip, skeleton):
        self.clip, self.skeleton = clip, skeleton
        paths = {channel.path for channel in clip.channels}
        self.moved = [
            index
            for index, bone in enumerate(skeleton.bones)
            if bone.rotation_path in paths or bone.path + ".location" in paths
        ]
        self._refuse()
        self.rotations, self.location, self.scale = skeleton.local(clip)
        axes, heads = skeleton.forward(self.rotations, self.location, self.scale)
        self._refuse_flat(axes)
        lengths = np.array([bone.length for bone in skeleton.bones])
        tails = heads + axes[..., 1] * lengths[:, None]
        joints = np.stack([heads[:, self.moved], tails[:, self.moved]], axis=2)
        self.signals = np.asfortranarray(joints.reshape(clip.frames, -1))
        self.owners = tuple(skeleton.bones[index].name for index in self.moved for _ in range(6))

    def clip_of(self, signals, posture=1.0):
        """The clip whose joints are at the given places: bones aim and stretch, loose bones move.

        The posture's gain is in those places already.
        """
        joints = signals.reshape(self.clip.frames, len(self.moved), 2, 3)
        rotations, location, scale = self.rotations.copy(), self.location.copy(), self.scale.copy()
        axes, heads = np.empty_like(rotations), np.empty_like(location)
        turns = {}
        for index, bone in enumerate(self.skeleton.bones):
            base, along, start = self.skeleton.parented(index, axes, heads)
            if index in self.moved:
                head, tail = joints[:, self.moved.index(index)].transpose(1, 0, 2)
                if not bone.connected:
                    location[:, index] = apply(np.linalg.inv(along), head - start)
                heads[:, index] = start + apply(along, location[:, index])
                if bone.length > SHORTEST:
                    aim = apply(np.linalg.inv(base), tail - heads[:, index]) / bone.length
                    turns[index] = self._turned(index, bone, aim, rotations, scale)
            else:
                heads[:, index] = start + apply(along, location[:, index])
            axes[:, index] = base @ (rotations[:, index] * scale[:, index, None, :])
        return self._written(turns, location, scale)

    def _refuse(self):
        if not self.moved:
            raise Refusal("squash and stretch needs a figure with moving bones")
        for index in self.moved:
            bone = self.skeleton.bones[index]
            if not bone.plain or bone.inherit_scale not in (FULL, NONE):
                raise Refusal(
                    f"bone {bone.name} has constraints or does not inherit rotation or scale in the "
                    "usual way: squash and stretch cannot place its joints"
                )

    def _refuse_flat(self, axes):
        parents = {self.skeleton.bones[index].parent for index in self.moved} - {-1}
        for index in sorted(parents):
            flat = np.flatnonzero(np.abs(np.linalg.det(axes[:, index])) < 1e-12)
            if flat.size:
                raise Refusal(
                    f"bone {self.skeleton.bones[index].name} has no size at frame "
                    f"{self.clip.first_frame + flat[0]}: squash and stretch cannot place what hangs on it"
                )

    def _turned(self, index, bone, aim, rotations, scale):
        """Turn a bone by the shortest way to its aim and scale it to reach; its quaternions (4, frames)."""
        size = np.copysign(np.linalg.norm(aim, axis=1), scale[:, index, 1])  # a bone turned inside out stays so
        goal = aim / np.copysign(np.maximum(np.abs(size), SHORTEST), size)[:, None]
        now = rotations[:, index, :, 1]
        cross = np.cross(now, goal).T
        shortest = rotation.normalized(np.concatenate([1.0 + np.sum(now * goal, axis=1)[None], cross]))[0]
        q = rotation.multiply(shortest, to_quaternions(bone, self._source(bone)))
        rotations[:, index] = matrices(q)
        scale[:, index, 1] = size
        return q

    def _source(self, bone):
        values = {
            channel.index: self.clip.values[:, column]
            for column, channel in enumerate(self.clip.channels)
            if channel.path == bone.rotation_path
        }
        return np.stack(
            [values.get(index, np.full(self.clip.frames, rest)) for index, rest in enumerate(bone.rotation)], axis=1
        )

    def _written(self, turns, location, scale):
        """Results as channels: those of the clip replaced, those it lacks added where they are needed."""
        written = {}
        for number in self.moved:
            bone = self.skeleton.bones[number]
            if number in turns:
                source = self._source(bone)
                for index, values in enumerate(in_mode(bone.mode, turns[number], source)):
                    written[Channel(bone.rotation_path, index, bone.mode, bone.name)] = values, bone.rotation[index]
                written[Channel(bone.path + ".scale", 1, "SCALE", bone.name)] = scale[:, number, 1], bone.scale[1]
            if not bone.connected:
                for index in range(3):
                    written[Channel(bone.path + ".location", index, "LOCATION", bone.name)] = (
                        location[:, number, index],
                        bone.location[index],
                    )
        whole = self.clip.with_channels(written, [rest for _, rest in written.values()])
        values = np.array(whole.values, order="F")
        for column, channel in enumerate(whole.channels):
            if channel in written:
                values[:, column] = written[channel][0]
        return whole.with_values(values)


def apply(matrix, vectors):
    return np.einsum("...ij,...j->...i", matrix, vectors)


def in_mode(mode, q, source):
    """Quaternions (4, frames) as channels of a rotation mode, each (frames,), close to source (frames, size)."""
    q, near = q[:, :, None], source.T[:, :, None]
    if mode == "QUATERNION":
        length = np.sqrt((near * near).sum(axis=0))
        side = np.where(np.median((q * near).sum(axis=0)) < 0, -1.0, 1.0)
        result = q * rotation.lifted(q) * length * side
    else:
        result = rotation.to_axis_angle(q, near) if mode == "AXIS_ANGLE" else rotation.to_euler(q, mode, near)
    return result[:, :, 0]
