# SPDX-License-Identifier: GPL-3.0-or-later
"""A walking human made of nothing but arithmetic: something to try every technique on.

The feet come first: each stands where it was put, rolls over heel, ball and toes, and flies to its next place. The
hips ride as high as both legs reach, two-bone IK finds the knees, and the upper body swings against the legs. All of it
is a function of time, so every frame rate samples the same walk. The figure is 1.7 m tall, in metres with Z up, and
walks along -Y, the way Blender's characters face; its left is +X. A phase of 0 to 1 is one stride, from one touch of
the heel to the next.
"""

from typing import NamedTuple

import numpy as np

from ..motion.skeleton import Bone, Skeleton, matrices
from ..numeric import rotation
from ..numeric.refusal import Refusal

SIDES = {".L": 1.0, ".R": -1.0}
SPEEDS = (0.4, 2.0)  # metres a second: slower is standing, faster is running
STEP_LAW = 0.0058  # metres a step for each step a minute: people lengthen and quicken their steps together
STRIDE = 1.345  # metres, the stride that the numbers below were made for
FOOT_FLAT = 0.20  # phase at which heel and toes are both on the ground
FOOT_OFF = 0.62  # phase at which the toes leave the ground
HIP_OVER_FOOT = 0.23  # phase at which the hip passes over the planted ankle
LEG_REACH = 0.9985  # the longest leg allowed, as a part of a straight one
FOOT_LINE = 0.05  # metres from the line of travel to each foot
TOE_OUT = 6.0  # degrees

# Phase and degrees from the ground, toes up positive; level from the last key to the first of the next stride.
SOLE_PITCH = ((0.30, 0), (0.50, -17.5), (0.62, -61.5), (0.68, -65.5), (0.80, -20), (0.92, 19), (1.0, 18.5), (1.08, 0))
TOE_PITCH = ((0.54, 0), (0.62, -38), (0.69, -48), (0.80, -6), (0.90, 20), (1.0, 25), (1.09, 0))
# Phase and the part of the stride that is flown; phase and metres above the straight way.
FLIGHT = ((0.62, 0), (0.72, 0.25), (0.82, 0.61), (0.92, 0.88), (1.0, 1))
LIFT = ((0.62, 0), (0.70, 0.062), (0.80, 0.049), (0.90, 0.003), (1.0, 0))

# Name, parent, head, tail. A name that ends in .L stands for both sides.
BONES = (
    ("hips", "", (0, 0, 0.90), (0, 0.012, 1.01)),
    ("spine", "hips", (0, 0.012, 1.01), (0, 0.018, 1.19)),
    ("chest", "spine", (0, 0.018, 1.19), (0, 0.034, 1.43)),
    ("neck", "chest", (0, 0.034, 1.43), (0, 0.014, 1.53)),
    ("head", "neck", (0, 0.014, 1.53), (0, 0.006, 1.71)),
    ("shoulder.L", "chest", (0.025, 0.010, 1.40), (0.165, 0.030, 1.405)),
    ("upper_arm.L", "shoulder.L", (0.165, 0.030, 1.405), (0.370, 0.040, 1.200)),
    ("forearm.L", "upper_arm.L", (0.370, 0.040, 1.200), (0.545, 0.015, 1.025)),
    ("hand.L", "forearm.L", (0.545, 0.015, 1.025), (0.640, -0.005, 0.930)),
    ("thigh.L", "hips", (0.085, 0, 0.90), (0.085, -0.012, 0.49)),
    ("shin.L", "thigh.L", (0.085, -0.012, 0.49), (0.085, 0.015, 0.085)),
    ("foot.L", "shin.L", (0.085, 0.015, 0.085), (0.085, -0.120, 0.022)),
    ("toe.L", "foot.L", (0.085, -0.120, 0.022), (0.085, -0.190, 0.012)),
)


class WalkMotion(NamedTuple):
    """Local rotations (frames, bones, 4) wxyz of FIGURE, and the hips' location (frames, 3) along their own axes."""

    rotations: np.ndarray
    location: np.ndarray


