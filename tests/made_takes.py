# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes made of arithmetic, with all that recordings have and with the truth about them, to be had in every clone.

As clips for core, `take(name)`, and as BVH files beside a truth.json for Blender, `write(folder)`: these bear the names of the
recorded takes that they stand in for, and the truth is in the recordings' own words.
"""

import io
import json
import os
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
from made_motion import BALL, RUN, SHIN, SIDES, SOCKET, THIGH, Manner, Stand, standing, stepping
from motion_signal.core.body.contacts import POINTS
from motion_signal.core.body.walking_figure import noise, turn
from motion_signal.core.files import bvh
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Bone, Skeleton
from motion_signal.core.numeric import rotation
from scipy.spatial.transform import Rotation

STRANGER = "fair1_wave_hello"  # bones of the same names that rest otherwise
RECORDED = Path(os.environ.get("MOTION_SIGNAL_TAKES", Path(__file__).resolve().parents[2] / "shared" / "mocap"))
FPS, UNIT = 120.0, 0.0564444  # metres, in which the files count
CUT_OFF = 0.1  # seconds
TO_BVH = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # Y up, facing Z
LYING = turn(0.0, 0.0, -90.0)  # on the back

# Name, parent, metres from it to the left, back and up. A name that begins with Left stands for both sides.
JOINTS = (
    ("Hips", "", (0, 0, 0)),
    ("LHipJoint", "Hips", (0, 0, 0)),
    ("LeftUpLeg", "LHipJoint", SOCKET),
    ("LeftLeg", "LeftUpLeg", (0, 0, -THIGH)),
    ("LeftFoot", "LeftLeg", (0, 0, -SHIN)),
    ("LeftToeBase", "LeftFoot", BALL),
    ("LowerBack", "Hips", (0, 0, 0)),
    ("Spine", "LowerBack", (0, 0.005, 0.125)),
    ("Spine1", "Spine", (0, 0.01, 0.125)),
    ("Neck", "Spine1", (0, 0, 0)),
    ("Neck1", "Neck", (0, -0.015, 0.085)),
    ("Head", "Neck1", (0, 0.015, 0.085)),
    ("LeftShoulder", "Spine1", (0, 0, 0)),
    ("LeftArm", "LeftShoulder", (0.185, 0, 0.05)),
    ("LeftForeArm", "LeftArm", (0.28, 0, 0)),
    ("LeftHand", "LeftForeArm", (0.19, 0, 0)),
    ("LeftFingerBase", "LeftHand", (0, 0, 0)),
    ("LeftHandIndex1", "LeftFingerBase", (0.045, 0, 0)),
    ("LThumb", "LeftHand", (0, 0, 0)),
)
TIPS = {"LeftToeBase": (0, -0.065, 0), "Head": (0, 0, 0.09), "LeftHandIndex1": (0.036, 0, 0), "LThumb": (0.037, -0.037, 0)}


@dataclass(frozen=True)
class Recipe:
    """What a take is made of: the motion, who moves, and what the capture did to it."""

    motion: object
    rows: int = 360
    size: float = 1.0
    seed: int = 1
    slide: float = 0.0  # metres by which the whole figure is led astray
    farther: float = 0.0  # of the way that it goes is gone too far, so that feet slide steadily
    jitter: float = 0.0  # degrees of noise in every angle
    sinks: float = 0.0  # metres a second that the ground is lower
    lost: tuple = ()  # rows in which a toe's marker is lost and the foot turned away
    pose: int = 0  # rows in front of the take in which it stands in its rest pose, with all zeros after the first
    behind: bool = False  # a root bone that stays where the figure began
    lying: bool = False  # the skeleton rests on its back


@dataclass(frozen=True)
class Take:
    """A clip, its skeleton, and what is true of it: contacts of points and whole feet by frames, as they are found."""

    clip: Clip
    skeleton: Skeleton
    contacts: dict
    strikes: dict
    speed: float
    stride: float  # seconds
    turn: float  # degrees to the left
    first: int  # the frame at which the motion begins
    joints: tuple = field(repr=False)
    local: np.ndarray = field(repr=False)  # (frames, joints, 3, 3) in the world's axes at rest
    hips: np.ndarray = field(repr=False)
    recipe: Recipe = field(repr=False, default=None)


@cache
def make(recipe):
    """The take of a recipe."""
    walks = isinstance(recipe.motion, Manner)
    motion = (stepping if walks else standing)(recipe.motion, recipe.rows - recipe.pose, FPS, recipe.seed)
    joints = resized(recipe.size)
    frames, first = recipe.rows, 1 + recipe.pose
    hips = recipe.size * motion.hips * (1 + recipe.farther, 1 + recipe.farther, 1) + wander(recipe)
    hips[:, :2] -= 0.5 * (hips[:, :2].min(axis=0) + hips[:, :2].max(axis=0))  # in the middle of where it is captured
    names = [name for name, _, _ in joints]
    turns = [motion.turns[posed_as(names, joints, number, motion.turns)] for number in range(len(names))]
    local = np.stack(
        [
            own if parent == "" else np.swapaxes(turns[names.index(parent)], 1, 2) @ own
            for own, (_, parent, _) in zip(turns, joints)
        ],
        axis=1,
    )
    if recipe.jitter:
        shaken = np.random.default_rng([recipe.seed, 11]).normal(size=(3, *local.shape[:2])) * recipe.jitter
        local = local @ turn(*(shaken * [name in motion.turns for name in names]))
    for row in recipe.lost:
        local[row - recipe.pose, names.index("RightFoot")] = turn(0.0, 35.0, 60.0)
    if recipe.lying:
        joints = tuple((name, parent, LYING @ offset) for name, parent, offset in joints)
        local = LYING @ local @ LYING.T
        local[:, 0] = turns[0] @ LYING.T
    if recipe.pose:
        local = np.concatenate([np.tile(np.eye(3), (recipe.pose, len(names), 1, 1)), local])
        hips = np.concatenate([hips[:1], np.zeros((recipe.pose - 1, 3)), hips])
    skeleton = skeleton_of(joints, recipe)
    clip = clip_of(skeleton, joints, local, hips)
    contacts = {point: intervals(rows, first, frames) for point, rows in motion.down.items()}
    contacts |= {point: [] for point in POINTS if point.endswith("hand")}
    strikes = {f"{side}_foot": [start for start, _ in contacts[f"{side}_foot"] if start > first] for side in SIDES}
    turned = motion.headings[-1] - motion.headings[0]
    speed = recipe.size * (1.0 + recipe.farther) * float(np.median(motion.speeds))
    return Take(
        clip,
        skeleton,
        contacts,
        strikes,
        speed,
        recipe.motion.stride if walks else 0.0,
        float(turned),
        first,
        joints,
        local,
        hips,
        recipe,
    )


def posed_as(names, joints, number, turns):
    """The bone that a joint turns as: itself, or the next above that has a turn of its own."""
    while names[number] not in turns:
        number = names.index(joints[number][1])
    return names[number]


def wander(recipe):
    """How far the capture leads the figure astray, (frames, 3), in metres."""
    time = np.arange(recipe.rows - recipe.pose) / FPS
    astray = recipe.slide * noise(time, np.random.default_rng([recipe.seed, 13]), 0.15, 0.9, (3,)) * [1.0, 1.0, 0.25]
    astray[:, 2] -= recipe.sinks * time
    return astray


def intervals(rows, first, last):
    """First and last frames of spells; a foot that leaves at once, or comes down as the take ends, is not known to stand."""
    edges = np.flatnonzero(np.diff(rows.astype(int), prepend=0, append=0))
    spells = [[int(first + start), int(first + end - 1)] for start, end in zip(edges[::2], edges[1::2])]
    return [[start, end] for start, end in spells if end - start > CUT_OFF * FPS or (start > first and end < last)]


def mirrored(name):
    return name.replace("Left", "Right").replace("LHip", "RHip").replace("LThumb", "RThumb")


@cache
def resized(size):
    """All joints (name, parent, offset), parents first, of a figure of such a size."""
    order = []
    for name, parent, offset in JOINTS:
        order.append((name, parent, size * np.array(offset, float)))
        if name == "LeftToeBase" or name == "LThumb":  # the other side follows when a limb is whole
            limb = [
                joint
                for joint in order
                if mirrored(joint[0]) != joint[0] and mirrored(joint[0]) not in [other for other, _, _ in order]
            ]
            order += [(mirrored(own), mirrored(above), away * (-1, 1, 1)) for own, above, away in limb]
    return tuple(order)


def tips(size, lying):
    both = {**TIPS, **{mirrored(name): np.multiply(tip, (-1, 1, 1)) for name, tip in TIPS.items() if mirrored(name) != name}}
    return {name: (LYING if lying else np.eye(3)) @ (size * np.array(tip, float)) for name, tip in both.items()}


def skeleton_of(joints, recipe):
    """The joints as bones that begin at the origin, each along the way to its child."""
    names, ends = [name for name, _, _ in joints], tips(recipe.size, recipe.lying)
    bones, heads = [], {}
    if recipe.behind:
        bones.append(Bone("Root", -1, np.eye(4), 0.2 * recipe.size, False, "XYZ", 'pose.bones["Root"]', rotation=(0.0,) * 3))
    for name, parent, offset in joints:
        heads[name] = heads.get(parent, np.zeros(3)) + offset
        ahead = [away for _, above, away in joints if above == name and np.any(away)] or [ends.get(name, (0, 0, 0.05))]
        along = np.array(ahead[-1] if name.startswith("Spine") else ahead[0], float)
        length = np.linalg.norm(along)
        across = np.cross(along, (0, 0, 1) if "Foot" in name or "Toe" in name else (0, -1, 0))
        across = across / np.linalg.norm(across) if np.linalg.norm(across) > 1e-6 else np.array([1.0, 0.0, 0.0])
        rest = np.eye(4)
        rest[:3] = np.stack([across, along / length, np.cross(across, along / length), heads[name]], axis=1)
        index = names.index(parent) + recipe.behind if parent else -1 + recipe.behind
        bones.append(Bone(name, index, rest, length, False, "XYZ", f'pose.bones["{name}"]', rotation=(0.0,) * 3))
    return Skeleton(tuple(bones))


def clip_of(skeleton, joints, local, hips):
    """Places of the hips and Euler angles of every bone, along the axes that bones have at rest."""
    bones = {bone.name: bone for bone in skeleton.bones}
    values, channels = [], []
    for number, (name, parent, _) in enumerate(joints):
        axes, path = bones[name].rest[:3, :3], bones[name].path
        if not parent:
            values.append(hips @ axes)
            channels += [Channel(f"{path}.location", index, "LOCATION", name) for index in range(3)]
        q = np.moveaxis(Rotation.from_matrix(axes.T @ local[:, number] @ axes).as_quat(scalar_first=True), 1, 0)[:, :, None]
        values.append(rotation.to_euler(q, "XYZ", np.zeros((3, *q.shape[1:])))[:, :, 0].T)
        channels += [Channel(f"{path}.rotation_euler", index, "XYZ", name) for index in range(3)]
    return Clip(np.hstack(values), tuple(channels), FPS, 1)


def write(folder):
    """The takes that stand in for recorded ones as BVH files, and the truth about them."""
    truth = {}
    for name, recipe in STAND_INS.items():
        made = make(recipe)
        write_bvh(folder / f"{name}.bvh", made)
        walks = isinstance(recipe.motion, Manner)
        truth[f"{name}.bvh"] = {
            "rows": recipe.rows,
            "fps_true": FPS,
            "unit": UNIT,
            "skip": recipe.pose,
            "median_speed": made.speed,
            "contacts": {side[0].upper(): made.contacts[f"{side}_foot"] for side in SIDES},
            "strikes": {side[0].upper(): made.strikes[f"{side}_foot"] for side in SIDES} if walks else None,
            "stride_frames": [FPS * made.stride],
            "acf_cycle_frames": FPS * made.stride,
        }
    (folder / "truth.json").write_text(json.dumps(truth), "utf-8")
    (folder / "other").mkdir()
    write_bvh(folder / "other" / f"{STRANGER}.bvh", make(replace(STAND_INS["cmu_07_01_walk_normal"], lying=True)))


def write_bvh(path, made):
    """A take as a BVH file, its frame time to the digit."""
    text = io.BytesIO()
    bvh.write(text, hierarchy(made), 1.0 / FPS, bvh_rows(made))
    path.write_bytes(text.getvalue().replace(b"Frame Time: 0.008333\n", b"Frame Time: %.12f\n" % (1.0 / FPS)))


def bvh_rows(made):
    """Values (frames, channels): where the hips are, and turns about Z, Y and X of every joint, in degrees."""
    angles = Rotation.from_matrix((TO_BVH @ made.local @ TO_BVH.T).reshape(-1, 3, 3)).as_euler("ZYX", degrees=True)
    return np.hstack([made.hips @ TO_BVH.T / UNIT, angles.reshape(len(made.hips), -1)])


def hierarchy(made):
    """The skeleton's text. Its rows are in the order of the joints, which is that of the text."""
    ends, above = tips(made.recipe.size, made.recipe.lying), {name: parent for name, parent, _ in made.joints}
    lines, open_ = ["HIERARCHY"], []

    def offset(away):
        return "OFFSET {:.6f} {:.6f} {:.6f}".format(*(TO_BVH @ away / UNIT))

    for name, parent, away in made.joints:
        while open_ and open_[-1] != parent:
            lines.append("\t" * (len(open_) - 1) + "}")
            open_.pop()
        tabs, kind = "\t" * len(open_), "JOINT" if parent else "ROOT"
        channels = ("" if parent else "Xposition Yposition Zposition ") + "Zrotation Yrotation Xrotation"
        lines += [
            f"{tabs}{kind} {name}",
            tabs + "{",
            f"{tabs}\t{offset(away)}",
            f"{tabs}\tCHANNELS {len(channels.split())} {channels}",
        ]
        if name not in above.values():
            lines += [f"{tabs}\tEnd Site", f"{tabs}\t{{", f"{tabs}\t\t{offset(ends[name])}", f"{tabs}\t}}"]
        open_.append(name)
    return "\n".join([*lines, *("\t" * depth + "}" for depth in reversed(range(len(open_))))]) + "\n"


