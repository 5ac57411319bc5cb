# SPDX-License-Identifier: GPL-3.0-or-later
"""Joining: no seam in place, speed or heading, cuts where the takes are alike, loops that close."""

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.declare.params import build
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.mixing.transitions import SPEED_SECONDS
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.ground import Ground
from motion_signal.core.techniques.several_takes.join import JOIN, JoinParams, found_cuts
from scipy.spatial.transform import Rotation

HIPS = gait.FIGURE.bones[0]


def joined(clip, other=None, skeleton=gait.FIGURE, **settings):
    surroundings = Surroundings(skeleton, takes={"b": other} if other else {})
    return JOIN.run(clip, build(JoinParams, {"take": "b" if other else "", **settings}), surroundings)


def walking(frames=120, fps=30.0, speed=1.3, degrees=0.0, seed=1):
    """The procedural walk in some direction, as a clip of the hips' location and all rotations."""
    motion = gait.walk(frames, fps, speed, seed)
    channels = [Channel(HIPS.path + ".location", index, "LOCATION", HIPS.name) for index in range(3)]
    channels += [
        Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in gait.FIGURE.bones for index in range(4)
    ]
    about, rest = Rotation.from_euler("z", degrees, degrees=True), Rotation.from_matrix(HIPS.rest[:3, :3])
    places = rest.inv().apply(about.apply(HIPS.rest[:3, 3] + rest.apply(motion.location)) - HIPS.rest[:3, 3])
    turns = motion.rotations.copy()
    turned = rest.inv() * about * rest * Rotation.from_quat(turns[:, 0], scalar_first=True)
    turns[:, 0] = turned.as_quat(scalar_first=True)
    return Clip(np.hstack([places, turns.reshape(frames, -1)]), tuple(channels), fps, 1)


def heads(clip):
    return gait.FIGURE.forward(*gait.FIGURE.local(clip))[1]


def jumps(clip):
    """The longest way of each joint from one frame to the next."""
    return np.linalg.norm(np.diff(heads(clip), axis=0), axis=2).max(axis=0)


def on_the_spot(clip):
    return clip.with_values(Ground([clip], gait.FIGURE).taken_off(clip.values)[0])


def path(clip):
    return Ground([clip], gait.FIGURE).taken_off(clip.values)[1]


@pytest.mark.parametrize("by_bands", [False, True])
@pytest.mark.parametrize("degrees", [0.0, 100.0, -170.0])
def test_no_joint_jumps_where_walks_of_different_speed_and_direction_are_joined(degrees, by_bands):
    clip, other = walking(speed=1.0), walking(speed=1.7, degrees=degrees, seed=2)
    result = joined(clip, other, by_bands=by_bands)
    assert (jumps(result) < 1.2 * np.maximum(jumps(clip), jumps(other))).all()
    turns = [np.abs(np.diff(path(one).headings)).max() for one in (clip, other, result)]
    assert turns[2] < 1.2 * max(turns[:2])
    assert result.first_frame == clip.first_frame


def test_before_the_transition_it_is_the_one_take_and_after_it_the_other_moved_and_turned():
    clip, other = walking(speed=1.2), walking(degrees=60.0, seed=2)
    result = joined(clip, other, cut="FRAMES", cut_frame=91, enter_frame=31, transition=0.4)
    assert result.frames == 91 + 120 - 31
    assert np.abs(result.values[:84] - clip.values[:84]).max() < 1e-9
    tail, wanted = heads(result)[97:], heads(other)[37:]
    for points in (tail, wanted):
        points -= points[0, 0] * [1.0, 1.0, 0.0]
    turn, left = Rotation.align_vectors(tail[-1] - tail[0, 0], wanted[-1] - wanted[0, 0])
    assert np.abs(turn.apply(wanted.reshape(-1, 3)) - tail.reshape(-1, 3)).max() < 1e-6 and left < 1e-5
    assert np.abs(turn.as_rotvec()[:2]).max() < 1e-6


