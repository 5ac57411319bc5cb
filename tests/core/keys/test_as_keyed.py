# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys where the source has them: nothing where nothing changed, exact where keys can say it, and few more where not."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.keys.as_keyed import Asked, as_keyed
from motion_signal.core.keys.keyed_curve import BEZIER, CONSTANT, LINEAR, KeyedCurve
from motion_signal.core.keys.moved_keys import Moments, on_frames

FRAMES = np.arange(1.0, 98.0)


def keyed(seed, kind=BEZIER, times=(1, 9, 21, 33.4, 49, 61, 80, 97)):
    """Keys with handles of random length and height, half of them in one line."""
    random = np.random.default_rng(seed)
    times = np.array(times, dtype=float)
    gaps = np.diff(times, prepend=times[0] - 5, append=times[-1] + 5)
    reach = np.column_stack([gaps[:-1], gaps[1:]]) * random.uniform(0.1, 0.6, (len(times), 2))
    smooth = random.random(len(times)) < 0.5
    slopes = random.normal(0.0, 0.05, (len(times), 2))
    slopes[smooth, 1] = slopes[smooth, 0]
    return KeyedCurve(
        times,
        random.normal(size=len(times)),
        reach,
        slopes * reach * (-1.0, 1.0),
        np.full(len(times), kind),
        smooth,
        np.arange(len(times)),
    )


def drawn(curve, frames=FRAMES):
    return curve.weights(frames) @ curve.numbers


def bezier(curve, frame):
    """A slow obvious version: the moment on the segment by halving, and de Casteljau there."""
    key = int(np.searchsorted(curve.times, frame, side="right")) - 1
    if key == len(curve) - 1:
        return curve.values[key]
    start, end = (np.array([curve.times[each], curve.values[each]]) for each in (key, key + 1))
    span = end[0] - start[0]
    first, second = (
        np.array([reach, rise]) * min(1.0, span / reach)
        for reach, rise in ((curve.reach[key, 1], curve.rise[key, 1]), (curve.reach[key + 1, 0], curve.rise[key + 1, 0]))
    )
    points = [start, start + first, end + second * (-1.0, 1.0), end]
    low, high = 0.0, 1.0
    for _ in range(60):
        part, row = 0.5 * (low + high), points
        while len(row) > 1:
            row = [one + part * (other - one) for one, other in zip(row, row[1:])]
        low, high = (part, high) if row[0][0] < frame else (low, part)
    return row[0][1]


@pytest.mark.parametrize("seed", range(5))
def test_curves_are_those_of_their_control_points(seed):
    curve = keyed(seed)
    assert np.abs(drawn(curve) - [bezier(curve, frame) for frame in FRAMES]).max() < 1e-9


@pytest.mark.parametrize("kind", (BEZIER, LINEAR, CONSTANT))
@pytest.mark.parametrize("seed", range(5))
def test_a_key_more_leaves_the_curve_as_it_was(seed, kind):
    curve = keyed(seed, kind)
    before = drawn(curve)
    for frame in (5.0, 50.0, 51.0, 90.5):
        curve = curve.split(frame)
    assert len(curve) == 12 and np.abs(drawn(curve) - before).max() < 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_nothing_changed_is_the_source_to_the_bit(seed):
    curve = keyed(seed)
    (found,) = as_keyed([Asked(curve, drawn(curve), drawn(curve), 1, 0.001)])
    assert (found.numbers == curve.numbers).all() and (found.times == curve.times).all()


@pytest.mark.parametrize("seed", range(5))
def test_what_keys_can_say_is_said_without_a_key_more(seed):
    curve = keyed(seed)
    random = np.random.default_rng(100 + seed)
    lean = random.normal(0.0, 0.05, (len(curve), 1))
    other = replace(
        curve,
        values=curve.values + random.normal(size=len(curve)),
        rise=curve.rise + lean * curve.reach * (-1.0, 1.0),
    )
    (found,) = as_keyed([Asked(curve, drawn(other), drawn(curve), 1, 1e-3)])
    assert (found.times == curve.times).all() and np.abs(drawn(found) - drawn(other)).max() < 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_what_longer_or_shorter_handles_can_say_is_said_without_a_key_more(seed):
    curve = keyed(seed)
    times = np.random.default_rng(seed).uniform(0.7, 1.4, curve.reach.shape)
    other = replace(curve, reach=curve.reach * times, rise=curve.rise * times, values=1.2 * curve.values)
    (found,) = as_keyed([Asked(curve, drawn(other), drawn(curve), 1, 0.02)])
    assert (found.times == curve.times).all() and np.abs(drawn(found) - drawn(other)).max() <= 0.02
    gaps = np.diff(found.times)
    assert (found.reach[:-1, 1] <= gaps + 1e-9).all() and (found.reach[1:, 0] <= gaps + 1e-9).all()


