# SPDX-License-Identifier: GPL-3.0-or-later
"""People made of arithmetic who walk, run, limp, turn, kick, jump, punch and sit: motion whose truth is known beforehand.

Where feet stand and when is decided first, then the hips are carried over them, and two-bone IK finds the knees: a foot that
stands stands to the last bit, from the row at which it comes down to the row at which it leaves. A phase of 0 to 1 is a
stride, from one touch of the left foot to the next. In metres with Z up; the figure faces -Y, its left is +X.
"""

from dataclasses import dataclass, field

import numpy as np
from motion_signal.core.body.walking_figure import curve, noise, turn
from scipy.interpolate import CubicSpline, PchipInterpolator

SIDES = {"left": 1.0, "right": -1.0}
THIGH, SHIN, ANKLE = 0.41, 0.40, 0.08  # metres; the ankle's is its height
REACH = 0.999  # of a straight leg, which is the longest that a leg becomes
SOCKET = np.array([0.09, 0.0, -0.06])  # from the hips to the left hip joint
HEEL, BALL = np.array([0.0, 0.03, -ANKLE]), np.array([0.0, -0.13, 0.02 - ANKLE])  # from the ankle
UPRIGHT = ANKLE + THIGH + SHIN - SOCKET[2]
GRID = 400  # places of a way in a stride
PAUSE, SLOWING = 0.008, 0.12  # half of the part of a stride that is made in a pause; seconds lost beside it
EASE = 0.2  # of a turn goes by until it is at its fastest, and again until it is none


@dataclass(frozen=True)
class Manner:
    """How someone walks or runs. Times are parts of a stride, angles degrees, the rest is metres and seconds."""

    speed: float = 1.3
    stride: float = 1.1  # seconds
    start: float = 0.3  # phase of the first row
    turns: tuple = ()  # (phase, phase, degrees to the left): between these it turns
    pauses: tuple = ()  # (phase, seconds): there it stops on its way
    irregular: float = 0.0  # how much the time that strides take varies
    stray: float = 0.004  # how far steps are put from where they should
    width: float = 0.10  # between the feet
    down: float = 0.62  # of the stride is a foot on the ground
    flat: float = 0.13  # after it has come down the whole sole is
    rise: float = 0.32  # then the heel leaves
    over: float = 0.25  # then the hips are above the foot
    toes_up: float = 18.0
    push: float = 58.0
    lift: float = 0.06
    bounce: float = 0.018
    crouch: float = 0.04
    lowest: float = 0.07  # phase at which the hips are
    swing: float = 20.0  # of the arms
    elbow: float = 15.0
    lean: float = 3.0
    bow: float = 0.0  # of neck and head
    slouch: float = 0.0
    sway: float = 4.0  # of the hips
    limp: float = 0.0  # 0 to 1, on the right leg
    restless: float = 1.0  # how much of what is never quite the same in two strides
    sunk: tuple = ()  # (phase, phase, metres): between these the hips sink by so much
    raised: tuple = ()  # (phase, phase, degrees): between these the left arm is raised ahead


RUN = Manner(
    2.7,
    0.8,
    down=0.34,
    flat=0.03,
    rise=0.14,
    over=0.15,
    toes_up=6.0,
    push=48.0,
    lift=0.17,
    bounce=0.035,
    crouch=0.06,
    lowest=0.15,
    swing=32.0,
    elbow=75.0,
    lean=8.0,
)


@dataclass
class Motion:
    """World turns (frames, 3, 3) from rest by bone, hips (frames, 3), and the truth of it, all by rows from 0.

    `down` says for each point whether it stands (frames,), `speeds` (frames,) how fast the figure goes on its way.
    """

    turns: dict
    hips: np.ndarray
    down: dict
    speeds: np.ndarray = field(default_factory=lambda: np.zeros(0))
    headings: np.ndarray = field(default_factory=lambda: np.zeros(0))