@pytest.mark.parametrize("curve", ["SMOOTH", "SMOOTHER", "LINEAR", "EARLY", "LATE"])
def test_every_curve_goes_from_one_take_to_the_other_and_never_back(curve):
    channels = (Channel('["effort"]', 0),)
    clip, other = (Clip(np.full((90, 1), value), channels, 30.0, 1) for value in (0.0, 1.0))
    result = joined(clip, other, None, cut="FRAMES", cut_frame=61, enter_frame=31, transition=1.0, curve=curve).values[:, 0]
    assert (result[:46] == 0).all() and (result[75:] == 1).all()
    assert (np.diff(result[45:76]) > 0).all()
    assert {"EARLY": result[60] > 0.6, "LATE": result[60] < 0.4}.get(curve, abs(result[60] - 0.5) < 1e-9)


def test_band_by_band_slow_motion_changes_slowly_and_fast_motion_quickly():
    time = np.arange(600) / 60.0
    channels = (Channel('["slow"]', 0), Channel('["fast"]', 0))
    waves = np.column_stack([np.sin(2 * np.pi * 0.1 * time), np.sin(2 * np.pi * 12.0 * time)])
    clip, other = Clip(np.zeros((600, 2)), channels, 60.0, 1), Clip(waves, channels, 60.0, 1)
    settings = {"cut": "FRAMES", "cut_frame": 301, "enter_frame": 301, "transition": 4.0}
    whole, banded = (joined(clip, other, None, by_bands=by_bands, **settings).values for by_bands in (False, True))
    share = np.abs(banded / np.where(np.abs(waves) > 0.3, waves, np.nan))
    early, late = slice(200, 290), slice(311, 400)
    assert np.nanmax(share[early, 1]) < 0.05 and np.nanmin(share[late, 1]) > 0.95
    assert np.abs(banded[:, 0] - whole[:, 0]).max() < 0.1


def test_the_cut_is_found_where_the_other_take_is_the_same():
    clip = walking(200)
    other = clip.with_values(clip.values[60:])
    cuts = found_cuts(
        clip,
        Surroundings(gait.FIGURE, takes={"b": other}),
        JoinParams(take="b", search_end=4.0, search_start=3.0, transition=0.2),
    )
    leave, enter, distance = cuts.best()[0]
    assert leave - enter == 60 and distance < 1e-6
    result = joined(clip, other, search_end=4.0, search_start=3.0, transition=0.2)
    assert result.frames == clip.frames and np.abs(heads(result) - heads(clip)).max() < 1e-6


def test_the_distance_is_that_of_joints_and_their_speeds_laid_over_each_other():
    clip, other = walking(60, speed=1.0), walking(70, degrees=130.0, seed=5)
    surroundings = Surroundings(gait.FIGURE, takes={"b": other})
    cuts = found_cuts(clip, surroundings, JoinParams(take="b", transition=0.2))

    def seen(one, row):
        way = path(one)
        back = Rotation.from_euler("z", -way.headings[row])
        places = heads(one)
        speeds = 0.5 * (places[row + 1] - places[row - 1]) * one.fps
        return back.apply(places[row] - way.places[row]), back.apply(speeds)

    for row, column in ((0, 0), (10, 20), (15, 5)):
        here, there = seen(clip, cuts.leaving[row]), seen(other, cuts.entering[column])
        squares = sum(np.sum((a - b) ** 2) * scale**2 for a, b, scale in zip(here, there, (1.0, SPEED_SECONDS)))
        assert abs(cuts.distances[row, column] - np.sqrt(squares / len(gait.FIGURE.bones))) < 1e-9


def test_the_best_cuts_are_lowest_first_and_apart():
    clip, other = walking(240), walking(240, seed=4)
    params = JoinParams(take="b", search_end=3.0, search_start=3.0)
    cuts = found_cuts(clip, Surroundings(gait.FIGURE, takes={"b": other}), params)
    best = cuts.best(5)
    assert len(best) > 2 and [cut[2] for cut in best] == sorted(cut[2] for cut in best)
    assert best[0][2] == cuts.distances.min()
    for index, (leave, enter, _) in enumerate(best):
        assert all(max(abs(leave - other[0]), abs(enter - other[1])) > 2 for other in best[:index])
    first, second = (joined(clip, other, search_end=3.0, search_start=3.0, cut_number=number).frames for number in (1, 2))
    assert first == best[0][0] - best[0][1] + 240 and second == best[1][0] - best[1][1] + 240


