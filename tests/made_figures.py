# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures to carry takes onto: names, rests, rolls, units and builds as they are met, none of them anybody's own.

A Mixamo-like one stands in a T-pose in centimetres with Y up, an Unreal-like one in an A-pose with five bones in its spine, two
in its neck and twist bones, a child has short legs and a large head, and a creature arms down to its knees.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Bone, Skeleton
from scipy.spatial.transform import Rotation

FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")


@dataclass(frozen=True)
class Build:
    """Lengths in metres, angles in degrees, and how bones are called: {} is the side."""

    names: dict
    sides: tuple
    spine: tuple
    neck: tuple
    thigh: float = 0.44
    shin: float = 0.42
    ankle: float = 0.09
    ball: float = 0.13
    hips: float = 0.09
    trunk: float = 0.48
    throat: float = 0.12
    shoulder: float = 0.17
    upper_arm: float = 0.28
    lower_arm: float = 0.25
    hand: float = 0.09
    down: float = 0.0  # degrees that arms hang down at rest
    root: str = ""
    carrier: str = ""  # a bone on which pelvis and spine hang side by side
    fingers: str = ""
    twist: str = ""
    mode: str = "QUATERNION"
    unit: float = 1.0
    y_up: bool = False
    rolls: int = 0
    lean: tuple = field(default=(0.0, 0.0, 0.0))  # how the rest lies as a whole, a rotation vector in degrees


MIXAMO = Build(
    {
        "pelvis": "mixamorig:Hips",
        "head": "mixamorig:Head",
        "collar": "mixamorig:{}Shoulder",
        "upper_arm": "mixamorig:{}Arm",
        "lower_arm": "mixamorig:{}ForeArm",
        "hand": "mixamorig:{}Hand",
        "upper_leg": "mixamorig:{}UpLeg",
        "lower_leg": "mixamorig:{}Leg",
        "foot": "mixamorig:{}Foot",
        "toe": "mixamorig:{}ToeBase",
    },
    ("Left", "Right"),
    ("mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2"),
    ("mixamorig:Neck",),
    fingers="mixamorig:{}Hand{}{}",
    unit=0.01,
    y_up=True,
    rolls=1,
)
UNREAL = Build(
    {
        "pelvis": "pelvis",
        "head": "head",
        "collar": "clavicle_{}",
        "upper_arm": "upperarm_{}",
        "lower_arm": "lowerarm_{}",
        "hand": "hand_{}",
        "upper_leg": "thigh_{}",
        "lower_leg": "calf_{}",
        "foot": "foot_{}",
        "toe": "ball_{}",
    },
    ("l", "r"),
    ("spine_01", "spine_02", "spine_03", "spine_04", "spine_05"),
    ("neck_01", "neck_02"),
    thigh=0.45,
    shin=0.43,
    ball=0.15,
    hips=0.1,
    trunk=0.5,
    down=50.0,
    root="root",
    twist="lowerarm_twist_01_{}",
    rolls=2,
)
PLAIN = {
    "pelvis": "Hips",
    "head": "Head",
    "collar": "{}Shoulder",
    "upper_arm": "{}Arm",
    "lower_arm": "{}ForeArm",
    "hand": "{}Hand",
    "upper_leg": "{}Thigh",
    "lower_leg": "{}Shin",
    "foot": "{}Foot",
    "toe": "{}Toe",
}
CHILD = Build(
    PLAIN,
    ("Left", "Right"),
    ("Spine1", "Spine2"),
    ("Neck",),
    thigh=0.2,
    shin=0.19,
    ankle=0.05,
    ball=0.08,
    hips=0.065,
    trunk=0.34,
    throat=0.07,
    shoulder=0.11,
    upper_arm=0.15,
    lower_arm=0.14,
    hand=0.05,
    down=35.0,
    mode="XYZ",
    rolls=3,
)
CREATURE = Build(
    {
        "pelvis": "hips",
        "head": "head",
        "collar": "shoulder.{}",
        "upper_arm": "upper_arm.{}",
        "lower_arm": "forearm.{}",
        "hand": "hand.{}",
        "upper_leg": "thigh.{}",
        "lower_leg": "shin.{}",
        "foot": "foot.{}",
        "toe": "toe.{}",
    },
    ("L", "R"),
    ("chest",),
    ("neck",),
    thigh=0.4,
    shin=0.4,
    trunk=0.7,
    shoulder=0.25,
    upper_arm=0.5,
    lower_arm=0.55,
    hand=0.14,
    down=20.0,
    mode="ZXY",
    rolls=4,
)
BUILDS = {"mixamo": MIXAMO, "unreal": UNREAL, "child": CHILD, "creature": CREATURE}


