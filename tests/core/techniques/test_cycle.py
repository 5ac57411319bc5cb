# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles cut out of a walk: closed, without a limp, going where they went, and round and round."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.body import Body
from motion_signal.core.body.figure import walks
from motion_signal.core.cycles.cut import ended
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.cycle import pace, repeated
from motion_signal.core.motion.ground import Ground, Path
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.numeric.rotation import EULER_ORDERS
from motion_signal.core.techniques.time.cycle import CYCLE, CycleParams, extrapolations
from scipy.spatial.transform import Rotation

FPS, FIGURE = 60.0, gait.FIGURE
HERE = Surroundings(FIGURE)
SEARCH = CycleParams(find="SEARCH")


def walking(frames=240, fps=FPS, turning=0.0):
    """The procedural walk, along a circle if it turns so many radians a frame."""
    motion = gait.walk(frames, fps)
    hips = FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in FIGURE.bones for index in range(4)]
    clip = Clip(np.hstack([motion.location, motion.rotations.reshape(frames, -1)]), tuple(channels), fps, 1)
    ground = Ground([clip], FIGURE)
    values, path = ground.taken_off(clip.values)
    headings = path.headings + turning * np.arange(frames)
    steps = np.diff(path.places, axis=0)
    turned = 0.5 * turning * (2 * np.arange(frames - 1) + 1)
    ahead = np.stack(
        [
            np.cos(turned) * steps[:, 0] - np.sin(turned) * steps[:, 1],
            np.sin(turned) * steps[:, 0] + np.cos(turned) * steps[:, 1],
            0 * turned,
        ],
        axis=1,
    )
    places = np.concatenate([[[0.0, 0.0, 0.0]], np.cumsum(ahead, axis=0)])
    return clip.with_values(ground.put_on(values, Path(places, headings), clip.values))


@pytest.fixture(scope="module")
def process():
    return CYCLE.open(walking(), HERE)


def on_the_spot(clip):
    return Ground([clip], FIGURE).taken_off(clip.values)


def test_the_pose_at_the_end_is_that_at_the_start(process):
    for closing in ("VELOCITY", "RAMP"):
        values, _ = on_the_spot(process(replace(SEARCH, closing=closing)))
        assert np.abs(values[-1] - values[0]).max() < 1e-12


def test_the_speed_at_the_end_is_that_at_the_start(process):
    values, _ = on_the_spot(process(SEARCH))
    steps = np.diff(values, axis=0)
    assert np.linalg.norm(steps[0] - steps[-1]) < 0.1 * np.median(np.linalg.norm(steps, axis=1))
    values, _ = on_the_spot(process(replace(SEARCH, closing="RAMP")))
    ramped = np.diff(values, axis=0)
    assert np.linalg.norm(ramped[0] - ramped[-1]) > 2 * np.linalg.norm(steps[0] - steps[-1])


def test_without_a_limp_feet_are_as_far_below_the_pelvis_as_they_were():
    clip = walking()
    values, _ = on_the_spot(clip)
    knees = [column for column, channel in enumerate(clip.channels) if channel.owner == "shin.L" and channel.index == 1]
    values[:, knees] -= 0.2 * np.linspace(0.5, 1.5, clip.frames)[:, None]  # a leg that bends more and more
    clip = clip.with_values(values)
    ask = CycleParams(find="FRAMES", loop_start=40, loop_end=102, path="PLACE")
    source = Body(clip.with_values(clip.values[39:102]), FIGURE)
    low = {}
    for limp in (True, False):
        result = Body(CYCLE.run(clip, replace(ask, undo_limp=limp), HERE), FIGURE)
        apart = [(body.heads[0] - body.tip("left_foot")[0])[2] for body in (source, result)]
        low[limp] = np.abs(apart[1] - apart[0])[15:-15].max()
    assert low[True] < 1e-4 and low[False] > 3e-3


@pytest.mark.parametrize("kind, size, undone", [("VALUE", 0.05, True), ("LOCATION", 0.0, True), ("LOCATION", 0.05, False)])
def test_limps_are_left_only_where_the_object_itself_moves(kind, size, undone):
    clip = walking()
    moving = replace(
        clip,
        values=np.column_stack([clip.values, size * np.sin(np.arange(clip.frames))]),
        channels=(*clip.channels, Channel("delta_location", 0, kind)),
    )
    assert walks(moving, FIGURE) == undone


def test_in_place_it_goes_nowhere_and_straight_it_goes_on_along_a_line():
    clip = walking(turning=0.01)
    still, straight = (CYCLE.run(clip, replace(SEARCH, path=path), HERE) for path in ("PLACE", "STRAIGHT"))
    assert np.abs(still.values[-1] - still.values[0]).max() < 1e-9
    assert set(extrapolations(still).values()) == {"REPEAT"}
    offset = {channel.kind for channel, mode in extrapolations(straight).items() if mode == "REPEAT_OFFSET"}
    assert offset == {"LOCATION"}