def stepping(manner, frames, fps=120.0, seed=1):
    """Someone who walks or runs in that manner."""
    time = np.arange(frames) / fps
    phase = phases(time, manner, seed)
    place, heading = way(manner, phase[-1] + 3.0)
    feet, down = {}, {}
    for side in SIDES:
        feet[side], down[side] = tread(phase, manner, place, heading, side, seed)
    turns = body(phase, manner, time, heading(phase), seed)
    hips = carried(phase, manner, place(phase), heading(phase), turns["Hips"], feet, down)
    knees = 0.3 * manner.restless * noise(time, np.random.default_rng([seed, 7]), 0.2, 6.0, (2,))
    for (side, sign), shake in zip(SIDES.items(), knees.T):
        yaw = heading(phase) + sign * 3.0 + shake
        turns |= leg(hips, turns["Hips"], feet[side], side, yaw)
    speeds = np.linalg.norm(np.gradient(place(phase), axis=0), axis=1) * fps
    points = {f"{side}_{point}": rows for side, both in down.items() for point, rows in both.items()}
    return Motion(turns, hips, points, speeds, heading(phase))


def phases(time, manner, seed):
    """The phase of every row."""
    at = np.arange(-1.0, 3.0 + (time[-1] + 1.0) / manner.stride, 0.001)
    wobble = noise(at, np.random.default_rng([seed, 3]), 0.2, 0.6, ())
    seconds = manner.stride * (at - manner.start + manner.irregular * wobble)
    for phase, pause in manner.pauses:
        seconds += stepped(((phase - 0.15, phase + 0.15, SLOWING), (phase - PAUSE, phase + PAUSE, pause)), at)
    seconds -= np.interp(manner.start, at, seconds)
    return PchipInterpolator(seconds, at)(time)


def way(manner, last):
    """Place (phases, 3) and heading (phases,) in degrees as functions of phase."""
    at = np.arange(-2.0, last, 1.0 / GRID)
    heading = np.zeros(len(at))
    for start, end, degrees in manner.turns:
        fraction = np.clip((at - start) / (end - start), 0.0, 1.0)
        rate = np.minimum(np.minimum(fraction, 1.0 - fraction) / EASE, 1.0)
        heading += degrees * np.cumsum(rate * rate * (3.0 - 2.0 * rate)) / ((1.0 - EASE) * (end - start) * GRID)
    ahead = np.column_stack([np.sin(np.radians(heading)), -np.cos(np.radians(heading)), 0.0 * at])
    gone = np.cumsum(ahead * manner.speed * manner.stride / GRID, axis=0)
    gone -= gone[np.searchsorted(at, manner.start)]
    return CubicSpline(at, gone), CubicSpline(at, heading)