def test_a_loop_ends_in_the_pose_that_it_starts_with_and_goes_on_from_there():
    clip = walking(150)
    result = joined(clip, loop=True)
    values, way = Ground([result], gait.FIGURE).taken_off(result.values)
    assert np.abs(values[-1] - values[0]).max() < 1e-9
    steps, source = (np.diff(heads(one), axis=0) for one in (result.with_values(values), on_the_spot(clip)))
    assert np.abs(steps[0] - steps[-1]).max() < 1.2 * np.abs(np.diff(source, axis=0)).max()
    assert np.linalg.norm(way.places[-1] - way.places[0]) > 1.0
    assert (jumps(result) < 1.1 * jumps(clip)).all()


def test_a_take_of_another_rate_goes_on_at_its_own_speed_and_missing_bones_hold():
    clip, other = walking(90), walking(240, 60.0)
    kept = [column for column, channel in enumerate(other.channels) if channel.owner != "head"]
    other = Clip(other.values[:, kept], tuple(other.channels[column] for column in kept), 60.0, 1)
    result = joined(clip, other, cut="FRAMES", cut_frame=61, enter_frame=121)
    assert result.frames == 61 + 59 and result.fps == 30.0
    own = [column for column, channel in enumerate(clip.channels) if channel.owner == "head"]
    assert np.abs(result.values[:90, own] - clip.values[:, own]).max() < 1e-9
    assert np.abs(result.values[90:, own] - clip.values[-1, own]).max() < 1e-9


def test_without_a_skeleton_signals_are_compared(mixed_clip):
    clip = mixed_clip(150)
    result = joined(clip, clip.with_values(clip.values[40:]), None, search_end=3.0, search_start=3.0, transition=0.2)
    assert result.frames == clip.frames and np.abs(result.values - clip.values).max() < 1e-6


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"take": "x"}, "take: there is no action x"),
        ({"take": "b", "search_end": 30.0}, "search_end: 30 s is more than the take has, 3.97 s"),
        ({"take": "b", "search_start": 3.0}, "search_start: 3 s is more than the take has, 1.97 s"),
        ({"take": "b", "cut": "FRAMES", "cut_frame": 0}, "cut_frame: 0 is outside the take"),
        ({"take": "b", "cut": "FRAMES", "enter_frame": 61}, "enter_frame: 61 is outside the take"),
        ({"take": "still"}, r"1 frame\(s\); it needs at least 3"),
        ({"take": "stranger"}, "none of the .* curves of the take is in the other one"),
        ({"loop": True, "cut": "FRAMES", "cut_frame": 50, "enter_frame": 45}, "leaves nothing of a loop of 5 frames"),
    ],
)
def test_bad_input_gets_a_sentence(settings, sentence):
    clip, stranger = walking(), Clip(np.zeros((60, 1)), (Channel('["other"]', 0),), 30.0, 1)
    others = {"b": walking(60), "still": clip.with_values(clip.values[:1]), "stranger": stranger}
    with pytest.raises(ValueError, match=sentence):
        JOIN.run(clip, build(JoinParams, settings), Surroundings(gait.FIGURE, takes=others))


@pytest.mark.parametrize("axes", ["XYZ", "XX"])
def test_a_bone_that_has_been_all_the_way_round_before_does_not_go_round_again_in_the_transition(axes):
    """Half turns, one after the other, bring it back to where it began, though its quaternion is the opposite there."""
    halves = [Rotation.from_euler(axis, np.linspace(0.0, 180.0, 31)[1:, None], degrees=True) for axis in axes]
    turns, at = [Rotation.identity()] * 90, Rotation.identity()
    for half in halves:
        turns += [at * turn for turn in half]
        at = turns[-1]
    turns = Rotation.concatenate([*turns, *[at] * 20])
    channels = tuple(Channel('pose.bones["Bone"].rotation_quaternion', index, "QUATERNION", "Bone") for index in range(4))
    still = Clip(np.tile([1.0, 0.0, 0.0, 0.0], (90, 1)), channels, 30.0, 1)
    round_and_round = Clip(turns.as_quat(scalar_first=True), channels, 30.0, 1)
    assert at.magnitude() < 1e-6
    enter = round_and_round.frames - 9
    result = joined(still, round_and_round, None, cut="FRAMES", cut_frame=60, enter_frame=enter, transition=0.4)
    assert Rotation.from_quat(result.values, scalar_first=True).magnitude().max() < 1e-6
