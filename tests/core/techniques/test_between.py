# SPDX-License-Identifier: GPL-3.0-or-later
"""Between takes: what is asked is what comes, and beyond the examples it is said how far they go."""

import made_takes
import numpy as np
import pytest
from made_motion import Stand
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.library.numbers import Seen, numbers_of
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.techniques.several_takes.between import BETWEEN


def asked(clips, skeleton, targets=None, **wishes):
    """What is made of examples, {name: clip}, the first of which is the take itself."""
    first, *others = clips
    around = Surroundings(skeleton, takes=clips, **({"targets": targets} if targets else {}))
    return BETWEEN(clips[first], None, around, takes=[{"action": name} for name in others], **wishes)


@pytest.fixture(scope="module")
def walks():
    takes = {name: made_takes.take(name) for name in ("walk", "slow", "fast")}
    return {name: made.clip for name, made in takes.items()}, takes["walk"].skeleton


def jump(height):
    """One who stands and jumps so high, straight up, half a second long."""
    made = made_takes.take("kick")
    values = np.repeat(made.clip.values[:1], 240, axis=0)
    hips = made.skeleton.bones[made.skeleton.index("Hips")].rest[:3, :3]
    columns = [index for index, channel in enumerate(made.clip.channels) if channel.kind == "LOCATION"]
    moment = np.clip((np.arange(240) - 90) / 60.0, 0.0, 1.0)
    values[:, columns] += np.outer(4.0 * height * moment * (1.0 - moment), [0.0, 0.0, 1.0]) @ hips
    return made.clip.with_values(values), made.skeleton


def reach(swing, elbow, aside, moment=1.2):
    """Someone who stands and reaches ahead with the right hand, at some moment, and back again."""
    arm = ((0, 0, 15), (0.3, 0, 15), (moment, swing, elbow), (2.4, 0, 15))
    hips = ((0, 0, 0, 0), (0.3, 0, 0, 0), (moment, aside, 0, 0), (2.4, 0, 0, 0))
    return made_takes.make(made_takes.Recipe(Stand(hips=hips, right_arm=arm), 330))


CORNERS = [(swing, elbow, aside) for swing in (40, 110) for elbow in (10, 60) for aside in (-0.08, 0.08)]


@pytest.fixture(scope="module")
def reaches():
    made = {str(corner): reach(*corner, 1.0 + 0.05 * index) for index, corner in enumerate(CORNERS)}
    return {name: each.clip for name, each in made.items()}, made[str(CORNERS[0])].skeleton


def places(clips, skeleton):
    return np.array([numbers_of(clip, skeleton, ("across", "ahead", "up"), "right_hand") for clip in clips.values()])


@pytest.mark.parametrize("seed", range(6))
def test_a_speed_that_is_asked_is_walked(walks, seed):
    clips, skeleton = walks
    speeds = sorted(float(numbers_of(clip, skeleton, ("speed",))[0]) for clip in clips.values())
    wanted = np.random.default_rng(seed).uniform(speeds[0], speeds[-1])
    clip = asked(clips, skeleton, by_speed=True, speed=wanted)
    travelled = np.linalg.norm(clip.values[-1, :3] - clip.values[0, :3])  # of the hips, whose location is keyed first
    assert travelled / (clip.frames - 1) * clip.fps == pytest.approx(wanted, rel=0.02)
    assert numbers_of(clip, skeleton, ("speed",))[0] == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize("height", [0.2, 0.3, 0.45])
def test_a_jump_is_as_high_as_is_asked(height):
    clips = {str(each): jump(each)[0] for each in (0.15, 0.5)}
    skeleton = jump(0.1)[1]
    clip = asked(clips, skeleton, by_jump=True, jump=height)
    heights = skeleton.posed(clip)[1][:, skeleton.index("Hips"), 2]
    assert np.ptp(heights) == pytest.approx(height, rel=0.03)


