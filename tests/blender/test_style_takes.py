# SPDX-License-Identifier: GPL-3.0-or-later
"""Style on recorded walks: ends stay on their paths while the inside changes, and a mood goes from one subject to another."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bl_ext.dev.motion_signal.core.body.body import Body
from bl_ext.dev.motion_signal.core.body.gait_phase import strides
from bl_ext.dev.motion_signal.core.body.report import report
from bl_ext.dev.motion_signal.core.declare.faders import EqualizeParams
from bl_ext.dev.motion_signal.core.declare.scope import ScopeParams
from bl_ext.dev.motion_signal.core.declare.technique import Surroundings
from bl_ext.dev.motion_signal.core.ik.hold import Ends
from bl_ext.dev.motion_signal.core.mixing.mood import mood_of, to_data
from bl_ext.dev.motion_signal.core.motion.ground import Ground
from bl_ext.dev.motion_signal.core.motion.skeleton import size_of
from bl_ext.dev.motion_signal.core.numeric.bands import Bank
from bl_ext.dev.motion_signal.core.recipes.opened import opened
from bl_ext.dev.motion_signal.core.techniques.character.cartoon import CARTOON, CartoonParams
from bl_ext.dev.motion_signal.core.techniques.character.equalize import EQUALIZE
from bl_ext.dev.motion_signal.core.techniques.character.style import STYLE, StyleParams
from made_takes import RECORDED

pytestmark = pytest.mark.only("5.2")  # what it tries is not Blender's

UNIT = 0.0564444  # metres, in which these files count
WALKS = (
    "07_01_walk_normal",
    "07_05_walk_slow",
    "07_11_walk_fast",
    "07_12_walk_brisk_badrow",
    "16_18_walk_turn_left90",
    "16_20_walk_turn_right90",
    "82_10_walk_sad",
    "82_12_walk_happy",
    "111_13_march",
    "137_16_walk_drunk",
    "137_38_walk_sexy_lady",
    "104_36_walk_figure8_long",
)
ENDS, TRUNK = ("LeftFoot", "RightFoot", "LeftHand", "RightHand"), ("Hips", "LowerBack", "Spine", "Spine1")
TIRED = json.loads((Path(__file__).resolve().parents[2] / "presets/style/tired.json").read_text())["params"]["style"]
EDITS = (
    (EQUALIZE, EqualizeParams(gains=(1, 1, 1, 1, 1, 1.2, 1.5, 1.6, 1.4, 1, 1, 1))),
    (CARTOON, CartoonParams(strength=1.0, contacts=False)),
    (STYLE, StyleParams(style=TIRED, contacts=False)),
)
FINGERS = ("Finger", "Thumb", "Index")


@pytest.fixture
def load(recorded):
    """A take without the rows at its start that are none of it, and the skeleton of its armature."""

    def make(name):
        take, skip = recorded(name, metres=False), recorded(name, metres=False).truth["skip"]
        return replace(take.clip, values=take.clip.values[skip:], first_frame=1 + skip), take.skeleton

    return make


def joints(skeleton, clip, names):
    return skeleton.posed(clip)[1][:, [skeleton.index(name) for name in names]]


@pytest.mark.parametrize("name", WALKS)
def test_ends_stay_on_their_paths_while_the_trunk_keeps_its_change(load, name):
    clip, skeleton = load(name)
    surroundings = Surroundings(skeleton)
    ends = Ends(clip, surroundings, ENDS)
    every = [bone.name for bone in skeleton.bones]
    # At the first and last frame forearms are bent by up to 0.25 units a frame², which only recordings' own noise hides.
    rows = slice(None) if RECORDED.is_dir() else slice(3, -3)
    sharpest = [np.abs(np.diff(joints(skeleton, clip, every)[rows], 2, axis=0)).max()]
    for technique, params in EDITS:
        free = technique.run(clip, params, surroundings)
        result = ends(free)
        residual = UNIT * result.residual
        assert residual.mean() < 0.5 and residual.max() < 2.0, technique.name
        wanted, found = (joints(skeleton, these, TRUNK) - joints(skeleton, clip, TRUNK) for these in (free, result.clip))
        assert np.vdot(wanted, found) > (0.7 if RECORDED.is_dir() else 0.4) * np.vdot(wanted, wanted), technique.name
        bends = [np.abs(np.diff(joints(skeleton, these, every)[rows], 2, axis=0)).max() for these in (free, result.clip)]
        assert bends[1] < 1.3 * max(*sharpest, bends[0]), technique.name


def features(clip, skeleton):
    """What a walk looks like over whole strides, on the spot and in parts of the figure's size: where its joints are on
    average from the pelvis, (joints, 3), and how much each moves in the bands from 1/4 to 8 Hz, (bands, joints)."""
    knots = strides(clip, Surroundings(skeleton))
    rows = slice(int(knots[0, 0]), int(knots[-1, 0]))
    values, _ = Ground([clip], skeleton).taken_off(clip.values)
    names = [bone.name for bone in skeleton.bones if not any(finger in bone.name for finger in FINGERS)]
    places = joints(skeleton, clip.with_values(values), names)
    places = (places - places[:, :1]) / size_of(skeleton)
    bands = Bank(np.asfortranarray(places.reshape(clip.frames, -1)), clip.fps).split()[4:9, rows]
    energies = np.sqrt((np.mean(bands**2, axis=1).reshape(5, -1, 3)).sum(axis=2))
    return places[rows].mean(axis=0), energies


def test_sad_minus_happy_of_one_subject_makes_another_sadder(load):
    """Subjects are built and calibrated differently, so each is measured from its own walk without the mood: how far what
    the mood did to subject 07 is from what it does to subject 82, as a part of the latter. At no amount that is 1."""
    (sad, skeleton), (happy, _) = load("82_10_walk_sad"), load("82_12_walk_happy")
    clip, target = load("07_01_walk_normal")
    mood = to_data(mood_of(happy, sad, Surroundings(skeleton)))
    result = opened(STYLE, clip, Surroundings(target), ScopeParams())(StyleParams(style=mood, strides=True))
    before, after = features(clip, target), features(result, target)
    neutral, styled = features(happy, skeleton), features(sad, skeleton)
    for found, was, there, without in zip(after, before, styled, neutral):
        away = np.linalg.norm((found - was) - (there - without)) / np.linalg.norm(there - without)
        assert away < 0.6
    energies = [np.linalg.norm(these[1] - styled[1]) for these in (before, after)]
    assert energies[1] < 0.6 * energies[0]  # and the energies as they are, without regard to who it is
    was, slides = (report(each, target, contacts=Body(clip, target).contacts) for each in (clip, result))
    assert UNIT * (slides["slide_mean_mm"] - was["slide_mean_mm"]) < 0.5 and slides["flips"] == 0


def test_cartoons_of_a_recorded_walk_are_the_same_at_24_frames_a_second(load):
    """To 1 % of how far joints get about the pelvis. What is faster than 24 frames can say is not in the slower take."""
    clip, skeleton = load("07_01_walk_normal")
    clip = clip.with_values(clip.values[: 5 * ((clip.frames - 1) // 5) + 1])
    slow = replace(clip, values=clip.values[::5], fps=clip.fps / 5)
    params = CartoonParams(strength=1.0, contacts=False)
    fine, coarse = (CARTOON.run(these, params, Surroundings(skeleton)) for these in (clip, slow))
    names = [bone.name for bone in skeleton.bones if not any(finger in bone.name for finger in FINGERS)]
    found, wanted = joints(skeleton, coarse, names), joints(skeleton, fine, names)
    size = np.linalg.norm(np.ptp(wanted - wanted[:, :1], axis=0), axis=1).max()
    assert np.linalg.norm(found - wanted[::5], axis=2).max() < 0.01 * size
