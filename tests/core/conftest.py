# SPDX-License-Identifier: GPL-3.0-or-later
"""Small clips and figures to try core on, and forward kinematics the slow way."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Bone, Skeleton
from motion_signal.core.numeric.rotation import EULER_ORDERS, ROTATION_SIZES
from scipy.spatial.transform import Rotation

PROPERTIES = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
MODES = ("QUATERNION", "AXIS_ANGLE", *EULER_ORDERS)


@pytest.fixture(scope="session")
def smooth():
    """Smooth random signals (frames, count) between about -size and size, a function of time in seconds."""

    def make(frames, count, seed=0, fps=30.0, size=1.0, fastest=4.0):
        random = np.random.default_rng(seed)
        time = np.arange(frames)[:, None] / fps
        waves = [
            random.normal(size=count)
            * np.sin(2 * np.pi * (random.uniform(0.1, fastest, count) * time + random.uniform(size=count)))
            for _ in range(6)
        ]
        return size * np.sum(waves, axis=0) / 3

    return make


@pytest.fixture(scope="session")
def rotation_channels():
    """The channels of a bone's rotation in a mode."""

    def make(mode, owner="bone", indices=None):
        path = f'pose.bones["{owner}"].{PROPERTIES.get(mode, "rotation_euler")}'
        return tuple(Channel(path, index, mode, owner) for index in indices or range(ROTATION_SIZES[mode]))

    return make


@pytest.fixture(scope="session")
def in_mode():
    """Scipy rotations over time as (frames, size) values of a mode, continuous."""

    def convert(rotations, mode):
        if mode == "QUATERNION":
            values = rotations.as_quat(scalar_first=True)
            signs = np.sign(np.sum(values[1:] * values[:-1], axis=1))
            return values * np.cumprod([1.0, *signs])[:, None]
        if mode == "AXIS_ANGLE":
            vectors = rotations.as_rotvec()
            angles = np.linalg.norm(vectors, axis=1)
            return np.column_stack([angles, vectors / angles[:, None]])
        return filtered(rotations.as_euler(mode.lower()))[:, [mode.index(axis) for axis in "XYZ"]]

    return convert


def filtered(angles):
    """Euler angles (frames, 3) in turning order, each frame on the branch nearest to the frame before."""
    path = [angles[0]]
    for first, middle, last in angles[1:]:
        branches = np.array([(first, middle, last), (first + np.pi, np.pi - middle, last + np.pi)])
        branches += 2 * np.pi * np.rint((path[-1] - branches) / (2 * np.pi))
        path.append(branches[np.argmin(np.abs(branches - path[-1]).sum(axis=1))])
    return np.array(path)


@pytest.fixture(scope="session")
def as_rotations():
    """The (frames, size) values of a mode as scipy rotations."""

    def convert(values, mode):
        if mode == "QUATERNION":
            return Rotation.from_quat(values, scalar_first=True)
        if mode == "AXIS_ANGLE":
            return Rotation.from_rotvec(values[:, :1] * values[:, 1:] / np.linalg.norm(values[:, 1:], axis=1)[:, None])
        return Rotation.from_euler(mode.lower(), values[:, ["XYZ".index(axis) for axis in mode]])

    return convert


@pytest.fixture(scope="session")
def mixed_clip(smooth, rotation_channels, in_mode):
    """A bone of each rotation mode, locations, scales, a plain value and an Euler rotation that lacks an angle."""

    def make(frames=120, fps=30.0, seed=0):
        values, channels = [], []
        for number, mode in enumerate(MODES):
            turns = Rotation.from_rotvec(smooth(frames, 3, seed + number, fps, 0.5, 2.0) + [0.9, 0.2, -0.4])
            values.append(in_mode(turns, mode))
            channels += rotation_channels(mode, mode.lower())
        channels += [Channel("location", index, "LOCATION") for index in range(3)]
        channels += [Channel("scale", index, "SCALE") for index in range(3)]
        channels += [Channel('["effort"]', 0), *rotation_channels("XYZ", "hinge", (0, 2))]
        values.append(0.3 * smooth(frames, 9, seed + 50, fps) + np.repeat([0.0, 1.0, 0.0], 3))
        return Clip(np.hstack(values), tuple(channels), fps, 1)

    return make


@pytest.fixture(scope="session")
def bone():
    """A bone at a place in the armature, its rest axes given as a rotation vector."""

    def make(name, parent, head, turn, length=0.5, mode="QUATERNION", **rest):
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = Rotation.from_rotvec(turn).as_matrix(), head
        held = {"QUATERNION": (1.0, 0.0, 0.0, 0.0), "AXIS_ANGLE": (0.0, 0.0, 1.0, 0.0)}.get(mode, (0.0, 0.0, 0.0))
        rest = {"connected": False, "rotation": held, **rest}
        path = f'pose.bones["{name}"]'
        return Bone(name=name, parent=parent, rest=matrix, length=length, mode=mode, path=path, **rest)

    return make