# What only one of them does, for core.
WALK = Manner()
KICK = Stand(
    right=((0.6, 1.2, -0.05, -0.55, 0.75, 20.0), (1.9, 2.4, -0.05, -0.5, 0.9, 30.0)),
    left_arm=((0, 20, 70),),
    right_arm=((0, 20, 70),),
)
TAKES = {
    "walk": Recipe(WALK),
    "slow": Recipe(replace(WALK, speed=0.8, stride=1.4), 480),
    "run": Recipe(RUN),
    "fast": Recipe(replace(WALK, speed=1.75, stride=0.98, bounce=0.024, crouch=0.05, swing=26.0)),
    "kick": Recipe(KICK),
    "turn": Recipe(replace(WALK, speed=1.0, turns=((0.8, 3.0, 90.0),)), 480),
    "limp": Recipe(replace(WALK, speed=0.9, limp=1.0)),
    "jitter": Recipe(WALK, jitter=0.25),
    "slide": Recipe(WALK, slide=0.006, farther=0.03),
    "sinks": Recipe(WALK, sinks=0.012),
    "lost": Recipe(WALK, lost=(100, 163, 240)),
    "pose": Recipe(WALK, pose=1),
    "behind": Recipe(WALK, behind=True),
    "lying": Recipe(WALK, lying=True),
}