def tread(phase, manner, place, heading, side, seed):
    """One foot: its ankle (frames, 3) and the turns of sole and toes (frames, 3, 3), and when heel and toe stand."""
    sign, hurt = SIDES[side], manner.limp * (side == "right")
    late, down = (0.0 if side == "left" else 0.5 + 0.04 * manner.limp), manner.down - 0.12 * hurt
    count = np.floor(phase - late).astype(int)
    fraction = phase - late - count
    steps = np.arange(count[0], count[-1] + 2)
    stray = np.random.default_rng([seed, int(sign + 1)]).normal(size=(len(steps), 3)).clip(-2, 2)
    stray *= np.multiply(manner.restless * manner.stray, [1, 1, 0])
    over = steps + late + manner.over - 0.06 * hurt
    yaws = heading(over) + sign * 6.0
    across = np.column_stack([np.cos(np.radians(heading(over))), np.sin(np.radians(heading(over))), 0.0 * over])
    places = place(over) + 0.5 * sign * manner.width * across + stray + [0.0, 0.0, ANKLE]
    count -= count[0]
    air = 1.0 - down

    def later(*keys):
        return tuple((down + share * air, value) for share, value in keys)

    up, push = manner.toes_up * (1.0 - 0.7 * hurt), manner.push * (1.0 - 0.4 * hurt)
    lift = manner.lift * (1.0 - 0.5 * hurt)
    rising = manner.rise + 0.6 * (down - manner.rise)
    swung = later((0.16, -1.06 * push), (0.47, -0.35 * push), (0.8, up), (1.0, up))
    sole = curve(fraction, ((manner.rise, 0), (rising, -0.3 * push), (down, -push), *swung, (1.0 + manner.flat, 0)))
    swung = later((0.0, 0), (0.2, -0.8 * push), (0.5, -0.2 * push), (0.8, up), (1.0, up))
    toes = curve(fraction, (*swung, (1.0 + manner.flat, 0)))
    flown = np.where(fraction < down, 0.0, curve(fraction, later((0, 0), (0.26, 0.25), (0.53, 0.61), (0.79, 0.88), (1, 1))))
    height = curve(fraction, later((0, 0), (0.21, lift), (0.47, 0.8 * lift), (0.75, 0.15 * lift), (1, 0)))
    yaw = yaws[count] + flown * (yaws[count + 1] - yaws[count])
    level, sole, toes = (turn(yaw, 0.0, -pitch) for pitch in (0.0 * fraction, sole, toes))
    on_heel = np.where(fraction < manner.flat, 1.0, flown)[:, None]
    ankle = places[count] + flown[:, None] * (places[count + 1] - places[count])
    ankle += on_heel * ((level - sole) @ HEEL) + (1.0 - on_heel) * ((level - sole) @ BALL)
    ankle[:, 2] += np.where(fraction < down, 0.0, height)
    standing = {
        "foot": fraction <= down,
        "heel": fraction <= manner.rise,
        "toe": (fraction >= manner.flat) & (fraction <= down),
    }
    return (ankle, sole, toes), standing


def body(phase, manner, time, heading, seed):
    """Hips, spine, head and arms swing against the legs, and are never quite still."""

    def wave(degrees, delay, times=1):
        return degrees * np.cos(2 * np.pi * times * (phase - delay))

    random = np.random.default_rng([seed, 5])
    yaw, side, lean = 0.6 * manner.restless * noise(time, random, 0.05, 0.4, (3,)).T
    side = side + 2.0 * manner.limp * np.cos(2 * np.pi * (phase - 0.65))
    trunk = {
        "Hips": (wave(-4, 0), wave(-manner.sway, 0.15) + 0.3 * side, 0.4 * manner.lean + wave(1, 0.1, 2)),
        "LowerBack": (wave(-1, 0), wave(1, 0.18) + 0.5 * side, 0.6 * manner.lean + wave(1, 0.1, 2) + 0.5 * lean),
        "Spine": (wave(2, 0.01) + 0.5 * yaw, wave(1, 0.19) + 0.7 * side, manner.lean + 0.5 * manner.slouch + 0.7 * lean),
        "Spine1": (wave(5, 0.02) + yaw, wave(1.5, 0.2) + side, manner.lean + manner.slouch + wave(1.2, 0.12, 2) + lean),
        "Neck1": (wave(2, 0.03) + yaw, wave(0.6, 0.22), 3 + 0.5 * manner.bow + wave(0.6, 0.14, 2) + 0.5 * lean),
        "Head": (wave(0.6, 0.04) + 1.5 * yaw, wave(0.4, 0.24), 2 + manner.bow + wave(-1, 0.3, 2)),
    }
    shake = 0.25 * manner.restless * noise(time, random, 0.2, 9.0, (len(trunk) + 8, 3))
    turns = {
        name: turn(heading, 0, 0) @ turn(*angles) @ turn(*shake[:, number].T)
        for number, (name, angles) in enumerate(trunk.items())
    }
    for number, (name, sign) in enumerate(SIDES.items()):
        swing, later = (sign * np.cos(2 * np.pi * (phase - delay)) for delay in (0.03, 0.09))
        own = [turn(*shake[:, len(trunk) + 4 * number + bone].T) for bone in range(4)]
        shoulder = turns["Spine1"] @ turn(sign * (0.15 * manner.swing * swing - 1), 0, 0) @ own[0]
        raised = stepped(manner.raised, phase) * (name == "left")
        ahead, elbow = manner.swing * swing - manner.slouch - raised, 0.5 * manner.swing * later - manner.elbow
        turns |= arm(shoulder, name, sign, ahead, elbow, own[1:])
    return turns


