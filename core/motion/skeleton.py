# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeleton: bones at rest, and where their joints are when they move, as Blender's own forward kinematics place them.

Arrays are (frames, bones, ...) to whoever uses them and lie in memory with the frames last, which is several times faster.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..numeric.frozen import frozen
from ..numeric.matrix import matrices, product, to_quaternions, turned
from .clip import MEASURED, Channel, Clip
from .inherit import FULL, NONE, inherited, passed_on
from .posing import frames_last, local, posed, time_last

__all__ = ["FULL", "NONE", "Bone", "Skeleton", "matrices", "to_quaternions"]
STRETCH = 16384  # frames
IDENTITY = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))


@frozen
class Bone:
    """A bone at rest. `rest` is its 4 x 4 matrix in the armature, `pose` what its unkeyed channels hold."""

    name: str
    parent: int  # index in the skeleton, -1 for a root
    rest: np.ndarray
    length: float
    connected: bool
    mode: str
    path: str  # of the pose bone in F-curves, such as pose.bones["Hips"]
    location: tuple[float, ...] = (0.0, 0.0, 0.0)
    rotation: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    scale: tuple[float, ...] = (1.0, 1.0, 1.0)
    inherit_scale: str = FULL
    inherit_rotation: bool = True
    local_location: bool = True  # moves along its own axes at rest, not along its parent's
    plain: bool = True  # inherits rotation, local location, no constraints
    led: bool = False  # by constraints or drivers: only Blender itself knows where the bone is
    handle: str = ""  # the control that is moved for a bone that is only measured
    turned: bool = True  # whether the bone turns with its handle; what does not cannot be kept planted by it
    limits: tuple[float, ...] = ()  # lowest and highest angle about X, Y, Z in degrees, where the rig has any

    @property
    def rotation_path(self) -> str:
        name = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(self.mode, "rotation_euler")
        return f"{self.path}.{name}"

    @property
    def measured(self) -> bool:
        """Whether the rig says where the bone is, and what it does is only seen."""
        return self.path.startswith(MEASURED)

    @property
    def usual(self) -> bool:
        """Whether the bone takes all from its parent and moves along its own axes."""
        return self.inherit_rotation and self.local_location and self.inherit_scale == FULL


