# SPDX-License-Identifier: GPL-3.0-or-later
"""Life: poses keep their slow octaves and get the fast ones of another take, as much as is asked for."""

from dataclasses import replace

import numpy as np
import pytest
from made_takes import take
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.techniques.character.life import LIFE, LifeParams, to_and_fro

FPS = 60.0
CHANNELS = tuple(Channel("location", index, "LOCATION") for index in range(3))


def wave(hertz, size, seconds=8.0):
    time = np.arange(round(seconds * FPS) + 1) / FPS
    return Clip(np.outer(np.sin(2 * np.pi * hertz * time), [size, 0.5 * size, 0.0]), CHANNELS, FPS, 1)


def summed(*clips):
    return clips[0].with_values(sum(clip.values for clip in clips))


@pytest.mark.parametrize("amount", [0.5, 1.0, 2.0])
def test_fast_octaves_are_added_and_slow_ones_stay_those_of_the_poses(amount):
    poses, slow, fast = wave(0.12, 1.0), wave(0.06, 3.0), wave(6.0, 0.1)
    around = Surroundings(takes={"life": summed(slow, fast)})
    result = LIFE.run(poses, LifeParams(take="life", amount=amount, slowest=2.0), around)
    middle = slice(60, -60)
    off = result.values - poses.values - amount * fast.values
    assert np.abs(off[middle]).max() < 0.02 * amount


def test_octaves_have_gains_and_one_of_none_adds_nothing():
    poses, fast = wave(0.12, 1.0), wave(6.0, 0.1)
    around = Surroundings(takes={"life": fast})
    silent = LIFE.run(poses, LifeParams(take="life", gains=(0.0,) * 12), around)
    assert np.array_equal(silent.values, poses.values)
    double = LIFE.run(poses, LifeParams(take="life", gains=(2.0,) * 12), around)
    single = LIFE.run(poses, LifeParams(take="life"), around)
    assert np.allclose(double.values - poses.values, 2.0 * (single.values - poses.values))


def test_rotations_of_a_figure_get_the_bounce_of_a_run_and_stay_rotations():
    poses, run = take("walk"), take("run").clip
    still = poses.clip.with_values(np.repeat(poses.clip.values[:1], poses.clip.frames, axis=0))
    result = LIFE.run(still, LifeParams(take="run"), Surroundings(poses.skeleton, takes={"run": run}))
    moved = np.ptp(result.values, axis=0)
    assert np.isfinite(result.values).all() and moved[3:].max() > 0.3
    assert np.abs(np.diff(result.values, axis=0)).max() < 2.0 * np.abs(np.diff(run.values, axis=0)).max()


def test_a_shorter_take_goes_to_and_fro_and_later_begins_later():
    assert to_and_fro(4, 9).tolist() == [0, 1, 2, 3, 2, 1, 0, 1, 2]
    poses, fast = wave(0.12, 1.0), wave(6.0, 0.1, 2.0)
    around = Surroundings(takes={"life": fast})
    assert LIFE.run(poses, LifeParams(take="life"), around).frames == poses.frames
    with pytest.raises(ValueError, match="later: 3 s is after the end of life, which lasts 2.00 s"):
        LIFE.run(poses, LifeParams(take="life", later=3.0), around)


def test_takes_that_do_not_fit_are_refused():
    poses = wave(0.12, 1.0)
    other = replace(poses, channels=tuple(replace(channel, path="scale") for channel in CHANNELS))
    with pytest.raises(ValueError, match="there is no action nowhere"):
        LIFE.run(poses, LifeParams(take="nowhere"))
    with pytest.raises(ValueError, match="none of the 3 curves"):
        LIFE.run(poses, LifeParams(take="other"), Surroundings(takes={"other": other}))