@pytest.mark.parametrize("kind", (BEZIER, LINEAR))
@pytest.mark.parametrize("seed", range(5))
def test_a_key_more_stands_where_the_figure_has_one_and_all_is_within_the_tolerance(seed, kind):
    curve = keyed(seed, kind)
    wanted = drawn(curve) + 0.3 * np.exp(-(((FRAMES - 71.0) / 4.0) ** 2))
    beats = set(np.arange(62.0, 80.0, 2.0))
    (found,) = as_keyed([Asked(curve, wanted, drawn(curve), 1, 0.01)], beats)
    added = set(found.times) - set(curve.times)
    assert np.abs(drawn(found) - wanted).max() <= 0.01 and set(curve.times) <= set(found.times)
    assert 0 < len(added) <= 4 and beats & added
    assert (found.origin[np.isin(found.times, curve.times)] == np.arange(len(curve))).all()


def test_keys_beyond_what_changes_are_the_sources():
    curve = keyed(3)
    change = np.where((FRAMES > 21) & (FRAMES < 49), np.sin(np.pi * (FRAMES - 21) / 28) ** 2, 0.0)
    (found,) = as_keyed([Asked(curve, drawn(curve) + change, drawn(curve), 1, 0.01)])
    before, after = found.times <= 21, found.times >= 49
    for name in ("times", "values"):
        assert (getattr(found, name)[before] == getattr(curve, name)[:3]).all()
        assert (getattr(found, name)[after] == getattr(curve, name)[-4:]).all()
    assert (found.rise[before][:, 0] == curve.rise[:3, 0]).all() and (found.rise[after][:, 1] == curve.rise[-4:, 1]).all()


def test_a_loop_stays_closed_in_value_and_slope():
    curve = keyed(1, times=(1, 13, 25, 37, 49))
    curve = replace(curve, smooth=np.ones(5, dtype=bool), values=np.array([0.0, 1.0, 0.2, -1.0, 0.0]), rise=0.0 * curve.rise)
    frames = np.arange(1.0, 50.0)
    wanted = drawn(curve, frames) + 0.3 * np.sin(2 * np.pi * (frames - 1) / 48 + 0.7)
    (found,) = as_keyed([Asked(curve, wanted, drawn(curve, frames), 1, 0.02, loop=True)])
    slopes = found.rise / found.reach * (-1.0, 1.0)
    assert abs(found.values[0] - found.values[-1]) < 1e-12 and abs(slopes[0, 1] - slopes[-1, 0]) < 1e-12
    assert np.abs(drawn(found, frames) - wanted).max() < 0.02


def test_curves_of_one_rotation_have_their_new_keys_together():
    curves = [keyed(seed) for seed in range(4)]
    curves = [replace(curve, times=curves[0].times) for curve in curves]
    hump = 0.2 * np.exp(-(((FRAMES - 71.0) / 4.0) ** 2))
    asked = [Asked(curve, drawn(curve) + hump * (index == 2), drawn(curve), 1, 0.01) for index, curve in enumerate(curves)]
    found = as_keyed(asked)
    assert len(found[0]) > len(curves[0]) and all((one.times == found[0].times).all() for one in found)


def test_keys_go_to_the_frames_that_their_moments_are_on():
    curve = keyed(0)
    was = np.interp(np.arange(1.0, 130.0), [1, 61, 129], [1, 49, 97])
    moved = Moments(was, 1).moved(curve)
    assert (moved.origin == np.arange(len(curve))).all()
    assert np.abs(np.interp(moved.times, np.arange(1.0, 130.0), was) - curve.times).max() < 1e-9


def test_where_time_begins_again_keys_do_too():
    curve = keyed(0, times=(1, 9, 17, 25))
    clock = 1.0 + np.arange(49) % 24
    moved = Moments(clock, 101).moved(curve)
    assert moved.times.tolist() == [101, 109, 117, 125, 133, 141, 149]
    assert moved.origin.tolist() == [0, 1, 2, 0, 1, 2, 0]


def test_steps_change_on_whole_frames():
    curve = replace(keyed(0, CONSTANT), times=np.array([1, 9.3, 21, 33.4, 49.9, 61, 80, 97]))
    assert on_frames(curve).times.tolist() == [1, 10, 21, 34, 50, 61, 80, 97]


def test_a_key_that_comes_again_elsewhere_is_not_held_by_the_first():
    curve = keyed(0, times=(1, 9, 17, 25))
    moments = Moments(1.0 + np.arange(49) % 24, 1)
    moved = moments.moved(curve)
    frames = np.arange(1.0, 50.0)
    wanted = drawn(moved, frames) + 0.5 * (frames - 1.0)
    (found,) = as_keyed([Asked(moved, wanted, None, 1, 0.01, firm=(1.0,))])
    assert np.abs(drawn(found, frames) - wanted).max() <= 0.01 and found.values[0] == curve.values[0]


def test_a_stretch_of_steps_begins_with_what_is_held():
    curve = keyed(0, CONSTANT, times=(1, 9, 17, 25))
    moved = on_frames(Moments(np.arange(12.0, 21.0), 1).moved(curve))
    assert moved.times.tolist() == [1, 6] and moved.values.tolist() == curve.values[1:3].tolist()
