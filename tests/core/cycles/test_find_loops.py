# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding loops: as long as the period, never where nothing moves, the best first."""

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.cycles.find_loops import find_loops, spread
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.techniques.several_takes.join import JoinParams, found_cuts

STRIDE = 2 * np.sqrt(1.3 * 60 * gait.STEP_LAW) / 1.3  # seconds


def walking(frames, fps=60.0):
    motion = gait.walk(frames, fps)
    hips = gait.FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [
        Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in gait.FIGURE.bones for index in range(4)
    ]
    return Clip(np.hstack([motion.location, motion.rotations.reshape(frames, -1)]), tuple(channels), fps, 1)


def plain(signals, fps=30.0, first=1):
    return Clip(signals, tuple(Channel(f'["{number}"]', 0) for number in range(signals.shape[1])), fps, first)


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_the_best_loop_of_a_walk_is_one_stride(fps):
    best = find_loops(walking(int(5 * fps), fps), Surroundings(gait.FIGURE)).best
    assert (best[0].last - best[0].first) / fps == pytest.approx(STRIDE, abs=1.5 / fps)
    assert best[0].gap < 0.15


def test_a_root_bone_that_stays_behind_makes_no_difference_to_loops_and_joins(with_root):
    clip, other = walking(300), walking(240)
    rooted, figure = with_root(gait.FIGURE), gait.FIGURE
    wanted, found = (find_loops(clip, Surroundings(skeleton)).best for skeleton in (figure, rooted))
    assert [(loop.first, loop.last) for loop in found] == [(loop.first, loop.last) for loop in wanted]
    assert [loop.gap for loop in found] == pytest.approx([loop.gap for loop in wanted], abs=1e-9)
    cuts = [
        found_cuts(clip, Surroundings(skeleton, takes={"other": other}), JoinParams(take="other")).best(5)
        for skeleton in (figure, rooted)
    ]
    assert np.allclose(*cuts, atol=1e-9)


def test_of_waves_that_repeat_exactly_the_gap_is_nothing_and_the_length_the_period():
    time = np.arange(200)[:, None]
    clip = plain(np.hstack([np.sin(2 * np.pi * time / 40), np.cos(4 * np.pi * time / 40 + 1.0)]), first=11)
    best = find_loops(clip, Surroundings()).best[0]
    assert best.last - best.first == 40 and best.gap < 1e-6 and best.first >= 11


def test_standing_still_is_no_loop():
    time = np.arange(300)[:, None]
    moving = np.sin(2 * np.pi * time / 45) * (time > 150)
    best = find_loops(plain(moving + 1e-3 * np.sin(time)), Surroundings()).best[0]
    assert best.first > 140 and best.last - best.first == pytest.approx(45, abs=1)


def test_loops_are_no_shorter_and_no_longer_than_asked_and_ranked():
    loops = find_loops(walking(300), Surroundings(gait.FIGURE), 1.8, 2.5)
    assert len(loops.best) > 1 and all(1.8 * 60 <= loop.last - loop.first <= 2.5 * 60 for loop in loops.best)
    ranks = [loop.gap * np.sqrt(loop.last - loop.first) for loop in loops.best]
    assert ranks == sorted(ranks)


def test_the_map_shows_the_gap_of_every_stretch():
    clip = walking(240)
    loops = find_loops(clip, Surroundings(gait.FIGURE))
    assert loops.gaps.shape == (len(loops.starts), len(loops.ends))
    row, column = np.unravel_index(np.argmin(loops.gaps), loops.gaps.shape)
    assert np.isinf(loops.gaps[10, 5]) and loops.gaps[row, column] < 0.2


def test_how_much_moves_in_a_stretch_is_its_deviation():
    points = np.random.default_rng(0).normal(size=(50, 4))
    starts, ends = np.array([3, 10]), np.array([20, 40])
    found = spread(points, starts, ends, ends - starts[:, None])
    for row, start in enumerate(starts):
        for column, end in enumerate(ends):
            inner = points[start:end]
            assert found[row, column] == pytest.approx(np.sqrt(np.mean(np.sum((inner - inner.mean(axis=0)) ** 2, axis=1))))


def test_a_take_that_is_too_short_has_none():
    assert find_loops(plain(np.sin(np.arange(9.0))[:, None]), Surroundings()).best == ()
