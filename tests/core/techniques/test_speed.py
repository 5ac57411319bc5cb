# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed: what is typed is delivered, at every frame rate, on figures of every size; beyond the takes only if allowed."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.report import report
from motion_signal.core.cycles.strides import cycle_events
from motion_signal.core.declare.params import build
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.ground import Ground
from motion_signal.core.techniques.several_takes.speed import SPEED, SpeedParams, answer, in_words, opener

FIGURE = gait.FIGURE
TAKES = ({"action": "middle"}, {"action": "fast"})


def walking(speed, seed, fps=60.0):
    frames = int(4.0 * fps)
    motion = gait.walk(frames, fps, speed, seed)
    hips = FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in FIGURE.bones for index in range(4)]
    return Clip(np.hstack([motion.location, motion.rotations.reshape(frames, -1)]), tuple(channels), fps, 11)


def gone(clip):
    """Metres a second from where the hips are at first to where they are at last."""
    hips = FIGURE.posed(clip)[1][:, 0, :2]
    return np.linalg.norm(hips[-1] - hips[0]) * clip.fps / (clip.frames - 1)


def walks(fps=60.0):
    slow, middle, fast = (walking(speed, seed, fps) for speed, seed in ((0.9, 1), (1.3, 2), (1.7, 3)))
    return slow, Surroundings(FIGURE, takes={"middle": middle, "fast": fast})


@pytest.fixture(scope="module")
def scene():
    return walks()


@pytest.fixture(scope="module")
def process(scene):
    return SPEED.open(*scene)


@pytest.fixture(scope="module")
def gaits(scene):
    return opener(*scene)(SpeedParams(TAKES))


def test_a_root_bone_that_stays_behind_makes_no_difference(scene, process, with_root):
    clip, around = scene
    params = SpeedParams(TAKES, speed=1.4, lock=1.0)
    result = SPEED.run(clip, params, replace(around, skeleton=with_root(FIGURE)))
    assert np.abs(result.values - process(params).values).max() < 1e-6


def test_the_speed_asked_for_is_delivered_once_round_and_many_times(process):
    for speed in np.linspace(0.95, 1.65, 6).tolist():
        for repeats in (1, 3):
            result = process(SpeedParams(TAKES, speed=speed, repeats=repeats))
            assert gone(result) == pytest.approx(speed, rel=1e-6) and result.first_frame == 11


@pytest.mark.parametrize("fps", [24.0, 29.97, 120.0])
def test_the_speed_is_delivered_at_every_frame_rate(fps):
    clip, surroundings = walks(fps)
    result = SPEED.run(clip, SpeedParams(TAKES, speed=1.25), surroundings)
    assert gone(result) == pytest.approx(1.25, rel=1e-6)


def test_takes_of_another_frame_rate_are_played_at_that_of_the_take(scene):
    other = Surroundings(FIGURE, takes={"fast": walking(1.7, 3, 30.0)})
    result = SPEED.run(scene[0], SpeedParams(({"action": "fast"},), speed=1.25), other)
    assert result.fps == 60.0 and gone(result) == pytest.approx(1.25, rel=1e-6)


@pytest.mark.parametrize("goal, ask, key", [("CADENCE", 110.0, "cadence"), ("STRIDE", 1.35, "stride")])
def test_a_cadence_or_a_stride_can_be_asked_for(scene, process, goal, ask, key):
    params = SpeedParams(TAKES, goal, **{key: ask}, repeats=8)
    result, found = process(params), answer(opener(*scene)(params), params)
    assert getattr(found.pace, key) == pytest.approx(ask, rel=1e-6)
    strides = 8
    seconds, way = (result.frames - 1) / 60.0, gone(result) * (result.frames - 1) / 60.0
    measured = {"cadence": 2 * strides / seconds * 60.0, "stride": way / strides}[key]
    assert measured == pytest.approx(ask, rel=0.005)


def test_steps_are_as_many_and_strides_as_long_as_those_of_the_neighbours(gaits):
    ends = [gaits.pace(float(index)) for index in range(3)]
    for factor in np.linspace(0.0, 2.0, 9)[:-1]:
        found, (low, high) = gaits.pace(float(factor)), ends[int(factor) : int(factor) + 2]
        for name in ("speed", "cadence", "stride"):
            one, other = sorted((getattr(low, name), getattr(high, name)))
            assert one - 1e-9 <= getattr(found, name) <= other + 1e-9


def test_speed_is_distance_mixed_through_time_mixed(gaits):
    """The slow obvious version: what a mix goes and how long it takes are means of what its takes do."""
    slow, middle = gaits.pace(0.0), gaits.pace(1.0)
    for fraction in (0.25, 0.5, 0.75):
        way = (1 - fraction) * slow.stride + fraction * middle.stride
        seconds = (1 - fraction) * slow.stride / slow.speed + fraction * middle.stride / middle.speed
        assert gaits.value(fraction) == pytest.approx(way / seconds, rel=1e-3)


def test_the_curve_is_measured_on_the_motion_itself_and_below_the_straight_line(gaits):
    curve = gaits.curve()
    assert [name for name, _, _ in curve.takes] == ["the take itself", "middle", "fast"]
    for factor, measured in list(zip(curve.factors, curve.measured))[1:-1:5]:
        cycle = gaits.in_step.mixed(gaits.weights(factor), 20)
        assert gaits.pace_of(cycle, 20).speed == pytest.approx(measured, rel=2e-3)
    inside = curve.factors % 1.0 > 0.0
    assert (curve.measured < curve.linear)[inside].all() and np.allclose(curve.measured[~inside], curve.linear[~inside])
    assert np.abs(curve.fitted - curve.measured).max() < 0.1 * np.abs(curve.linear - curve.measured).max()