def take(name):
    """A take by what it does."""
    return make(TAKES[name])


def captured(motion, rows, size, seed, **more):
    """A recipe with the faults that captures have."""
    own = replace(motion, speed=motion.speed / size) if isinstance(motion, Manner) else motion
    return Recipe(own, rows, size, seed, **{"slide": 0.007, "jitter": 0.03, "farther": 0.03, "pose": 1, **more})


def bent(*degrees, stride):
    """Turns of so many degrees, one after the other, each over so many strides."""
    return tuple((0.5 + stride * number, 0.5 + stride * (number + 1), each) for number, each in enumerate(degrees))


SAD = Manner(
    0.83,
    1.175,
    turns=((2.6, 4.6, -98.0),),
    toes_up=9.0,
    push=45.0,
    lift=0.04,
    bounce=0.012,
    crouch=0.03,
    swing=9.0,
    lean=7.0,
    bow=24.0,
    slouch=9.0,
    sway=3.0,
)
HAPPY = Manner(
    1.35, 1.058, toes_up=20.0, push=60.0, lift=0.07, bounce=0.024, swing=28.0, elbow=25.0, lean=1.0, bow=-6.0, sway=5.0
)
DRUNK = Manner(
    0.67,
    1.233,
    turns=bent(-38.0, 60.0, -45.0, stride=2.2),
    irregular=0.07,
    stray=0.03,
    width=0.16,
    down=0.68,
    lift=0.05,
    sway=6.0,
    lean=6.0,
    bow=8.0,
    swing=12.0,
)
MARCH = Manner(
    0.93,
    1.208,
    turns=((3.0, 5.2, -180.0), (7.0, 8.8, -105.0)),
    toes_up=8.0,
    push=45.0,
    lift=0.14,
    swing=34.0,
    elbow=16.0,
    lean=0.0,
)
STRUT = Manner(0.6, 1.683, turns=((4.0, 6.0, -78.0),), width=0.04, sway=7.0, swing=14.0, toes_up=8.0, down=0.66)
EIGHT = Manner(0.785, 1.533, turns=((0.4, 6.6, 360.0), (6.6, 12.4, -360.0)), swing=15.0)
SEARCH = Manner(
    0.55,
    1.3,
    turns=((0.3, 1.0, -55.0), (2.4, 3.2, -60.0)),
    pauses=((1.17, 1.1), (2.17, 1.1)),
    down=0.72,
    swing=8.0,
    bow=14.0,
    lean=9.0,
)
PUNCHES = Stand(
    hips=(
        (0, 0, 0, 0),
        (1.4, 0, 0, 0),
        (1.8, 0, -0.12, -0.04),
        (2.4, 0, 0, 0),
        (2.9, 0, 0, 0),
        (3.3, 0, -0.12, -0.04),
        (4, 0, 0, 0),
        (6, 0, 0, 0),
        (6.36, 0, -0.12, -0.04),
        (7, 0, 0, 0),
    ),
    left_arm=((0, 20, 100),),
    right_arm=(
        (0, 20, 110),
        (1.45, 0, 120),
        (1.83, 85, 5),
        (2.4, 20, 110),
        (2.9, 0, 120),
        (3.29, 85, 5),
        (4, 20, 110),
        (5.9, 0, 120),
        (6.36, 85, 5),
        (7, 20, 110),
    ),
    right=((8.0, 9.0, -0.05, -0.55, 0.75, 20.0), (9.6, 10.5, -0.05, -0.5, 0.9, 30.0)),
    bent=0.05,
)
JUMP = Stand(
    hips=(
        (0, 0, 0, 0),
        (0.8, 0, 0.02, -0.28),
        (1.25, 0, 0, 0.02),
        (1.62, 0, 0, 0.38),
        (1.98, 0, 0, 0.0),
        (2.25, 0, 0.02, -0.2),
        (2.9, 0, 0, 0),
    ),
    left=((1.24, 2.0, 0.11, 0.03, 0.46, -40.0),),
    right=((1.24, 1.98, -0.11, 0.03, 0.46, -40.0),),
    left_arm=((0, 0, 15), (0.8, -50, 20), (1.4, 150, 20), (2.3, 0, 15)),
    right_arm=((0, 0, 15), (0.8, -50, 20), (1.4, 150, 20), (2.3, 0, 15)),
)
SIT = Stand(
    hips=((0, 0, 0, 0), (2.0, 0, 0, 0), (3.4, 0, 0.42, -0.42), (5.0, 0, 0.42, -0.42), (6.4, 0, 0, 0)),
    lean=((0, 3), (2.0, 3), (2.7, 35), (3.6, 8), (4.8, 8), (5.6, 35), (6.5, 3)),
)
WAVE = Stand(right_arm=((0, 0, 15), (1.0, 140, 30), (1.3, 140, 60), (1.6, 140, 20), (1.9, 140, 60), (2.3, 0, 15)))

