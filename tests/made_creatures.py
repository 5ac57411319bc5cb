# SPDX-License-Identifier: GPL-3.0-or-later
"""Creatures made of arithmetic that walk: a horse, a spider, a bird and a robot with three legs.

A body goes along -Y at an even pace. Every leg has a hip on it, a knee and a foot; feet stand where they are put for a part of
the stride and fly to their next place, and two-bone IK finds the knees. Metres, Z up.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Bone, Skeleton
from scipy.spatial.transform import Rotation

FPS, STRIDE, DOWN = 60.0, 1.0, 0.65  # frames a second, seconds, part of a stride that a foot stands


@dataclass(frozen=True)
class Leg:
    """A leg: its name, where its hip is, where its foot stands under the body, which way its knee points, and when it steps."""

    name: str
    hip: tuple
    foot: tuple
    knee: tuple
    phase: float


HORSE = (
    Leg("hind.L", (0.2, 0.6, 1.2), (0.2, 0.6, 0.1), (0.0, -1.0, 0.0), 0.0),
    Leg("hind.R", (-0.2, 0.6, 1.2), (-0.2, 0.6, 0.1), (0.0, -1.0, 0.0), 0.5),
    Leg("fore.L", (0.2, -0.6, 1.2), (0.2, -0.6, 0.1), (0.0, 1.0, 0.0), 0.25),
    Leg("fore.R", (-0.2, -0.6, 1.2), (-0.2, -0.6, 0.1), (0.0, 1.0, 0.0), 0.75),
)
SPIDER = tuple(
    Leg(f"leg{number}.{side}", (0.15 * sign, along, 0.3), (0.7 * sign, 2.5 * along, 0.03), (0.4 * sign, 0.0, 1.0), phase)
    for number, along in enumerate((-0.2, -0.07, 0.07, 0.2))
    for side, sign, phase in (("L", 1.0, 0.5 * (number % 2)), ("R", -1.0, 0.5 * ((number + 1) % 2)))
)
BIRD = (
    Leg("leg.L", (0.08, 0.0, 0.45), (0.08, 0.0, 0.04), (0.0, 1.0, 0.0), 0.0),
    Leg("leg.R", (-0.08, 0.0, 0.45), (-0.08, 0.0, 0.04), (0.0, 1.0, 0.0), 0.5),
)
ROBOT = tuple(
    Leg(
        f"strut{number}",
        (0.2 * np.sin(angle), -0.2 * np.cos(angle), 0.9),
        (0.5 * np.sin(angle), -0.5 * np.cos(angle), 0.06),
        (np.sin(angle), -np.cos(angle), 0.3),
        number / 3.0,
    )
    for number, angle in enumerate(2.0 * np.pi * np.arange(3) / 3.0)
)
CREATURES = {"horse": HORSE, "spider": SPIDER, "bird": BIRD, "robot": ROBOT}


@cache
def creature(name, frames=240):
    """The skeleton of a creature, its walk, and when each foot stands, {bone: (frames,)}."""
    legs = CREATURES[name]
    time = np.arange(frames) / FPS
    height = legs[0].hip[2]
    pace = 0.5 * height / STRIDE
    body = np.column_stack([np.zeros(frames), -pace * time, np.full(frames, height)])
    bones = [bone("body", -1, (0.0, 0.0, height), (0.0, -0.3, height))]
    channels = [Channel('pose.bones["body"].location', index, "LOCATION", "body") for index in range(3)]
    values, down = [(body - np.array([0.0, 0.0, height])) @ bones[0].rest[:3, :3]], {}
    for leg in legs:
        hip, foot = np.array(leg.hip), np.array(leg.foot)
        size = 0.58 * np.linalg.norm(foot - hip)
        bent = knee_of(hip[None], foot[None], size, np.array(leg.knee))[0]
        toe = foot + np.array([0.0, -0.12 * height, -0.5 * foot[2]])
        names = [f"{segment}_{leg.name}" for segment in ("upper", "lower", "end")]
        first = len(bones)
        for step, (name_, start, end) in enumerate(zip(names, (hip, bent, foot), (bent, foot, toe))):
            bones.append(bone(name_, 0 if step == 0 else first + step - 1, start, end))
        places, down[names[2]] = stepping(time, foot, pace, leg.phase, 0.15 * height)
        hips = body + hip - np.array([0.0, 0.0, height])
        knees = knee_of(hips, places, size, np.array(leg.knee))
        rests = [bones[first + step].rest[:3, :3] for step in range(3)]
        world = [aimed(rests[0], bent - hip, knees - hips), aimed(rests[1], foot - bent, places - knees)]
        world.append(np.broadcast_to(rests[2], (frames, 3, 3)))
        parents = [np.broadcast_to(bones[0].rest[:3, :3], (frames, 3, 3)), world[0], world[1]]
        rest_parents = [bones[0].rest[:3, :3], rests[0], rests[1]]
        for step in range(3):
            within = np.transpose(parents[step] @ (rest_parents[step].T @ rests[step]), (0, 2, 1)) @ world[step]
            values.append(Rotation.from_matrix(within).as_quat(scalar_first=True, canonical=True))
            channels += [Channel(bones[first + step].rotation_path, i, "QUATERNION", names[step]) for i in range(4)]
    return Skeleton(tuple(bones)), Clip(np.hstack(values), tuple(channels), FPS, 1), down


def stepping(time, foot, pace, phase, lift):
    """Where a foot is (frames, 3), and when it stands."""
    at = time / STRIDE + phase
    count, fraction = np.floor(at), at % 1.0
    flown = np.clip((fraction - DOWN) / (1.0 - DOWN), 0.0, 1.0)
    step = count + 0.5 * DOWN - phase + flown * flown * (3.0 - 2.0 * flown)
    high = lift * np.sin(np.pi * flown)
    return foot + np.column_stack([0.0 * time, -pace * STRIDE * step, high]), fraction <= DOWN


def knee_of(hip, foot, size, pole):
    """Where the knee of a leg of two bones of one size is, (frames, 3)."""
    way = foot - hip
    long = np.linalg.norm(way, axis=1, keepdims=True)
    along = way / long
    aside = pole - (along @ pole)[:, None] * along
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    return hip + 0.5 * way + aside * np.sqrt(np.maximum(size**2 - 0.25 * long**2, 1e-12))


def aimed(rest, before, after):
    """The axes (frames, 3, 3) of a bone turned the shortest way from where it points at rest to where it is to point."""
    before = before / np.linalg.norm(before)
    after = after / np.linalg.norm(after, axis=1, keepdims=True)
    axis = np.cross(before, after)
    sine = np.linalg.norm(axis, axis=1, keepdims=True)
    angle = np.arctan2(sine[:, 0], after @ before)
    return Rotation.from_rotvec(axis / np.maximum(sine, 1e-12) * angle[:, None]).as_matrix() @ rest


def bone(name, parent, head, tail):
    """A bone from head to tail."""
    head, along = np.array(head, dtype=float), np.subtract(tail, head)
    length = np.linalg.norm(along)
    along = along / length
    across = np.cross(along, (0.0, 0.0, 1.0) if abs(along[2]) < 0.9 else (0.0, 1.0, 0.0))
    across /= np.linalg.norm(across)
    rest = np.eye(4)
    rest[:3] = np.column_stack([across, along, np.cross(across, along), head])
    return Bone(name, parent, rest, float(length), False, "QUATERNION", f'pose.bones["{name}"]')