def test_at_the_speed_of_a_take_the_result_is_its_cycle(process, gaits):
    for index in range(3):
        stride = gaits.in_step.clips[gaits.order[index]]
        result = process(SpeedParams(TAKES, speed=float(gaits.values[index])))
        still = [Ground([clip], FIGURE).taken_off(clip.values)[0] for clip in (result, stride)]
        joints = [FIGURE.posed(clip.with_values(values))[1] for clip, values in zip((result, stride), still)]
        assert np.abs(joints[0] - joints[1]).max() < 1e-6


@pytest.mark.parametrize("path", ["STRAIGHT", "TRAVEL", "PLACE"])
def test_the_lock_holds_the_feet_and_the_cycle_still_closes(process, path):
    result = process(SpeedParams(TAKES, speed=1.1, lock=1.0, path=path))
    still = Ground([result], FIGURE).taken_off(result.values)[0]
    assert np.abs(still[-1] - still[0]).max() < 1e-4
    if path == "PLACE":
        assert np.abs(np.diff(FIGURE.posed(result)[1][[0, -1], 0], axis=0)).max() < 1e-6
    else:
        assert report(process(SpeedParams(TAKES, speed=1.1, lock=1.0, path=path, repeats=3)), FIGURE)["slide_mean_mm"] < 3.0
        assert gone(result) == pytest.approx(1.1, rel=1e-3)


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
def test_on_a_figure_of_another_size_the_speed_is_divided_first(process, scale):
    asked = process(SpeedParams(TAKES, speed=1.2 * scale, scale=scale))
    plain = process(SpeedParams(TAKES, speed=1.2))
    location = np.array([channel.kind == "LOCATION" for channel in plain.channels])
    assert np.allclose(asked.values, plain.values * np.where(location, scale, 1.0), atol=1e-9)


def test_beyond_the_takes_it_is_refused_or_named_as_extrapolated(process, gaits):
    asked = SpeedParams(TAKES, speed=1.9)
    with pytest.raises(ValueError, match=r"speed: 1\.9 m/s is outside 0\.\d+ to 1\.\d+ m/s, what the takes have; allow"):
        process(asked)
    allowed = replace(asked, extrapolate=True)
    found = answer(gaits, allowed)
    assert found.extrapolated and found.between == ("middle", "fast") and "extrapolated beyond" in in_words(found)
    assert gone(process(allowed)) == pytest.approx(1.9, rel=1e-6)
    inside = answer(gaits, replace(allowed, speed=1.2))
    assert not inside.extrapolated and "extrapolated" not in in_words(inside)


@pytest.fixture(scope="module")
def marked(scene, gaits):
    """The scene with the fast cycle as a take of its own, and the frames of its events."""
    cycle = gaits.in_step.clips[2]
    surroundings = Surroundings(FIGURE, takes={"cycle": cycle})
    table = {event.name: [event.frame + cycle.first_frame] for event in cycle_events(cycle, "cycle", surroundings)}
    return scene[0], surroundings, table


def test_events_that_were_moved_change_which_poses_meet(marked):
    clip, surroundings, table = marked
    late = {**table, "right strike": [table["right strike"][0] + 6]}
    process = SPEED.open(clip, surroundings)
    found, same, moved = (
        process(SpeedParams(({"action": "cycle", "events": events},), speed=1.3)) for events in ({}, table, late)
    )
    assert np.array_equal(found.values, same.values) and found.frames == moved.frames
    apart = np.linalg.norm(FIGURE.posed(found)[1] - FIGURE.posed(moved)[1], axis=2)
    assert apart.max() > 0.01 and apart[0].max() < 0.005  # at the left strike, where it begins, nothing has changed


def test_an_event_that_one_cycle_lacks_is_named(marked):
    clip, surroundings, table = marked
    fewer = {name: frames for name, frames in table.items() if name != "right mid swing"}
    with pytest.raises(
        ValueError,
        match=r"the right mid swing at frame \d+ of the cycle of the take itself is missing in the "
        "cycle of cycle after its left strike at frame 0",
    ):
        SPEED.run(clip, SpeedParams(({"action": "cycle", "events": fewer},)), surroundings)


@pytest.mark.parametrize(
    "ask, words",
    [
        ({"takes": [{"action": "run"}]}, "takes: there is no action run"),
        ({"takes": [{}]}, "takes: there is none but the take itself"),
        ({"takes": [{"action": "wave"}]}, "events: no gait found in wave"),
        (
            {"takes": [{"action": "fast", "events": {"left strike": 3}}]},
            "takes fast events left strike: 3 is no list of frames",
        ),
        ({"takes": TAKES, "speed": 0.2}, r"speed: 0.2 m/s is outside"),
        ({"takes": TAKES, "goal": "CADENCE", "cadence": 500.0}, "cadence: 500 steps a minute is outside"),
        ({"takes": TAKES, "speed": 50.0, "extrapolate": True}, "speed: 50 m/s is too far beyond .* to be extrapolated"),
        ({"takes": TAKES, "scale": 0.0}, "scale: 0 is outside 0.001"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(scene, ask, words):
    clip, surroundings = scene
    wave = clip.with_values(np.repeat(clip.values[30:31], clip.frames, axis=0))
    surroundings = replace(surroundings, takes={**surroundings.takes, "wave": wave})
    with pytest.raises(ValueError, match=words):
        SPEED.run(clip, build(SpeedParams, ask), surroundings)


def test_no_size_is_refused_even_where_nothing_checked_the_parameters(process):
    with pytest.raises(ValueError, match="scale: 0 is no size of a figure"):
        process(SpeedParams(TAKES, scale=0.0))
