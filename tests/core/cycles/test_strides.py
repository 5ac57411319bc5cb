# SPDX-License-Identifier: GPL-3.0-or-later
"""Strides: found in takes or taken as they are, begun at a strike of the left foot."""

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.gait_events import Event
from motion_signal.core.cycles.strides import begun_alike, cycle_events, stride_of
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.cycle import pace
from motion_signal.core.techniques.time.cycle import CYCLE, CycleParams

FIGURE, FPS, SPEED = gait.FIGURE, 60.0, 1.3
PERIOD = 2 * np.sqrt(SPEED * 60 * gait.STEP_LAW) / SPEED * FPS
NAMES = ["left strike", "right mid swing", "right strike", "left mid swing"]
SURROUNDINGS = Surroundings(FIGURE)


@pytest.fixture(scope="module")
def take():
    motion = gait.walk(240, FPS, SPEED)
    hips = FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in FIGURE.bones for index in range(4)]
    return Clip(np.hstack([motion.location, motion.rotations.reshape(240, -1)]), tuple(channels), FPS, 1)


@pytest.fixture(scope="module")
def cycle(take):
    return CYCLE.run(take, CycleParams(find="SEARCH"), SURROUNDINGS)


def test_a_stride_of_a_take_is_one_period_with_all_its_events(take):
    stride = stride_of(take, "walk", SURROUNDINGS)
    assert [event.name for event in stride.events] == NAMES and stride.events[0].frame == 0 and stride.steps == 2
    assert stride.clip.frames - 1 == pytest.approx(PERIOD, abs=2)
    assert pace(stride.clip, FIGURE)[0] == pytest.approx(SPEED, rel=0.03)


@pytest.mark.parametrize("phase", [0.0, 0.25, 0.6])
def test_a_cycle_is_taken_whole_and_begun_at_the_strike_wherever_it_began(cycle, phase):
    later = CYCLE.run(cycle, CycleParams(phase=phase), SURROUNDINGS) if phase else cycle
    strides = [stride_of(clip, "walk", SURROUNDINGS) for clip in (cycle, later)]
    assert strides[0].clip.frames == strides[1].clip.frames == cycle.frames
    apart = [
        np.abs(
            np.subtract(
                *(np.roll(FIGURE.posed(stride.clip)[1][:-1, :, 2], shift, axis=0) for stride, shift in zip(strides, (0, shift)))
            )
        ).max()
        for shift in (-1, 0, 1)
    ]
    assert min(apart) < 1e-6


def test_marked_events_take_the_place_of_those_found(cycle):
    frames = [event.frame + cycle.first_frame for event in cycle_events(cycle, "walk", SURROUNDINGS)]
    names = [event.name for event in cycle_events(cycle, "walk", SURROUNDINGS)]
    moved = [Event(name, frame + 2 * (name == "right strike")) for name, frame in zip(names, frames)]
    found, marked = (stride_of(cycle, "walk", SURROUNDINGS, events).events for events in ((), tuple(moved)))
    assert [there.frame - here.frame for here, there in zip(found, marked)] == [0, 0, 2, 0]


def test_events_of_a_cycle_that_begins_elsewhere_are_counted_on():
    own = [Event(name, frame) for name, frame in zip("abc", (2, 5, 9))]
    others = [Event(name, frame) for name, frame in zip("cab", (1, 4, 8))]
    assert begun_alike(own, others, 10) == [("a", 4), ("b", 8), ("c", 11)]


def test_what_never_repeats_has_no_gait(take, smooth):
    once = take.with_values(take.values[:40])
    with pytest.raises(ValueError, match="events: no gait found in hop, as nothing in its 40 frames repeats itself"):
        stride_of(once, "hop", SURROUNDINGS)


def test_what_repeats_without_steps_has_no_gait(take):
    swaying = np.array(np.repeat(take.values[20:21], 200, axis=0))
    swaying[:, 7:11] += 0.05 * np.sin(2 * np.pi * np.arange(200) / 50)[:, None] * [0.0, 1.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="no gait found in sway"):
        stride_of(take.with_values(swaying), "sway", SURROUNDINGS)
