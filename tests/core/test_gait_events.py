# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of gaits: in order, where the procedural walk has them, and paired by name or refused by name."""

import numpy as np
import pytest
from motion_signal.core import gait
from motion_signal.core.clip import Channel, Clip
from motion_signal.core.gait_events import KEYS, Event, gait_events, paired

FPS, SPEED = 60.0, 1.3
PERIOD = 2 * np.sqrt(SPEED * 60 * gait.STEP_LAW) / SPEED * FPS  # frames of a stride


def walking(frames=300, speed=SPEED):
    motion = gait.walk(frames, FPS, speed)
    hips = gait.FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name)
                 for bone in gait.FIGURE.bones for index in range(4)]
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
        assert own == [turns[(first + place) % 3] for place in range(len(own))]


def test_keys_are_strikes_and_mid_swings():
    names = {event.name.split(" ", 1)[1] for event in gait_events(walking(), gait.FIGURE, kinds=KEYS)}
    assert names == {"strike", "mid swing"}


def test_two_walks_have_the_same_events_in_the_same_order():
    slow, fast = (gait_events(walking(240, speed), gait.FIGURE, kinds=KEYS)[:6] for speed in (1.1, 1.4))
    pairs = paired(slow, fast, "slow", "fast")
    assert pairs == tuple((one.frame, other.frame) for one, other in zip(slow, fast))


NAMES = ("jump", "fly", "land", "rise")


@pytest.mark.parametrize("gone, words", [
    (0, "the jump at frame 10 of hop is missing in leap at its start"),
    (2, "the land at frame 30 of hop is missing in leap after its fly at frame 25"),
    (3, "the rise at frame 40 of hop is missing in leap after its land at frame 35")])
def test_an_event_that_is_missing_is_named_with_where_it_is_missing(gone, words):
    hop = [Event(name, 10 * (place + 1)) for place, name in enumerate(NAMES)]
    leap = [Event(name, 10 * (place + 1) + 5) for place, name in enumerate(NAMES) if place != gone]
    for own, other, order in ((hop, leap, ("hop", "leap")), (leap, hop, ("leap", "hop"))):
        with pytest.raises(ValueError, match=words):
            paired(own, other, *order)


def test_who_stands_has_no_gait():
    standing = walking(120)
    standing = standing.with_values(np.repeat(standing.values[20:21], 120, axis=0))
    with pytest.raises(ValueError, match="events: no gait found in wave, as the left and right foot never strikes"):
        gait_events(standing, gait.FIGURE, name="wave")


def test_without_legs_there_is_no_gait(mixed_clip, figure):
    for skeleton in (None, figure):
        with pytest.raises(ValueError, match="no gait found in the take, as its figure has no two legs"):
            gait_events(mixed_clip(), skeleton)
