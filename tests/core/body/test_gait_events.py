# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of gaits: in order, where the procedural walk has them, and paired by name or refused by name."""

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.gait_events import KEYS, Event, gait_events, paired, twins
from motion_signal.core.motion.clip import Channel, Clip

FPS, SPEED = 60.0, 1.3
PERIOD = 2 * np.sqrt(SPEED * 60 * gait.STEP_LAW) / SPEED * FPS  # frames of a stride


def walking(frames=300, speed=SPEED):
    motion = gait.walk(frames, FPS, speed)
    hips = gait.FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [
        Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in gait.FIGURE.bones for index in range(4)
    ]
    return Clip(np.hstack([motion.location, motion.rotations.reshape(frames, -1)]), tuple(channels), FPS, 1)


def test_strikes_are_where_the_walk_puts_its_heels_down():
    events = gait_events(walking(), gait.FIGURE)
    for name, late in (("left strike", 0.0), ("right strike", 0.5)):
        frames = np.array([event.frame for event in events if event.name == name])
        phases = (frames - 1) / PERIOD + late
        assert len(frames) >= 3 and np.abs(phases - np.rint(phases)).max() * PERIOD < 0.08 * FPS


def test_feet_take_turns_and_each_swings_between_leaving_and_striking():
    events = gait_events(walking(), gait.FIGURE)
    assert [event.frame for event in events] == sorted(event.frame for event in events)
    for side in ("left", "right"):
        own = [event.name.removeprefix(side + " ") for event in events if event.name.startswith(side)]
        turns = ["strike", "toe off", "mid swing"]
        first = turns.index(own[0])
        assert own == [turns[(first + index) % 3] for index in range(len(own))]


def test_keys_are_strikes_and_mid_swings():
    names = {event.name.split(" ", 1)[1] for event in gait_events(walking(), gait.FIGURE, kinds=KEYS)}
    assert names == {"strike", "mid swing"}


def test_two_walks_have_the_same_events_in_the_same_order():
    slow, fast = (gait_events(walking(240, speed), gait.FIGURE, kinds=KEYS)[:6] for speed in (1.1, 1.4))
    pairs = paired(slow, fast, "slow", "fast")
    assert pairs == tuple((one.frame, other.frame) for one, other in zip(slow, fast))


NAMES = ("jump", "fly", "land", "rise")


@pytest.mark.parametrize(
    "gone, words",
    [
        (0, "the jump at frame 10 of hop is missing in leap at its start"),
        (2, "the land at frame 30 of hop is missing in leap after its fly at frame 25"),
        (3, "the rise at frame 40 of hop is missing in leap after its land at frame 35"),
    ],
)
def test_an_event_that_is_missing_is_named_with_where_it_is_missing(gone, words):
    hop = [Event(name, 10 * (index + 1)) for index, name in enumerate(NAMES)]
    leap = [Event(name, 10 * (index + 1) + 5) for index, name in enumerate(NAMES) if index != gone]
    for own, other, order in ((hop, leap, ("hop", "leap")), (leap, hop, ("leap", "hop"))):
        with pytest.raises(ValueError, match=words):
            paired(own, other, *order)


STRIDE = ("left strike", "right mid swing", "right strike", "left mid swing")


def gait_of(count, first=0, pace=10, without=(), start=100):
    """Events of a clean gait, begun at some event of the stride, some of them not found."""
    named = [(STRIDE[(first + index) % 4], start + pace * index) for index in range(count)]
    return [Event(*event) for index, event in enumerate(named) if index not in without]


def test_takes_with_the_same_events_have_all_of_them_in_pairs():
    own, others = gait_of(9), gait_of(9, pace=17, start=3)
    found = twins(own, others, "slow", "fast")
    assert found.pairs == paired(own, others, "slow", "fast") and found.lone == ((), ()) and not found.words("slow", "fast")
    assert found.bounds == ((None, None), (None, None))


@pytest.mark.parametrize("first", range(4))
def test_takes_that_begin_with_other_feet_meet_where_both_walk(first):
    own, others = gait_of(10), gait_of(10, first)
    found = twins(own, others, "slow", "fast")
    assert len(found.pairs) == 10 - min(first, 4 - first)
    names = [dict((event.frame, event.name) for event in events) for events in (own, others)]
    assert all(names[0][one] == names[1][other] for one, other in found.pairs)


@pytest.mark.parametrize("seed", range(40))
def test_events_that_were_not_found_are_left_out_alone(seed):
    """Whatever is missing in one take, what is there in both belongs together as it would without the holes."""
    random = np.random.default_rng(seed)
    holes = [set(random.choice(np.arange(1, 19), 4, replace=False)[[0, 1]].tolist()) for _ in range(2)]
    own, others = gait_of(20, without=holes[0]), gait_of(20, pace=13, without=holes[1])
    found = twins(own, others, "slow", "fast")
    both = [index for index in range(20) if index not in holes[0] | holes[1]]
    assert found.pairs == tuple((100 + 10 * index, 100 + 13 * index) for index in both)
    assert found.bounds == ((None, None), (None, None))
    assert [event.frame for event in found.lone[0]] == [100 + 10 * index for index in sorted(holes[1] - holes[0])]


def test_a_short_take_goes_along_with_the_steps_of_a_long_one_that_are_as_even():
    stumbling = [event._replace(frame=event.frame + 8 * (index % 2)) for index, event in enumerate(gait_of(8, pace=25))]
    long = [*stumbling, *gait_of(8, pace=25, start=300), *gait_of(8, pace=60, start=500)]
    found = twins(gait_of(8, pace=10), long, "short", "long")
    assert [other for _, other in found.pairs] == list(range(300, 500, 25))
    assert found.bounds == ((None, None), (283, 500))
    assert found.words("short", "long") == (
        "8 strikes and mid swings in step, without a twin are the left strike at 100, the right mid swing at 133, the right "
        "strike at 150 and 13 more of long"
    )


def test_no_step_is_lost_between_two_that_belong_together():
    """Steps that one take makes more are at an end of the shared stretch: to leave them out in between would be a jump."""
    own, others = gait_of(12), [*gait_of(6), *gait_of(12, 2, start=160)]
    steps = np.diff(np.array(twins(own, others, "one", "other").pairs), axis=0)
    assert (steps == 10).all()


def test_takes_without_a_stretch_in_common_are_refused():
    own, others = [Event("left strike", 5), Event("right strike", 20)], [Event("right strike", 7), Event("left strike", 30)]
    with pytest.raises(ValueError, match="events: hop and leap have no two steps in a row in common, of 2 and 2 strikes"):
        twins(own, others, "hop", "leap")


def test_who_stands_has_no_gait():
    standing = walking(120)
    standing = standing.with_values(np.repeat(standing.values[20:21], 120, axis=0))
    with pytest.raises(ValueError, match="events: no gait found in wave, as the left and right foot never strikes"):
        gait_events(standing, gait.FIGURE, name="wave")


def test_without_legs_there_is_no_gait(mixed_clip, figure):
    for skeleton in (None, figure):
        with pytest.raises(ValueError, match="no gait found in the take, as its figure has no two legs"):
            gait_events(mixed_clip(), skeleton)