def figure(build):
    """The skeleton of a build at rest, Z up and facing -Y unless it says otherwise."""
    rows = [*joints(build)]
    places = {name: np.array(place, dtype=float) for name, _, place, _ in rows}
    turn = Rotation.from_rotvec(build.lean, degrees=True).as_matrix()
    into = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]) if build.y_up else np.eye(3)
    random, bones, order = np.random.default_rng(build.rolls), [], [name for name, *_ in rows]
    for name, parent, place, tail in rows:
        first = next((places[other] for other, above, *_ in rows if above == name and tail is None), None)
        end = first if first is not None else np.array(place) + (tail if tail is not None else (0.0, 0.0, 0.05))
        head, end = (into @ turn @ np.array(each) / build.unit for each in (place, end))
        along = end - head
        rest = np.eye(4)
        rest[:3, :3] = axes_along(along, random.uniform(-np.pi, np.pi) if build.rolls else 0.0)
        rest[:3, 3] = head
        bones.append(
            Bone(
                name,
                order.index(parent) if parent else -1,
                rest,
                float(np.linalg.norm(along)),
                False,
                build.mode,
                f'pose.bones["{name}"]',
                rotation=(1.0, 0.0, 0.0, 0.0) if build.mode == "QUATERNION" else (0.0, 0.0, 0.0),
            )
        )
    world = np.eye(4)
    world[:3, :3] = into.T * build.unit
    return Skeleton(tuple(bones), tuple(map(tuple, world.tolist())))


def joints(build):
    """Name, parent, place in metres, and the way to the tail where no bone hangs on it, parents first."""
    names, up = build.names, build.ankle + build.shin + build.thigh
    if build.root:
        yield build.root, "", (0.0, 0.0, 0.0), (0.0, -0.2, 0.0)
    if build.carrier:
        yield build.carrier, build.root, (0.0, 0.0, up + 0.02), (0.0, 0.0, 0.1)
    yield names["pelvis"], build.carrier or build.root, (0.0, 0.0, up + 0.02), (0.0, 0.0, 0.1)
    above, height = build.carrier or names["pelvis"], up + 0.1
    for index, name in enumerate(build.spine):
        yield name, above, (0.0, 0.02 * np.sin(2.0 * index), height), None
        above, height = name, height + (build.trunk - 0.1) / len(build.spine)
    chest, height = above, up + build.trunk
    for name in build.neck:
        yield name, above, (0.0, 0.01, height + 0.03), None
        above, height = name, height + build.throat / len(build.neck)
    yield names["head"], above, (0.0, 0.0, height + 0.03), (0.0, 0.0, 0.2)
    for side, word in zip((1.0, -1.0), build.sides):
        own = {part: name.format(word) for part, name in names.items()}
        out = np.array([side * np.cos(np.radians(build.down)), 0.0, -np.sin(np.radians(build.down))])
        shoulder = np.array([side * build.shoulder, 0.01, up + build.trunk])
        yield own["collar"], chest, (side * 0.03, 0.0, up + build.trunk - 0.02), None
        yield own["upper_arm"], own["collar"], shoulder, None
        elbow = shoulder + build.upper_arm * out
        yield own["lower_arm"], own["upper_arm"], elbow, None
        wrist = elbow + build.lower_arm * out
        if build.twist:
            yield build.twist.format(word), own["lower_arm"], elbow + 0.5 * build.lower_arm * out, 0.05 * out
        yield own["hand"], own["lower_arm"], wrist, build.hand * out
        for number, finger in enumerate(FINGERS if build.fingers else ()):
            base = wrist + build.hand * out * (0.4 if number == 0 else 1.0) + np.array([0.0, 0.02 * (number - 2), 0.0])
            parent = own["hand"]
            for joint in (1, 2, 3):
                name = build.fingers.format(word, finger, joint)
                yield name, parent, base + 0.025 * (joint - 1) * out, 0.025 * out
                parent = name
        hip = np.array([side * build.hips, 0.0, up])
        yield own["upper_leg"], names["pelvis"], hip, None
        yield own["lower_leg"], own["upper_leg"], hip - (0.0, 0.005, build.thigh), None
        yield own["foot"], own["lower_leg"], hip - (0.0, 0.0, build.thigh + build.shin), None
        ball = hip - (0.0, build.ball, build.thigh + build.shin + build.ankle - 0.02)
        yield own["toe"], own["foot"], ball, (0.0, -0.06, 0.0)