def test_a_turning_walk_turns_for_ever():
    clip = walking(turning=0.01)
    cycle = CYCLE.run(clip, replace(SEARCH, repeats=5), HERE)
    _, path = on_the_spot(cycle)
    length = (cycle.frames - 1) // 5
    turns = np.diff(path.headings[::length])
    assert np.ptp(turns) < 1e-9 and turns[0] == pytest.approx(0.01 * length, rel=0.1)
    chords = np.linalg.norm(np.diff(path.places[::length], axis=0), axis=1)
    assert np.ptp(chords) < 1e-9 and chords[0] > 1.0
    assert pace(cycle, FIGURE) == pytest.approx((1.3, np.degrees(0.6)), rel=0.1)


@pytest.mark.parametrize("phase", [0.25, -0.4, 1.0])
def test_a_shift_wraps_frames_round(phase, process):
    cycle = process(SEARCH)
    again = CYCLE.run(cycle, CycleParams(phase=phase), HERE)
    (values, _), (shifted, _) = on_the_spot(cycle), on_the_spot(again)
    rows = round(phase * (cycle.frames - 1))
    assert np.abs(shifted[:-1] - np.roll(values[:-1], -rows, axis=0)).max() < 1e-9
    assert np.abs(shifted[-1] - shifted[0]).max() < 1e-9


def test_repeats_of_the_spinning_go_on_spinning():
    turns = np.linspace(0.0, 2 * np.pi, 41)[:, None]
    wheel = Clip(turns, (Channel("rotation_euler", 0, "XYZ"),), 30.0, 1)
    result = CYCLE.run(wheel, CycleParams(repeats=3))
    assert np.allclose(np.diff(result.values[:, 0]), 2 * np.pi / 40) and result.frames == 121


@pytest.mark.parametrize("repeats", [2, 3, 4])
@pytest.mark.parametrize("rounds", [-1, 0, 1, 2])
def test_repeats_of_quaternions_go_on_as_the_rotation_does(rounds, repeats, rotation_channels):
    """Once round, a quaternion is minus what it was, twice round it is itself again; both go on without a seam."""

    def turned(count):
        angles = np.arange(count * 40 + 1) * 2 * np.pi / 40
        axis = np.column_stack([0.48 + 0.0 * angles, 0.6 * np.cos(angles), 0.64 + 0.1 * np.sin(angles)])
        axis /= np.linalg.norm(axis, axis=1)[:, None]
        half = 0.5 * rounds * angles + 0.7
        return np.column_stack([np.cos(half), np.sin(half)[:, None] * axis])

    wheel = Clip(turned(1), rotation_channels("QUATERNION", "wheel"), 30.0, 1)
    result = CYCLE.run(wheel, CycleParams(repeats=repeats))
    assert np.abs(result.values - turned(repeats)).max() < 1e-9
    later = CYCLE.run(wheel, CycleParams(phase=0.25))
    assert np.abs(later.values - turned(2)[10:51]).max() < 1e-9


MODES = ("QUATERNION", "AXIS_ANGLE", *EULER_ORDERS)


@pytest.mark.parametrize("mode", MODES)
def test_every_repetition_has_the_same_poses(mode, rotation_channels, in_mode, as_rotations):
    """Whatever the angles are called when they have come round: a turn more, half a turn about each axis, or another sign."""
    phase = np.linspace(0.0, 2 * np.pi, 61)[:, None]
    for seed in range(40):
        random = np.random.default_rng(seed)
        waves = sum(random.normal(0.0, 1.0, 3) * np.sin(count * phase + random.uniform(0, 6.3, 3)) for count in (1, 2, 3))
        turned = Rotation.from_rotvec(waves) * Rotation.from_rotvec(phase * [0, 0, seed % 2])
        clip = Clip(in_mode(turned, mode), rotation_channels(mode), 30.0, 1)
        thrice = repeated(ended(clip), 3).values
        assert len(thrice) == 181 and (thrice[:60] == clip.values[:60]).all()
        rows = np.arange(181)
        assert (as_rotations(thrice, mode) * turned[rows % 60].inv()).magnitude().max() < 1e-6, seed
        assert np.abs(np.diff(thrice, axis=0)).max() < 1.05 * np.abs(np.diff(clip.values, axis=0)).max() + 1e-9, seed


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "ZXY"])
def test_who_turns_round_in_a_cycle_is_closed_like_everybody(mode, rotation_channels, in_mode, as_rotations):
    """Once, twice or three times about any axis, and not quite back: the seam is no step."""
    fraction = np.linspace(0.0, 1.0, 81)[:, None]
    for seed in range(30):
        random = np.random.default_rng(seed)
        axis = random.normal(size=3)
        spin = Rotation.from_rotvec(2 * np.pi * (seed % 3 + 1) * fraction * axis / np.linalg.norm(axis))
        astray = Rotation.from_rotvec(random.normal(0.0, 0.15, 3) * fraction)
        turned = astray * spin * Rotation.from_rotvec(random.normal(0.0, 0.5, 3))
        clip = Clip(in_mode(turned, mode), rotation_channels(mode), 30.0, 1)
        params = CycleParams(find="FRAMES", loop_start=1, loop_end=81, repeats=2)
        found = as_rotations(CYCLE.run(clip, params).values, mode)
        steps = (found[1:] * found[:-1].inv()).magnitude()
        assert steps.max() < 1.5 * np.median(steps), seed


