# SPDX-License-Identifier: GPL-3.0-or-later
"""Cartoon: swings before and after a move by what the formula says, alike at every frame rate, and respects what it must."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.bench.make_moods import clip_of
from motion_signal.core.body.body import Body
from motion_signal.core.body.walking_figure import FIGURE, walk
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.recipes.opened import opened
from motion_signal.core.techniques.character.cartoon import CARTOON, CartoonParams, automatic_time
from scipy.spatial.transform import Rotation

FPS = 60.0
TIME = np.arange(301) / FPS
PEAK = np.exp(-0.5) / np.sqrt(2 * np.pi)  # 0.242, of a step at full strength, one time before it and one after


def walking(fps=30.0, seconds=4):
    motion = walk(round(seconds * fps) + 1, fps)
    return replace(clip_of(motion.rotations, motion.location), fps=fps)


def test_no_strength_is_the_take_to_the_bit(mixed_clip):
    clip = mixed_clip()
    assert CARTOON.run(clip, CartoonParams(time=0.2, delay=0.1)) is clip


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ"])
def test_a_step_between_two_holds_overshoots_before_and_after(mode, rotation_channels, in_mode, as_rotations):
    """A turn of `height` at strength A swings back by A * height * exp(-1/2) / sqrt(2 pi), and beyond by as much."""
    height, strength, time = 0.8, 1.5, 0.12
    angle = height / (1 + np.exp(-(TIME - 2.5) / 0.004))
    clip = Clip(in_mode(Rotation.from_rotvec(np.outer(angle, [1, 0, 0])), mode), rotation_channels(mode), FPS, 1)
    found = as_rotations(CARTOON.run(clip, CartoonParams(strength=strength, time=time)).values, mode).as_rotvec()[:, 0]
    assert found.min() == pytest.approx(-strength * height * PEAK, rel=0.02)
    assert found.max() == pytest.approx(height + strength * height * PEAK, rel=0.02)
    assert abs(TIME[found.argmin()] - 2.5 + time) < 0.02 and abs(TIME[found.argmax()] - 2.5 - time) < 0.02
    assert np.abs(found - angle)[np.abs(TIME - 2.5) > 6 * time].max() < 1e-6


@pytest.mark.parametrize("params", [{}, {"delay": 0.03}, {"time": 0.1}, {"target": "POSITIONS", "contacts": False}])
def test_frame_rates_give_the_same_motion(params):
    params = CartoonParams(strength=1.0, **{"contacts": False, **params})
    fine, coarse = (CARTOON.run(walking(fps), params, Surroundings(FIGURE)) for fps in (120.0, 24.0))
    joints = [FIGURE.posed(clip)[1] for clip in (fine, coarse)]
    assert fine.fps == 120.0 and coarse.fps == 24.0
    extent = np.linalg.norm(np.ptp(joints[0] - joints[0][:, :1], axis=0), axis=1)[1:].max()
    assert np.abs(joints[0][::5] - joints[1]).max() < 0.01 * extent


def test_hands_trail_shoulders():
    """What the filter adds to a bone comes so many seconds later for each bone that it hangs on."""
    turn = Rotation.from_rotvec(np.outer(0.5 / (1 + np.exp(-(TIME - 2.5) / 0.02)), [1, 0, 0])).as_quat(scalar_first=True)
    names = ("chest", "shoulder.L", "upper_arm.L", "forearm.L", "hand.L")
    channels = [
        Channel(f'pose.bones["{name}"].rotation_quaternion', index, "QUATERNION", name) for name in names for index in range(4)
    ]
    clip = Clip(np.hstack([turn] * len(names)), tuple(channels), FPS, 1)
    params = CartoonParams(strength=1.0, time=0.1, delay=0.05, contacts=False)
    result = CARTOON.run(clip, params, Surroundings(FIGURE)).values
    angles = [2 * np.arctan2(result[:, 4 * number + 1], result[:, 4 * number]) for number in range(len(names))]
    peaks = [TIME[angle.argmax()] for angle in angles]
    assert np.diff(peaks) == pytest.approx([0.05] * 4, abs=0.02)


def test_planted_feet_stay_where_they_are():
    clip = walking()
    contacts = Body(clip, FIGURE).contacts

    def slide(result):
        places = dict(zip(Body(clip, FIGURE).figure.points, np.moveaxis(Body(result, FIGURE).places, 1, 0)))
        return max(
            np.linalg.norm(rows - np.median(rows, axis=0), axis=1).max()
            for point, intervals in contacts.items()
            for first, last in intervals
            for rows in [places[point][first - 1 : last, :2]]
        )

    process = opened(CARTOON, clip, Surroundings(FIGURE), ScopeParams())
    free, kept = (process(CartoonParams(strength=1.5, contacts=flag)) for flag in (False, True))
    assert slide(free) > 0.05 and slide(kept) < slide(clip) + 0.001


def test_squash_and_stretch_changes_lengths_and_leaves_planted_feet():
    clip = walking()
    result = CARTOON.run(clip, CartoonParams(strength=2.0, target="POSITIONS"), Surroundings(FIGURE))
    scales = [values for channel, values in zip(result.channels, result.values.T) if channel.kind == "SCALE"]
    assert max(np.ptp(scale) for scale in scales) > 0.02
    body = Body(clip, FIGURE)
    foot = FIGURE.index("foot.L")
    down = body.downs("left_foot", body.contacts).all(axis=0)
    before, after = (FIGURE.posed(these)[1][:, foot] for these in (clip, result))
    away = np.linalg.norm(after - before, axis=1)
    assert away[down].max() < 1e-3 and away.max() > 0.01


def test_joint_limits_hold_the_swing_back(rotation_channels, in_mode, as_rotations):
    angle = 0.5 / (1 + np.exp(-(TIME - 2.5) / 0.02))
    clip = Clip(
        in_mode(Rotation.from_rotvec(np.outer(angle, [1, 0, 0])), "QUATERNION"), rotation_channels("QUATERNION", "hips"), FPS, 1
    )
    limited = replace(FIGURE, bones=(replace(FIGURE.bones[0], limits=(0.0, 32.0, -180, 180, -180, 180)), *FIGURE.bones[1:]))
    surroundings = Surroundings(limited)
    params = CartoonParams(strength=2.0, time=0.1, softness=5.0, contacts=False)
    free = as_rotations(CARTOON.run(clip, replace(params, limits=False), surroundings).values, "QUATERNION").as_rotvec()[:, 0]
    held = as_rotations(CARTOON.run(clip, params, surroundings).values, "QUATERNION").as_rotvec()[:, 0]
    assert np.degrees(free).max() > 38 and np.degrees(free).min() < -8
    assert np.degrees(held).max() < 32 and np.degrees(held).min() > -1e-6


def test_the_ends_of_a_take_stay_and_a_loop_stays_one(smooth):
    clip = Clip(smooth(120, 3), tuple(Channel("location", index, "LOCATION") for index in range(3)), 30.0, 1)
    result = CARTOON.run(clip, CartoonParams(strength=1.0)).values
    assert np.abs(result - clip.values)[[0, -1]].max() < 1e-9 and np.abs(result - clip.values).max() > 0.05
    wave = np.cos(2 * np.pi * np.arange(61) / 60)[:, None]
    loop = Clip(wave, (Channel("location", 0, "LOCATION"),), 30.0, 1)
    raised = CARTOON.run(loop, CartoonParams(strength=1.0, time=0.1, loop=True)).values
    assert raised[0] == pytest.approx(raised[-1]) and raised[0, 0] > 1.05


def test_the_shortest_take_and_a_still_one_are_let_be():
    still = Clip(np.ones((3, 1)), (Channel("location", 0, "LOCATION"),), 24.0, 1)
    assert (CARTOON.run(still, CartoonParams(strength=1.0)).values == 1.0).all()


def test_the_time_of_a_walk_is_found():
    assert 0.08 < automatic_time(walking(), Surroundings(FIGURE)) < 0.25