def walk(frames=180, fps=30.0, speed=1.3, seed=1):
    """Make a human walk of so many frames for the bones of FIGURE."""
    check(frames, fps, speed)
    time = np.arange(int(frames)) / fps
    stride = 2 * np.sqrt(speed * 60 * STEP_LAW)
    phase, vigor = time * speed / stride, stride / STRIDE
    random = np.random.default_rng(seed)
    posture = 0.6 * noise(time, random, 0.05, 0.4, (3,))
    shake = dict(zip(NAMES, 0.2 * noise(time, random, 0.2, 9.0, (len(NAMES), 3)).transpose(1, 2, 0)))
    feet = {side: roll_foot(phase, stride, vigor, side, seed) for side in SIDES}
    turns = swing_body(phase, vigor, posture)
    turns = {name: matrix @ turn(*shake[name]) for name, matrix in turns.items()}
    hips = carry_hips(phase, -speed * time, vigor, turns["hips"], feet)
    for side in SIDES:
        turns |= bend_leg(hips, turns["hips"], feet[side], side, shake["thigh" + side][2])
    return WalkMotion(local_rotations(turns), (hips - HEADS["hips"]) @ FIGURE.bones[0].rest[:3, :3])


def joints(motion):
    """Place heads and tails (frames, bones, 3) of the walking figure, in metres."""
    location = np.zeros((*motion.rotations.shape[:2], 3))
    location[:, 0] = motion.location
    rotations = np.stack([matrices(motion.rotations[:, bone].T) for bone in range(len(NAMES))], axis=1)
    axes, heads = FIGURE.forward(rotations, location, np.ones_like(location))
    return heads, heads + axes[..., 1] * np.array([bone.length for bone in FIGURE.bones])[:, None]


def roll_foot(phase, stride, vigor, side, seed):
    """Roll one foot over the ground: its ankle (frames, 3) and the turns of sole and toes (frames, 3, 3)."""
    sign, late = SIDES[side], 0.5 * (side == ".R")
    count = np.floor(phase + late).astype(int)
    fraction = phase + late - count
    steps = np.arange(count[-1] + 2)
    stray = np.random.default_rng([seed, int(2 * late)]).normal(size=(len(steps), 2)).clip(-2, 2)
    places = np.stack(
        [
            sign * FOOT_LINE + 0.006 * stray[:, 0],
            (late - steps - HIP_OVER_FOOT) * stride + 0.008 * stray[:, 1],
            np.full(len(steps), HEADS["foot.L"][2]),
        ],
        axis=1,
    )
    flown = np.where(fraction < FOOT_OFF, 0, curve(fraction, FLIGHT))[:, None]
    level, sole, toes = (
        turn(sign * TOE_OUT, 0, -vigor * pitch)
        for pitch in (0 * fraction, curve(fraction, SOLE_PITCH), curve(fraction, TOE_PITCH))
    )
    heel_weight = np.where(fraction[:, None] < FOOT_FLAT, 1, flown)
    over_heel = (level - sole) @ HEEL
    over_toes = (level - sole) @ BALL + (level - toes) @ TIP
    ankle = places[count] + flown * (places[count + 1] - places[count])
    ankle += heel_weight * over_heel + (1 - heel_weight) * over_toes
    ankle[:, 2] += vigor * curve(fraction, LIFT)
    return ankle, sole, toes


def swing_body(phase, vigor, posture):
    """Swing hips, spine, head and arms against the legs: a turn (frames, 3, 3) from rest for each bone."""

    def wave(degrees, delay, times=1):
        return degrees * vigor * np.cos(2 * np.pi * times * (phase - delay))

    yaw, side, lean = posture.T
    turns = {
        "hips": turn(wave(-5, 0), wave(-4, 0.15) + 0.3 * side, 2 + wave(1, 0.10, 2) + 0.3 * lean),
        "spine": turn(wave(-1, 0) + 0.5 * yaw, wave(1, 0.18) + 0.7 * side, 1 + wave(1, 0.10, 2) + 0.7 * lean),
        "chest": turn(wave(5, 0.02) + yaw, wave(1.5, 0.20) + side, 3 + wave(1.2, 0.12, 2) + lean),
        "neck": turn(wave(2, 0.03) + yaw, wave(0.6, 0.22) + 0.5 * side, 3 + wave(0.6, 0.14, 2) + 0.5 * lean),
        "head": turn(wave(0.6, 0.04) + 1.5 * yaw, wave(0.4, 0.24), 2 + wave(-1, 0.30, 2)),
    }
    for end, sign in SIDES.items():
        swing, later, last = (wave(sign, delay) for delay in (0.03, 0.09, 0.13))
        shoulder = turns["chest"] @ turn(sign * (3 * swing - 1), 0, 0)
        arm = shoulder @ turn(0, 0, 3 + 20 * swing + wave(2, 0.05, 2))
        elbow = arm @ turn(sign * (3 * later - 10), 0, 10 * later - 10 * vigor - 5 - wave(2, 0.10, 2))
        wrist = elbow @ turn(sign * -8, 0, 6 * last - 5)
        turns |= {
            "shoulder" + end: shoulder,
            "upper_arm" + end: arm @ turn(0, sign * 38, 0),
            "forearm" + end: elbow @ turn(0, sign * 42, 0),
            "hand" + end: wrist @ turn(0, sign * 43, 0),
        }
    return turns