@pytest.fixture(scope="session")
def figure(bone):
    """Hips with a connected spine, a head on it, and a loose leg with a connected foot; every bone in another mode."""
    bones = [bone("hips", -1, (0.1, 0.2, 1.0), (0.3, 0.0, 0.1), 0.4, "QUATERNION")]
    bones.append(bone("spine", 0, tail(bones[0]), (0.5, -0.2, 0.0), 0.6, "XYZ", connected=True))
    bones.append(bone("head", 1, tail(bones[1]), (0.1, 0.1, 0.4), 0.3, "AXIS_ANGLE", connected=True))
    bones.append(bone("leg", 0, (0.3, 0.2, 0.9), (2.8, 0.1, 0.0), 0.5, "ZXY"))
    bones.append(bone("foot", 3, tail(bones[3]), (1.9, 0.2, 0.1), 0.2, "YZX", connected=True))
    return Skeleton(tuple(bones))


def tail(bone):
    return bone.rest[:3, 3] + bone.length * bone.rest[:3, 1]


@pytest.fixture(scope="session")
def moving(smooth, rotation_channels, in_mode):
    """A clip that turns every bone of a skeleton, and moves those that are not connected."""

    def make(skeleton, frames=90, fps=30.0, seed=0, scales=False):
        values, channels = [], []
        for number, bone in enumerate(skeleton.bones):
            turns = Rotation.from_rotvec(smooth(frames, 3, seed + number, fps, size=0.6) + [0.5, 0.1, 0.2])
            values.append(in_mode(turns, bone.mode))
            channels += rotation_channels(bone.mode, bone.name)
            for kind, wanted, rest in (("LOCATION", not bone.connected, 0.0), ("SCALE", scales, 1.2)):
                if wanted:
                    values.append(rest + 0.1 * smooth(frames, 3, seed + number + 20, fps))
                    channels += [Channel(f"{bone.path}.{kind.lower()}", index, kind, bone.name) for index in range(3)]
        return Clip(np.hstack(values), tuple(channels), fps, 1)

    return make


@pytest.fixture(scope="session")
def posed(as_rotations):
    """Matrices (frames, bones, 4, 4) in the armature, chained frame by frame the way Blender does."""

    def pose(skeleton, clip):
        columns = {(channel.path, channel.index): values for channel, values in zip(clip.channels, clip.values.T)}

        def read(path, rest, frame):
            return np.array(
                [columns[path, index][frame] if (path, index) in columns else value for index, value in enumerate(rest)]
            )

        result = np.empty((clip.frames, len(skeleton.bones), 4, 4))
        for frame in range(clip.frames):
            for number, bone in enumerate(skeleton.bones):
                parent = result[frame, bone.parent] if bone.parent >= 0 else np.eye(4)
                rest = skeleton.bones[bone.parent].rest if bone.parent >= 0 else np.eye(4)
                start = parent @ np.linalg.inv(rest) @ bone.rest
                move, turn, size = np.eye(4), np.eye(4), np.eye(4)
                if not bone.connected:
                    move[:3, 3] = read(bone.path + ".location", bone.location, frame)
                turned = read(bone.rotation_path, bone.rotation, frame)
                turn[:3, :3] = as_rotations(turned[None], bone.mode).as_matrix()[0]
                size[:3, :3] = np.diag(read(bone.path + ".scale", bone.scale, frame))
                result[frame, number] = start @ move @ turn @ size
                if bone.inherit_scale == "NONE":
                    straight = parent.copy()
                    straight[:3, :3] /= np.linalg.norm(straight[:3, :3], axis=0)
                    axes = (straight @ np.linalg.inv(rest) @ bone.rest @ turn @ size)[:3, :3]
                    result[frame, number, :3, :3] = axes
        return result

    return pose


@pytest.fixture(scope="session")
def with_root():
    """A skeleton on a root bone that stays behind, moved and turned from rest, and a bone beside it that stays too."""

    def add(skeleton):
        root = Bone(
            "root",
            -1,
            np.eye(4),
            0.3,
            False,
            "QUATERNION",
            'pose.bones["root"]',
            location=(0.4, 0.3, 0.0),
            rotation=(0.8, 0.0, 0.0, 0.6),
        )
        bones = [replace(bone, parent=bone.parent + 1) for bone in skeleton.bones]
        aside = replace(root, name="aside", parent=0, path='pose.bones["aside"]')
        return replace(skeleton, bones=(root, *bones, aside))

    return add


@pytest.fixture(scope="session")
def with_bone():
    """A skeleton with some fields of one bone replaced."""

    def change(skeleton, name, **fields):
        return Skeleton(tuple(replace(bone, **fields) if bone.name == name else bone for bone in skeleton.bones))

    return change
