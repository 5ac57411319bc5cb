# SPDX-License-Identifier: GPL-3.0-or-later
"""Moods made of nothing but arithmetic: the project's own walk, made tired, happy, nervous, proud or sneaking.

The styled walk is the neutral one at another speed, with another posture, with more or less swing and bob, its feet staying on
their paths. What it does otherwise than the neutral walk is the mood.
"""

from dataclasses import dataclass, field

import numpy as np

from ..core.body.walking_figure import FIGURE, NAMES, STEP_LAW, walk
from ..core.declare.technique import Surroundings
from ..core.ik.hold import Ends
from ..core.mixing.mood import mood_of
from ..core.motion.clip import Channel, Clip
from ..core.numeric import rotation

FPS, SECONDS, SPEED = 30.0, 8.0, 1.3
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class MoodRecipe:
    """How a mood walks: speed in metres a second, degrees that bones lean ahead, open outwards or turn, how many times as
    much the upper body and the arms swing, how the hips ride, and what shivers how fast in waves of a stride."""

    speed: float = SPEED
    lean: dict = field(default_factory=dict)  # about the axis from right to left, ahead positive
    spread: dict = field(default_factory=dict)  # of both sides, away from the body positive
    swing: float = 1.0
    arms: float = 1.0
    lower: float = 0.0  # metres that the hips ride lower
    bob: float = 1.0  # times that the hips rise and fall
    shiver: dict = field(default_factory=dict)  # degrees


MOODS = {
    "tired": MoodRecipe(0.85, {"spine": 7, "chest": 9, "neck": 10, "head": 12}, {"shoulder": -3}, 0.7, 0.55, 0.015, 0.5),
    "happy": MoodRecipe(1.55, {"spine": -2, "chest": -4, "neck": -3, "head": -5}, {"upper_arm": 6}, 1.5, 1.5, 0.01, 2.2),
    "nervous": MoodRecipe(
        1.2,
        {"spine": 3, "chest": 5, "neck": 4, "head": 2, "forearm": -35},
        {"upper_arm": -5, "shoulder": 6},
        0.7,
        0.35,
        0.012,
        0.7,
        {"head": 2.5, "neck": 1.0, "hand": 4.0, "forearm": 1.5},
    ),
    "proud": MoodRecipe(
        1.15, {"spine": -4, "chest": -8, "neck": 2, "head": -4}, {"upper_arm": 9, "shoulder": 2}, 1.2, 1.15, 0.0, 1.3
    ),
    "sneaking": MoodRecipe(
        0.7,
        {"hips": 6, "spine": 12, "chest": 14, "neck": -12, "head": -14, "upper_arm": -18, "forearm": -45},
        {"upper_arm": 4},
        0.6,
        0.3,
        0.11,
        0.4,
    ),
}


def shipped(name):
    """The mood of this name."""
    neutral, styled = walking(MoodRecipe()), walking(MOODS[name])
    return mood_of(neutral, styled, Surroundings(FIGURE))


def walking(recipe):
    """The project's walk in such a mood, as a clip of FIGURE."""
    motion = walk(round(SECONDS * FPS) + 1, FPS, recipe.speed)
    clip = clip_of(motion.rotations, motion.location)
    phase = np.arange(clip.frames) / FPS * recipe.speed / stride_of(recipe.speed)
    turned = [posed(recipe, name, motion.rotations[:, index].T, phase).T for index, name in enumerate(NAMES)]
    rest = FIGURE.bones[0].rest[:3, :3]
    heights = motion.location @ rest.T @ UP
    rise = (recipe.bob - 1.0) * (heights - heights.mean()) - recipe.lower
    changed = clip_of(np.stack(turned, axis=1), motion.location + np.outer(rise, UP @ rest))
    return Ends(clip, Surroundings(FIGURE), ("foot.L", "foot.R"))(changed).clip


def posed(recipe, name, q, phase):
    """The rotations (4, frames) of a bone in a mood: swung more or less about their mean, leaning, opened, shivering."""
    segment, side = name.removesuffix(".L").removesuffix(".R"), {".L": 1.0, ".R": -1.0}.get(name[-2:], 0.0)
    if segment in ("thigh", "shin", "foot", "toe"):
        return q
    middle = rotation.mean(q[:, :, None])
    gain = recipe.arms if side else recipe.swing
    away = rotation.multiply(rotation.conjugate(middle), q)
    q = rotation.multiply(middle, rotation.exp(gain * rotation.log(away * np.where(away[0] < 0, -1.0, 1.0))))
    rest = FIGURE.bones[NAMES.index(name)].rest[:3, :3]
    shiver = recipe.shiver.get(segment, 0.0) * np.sin(2 * np.pi * (4 * phase + 0.3 * side))
    turns = np.outer([1.0, 0.0, 0.0], recipe.lean.get(segment, 0.0) + shiver)  # the figure looks along -Y
    turns += np.outer([0.0, -side, 0.0], np.full(len(phase), float(recipe.spread.get(segment, 0.0))))
    return rotation.multiply(rotation.exp(np.radians(rest.T @ turns)), q)


def stride_of(speed):
    """How far the walk gets in a stride, in metres."""
    return 2 * np.sqrt(speed * 60 * STEP_LAW)


def clip_of(rotations, location):
    """Rotations (frames, bones, 4) and the hips' location (frames, 3) as a clip."""
    channels = [Channel(bone.rotation_path, index, bone.mode, bone.name) for bone in FIGURE.bones for index in range(4)]
    channels += [Channel(FIGURE.bones[0].path + ".location", index, "LOCATION", NAMES[0]) for index in range(3)]
    return Clip(np.hstack([rotations.reshape(len(rotations), -1), location]), tuple(channels), FPS, 1)