def stepped(changes, phase):
    """Numbers (frames,) that change by so much from phase to phase, (phase, phase, number), and stay there."""
    fraction = [np.clip((phase - start) / (end - start), 0.0, 1.0) for start, end, _ in changes]
    return sum((number * share**2 * (3.0 - 2.0 * share) for share, (_, _, number) in zip(fraction, changes)), 0.0 * phase)


def arm(shoulder, side, sign, swing, elbow, own):
    """An arm that hangs and swings ahead and back by so many degrees, from a shoulder that is turned so."""
    still = np.zeros(len(shoulder))
    upper = shoulder @ turn(still, still, swing) @ own[0]
    lower = upper @ turn(still - sign * 8, still, elbow) @ own[1]
    side = side.capitalize()
    hang = turn(0.0, sign * 78.0, 0.0)
    return {
        f"{side}Shoulder": shoulder,
        f"{side}Arm": upper @ hang,
        f"{side}ForeArm": lower @ hang,
        f"{side}Hand": lower @ own[2] @ hang,
    }


def carried(phase, manner, place, heading, hips_turn, feet, down):
    """The hips (frames, 3) over the feet, no higher than the legs reach."""
    side = 0.018 * np.cos(2 * np.pi * (phase - 0.30))
    ahead = -0.004 * np.cos(4 * np.pi * (phase - 0.12))
    across = turn(heading, 0.0, 0.0)
    hips = place + side[:, None] * across[..., 0] - ahead[:, None] * across[..., 1]
    drop = 0.03 * manner.limp * np.exp(-(((phase - 0.75) % 1.0 - 0.5) ** 2) / 0.02)  # in the stance of the right leg
    drop += stepped(manner.sunk, phase)
    height = UPRIGHT - manner.crouch - drop - manner.bounce * np.cos(4 * np.pi * (phase - manner.lowest))
    hips[:, 2] = lowered(hips, height, hips_turn, feet)
    return hips


def lowered(hips, height, hips_turn, feet):
    """Heights (frames,) of the hips that both legs reach down from, a smooth minimum so that no knee snaps straight."""
    heights, softness = [height], 0.012
    for side, (ankle, _, _) in feet.items():
        socket = hips_turn @ (SOCKET * (SIDES[side], 1, 1))
        away = np.linalg.norm((hips + socket - ankle)[:, :2], axis=1)
        longest = REACH * (THIGH + SHIN)
        heights.append(ankle[:, 2] - socket[:, 2] + np.sqrt(np.maximum(longest**2 - away**2, 0.01)))
    heights = np.array(heights)
    least = heights.min(axis=0)
    return least - softness * np.log(np.exp((least - heights) / softness).sum(axis=0))


def leg(hips, hips_turn, foot, side, yaw):
    """Bend a leg from hip to ankle, the knee to where `yaw` says: world turns of its four bones."""
    ankle, sole, toes = foot
    socket = hips + hips_turn @ (SOCKET * (SIDES[side], 1, 1))
    length = np.linalg.norm(ankle - socket, axis=1, keepdims=True)
    down = (ankle - socket) / length
    hinge = -turn(yaw, 0.0, 0.0)[..., 0]
    hinge -= np.sum(hinge * down, axis=1, keepdims=True) * down
    hinge /= np.linalg.norm(hinge, axis=1, keepdims=True)
    cosine = np.minimum((THIGH**2 + length**2 - SHIN**2) / (2 * THIGH * length), 1.0)
    thigh = cosine * down + np.sqrt(1.0 - cosine**2) * np.cross(hinge, down)
    shin = (length * down - THIGH * thigh) / SHIN
    rest = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]])  # hinge, along, and across both, as rows
    side = side.capitalize()
    turns = {f"{side}Foot": sole, f"{side}ToeBase": toes}
    for name, along in ((f"{side}UpLeg", thigh), (f"{side}Leg", shin)):
        turns[name] = np.stack([hinge, along, np.cross(hinge, along)], axis=-1) @ rest
    return turns