@dataclass(frozen=True, eq=False)  # known by what it is, so that what was found out about one can be kept with it
class Skeleton:
    """Bones with parents before children, and the 4 x 4 matrix of the object that they are in."""

    bones: tuple[Bone, ...]
    world: tuple[tuple[float, ...], ...] = IDENTITY
    corrections: Mapping[str, str] = field(
        default_factory=dict
    )  # what the animator says of the body, role to bone; the rest is found
    legs: Mapping[str, str] = field(default_factory=dict)  # parts of legs beyond two, where these cannot be told from the bones
    standing: tuple = ()  # its own left, back and up at rest, the columns of a 3 x 3, if it is known how it stands
    part_of: "tuple[Skeleton, list[int]] | None" = field(default=None, init=False, repr=False)  # and which of its bones

    @property
    def up(self) -> np.ndarray:
        """The world's up as a direction of unit length in the armature."""
        direction = np.array(self.world)[2, :3]
        return direction / np.linalg.norm(direction)

    @property
    def world_axes(self) -> np.ndarray:
        """The world's X, Y and Z as columns (3, 3), in the armature."""
        world = np.array(self.world, dtype=np.float64)[:3, :3]
        return (world / np.linalg.norm(world, axis=0)).T

    @cached_property
    def flat(self) -> bool:
        """Whether the object is scaled to nothing along an axis."""
        return bool(np.linalg.matrix_rank(np.array(self.world)[:3, :3]) < 3)

    @property
    def standing_axes(self) -> np.ndarray:
        """Its own left, back and up at rest as columns (3, 3); the world's X, Y and Z where that is all that is known."""
        return np.array(self.standing) if self.standing else self.world_axes

    @property
    def standing_turn(self) -> np.ndarray:
        """The turn (3, 3) to how it is at rest from where it would stand and face -Y."""
        return self.standing_axes @ self.world_axes.T

    @property
    def led(self) -> tuple[str, ...]:
        """Names of bones that constraints or drivers move, so that forward kinematics cannot say where they are."""
        return tuple(bone.name for bone in self.bones if bone.led)

    def corrected(self, corrections: Mapping[str, str]) -> "Skeleton":
        """The same skeleton of which more is said, {role: bone name or nothing}."""
        return replace(self, corrections={**self.corrections, **corrections}) if corrections else self

    def index(self, name: str) -> int:
        return self._indices.get(name, -1)

    @cached_property
    def _indices(self):
        return {bone.name: index for index, bone in reversed(list(enumerate(self.bones)))}

    def below(self, name: str) -> set[str]:
        """The names of a bone and of everything that hangs on it."""
        chosen = {name}
        for bone in self.bones:
            if bone.parent >= 0 and self.bones[bone.parent].name in chosen:
                chosen.add(bone.name)
        return chosen

    def chain(self, index: int) -> list[int]:
        """The indices of a bone and its ancestors, root first."""
        found: list[int] = []
        while index >= 0:
            found.insert(0, index)
            index = self.bones[index].parent
        return found

    def held(self, channel: Channel) -> float:
        """What a channel of a bone holds where it is not keyed."""
        bone = self.bones[self.index(channel.owner)]
        return {bone.rotation_path: bone.rotation, bone.path + ".location": bone.location, bone.path + ".scale": bone.scale}[
            channel.path
        ][channel.index]

    @property
    def handled(self) -> bool:
        """Whether feet, hands or the body are moved by controls of a rig."""
        return any(bone.handle for bone in self.bones)

    def posed(self, clip: Clip) -> tuple[np.ndarray, np.ndarray]:
        """Where a clip puts the bones: axes (frames, bones, 3, 3), scale included, and joints (frames, bones, 3)."""
        return posed(self, clip)

    def in_stretches(self, clip: Clip) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """What `posed` gives, for some frames at a time: posed bones are many times the size of a long take."""
        if clip.frames <= STRETCH:
            yield self.posed(clip)
            return
        for first in range(0, clip.frames, STRETCH):
            yield self.posed(clip.with_values(clip.values[first : first + STRETCH]))

    def local(self, clip: Clip) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Per bone the 3 x 3 rotation (frames, bones, 3, 3), location and scale (frames, bones, 3) that a clip gives."""
        columns = columns_of(clip)
        rotations = frames_last(clip.frames, len(self.bones), 3, 3)
        location, scale = (frames_last(clip.frames, len(self.bones), 3) for _ in range(2))
        for index, bone in enumerate(self.bones):
            turn, move, size = local(bone, clip.values, columns)
            time_last(rotations)[index] = turn
            time_last(location)[index] = 0.0 if move is None else move
            time_last(scale)[index] = 1.0 if size is None else size
        return rotations, location, scale

    def forward(self, rotations: np.ndarray, location: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Posed axes (frames, bones, 3, 3), scale included, and joint places (frames, bones, 3), in the armature."""
        axes, origin = frames_last(*rotations.shape), frames_last(*location.shape)
        place_bone = self.placer(time_last(axes), time_last(origin))
        for index, pose in enumerate(zip(time_last(rotations), time_last(location), time_last(scale))):
            place_bone(index, *pose)
        return axes, origin

    def parented(self, index: int, axes: np.ndarray, origin: np.ndarray) -> tuple[np.ndarray, ...]:
        """Where a bone stands before its own motion, from its parent's posed axes and origin.

        Its 3 x 3 axes, the 3 x 3 axes that it moves along (in Blender these keep the parent's rotation and scale even
        where the bone does not inherit them), and its origin.
        """
        arrays = self._before(index, time_last(axes), time_last(origin))
        return tuple(array[..., 0] if self.bones[index].parent < 0 else np.moveaxis(array, -1, 0) for array in arrays)

    def placer(self, axes: np.ndarray, origin: np.ndarray) -> Callable[..., None]:
        """A function that fills in a bone's axes (bones, 3, 3, frames) and origin, those of its parent being there."""
        work, scratch = np.empty((2, 3, 3, axes.shape[-1]))

        def place_bone(index, rotations, location, scale):
            bone = self.bones[index]
            base, along, start = self._before(index, axes, origin, work, scratch)
            if bone.parent >= 0 and bone.inherit_scale == "ALIGNED":
                scale = passed_on(bone, axes[bone.parent]) * (1.0 if scale is None else scale)
            product(base, rotations if scale is None else rotations * scale, axes[index], scratch)
            origin[index] = start if location is None else start + turned(along, location)

        return place_bone

    def _before(self, index, axes, origin, work=None, scratch=None):
        """What `parented` gives, with the frames last: (3, 3, frames) twice and (3, frames)."""
        bone, relative = self.bones[index], self.relative[index]
        inner, offset = relative[:3, :3, None], relative[:3, 3, None]
        if bone.parent < 0:
            return inner, inner if bone.local_location else np.eye(3)[:, :, None], offset
        parent = axes[bone.parent]
        along = product(parent, inner, work, scratch) if bone.local_location else parent
        base = along if bone.usual else inherited(bone, self.bones[bone.parent].rest[:3, :3, None], parent, inner)
        return base, along, origin[bone.parent] + turned(parent, offset)

    @cached_property
    def relative(self) -> list[np.ndarray]:
        """Each bone's 4 x 4 matrix at rest within its parent."""
        if self.part_of is not None:
            return [self.part_of[0].relative[index] for index in self.part_of[1]]
        return [
            np.linalg.inv(self.bones[bone.parent].rest) @ bone.rest if bone.parent >= 0 else bone.rest for bone in self.bones
        ]