@pytest.mark.parametrize("seed", range(8))
def test_a_hand_gets_to_places_between_those_of_the_examples(reaches, seed):
    clips, skeleton = reaches
    place = np.random.default_rng(seed).dirichlet(np.ones(len(clips))) @ places(clips, skeleton)
    wishes = dict(zip(("across", "ahead", "up"), place))
    clip = asked(clips, skeleton, by_place=True, limb="RIGHT_HAND", **wishes)
    hand = skeleton.posed(clip)[1][:, skeleton.index("RightHand")]
    hips = skeleton.posed(clip)[1][0, skeleton.index("Hips")]
    farthest = hand[np.linalg.norm(hand - hand[0], axis=1).argmax()] - hips  # who was made so faces -Y, all but a degree or two
    assert np.linalg.norm(places({"": clip}, skeleton) - place) < 0.02
    assert np.linalg.norm(farthest - place * (1.0, -1.0, 1.0)) < 0.06


@pytest.mark.parametrize("seed", range(3))
def test_a_hand_gets_to_an_object(reaches, seed):
    clips, skeleton = reaches
    place = np.random.default_rng(seed).dirichlet(np.ones(len(clips))) @ places(clips, skeleton)
    there = Seen(next(iter(clips.values())), skeleton).back(place)
    matrix = np.eye(4)
    matrix[:3, 3] = there
    targets = {"Ball": matrix}
    clip = asked(clips, skeleton, lambda name, bone, first, last: targets[name][None], by_place=True, target="Ball")
    assert np.linalg.norm(Seen(clip, skeleton).hit("right_hand").place - there) < 0.02


@pytest.mark.parametrize("seed", range(3))
def test_two_numbers_are_asked_at_once(walks, seed):
    clips, skeleton = walks
    clips = clips | {"turn": made_takes.take("turn").clip}
    values = np.array([numbers_of(clip, skeleton, ("speed", "turn")) for clip in clips.values()])
    wanted = np.random.default_rng(seed).dirichlet(np.full(len(values), 2.0)) @ values
    clip = asked(clips, skeleton, by_speed=True, speed=wanted[0], by_turn=True, turn=wanted[1])
    came = numbers_of(clip, skeleton, ("speed", "turn"))
    assert (np.abs(came - wanted) / np.ptp(values, axis=0)).max() < 0.01


def test_what_is_outside_and_too_few_examples_are_refused(walks, reaches):
    clips, skeleton = walks
    with pytest.raises(Refusal, match=r"speed: 3 m/s is outside the examples, which go from 0\.\d+ to 1\.\d+ m/s"):
        asked(clips, skeleton, by_speed=True, speed=3.0)
    clips, skeleton = reaches
    with pytest.raises(Refusal, match="is outside the examples, which go from .* and between each other"):
        asked(clips, skeleton, by_place=True, ahead=3.0)
    with pytest.raises(Refusal, match="there are 3 examples, and 4 are the fewest"):
        asked(dict(list(clips.items())[:3]), skeleton, by_place=True)
    with pytest.raises(Refusal, match="jump: the examples do not differ in it, 0 m in all of them"):
        asked(clips, skeleton, by_jump=True)


def test_nothing_asked_and_what_the_take_has_already_leave_it(walks):
    clips, skeleton = walks
    assert asked(clips, skeleton) is clips["walk"]
    own = float(numbers_of(clips["walk"], skeleton, ("speed",))[0])
    assert asked(clips, skeleton, by_speed=True, speed=own) is clips["walk"]


def test_a_take_that_is_none_of_them_only_says_where_it_begins(walks):
    clips, skeleton = walks
    kick = made_takes.take("kick").clip
    around = Surroundings(skeleton, takes=clips)
    wishes = {"takes": [{"action": name} for name in ("slow", "fast")], "itself": False, "by_speed": True, "speed": 1.2}
    clip = BETWEEN(kick, None, around, **wishes)
    assert numbers_of(clip, skeleton, ("speed",))[0] == pytest.approx(1.2, rel=0.01)
    there, here = (Seen(each, skeleton).hips[0, :2] for each in (clip, kick))
    assert clip.first_frame == kick.first_frame and np.linalg.norm(there - here) < 0.02


def test_it_says_what_came_and_of_which_takes(walks):
    clips, skeleton = walks
    process = BETWEEN.open(clips["walk"], Surroundings(skeleton, takes=clips))
    process(BETWEEN.params(takes=({"action": "slow"}, {"action": "fast"}), by_speed=True, speed=1.4))
    assert process.told.startswith("speed 1.4 m/s; ") and "% fast" in process.told