def carry_hips(phase, travel, vigor, hips_turn, feet):
    """Carry the hips (frames, 3) over the feet, never higher than both legs reach."""
    x = 0.018 * np.cos(2 * np.pi * (phase - 0.30))
    y = travel - 0.005 * vigor**2 * np.cos(4 * np.pi * (phase - 0.12))
    heights = [0.895 - 0.012 * vigor - 0.012 * vigor**2 * np.cos(4 * np.pi * (phase - 0.07))]
    for side, (ankle, _, _) in feet.items():
        socket = hips_turn @ (HEADS["thigh" + side] - HEADS["hips"])
        across = np.hypot(x + socket[:, 0] - ankle[:, 0], y + socket[:, 1] - ankle[:, 1])
        heights.append(ankle[:, 2] - socket[:, 2] + np.sqrt((LEG_REACH * (THIGH + SHIN)) ** 2 - across**2))
    softness = 0.006  # metres: a smooth minimum, so that no knee snaps straight
    return np.stack([x, y, -softness * np.log(np.exp(-np.array(heights) / softness).sum(0))], axis=1)


def bend_leg(hips, hips_turn, foot, side, knee_yaw):
    """Bend one leg to reach from hip to ankle, the knee ahead: turns (frames, 3, 3) of its four bones."""
    ankle, sole, toes = foot
    socket = hips + hips_turn @ (HEADS["thigh" + side] - HEADS["hips"])
    length = np.linalg.norm(ankle - socket, axis=1, keepdims=True)
    down = (ankle - socket) / length
    hinge = np.cross(down, turn(SIDES[side] * TOE_OUT / 2 + knee_yaw, 0, 0) @ [0.0, -1.0, 0.0])
    hinge /= np.linalg.norm(hinge, axis=1, keepdims=True)
    cosine = (THIGH**2 + length**2 - SHIN**2) / (2 * THIGH * length)
    thigh = cosine * down + np.sqrt(1 - cosine**2) * np.cross(hinge, down)
    shin = (length * down - THIGH * thigh) / SHIN
    turns = {"foot" + side: sole, "toe" + side: toes}
    for name, along in (("thigh" + side, thigh), ("shin" + side, shin)):
        axes = np.stack([hinge, along, np.cross(hinge, along)], axis=-1)
        turns[name] = axes @ FIGURE.bones[NAMES.index(name)].rest[:3, :3].T
    return turns


def local_rotations(turns):
    """Express turns from rest as rotations (frames, bones, 4) of each bone within its parent, in its own axes."""
    rotations = []
    for bone in FIGURE.bones:
        within = turns[bone.name]
        if bone.parent >= 0:
            within = np.swapaxes(turns[NAMES[bone.parent]], 1, 2) @ within
        rotations.append(quaternions(bone.rest[:3, :3].T @ within @ bone.rest[:3, :3]))
    return np.stack(rotations, axis=1)


def noise(time, random, lowest, highest, shape, tones=24):
    """Sum tones between two frequencies in Hz, the faster the weaker: (frames, *shape) of deviation 1."""
    edges = np.geomspace(lowest, highest, tones + 1)
    frequency = random.uniform(edges[:-1], edges[1:], (*shape, tones))
    start = random.uniform(0, 2 * np.pi, frequency.shape)
    weight = frequency**-0.5
    weight *= np.sqrt(2 / (weight**2).sum(-1, keepdims=True))
    total = np.zeros((len(time), *shape))
    for tone in range(tones):  # one after the other: all at once would fill the memory on long walks
        angle = 2 * np.pi * np.multiply.outer(time, frequency[..., tone]) + start[..., tone]
        total += weight[..., tone] * np.sin(angle)
    return total