def axes_along(along, roll):
    """Axes (3, 3) of a bone that points along a way, Y first, rolled about it."""
    y = along / np.linalg.norm(along)
    aside = np.eye(3)[np.argmin(np.abs(y))]
    x = np.cross(y, aside)
    x /= np.linalg.norm(x)
    return np.stack([x, y, np.cross(x, y)], axis=1) @ Rotation.from_rotvec([0.0, roll, 0.0]).as_matrix()


def otherwise(skeleton, seed=0, modes=("QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE"), scale=1.0, posed=None, lying=None):
    """The same body described otherwise: other names, rolls, modes and size, another pose at rest {role or name: rotation
    vector in degrees, in the armature}, lying or elsewhere (a 4 x 4 matrix)."""
    random = np.random.default_rng(seed)
    rests, turns = {}, {}
    for index, bone in enumerate(skeleton.bones):
        above = turns.get(bone.parent, np.eye(3))
        turns[index] = Rotation.from_rotvec((posed or {}).get(bone.name, (0.0, 0.0, 0.0)), degrees=True).as_matrix() @ above
        head = np.array(bone.rest[:3, 3], dtype=float)
        if bone.parent >= 0:
            head = rests[bone.parent][:3, 3] + above @ (head - skeleton.bones[bone.parent].rest[:3, 3])
        rest = np.eye(4)
        rest[:3, :3], rest[:3, 3] = turns[index] @ bone.rest[:3, :3], head
        rests[index] = rest
    bones = []
    for index, bone in enumerate(skeleton.bones):
        rest = (np.eye(4) if lying is None else lying) @ rests[index]
        roll = Rotation.from_rotvec([0.0, random.uniform(-np.pi, np.pi), 0.0]).as_matrix()
        rest = np.block([[rest[:3, :3] @ roll, scale * rest[:3, 3:]], [np.zeros((1, 3)), np.ones((1, 1))]])
        mode, name = str(random.choice(modes)), f"own:{bone.name}"
        start = {"QUATERNION": (1.0, 0.0, 0.0, 0.0), "AXIS_ANGLE": (0.0, 0.0, 1.0, 0.0)}.get(mode, (0.0, 0.0, 0.0))
        bones.append(
            replace(
                bone, name=name, rest=rest, length=scale * bone.length, mode=mode, rotation=start, path=f'pose.bones["{name}"]'
            )
        )
    return Skeleton(tuple(bones), skeleton.world)


CLAP = (
    ("mixamorig:LeftArm", -75.0, (0.0, 0.0, 0.0)),
    ("mixamorig:LeftForeArm", -69.0, (0.0, 0.0, 0.0)),
    ("mixamorig:RightArm", 75.0, (0.0, 0.0, 0.0)),
    ("mixamorig:RightForeArm", 69.0, (0.0, 0.0, 0.0)),
)  # how a Mixamo-like figure brings its palms together


def clapping(skeleton, arms, frames=120, fps=60.0):
    """A clip of a figure that brings its palms together in front of it twice, by its upper arms and elbows alone.

    `arms` are its upper arms and lower arms, left before right. World turns from rest, quaternions.
    """
    part = 0.5 - 0.5 * np.cos(4.0 * np.pi * np.arange(frames) / (frames - 1))
    channels, values, axes = [], [], np.array(skeleton.world)[:3, :3]
    axes = axes / np.linalg.norm(axes, axis=0)
    for name, forward, inward in arms:
        bone = skeleton.bones[skeleton.index(name)]
        rest = axes @ bone.rest[:3, :3]
        turn = Rotation.from_rotvec(np.outer(part, rest.T @ np.array([0.0, 0.0, forward])), degrees=True)
        turn = turn * Rotation.from_rotvec(np.outer(part, rest.T @ np.array(inward)), degrees=True)
        channels += [Channel(bone.rotation_path, axis, "QUATERNION", name) for axis in range(4)]
        values.append(turn.as_quat(scalar_first=True))
    return Clip(np.hstack(values), tuple(channels), fps, 1)
