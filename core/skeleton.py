# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeleton: bones at rest, and where their joints are when they move."""

from dataclasses import dataclass

import numpy as np

from . import rotation

FULL, NONE = "FULL", "NONE"


@dataclass(frozen=True)
class Bone:
    """A bone at rest. `rest` is its 4 x 4 matrix in the armature, `pose` what its unkeyed channels hold."""

    name: str
    parent: int  # place in the skeleton, -1 for a root
    rest: np.ndarray
    length: float
    connected: bool
    mode: str
    path: str  # of the pose bone in F-curves, such as pose.bones["Hips"]
    location: tuple = (0.0, 0.0, 0.0)
    rotation: tuple = (1.0, 0.0, 0.0, 0.0)
    scale: tuple = (1.0, 1.0, 1.0)
    inherit_scale: str = FULL
    plain: bool = True  # inherits rotation, local location, no constraints
    limits: tuple = ()  # lowest and highest angle about X, Y, Z in degrees, where the rig has any

    @property
    def rotation_path(self):
        name = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(self.mode, "rotation_euler")
        return f"{self.path}.{name}"


@dataclass(frozen=True)
class Skeleton:
    """Bones with parents before children."""

    bones: tuple

    def index(self, name):
        return next((place for place, bone in enumerate(self.bones) if bone.name == name), -1)

    def below(self, name):
        """The names of a bone and of everything that hangs on it."""
        chosen = {name}
        for bone in self.bones:
            if bone.parent >= 0 and self.bones[bone.parent].name in chosen:
                chosen.add(bone.name)
        return chosen

    def held(self, channel):
        """What a channel of a bone holds where it is not keyed."""
        bone = self.bones[self.index(channel.owner)]
        return {bone.rotation_path: bone.rotation, bone.path + ".location": bone.location,
                bone.path + ".scale": bone.scale}[channel.path][channel.index]

    def local(self, clip):
        """Per bone the 3 x 3 rotation (frames, bones, 3, 3), location and scale (frames, bones, 3) that a clip gives."""
        columns = {(channel.path, channel.index): column for column, channel in enumerate(clip.channels)}
        rotations = np.empty((clip.frames, len(self.bones), 3, 3))
        location, scale = np.empty((2, clip.frames, len(self.bones), 3))
        for place, bone in enumerate(self.bones):
            rotations[:, place] = matrices(to_quaternions(bone, read(clip, columns, bone.rotation_path, bone.rotation)))
            location[:, place] = 0.0 if bone.connected else read(clip, columns, bone.path + ".location", bone.location)
            scale[:, place] = read(clip, columns, bone.path + ".scale", bone.scale)
        return rotations, location, scale

    def parented(self, place, axes, origin):
        """Where a bone stands before its own motion, from its parent's posed axes and origin.

        Its 3 x 3 axes, the 3 x 3 axes that it moves along (in Blender these keep the parent's scale even where the bone
        does not inherit it), and its origin.
        """
        bone = self.bones[place]
        if bone.parent < 0:
            return bone.rest[:3, :3], bone.rest[:3, :3], bone.rest[:3, 3]
        relative = np.linalg.inv(self.bones[bone.parent].rest) @ bone.rest
        parent_axes = axes[:, bone.parent]
        along = parent_axes @ relative[:3, :3]
        base = along if bone.inherit_scale == FULL else unscaled(parent_axes) @ relative[:3, :3]
        return base, along, origin[:, bone.parent] + parent_axes @ relative[:3, 3]

    def forward(self, rotations, location, scale):
        """Posed axes (frames, bones, 3, 3), scale included, and joint places (frames, bones, 3), in the armature."""
        axes, origin = np.empty_like(rotations), np.empty_like(location)
        for place in range(len(self.bones)):
            base, along, start = self.parented(place, axes, origin)
            axes[:, place] = base @ (rotations[:, place] * scale[:, place, None, :])
            origin[:, place] = start + np.einsum("...ij,...j->...i", along, location[:, place])
        return axes, origin


def unscaled(axes):
    return axes / np.linalg.norm(axes, axis=-2, keepdims=True)


def read(clip, columns, path, rest):
    """The channels of one property over time, unkeyed ones at what they hold."""
    return np.stack([clip.values[:, columns[path, index]] if (path, index) in columns
                     else np.full(clip.frames, value) for index, value in enumerate(rest)], axis=1)


def to_quaternions(bone, values):
    """(frames, size) in the bone's rotation mode to (4, frames) unit quaternions."""
    components = values.T
    if bone.mode == "QUATERNION":
        return rotation.normalized(components)[0]
    if bone.mode == "AXIS_ANGLE":
        return rotation.from_axis_angle(components)
    return rotation.from_euler(components, bone.mode)


def matrices(q):
    """Unit quaternions (4, frames) to rotation matrices (frames, 3, 3)."""
    w, x, y, z = q
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
