# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets on recorded takes: a walk, a turn, punches and kicks, a jump. Nobody is led astray, and no reach is lost."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from bl_ext.dev.motion_signal.core.body.report import report
from bl_ext.dev.motion_signal.core.body.roles import find_roles
from bl_ext.dev.motion_signal.core.declare.params import build
from bl_ext.dev.motion_signal.core.declare.technique import Surroundings
from bl_ext.dev.motion_signal.core.motion.ground import Ground
from bl_ext.dev.motion_signal.core.techniques import technique

pytestmark = pytest.mark.only("5.2")  # what it tries is not Blender's

PRESETS = {file.stem: file for file in sorted((Path(__file__).parents[2] / "presets").glob("*/*.json"))}
TAKES = ("07_01_walk_normal", "16_18_walk_turn_left90", "113_13_punch_kick", "16_04_jump_high")
LONGEST = 1500  # rows of a take that are looked at


@pytest.fixture(scope="module")
def moving(recorded):
    """A take in metres without the T-pose in front, and its skeleton."""

    @cache
    def read(name):
        take = recorded(name)
        skip = take.truth["skip"]
        return take.clip.with_values(take.clip.values[skip : skip + LONGEST]), take.skeleton

    return read


@pytest.fixture(scope="module")
def treated(moving):
    """A take after a preset."""

    @cache
    def make(preset, name):
        clip, skeleton = moving(name)
        entry = json.loads(PRESETS[preset].read_text("utf-8"))
        chosen = technique(entry["technique"])
        params = chosen.fit(build(chosen.params, entry["params"]), clip.frames, clip.fps)
        return chosen.run(clip, params, Surroundings(skeleton))

    return make


def way(clip, skeleton):
    path = Ground([clip], skeleton).taken_off(clip.values)[1]
    return path.places, np.degrees(path.headings)


def extents(clip, skeleton):
    """How far both hands are from the hips, in metres, (frames, 2)."""
    roles, heads = find_roles(skeleton).table(), skeleton.posed(clip)[1]
    return np.column_stack(
        [
            np.linalg.norm(heads[:, skeleton.index(roles[hand])] - heads[:, skeleton.index(roles["pelvis"])], axis=1)
            for hand in ("left_hand", "right_hand")
        ]
    )


def of(folder, *without):
    return [name for name, file in PRESETS.items() if file.parent.name == folder and name not in without]


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.parametrize("preset", of("waveshape", "rig_limits"))
def test_a_shape_leaves_the_way(preset, name, moving, treated):
    clip, skeleton = moving(name)
    (places, headings), (there, faced) = way(clip, skeleton), way(treated(preset, name), skeleton)
    assert np.abs(there - places).max() < 1e-6 and np.abs(faced - headings).max() < 1e-4


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.parametrize("preset", of("equalize"))
def test_faders_leave_the_way(preset, name, moving, treated):
    """Up to 40 cm and 40 degrees off, before."""
    clip, skeleton = moving(name)
    (places, headings), (there, faced) = way(clip, skeleton), way(treated(preset, name), skeleton)
    assert np.linalg.norm(there - places, axis=1).max() < 0.1 and np.abs(faced - headings).max() < 16.0


@pytest.mark.parametrize("name", TAKES)
def test_anticipation_gets_as_far_as_the_take(name, moving, treated):
    """At every moment at which a hand is farthest out, within a sixth of a second."""
    clip, skeleton = moving(name)
    before, after = (extents(take, skeleton) for take in (clip, treated("anticipation_and_follow_through", name)))
    around = round(clip.fps / 6)
    for hand in range(2):
        out = before[:, hand]
        farthest = [
            row
            for row in range(around, len(out) - around)
            if out[row] == out[row - around : row + around + 1].max() and out[row] > np.percentile(out, 80)
        ]
        assert farthest
        for row in farthest:
            assert after[row - around : row + around + 1, hand].max() > out[row] - 0.03


def test_gestures_stay_where_fidgets_are_calmed(moving, treated):
    clip, skeleton = moving("07_01_walk_normal")
    result = treated("calm_the_fidgets", "07_01_walk_normal")
    gone = [np.linalg.norm(way(take, skeleton)[0][-1] - way(take, skeleton)[0][0]) for take in (clip, result)]
    assert gone[0] > 3.0 and gone[1] == pytest.approx(gone[0], abs=1e-6)
    assert report(result, skeleton)["slide_mean_mm"] < report(clip, skeleton)["slide_mean_mm"] + 15.0