@dataclass(frozen=True)
class Stand:
    """Someone who stands and does something: keys of (seconds, numbers...), smooth between them."""

    hips: tuple = ((0, 0, 0, 0),)  # metres from standing upright, X, Y, Z
    left: tuple = ()  # (seconds off the ground, seconds on it again, X, Y, Z of the ankle at the farthest, degrees of the sole)
    right: tuple = ()
    left_arm: tuple = ((0, 0, 15),)  # degrees ahead, degrees that the elbow is bent
    right_arm: tuple = ((0, 0, 15),)
    lean: tuple = ((0, 3),)
    bent: float = 0.03  # metres that the knees lower the hips by


def standing(stand, frames, fps=120.0, seed=1):
    """Someone who stands, kicks, jumps, punches, waves or sits as told."""
    time = np.arange(frames) / fps
    still = np.zeros(frames)
    feet, down = {}, {}
    for side in SIDES:
        feet[side], down[side] = stands(time, getattr(stand, side), side)
    lean = keyed(stand.lean, time)[:, 0]
    turns = body(still + 0.25, Manner(swing=0.0, sway=1.0, lean=0.0, stray=0.0), time, still, seed)
    for share, name in ((0.3, "LowerBack"), (0.6, "Spine"), (1.0, "Spine1")):
        turns[name] = turns[name] @ turn(still, still, share * lean)
    calm = [turn(still, still, still)] * 3
    for (side, sign), keys in zip(SIDES.items(), (stand.left_arm, stand.right_arm)):
        swing, elbow = keyed(keys, time).T
        turns |= arm(turns["Spine1"], side, sign, -swing, -elbow, calm)
    sway = 0.006 * noise(time, np.random.default_rng([seed, 9]), 0.1, 0.5, (3,)) * [1, 1, 0.3]
    hips = keyed(stand.hips, time) + sway + [0.0, 0.0, UPRIGHT - stand.bent]
    hips[:, 2] = lowered(hips, hips[:, 2], turns["Hips"], feet)
    for side, sign in SIDES.items():
        turns |= leg(hips, turns["Hips"], feet[side], side, still + 5.0 * sign)
    points = {f"{side}_{point}": rows for side, both in down.items() for point, rows in both.items()}
    return Motion(turns, hips, points, still, still)


def stands(time, moves, side):
    """A foot that stands but for its moves."""
    sign = SIDES[side]
    home = np.array([sign * 0.11, 0.0, ANKLE])
    ankle, pitch, down = np.tile(home, (len(time), 1)), np.zeros(len(time)), np.ones(len(time), bool)
    for off, on, *farthest, degrees in moves:
        fraction = np.clip((time - off) / (on - off), 0.0, 1.0)
        there = (
            np.sin(np.pi * fraction) ** 4
        )  # the speed is none where it leaves and lands, and there it stays put for a moment
        ankle += there[:, None] * (np.array(farthest) - home)
        pitch += there * degrees
        down &= (time <= off) | (time >= on)
    sole, toes = (turn(sign * 6.0, 0.0, -angle) for angle in (pitch, pitch))
    return (ankle, sole, toes), {"foot": down, "heel": down, "toe": down}


def keyed(keys, time):
    """Numbers (frames, numbers) through keys of (seconds, numbers...), level at every key."""
    at, values = np.array([key[0] for key in keys], float), np.array([key[1:] for key in keys], float)
    if len(at) == 1:
        return np.repeat(values, len(time), axis=0)
    index = np.clip(np.searchsorted(at, time, side="right") - 1, 0, len(at) - 2)
    fraction = np.clip((time - at[index]) / np.diff(at)[index], 0.0, 1.0)[:, None]
    return values[index] + fraction**2 * (3.0 - 2.0 * fraction) * (values[index + 1] - values[index])