def curve(phase, keys):
    """Draw a cubic spline through (phase, value) keys, level at both ends, that rests from the last to the first."""
    at, value = np.array(keys, float).T
    gap = np.diff(at)
    rise = np.diff(value) / gap
    system, wanted = np.eye(len(at)), np.zeros(len(at))
    for key in range(1, len(gap)):
        before, after = 1 / gap[key - 1], 1 / gap[key]
        system[key, key - 1 : key + 2] = before, 2 * (before + after), after
        wanted[key] = 3 * (rise[key - 1] * before + rise[key] * after)
    slope = np.linalg.solve(system, wanted)
    position = np.minimum(at[0] + (phase - at[0]) % 1, at[-1])
    key = np.clip(np.searchsorted(at, position, side="right") - 1, 0, len(gap) - 1)
    x = (position - at[key]) / gap[key]
    bend = (1 - x) * (slope[key] - rise[key]) - x * (slope[key + 1] - rise[key])
    return (1 - x) * value[key] + x * value[key + 1] + x * (1 - x) * gap[key] * bend


def turn(yaw, roll, pitch):
    """Turn by degrees about X, then Y, then Z: matrices (..., 3, 3)."""
    return matrices(rotation.from_euler(np.radians(np.broadcast_arrays(pitch, roll, yaw)), "XYZ"))


def quaternions(matrix):
    """Rotations of less than half a turn as quaternions (..., 4) with w above 0, so that none flips."""
    trace = np.trace(matrix, axis1=-2, axis2=-1)
    skew = (matrix - np.swapaxes(matrix, -2, -1))[..., [2, 0, 1], [1, 2, 0]]
    result = np.concatenate([1 + trace[..., None], skew], axis=-1)
    return result / np.linalg.norm(result, axis=-1, keepdims=True)


def build_figure():
    """Set up the bones at rest, the Z axis of each to the front, or up where the bone itself points to the front."""
    rows = [row for row in BONES if not row[0].endswith(".L")]
    for side, sign in SIDES.items():
        rows += [
            (
                name.replace(".L", side),
                parent.replace(".L", side),
                np.multiply(head, (sign, 1, 1)),
                np.multiply(tail, (sign, 1, 1)),
            )
            for name, parent, head, tail in BONES
            if name.endswith(".L")
        ]
    names, bones = [row[0] for row in rows], []
    for name, parent, head, tail in rows:
        along = np.subtract(tail, head)
        length = np.linalg.norm(along)
        across = np.cross(along, (0, 0, 1) if name.startswith(("foot", "toe")) else (0, -1, 0))
        across /= np.linalg.norm(across)
        rest = np.eye(4)
        rest[:3] = np.stack([across, along / length, np.cross(across, along / length), head], axis=1)
        connected = any(row[0] == parent and np.array_equal(row[3], head) for row in rows)
        bones.append(
            Bone(name, names.index(parent) if parent else -1, rest, length, connected, "QUATERNION", f'pose.bones["{name}"]')
        )
    return Skeleton(tuple(bones))


def check(frames, fps, speed):
    """Refuse a walk that cannot be made."""
    if not (np.isfinite(frames) and frames >= 1 and int(frames) == frames):
        raise Refusal(f"frames must be a whole number of at least 1, not {frames}")
    if not (np.isfinite(fps) and fps > 0):
        raise Refusal(f"fps must be above 0, not {fps}")
    if not SPEEDS[0] <= speed <= SPEEDS[1]:
        raise Refusal(f"speed must be from {SPEEDS[0]} to {SPEEDS[1]} metres a second, not {speed}")


FIGURE = build_figure()
NAMES = tuple(bone.name for bone in FIGURE.bones)
HEADS = {bone.name: bone.rest[:3, 3] for bone in FIGURE.bones}
THIGH, SHIN = (FIGURE.bones[NAMES.index(name)].length for name in ("thigh.L", "shin.L"))
HEEL = np.array([0.0, 0.05, -HEADS["foot.L"][2]])  # from the ankle to where the heel touches the ground
BALL = HEADS["toe.L"] - HEADS["foot.L"]
TIP = np.array(BONES[-1][3]) - HEADS["toe.L"]