def columns_of(clip):
    return {(channel.path, channel.index): column for column, channel in enumerate(clip.channels)}


def hanging(skeleton):
    """The names of bones that hang on another."""
    return frozenset(bone.name for bone in skeleton.bones if bone.parent >= 0) if skeleton else frozenset()


def sub_skeleton(skeleton, names):
    """The skeleton of some bones and what they hang on, the same whenever it is asked for."""
    known, wanted = skeleton.__dict__.setdefault("_parts", {}), frozenset(names)
    if wanted not in known:
        order = sorted({index for name in wanted for index in skeleton.chain(skeleton.index(name))})
        rows = {index: row for row, index in enumerate(order)}
        bones = [skeleton.bones[index] for index in order]
        part = Skeleton(
            tuple(replace(bone, parent=rows.get(bone.parent, -1)) for bone in bones), skeleton.world, standing=skeleton.standing
        )
        whole, own = skeleton.part_of or (skeleton, range(len(skeleton.bones)))
        object.__setattr__(part, "part_of", (whole, [own[index] for index in order]))
        known[wanted] = part
    return known[wanted]


def size_of(skeleton):
    """How large a figure is at rest, along its longest side."""
    rest = np.array([bone.rest[:3, 3] for bone in skeleton.bones])
    return max(np.ptp(rest, axis=0).max(), max(bone.length for bone in skeleton.bones))


def lever_lengths(skeleton):
    """How far from its head the farthest thing is that a bone turns, by name."""
    heads = np.array([bone.rest[:3, 3] for bone in skeleton.bones])
    tails = heads + [bone.length * bone.rest[:3, 1] for bone in skeleton.bones]
    far = {}
    for bone, head in zip(skeleton.bones, heads):
        below = [skeleton.index(name) for name in skeleton.below(bone.name)]
        far[bone.name] = float(np.linalg.norm(tails[below] - head, axis=1).max())
    return far