STAND_INS = {
    f"cmu_{name}": recipe
    for name, recipe in {
        "07_01_walk_normal": captured(replace(WALK, speed=1.34, stride=1.075, start=0.6), 317, 1.0, 71),
        "07_05_walk_slow": captured(
            replace(WALK, speed=0.95, stride=1.4, swing=10.0, elbow=8.0, lean=1.0, toes_up=13.0, push=50.0, bounce=0.012),
            417,
            1.0,
            75,
        ),
        "07_11_walk_fast": captured(
            replace(
                WALK,
                speed=1.66,
                stride=1.06,
                swing=29.0,
                elbow=24.0,
                lean=5.0,
                toes_up=22.0,
                push=64.0,
                bounce=0.024,
                crouch=0.052,
            ),
            316,
            1.0,
            711,
        ),
        "07_12_walk_brisk_badrow": captured(
            replace(WALK, speed=1.9, stride=0.89, swing=32.0, elbow=30.0, lean=6.0, bounce=0.024, crouch=0.052),
            264,
            1.0,
            712,
            pose=2,
        ),
        "16_18_walk_turn_left90": captured(replace(WALK, speed=0.92, stride=1.167, turns=((1.9, 3.2, 87.0),)), 521, 1.06, 1618),
        "16_20_walk_turn_right90": captured(replace(WALK, speed=0.93, stride=1.2, turns=((1.0, 2.9, -80.0),)), 504, 1.06, 1620),
        "16_36_run_jog": captured(RUN, 190, 1.06, 1636, farther=0.05),
        "82_10_walk_sad": captured(SAD, 565, 0.97, 8210),
        "82_12_walk_happy": captured(HAPPY, 403, 0.97, 8212),
        "111_13_march": captured(MARCH, 1282, 0.93, 11113),
        "137_16_walk_drunk": captured(DRUNK, 1533, 0.98, 13716),
        "137_38_walk_sexy_lady": captured(STRUT, 2020, 0.98, 13738),
        "104_36_walk_figure8_long": captured(EIGHT, 2316, 0.96, 10436),
        "77_26_search": captured(SEARCH, 652, 0.95, 7726),
        "113_14_dance_circle": captured(
            replace(WALK, speed=0.61, stride=0.62, turns=((0.0, 13.0, -684.0),), lift=0.09), 1013, 0.92, 11314
        ),
        "113_13_punch_kick": captured(PUNCHES, 1344, 0.92, 11313),
        "113_15_sit_chair": captured(SIT, 954, 0.92, 11315),
        "16_04_jump_high": captured(JUMP, 381, 1.06, 1604),
        "141_16_wave_60fps_mislabelled": captured(WAVE, 300, 0.94, 14116),
    }.items()
}