def test_what_comes_round_under_other_numbers_is_not_added_up(rotation_channels):
    for mode, first, last in (
        ("QUATERNION", [1, 0, 0, 0], [-1, 0, 0, 0]),
        ("AXIS_ANGLE", [1, 0, 0, 1], [-1, 0, 0, -1]),
        ("XYZ", [0.1, 0.5, 0.2], [0.1 + np.pi, np.pi - 0.5, 0.2 - np.pi]),
    ):
        clip = Clip(np.linspace(first, last, 20), rotation_channels(mode), 30.0, 1)
        assert set(extrapolations(clip).values()) == {"REPEAT"}
    spun = Clip(np.linspace([0, 0, 0], [0, 0, 2 * np.pi], 20), rotation_channels("XYZ"), 30.0, 1)
    assert list(extrapolations(spun).values()) == ["REPEAT", "REPEAT", "REPEAT_OFFSET"]


def test_an_imperfect_cycle_does_not_drift():
    """What ends a little off where it began begins again where it began, every time."""
    angles = np.column_stack([np.linspace(0.0, 0.2, 41), *np.zeros((2, 41))])
    wheel = Clip(angles, tuple(Channel("rotation_euler", axis, "XYZ") for axis in range(3)), 30.0, 1)
    result = CYCLE.run(wheel, CycleParams(repeats=4)).values
    assert (result[:160].reshape(4, 40, 3) == angles[:40]).all()


def test_a_mirrored_walk_steps_with_the_other_foot_half_a_cycle_later(process):
    cycle = process(replace(SEARCH, path="PLACE"))
    seen = CYCLE.run(cycle, CycleParams(mirror=True, path="PLACE"), HERE)
    heads, mirrored = (FIGURE.posed(clip)[1] for clip in (cycle, seen))
    left, right = (FIGURE.index(name) for name in ("foot.L", "foot.R"))
    half = round(0.5 * (cycle.frames - 1))
    wanted = np.roll(heads[:-1, right], -half, axis=0) * [-1.0, 1.0, 1.0]
    assert np.abs(mirrored[:-1, left, 2] - wanted[:, 2]).max() < 1e-6
    twice = CYCLE.run(seen, CycleParams(mirror=True, path="PLACE", phase=(cycle.frames - 1) % 2 / (cycle.frames - 1)), HERE)
    assert np.abs(FIGURE.posed(twice)[1][:, :, 2] - heads[:, :, 2]).max() < 1e-6


def test_mirrored_turns_turn_the_other_way():
    cycle = CYCLE.run(walking(turning=0.01), SEARCH, HERE)
    seen = CYCLE.run(cycle, CycleParams(mirror=True), HERE)
    assert pace(seen, FIGURE) == pytest.approx((pace(cycle, FIGURE)[0], -pace(cycle, FIGURE)[1]), abs=1e-6)


@pytest.mark.parametrize(
    "ask, words",
    [
        ({"find": "FRAMES", "loop_start": 10, "loop_end": 13}, r"from frame 10 to 13 has 3 frame\(s\) .* at least 4"),
        ({"find": "FRAMES", "loop_start": 10, "loop_end": 900}, "loop_end: 900 is not one of 1 to 240"),
        (
            {"find": "SEARCH", "threshold": 0.01},
            r"no cycle is as close as 0.01; cycle 1, from frame \d+ to \d+, ends 0\.\d\d of",
        ),
        ({"find": "SEARCH", "shortest": 5.0, "longest": 9.0}, "has no cycle of 5 to 9 s"),
        ({"find": "SEARCH", "loop_number": 500}, "loop_number: 500 cannot be taken, there are"),
        ({"phase": 0.5}, r"the take is no cycle: \S+ ends \d+ degrees from where it began"),
    ],
)
def test_what_is_no_cycle_is_refused_with_what_was_found(ask, words):
    clip = walking()
    clip = clip.with_values(clip.values[:210]) if "phase" in ask else clip
    with pytest.raises(ValueError, match=words):
        CYCLE.run(clip, CycleParams(**ask), HERE)


def test_mirroring_needs_an_armature():
    clip = Clip(np.zeros((10, 1)), (Channel("x", 0),), 30.0, 1)
    with pytest.raises(ValueError, match="mirror: there is no armature"):
        CYCLE.run(clip, CycleParams(mirror=True))


def test_bones_that_are_led_keep_their_limp(process):
    led = Skeleton(tuple(replace(bone, led=True) for bone in FIGURE.bones))
    result = CYCLE.run(walking(), SEARCH, Surroundings(led))
    without = process(replace(SEARCH, undo_limp=False))
    assert np.abs(result.values - without.values).max() < 1e-12
