# SPDX-License-Identifier: GPL-3.0-or-later
"""Timewarp: timing and pose each on its own, moments found again, and what is between frames smooth."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.resample import resampled
from motion_signal.core.numeric.time_map import along
from motion_signal.core.techniques.time.timewarp import TIMEWARP, TimewarpParams, time_map
from motion_signal.core.timing.register import Pair, register
from motion_signal.core.timing.warp_poses import warp_frame_by_frame
from scipy.interpolate import BSpline
from scipy.spatial.transform import Rotation

FPS = 60.0


def surrounded(reference, skeleton=None):
    return Surroundings(skeleton, takes={"reference": reference})


def run(clip, reference, **params):
    return TIMEWARP.run(clip, TimewarpParams(reference="reference", **params), surrounded(reference))


def bent(frames, length, depth=0.05):
    """A smooth time map: for every frame of a take of `length` frames the moment of one of `frames` frames."""
    fraction = np.linspace(0.0, 1.0, length)
    return (frames - 1) * (fraction + depth * np.sin(2 * np.pi * fraction))


@pytest.fixture(scope="module")
def pair(mixed_clip):
    """A take, the same at another pace and a little longer, and the moments of the take that it shows."""
    clip = mixed_clip(300, FPS, seed=3)
    moments = bent(300, 360)
    return clip, resampled(clip, moments), moments


def test_neither_timing_nor_pose_is_the_source_itself(pair):
    clip, reference, _ = pair
    assert run(clip, reference).values is clip.values


def test_a_known_time_map_is_found_again(pair):
    clip, reference, moments = pair
    knots = register(clip, "reference", surrounded(reference)).knots
    assert np.median(np.abs(along(knots[:, ::-1], np.arange(360)) - moments)) < 1.5
    warped = run(clip, reference, timing=1.0)
    assert warped.frames == 360
    apart = np.median(np.abs(warped.values - reference.values), axis=0)
    assert (apart < 0.01 * np.ptp(reference.values, axis=0)).all()


def test_full_timing_shows_every_pose_of_the_take_at_its_counterparts_time(pair):
    clip, reference, _ = pair
    knots = register(clip, "reference", surrounded(reference)).knots
    wanted = resampled(clip, along(knots[:, ::-1], np.arange(360)))
    assert np.abs(run(clip, reference, timing=1.0).values - wanted.values).max() < 1e-9


def test_full_pose_shows_the_references_poses_in_the_takes_own_time(pair, as_rotations):
    clip, reference, _ = pair
    knots = register(clip, "reference", surrounded(reference)).knots
    wanted, found = resampled(reference, along(knots, np.arange(300))), run(clip, reference, pose=1.0)
    assert found.frames == 300
    for mode, columns in (("QUATERNION", slice(0, 4)), ("XYZ", slice(8, 11))):
        apart = as_rotations(found.values[:, columns], mode) * as_rotations(wanted.values[:, columns], mode).inv()
        assert apart.magnitude().max() < 1e-7
    assert np.abs(found.values[:, -9:-2] - wanted.values[:, -9:-2]).max() < 1e-9


def test_both_in_full_are_the_reference(pair, as_rotations):
    clip, reference, _ = pair
    found = run(clip, reference, timing=1.0, pose=1.0)
    apart = as_rotations(found.values[:, :4], "QUATERNION") * as_rotations(reference.values[:, :4], "QUATERNION").inv()
    assert found.frames == 360 and apart.magnitude().max() < 1e-7


def test_poses_go_halfway_along_the_shortest_turn_and_beyond(rotation_channels, in_mode, smooth):
    turns = [Rotation.from_rotvec(smooth(120, 3, seed=seed, fps=FPS) + offset) for seed, offset in ((0, 0.0), (7, 0.9))]
    clip, reference = (Clip(in_mode(turn, "QUATERNION"), rotation_channels("QUATERNION"), FPS, 1) for turn in turns)
    at = along(register(clip, "reference", surrounded(reference)).knots, np.arange(120))
    goal = Rotation.from_quat(resampled(reference, at).values, scalar_first=True)
    for pose in (0.5, 1.6, -0.5):
        wanted = turns[0] * Rotation.from_rotvec(pose * (turns[0].inv() * goal).as_rotvec())
        found = Rotation.from_quat(run(clip, reference, pose=pose).values, scalar_first=True)
        short = (turns[0].inv() * goal).magnitude() < 2.5  # where the shortest way is the only one that is meant
        assert short.any() and (found * wanted.inv()).magnitude()[short].max() < 1e-7


@pytest.mark.parametrize("timing, frames", [(0.0, 300), (0.25, 315), (0.5, 330), (1.0, 360), (1.5, 390), (-0.5, 270)])
def test_the_length_goes_from_the_takes_to_the_references_and_beyond(pair, timing, frames):
    clip, reference, _ = pair
    assert run(clip, reference, timing=timing, pose=0.5).frames == frames


def test_frame_by_frame_has_the_same_length(pair):
    clip, reference, _ = pair
    for timing in (0.1, 0.25, 0.5, 0.9, 1.0):
        for source in (clip, replace(clip, values=clip.values[:-1])):  # 329.5 frames at a half
            lengths = {run(source, reference, timing=timing, pose=0.3, apply=apply).frames for apply in ("SMOOTH", "FRAMES")}
            assert len(lengths) == 1


@pytest.mark.parametrize("timing", [0.5, 1.0, 1.5])
def test_ends_stay_ends(pair, timing):
    clip, reference, _ = pair
    found = run(clip, reference, timing=timing)
    assert np.abs(found.values[[0, -1]] - clip.values[[0, -1]]).max() < 1e-9


@pytest.mark.parametrize("timing", [1.5, 2.0, 4.0])
def test_timing_carried_too_far_shows_every_moment_in_order(timing):
    """Where the reference is four times as fast, twice its timing would be faster than no time at all."""
    slow = np.linspace(0.0, 8.0, 240)
    quick = np.concatenate([slow[:80], slow[80:160:4], slow[160:]])
    clip, reference = (
        Clip(np.column_stack([phase, np.sin(3 * phase)]), (Channel('["x"]', 0), Channel('["y"]', 0)), FPS, 1)
        for phase in (slow, quick)
    )
    ramp = run(clip, reference, timing=timing).values[:, 0]
    assert (np.diff(ramp) > 0).all() and np.abs(ramp[[0, -1]] - [0.0, 8.0]).max() < 1e-9


def test_timing_carried_too_far_leaves_a_fiftieth_of_a_frame_to_each_of_the_takes():
    knots = np.array([[0, 0], [20, 30], [120, 40], [140, 70]])  # the hundred in the middle become ten
    clip = Clip(np.zeros((3, 1)), (Channel('["x"]', 0),), FPS, 1)
    pair = Pair(clip, np.ones(1), knots, knots.astype(float), 1.0)
    assert [len(pair.moments(timing)[0]) for timing in (0.0, 1.0, 2.0)] == [141, 71, 40 + 2 + 40 + 1]
    rows, columns = pair.moments(2.0)
    assert np.abs(rows[[0, 40, 42, 82]] - [0, 20, 120, 140]).max() < 1e-9
    assert np.abs(columns[[0, 40, 42, 82]] - [0, 30, 40, 70]).max() < 1e-9


def test_time_that_slows_down_shows_no_plateau_and_no_stair():
    quick = np.linspace(0.0, 2.0, 120)
    slow = np.concatenate([quick[:60], np.linspace(quick[60], 2.0, 180)])  # the second half takes three times as long
    clip, reference = (
        Clip(np.column_stack([phase, np.sin(3 * phase)]), (Channel('["x"]', 0), Channel('["y"]', 0)), FPS, 1)
        for phase in (quick, slow)
    )
    pace = np.diff(run(clip, reference, timing=1.0).values[:, 0]) * 119 / 2  # frames of the take in one of the result
    assert pace.min() > 0.2 and pace.max() < 1.2 and np.abs(np.diff(pace)).max() < 0.1


def test_insertion_makes_of_a_ramp_a_gentler_ramp():
    clip = Clip(np.arange(30.0)[:, None], (Channel('["x"]', 0),), FPS, 1)
    path = np.array([(row, 3 * row + step) for row in range(30) for step in range(3)])
    steps = np.diff(warp_frame_by_frame(clip, path).values[4:-4, 0])
    assert np.abs(steps - 1 / 3).max() < 1e-12


def test_frame_by_frame_is_the_papers_three_cases():
    values = np.random.default_rng(0).normal(size=(12, 1))
    clip = Clip(values, (Channel('["x"]', 0),), FPS, 1)
    path = np.array(
        [(0, 0), (1, 1), (2, 2), (3, 2), (4, 2), (5, 3), (6, 4), (6, 5), (6, 6), (7, 7), (8, 8), (9, 9), (10, 9), (11, 10)]
    )
    found = warp_frame_by_frame(clip, path).values[:, 0]
    x = values[:, 0]
    spline = BSpline(np.arange(-2, 14), x, 3)  # knots a frame apart, control points at the frames
    assert found[[0, 1, 3, 7, 8, 10]] == pytest.approx(x[[0, 1, 5, 7, 8, 11]])  # substitution
    assert found[[2, 9]] == pytest.approx([x[2:5].mean(), x[9:11].mean()])  # deletion
    assert found[4:7] == pytest.approx(spline(6 + np.array([-1 / 3, 0, 1 / 3])))  # insertion


def test_frame_by_frame_means_of_rotations_lie_between_them(rotation_channels, in_mode, as_rotations):
    turned = Rotation.from_rotvec(np.outer(np.linspace(0.0, 3.0, 10), [0.6, 0.0, 0.8]))
    for mode in ("QUATERNION", "ZYX", "AXIS_ANGLE"):
        clip = Clip(in_mode(Rotation.from_rotvec([0.3, 0, 0]) * turned, mode), rotation_channels(mode), FPS, 1)
        path = np.array([(0, 0), (1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 4), (8, 5), (9, 6)])
        found = as_rotations(warp_frame_by_frame(clip, path).values, mode)
        angles = [0, 2 / 3, 1.5, 2, 7 / 3, 8 / 3, 3]
        wanted = Rotation.from_rotvec([0.3, 0, 0]) * Rotation.from_rotvec(np.outer(angles, [0.6, 0.0, 0.8]))
        assert (found * wanted.inv()).magnitude().max() < 1e-7, mode


def test_anchors_are_kept_exactly_and_moving_one_moves_the_result(pair):
    clip, reference, _ = pair
    anchors = ((101.0, 140.0), (200.0, 210.0))
    pairs = time_map(clip, TimewarpParams(reference="reference", anchors=anchors), surrounded(reference))
    assert {(101.0, 140.0), (200.0, 210.0)} <= set(map(tuple, pairs.tolist()))
    found = run(clip, reference, timing=1.0, anchors=anchors)
    assert np.abs(found.values[[139, 209]] - clip.values[[100, 199]]).max() < 1e-9
    assert (np.diff(pairs, axis=0) > 0).all()


def test_open_ends_find_a_part_of_the_reference(mixed_clip):
    whole = mixed_clip(500, FPS, seed=3)
    part = replace(whole, values=whole.values[170:370])
    pairs = time_map(part, TimewarpParams(reference="reference", open_ends=True), surrounded(whole))
    assert np.abs(pairs[[0, -1], 1] - [171, 370]).max() <= 3
    assert run(part, whole, timing=1.0, open_ends=True).frames == pytest.approx(200, abs=5)


@pytest.mark.parametrize("fps", [24.0, 120.0])
def test_a_reference_with_another_rate_first_frame_and_channels_is_the_same_reference(pair, mixed_clip, fps):
    clip, reference, moments = pair
    other = resampled(reference, np.arange(0.0, 359.01, FPS / fps))
    other = replace(other, fps=fps, first_frame=40, values=other.values[:, 4:], channels=other.channels[4:])
    params = TimewarpParams(reference="reference", timing=1.0)
    pairs = time_map(clip, params, surrounded(other))
    found = along(pairs - [1, 40], np.arange(300)) * FPS / fps
    assert np.median(np.abs(np.interp(found, np.arange(360), moments) - np.arange(300))) < 1.5
    warped = TIMEWARP.run(clip, params, surrounded(other))
    assert warped.channels == clip.channels and abs(warped.frames - 360) <= 3


def test_channels_that_the_reference_lacks_keep_the_takes_motion(pair):
    clip, reference, _ = pair
    short = replace(reference, values=reference.values[:, 4:], channels=reference.channels[4:])
    found = run(clip, short, pose=1.0)
    assert (found.values[:, :4] == clip.values[:, :4]).all() and np.abs(found.values - clip.values).max() > 0.01


def test_limbs_that_do_not_count_have_no_say(figure, moving):
    clip = moving(figure, 200, FPS)
    legs = {"leg", "foot"}
    early, late = resampled(clip, bent(200, 200, 0.06)), resampled(clip, bent(200, 200, -0.06))
    leg = [channel.owner in legs for channel in clip.channels]
    reference = early.with_values(np.where(leg, early.values, late.values))
    for limbs, wanted in (({"spine": (0.0,)}, 0.06), ({"leg": (0.0,)}, -0.06)):
        params = TimewarpParams(reference="reference", limbs=limbs)
        pairs = time_map(clip, params, surrounded(reference, figure)) - 1
        assert np.median(np.abs(along(pairs[:, ::-1], np.arange(200)) - bent(200, 200, wanted))) < 1.5


def test_heading_and_travel_do_not_decide(figure, moving, as_rotations, in_mode):
    """A figure that is turned round and sent elsewhere is still registered by what its limbs do."""
    clip = moving(figure, 200, FPS)
    reference = resampled(clip, bent(200, 200))
    values = reference.values.copy()
    columns = [column for column, channel in enumerate(clip.channels) if channel.path.endswith('"hips"].rotation_quaternion')]
    turned = Rotation.from_rotvec([0, 0, 2.0]) * as_rotations(values[:, columns], "QUATERNION")
    values[:, columns] = in_mode(turned, "QUATERNION")
    located = [column for column, channel in enumerate(clip.channels) if channel.path.endswith('"hips"].location')]
    values[:, located] += np.linspace(0.0, 30.0, 200)[:, None] * [1, -2, 0]
    pairs = time_map(clip, TimewarpParams(reference="reference"), surrounded(reference.with_values(values), figure)) - 1
    assert np.median(np.abs(along(pairs[:, ::-1], np.arange(200)) - bent(200, 200))) < 1.5


def test_glitches_of_one_frame_do_not_decide(pair):
    clip, reference, moments = pair
    values = reference.values.copy()
    values[0] = np.where([channel.kind in ("QUATERNION", "AXIS_ANGLE") for channel in reference.channels], values[0], 0.0)
    pairs = time_map(clip, TimewarpParams(reference="reference"), surrounded(reference.with_values(values))) - 1
    assert np.median(np.abs(along(pairs[:, ::-1], np.arange(360)) - moments)) < 1.5


def test_flips_of_the_source_do_not_show(pair):
    clip, reference, _ = pair
    values = clip.values.copy()
    values[100:150, :4] *= -1.0
    values[120:, 8:11] += [0.0, 2 * np.pi, 0.0]
    found = run(clip.with_values(values), reference, timing=0.5, pose=0.5).values
    assert np.abs(np.diff(found[:, :11], axis=0)).max() < 0.6


def retime(clip, **params):
    return TIMEWARP.run(clip, TimewarpParams(**params))


def test_moved_frames_arrive_the_start_stays_and_the_end_moves_along(mixed_clip):
    clip = replace(mixed_clip(121, FPS), first_frame=11)
    found = retime(clip, moves=((40.0, 60.0), (90.0, 95.0)))
    assert (found.frames, found.first_frame) == (126, 11)
    for old, new in ((11, 11), (40, 60), (90, 95), (131, 136)):
        assert np.abs(found.values[new - 11] - clip.values[old - 11]).max() < 1e-9


@pytest.mark.parametrize("fps", [24.0, 60.0, 120.0])
def test_what_comes_before_and_after_the_marks_keeps_its_speed(fps):
    """What stays stays, and what comes after the last mark goes along with it; only close to the marks speed changes over."""
    clip = Clip(np.arange(1.0, 318.0)[:, None], (Channel('["t"]', 0),), fps, 1)
    found = retime(clip, moves=((100.0, 100.0), (200.0, 300.0)))
    ease, frames = round(fps / 4) + 1, np.arange(1.0, 418.0)
    assert (found.frames, found.first_frame) == (417, 1)
    time = found.values[:, 0]
    assert np.abs(time - frames)[: 100 - ease].max() < 1e-9 and np.abs(time - frames + 100)[300 + ease :].max() < 1e-9
    assert np.abs(time[[99, 299]] - [100, 200]).max() < 1e-9
    pace = np.diff(time)
    assert pace.min() > 0.2 and pace.max() < 1.3


def test_an_earlier_mark_takes_the_end_along_and_one_moved_before_the_start_takes_the_start_along():
    clip = Clip(np.arange(1.0, 201.0)[:, None], (Channel('["t"]', 0),), FPS, 1)
    shorter = retime(clip, moves=((150.0, 100.0),))
    assert (shorter.first_frame, shorter.last_frame) == (1, 150)
    assert shorter.values[[0, 99, 149], 0] == pytest.approx([1, 150, 200])
    earlier = retime(clip, moves=((20.0, -10.0), (100.0, 100.0)))
    assert (earlier.first_frame, earlier.last_frame) == (-29, 200)
    assert earlier.values[[0, 19, 129, 229], 0] == pytest.approx([1, 20, 100, 200])


def test_moving_the_ends_changes_the_length(mixed_clip):
    clip = mixed_clip(121, FPS)
    found = retime(clip, moves=((121.0, 181.0), (1.0, -9.0)))
    assert (found.frames, found.first_frame) == (191, -9)
    assert np.abs(found.values[[0, -1]] - clip.values[[0, -1]]).max() < 1e-9


def test_time_between_moved_frames_flows_smoothly_and_never_back():
    clip = Clip(np.arange(200.0)[:, None], (Channel('["t"]', 0),), FPS, 0)
    time = retime(clip, moves=((50.0, 80.0), (60.0, 95.0), (150.0, 120.0))).values[:, 0]
    pace = np.diff(time)
    assert pace.min() > 0.3 and np.abs(np.diff(pace)).max() < 1.0  # straight lines would jump by 2.9


def test_held_spans_keep_their_speed_and_go_along_with_what_is_moved_in_them():
    clip = Clip(np.arange(200.0)[:, None], (Channel('["t"]', 0),), FPS, 0)
    time = retime(clip, moves=((60.0, 100.0),), hold=((50.0, 70.0),)).values[:, 0]
    assert np.abs(time[92:109] - np.arange(52.0, 69.0)).max() < 1e-9
    free = retime(clip, moves=((100.0, 60.0),), hold=((140.0, 160.0),)).values[:, 0]
    assert np.abs(np.diff(free[(free > 141) & (free < 159)]) - 1.0).max() < 1e-9


@pytest.mark.parametrize(
    "params, words",
    [
        ({"timing": 1.0}, "reference: there is none"),
        ({"moves": ((500.0, 10.0),)}, "moves: frame 500 is not one of 1 to 90"),
        ({"moves": ((20.0, 60.0), (40.0, 50.0))}, "20 would go to 60 and 40, which comes later, to 50"),
        ({"moves": ((1.0, 1.0), (90.0, 2.0))}, r"2 frame\(s\) would be left"),
        ({"moves": ((20.0, 30.0), (25.0, 32.0)), "hold": ((18.0, 27.0),)}, "moved by 7 and by 10"),
        ({"moves": ((20.0, 30.0),), "hold": ((27.0, 18.0),)}, "hold: 27 to 18"),
        ({"reference": "nobody", "timing": 1.0}, "no action nobody"),
    ],
)
def test_retiming_that_makes_no_sense_is_refused(mixed_clip, params, words):
    with pytest.raises(ValueError, match=words):
        retime(mixed_clip(90), **params)


@pytest.mark.parametrize(
    "params, words",
    [
        ({"anchors": ((20.0, 60.0), (40.0, 50.0))}, "20 belongs to 60, so 40 cannot belong to 50"),
        ({"anchors": ((20.0, 60.0), (20.0, 70.0))}, "20 belongs to 60"),
        ({"anchors": ((0.0, 5.0),)}, "frame 0 is not one of"),
        ({"anchors": ((5.0, 400.0),)}, "no frame 400"),
        ({"anchors": ((50.0, 350.0),), "slowest": 4}, "slowest: 4 is too few"),
        ({"anchors": ((250.0, 20.0),), "fastest": 4}, "fastest: 4 is too few"),
        ({"moves": ((10.0, 12.0),)}, "moves and hold"),
        ({"limbs": {"nobody": (1.0,)}}, "nobody"),
        ({"timing": 1.5, "apply": "FRAMES"}, "timing: 1.5"),
    ],
)
def test_questions_that_make_no_sense_are_refused(pair, params, words):
    clip, reference, _ = pair
    with pytest.raises(ValueError, match=words):
        run(clip, reference, **{"timing": 1.0, **params})


def test_references_that_make_no_sense_are_refused(mixed_clip):
    clip = mixed_clip(90)
    stranger = Clip(np.ones((50, 1)), (Channel("elsewhere", 0),), 30.0, 1)
    for reference, words in ((clip, "the take itself"), (mixed_clip(1), r"1 frame\(s\)"), (stranger, "none of the 35 curves")):
        with pytest.raises(ValueError, match=words):
            run(clip, reference, timing=1.0)
