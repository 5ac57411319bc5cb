# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds of a recorded walker: subject 07 slow, normal and fast, and everything in between (Ahmed 2001)."""

from dataclasses import replace
from functools import partial
from itertools import permutations

import numpy as np
import pytest
from bl_ext.dev.motion_signal.core.body.gait_events import KEYS, gait_events, twins
from bl_ext.dev.motion_signal.core.body.report import report
from bl_ext.dev.motion_signal.core.cycles.pace import ground_speed
from bl_ext.dev.motion_signal.core.declare.technique import Surroundings
from bl_ext.dev.motion_signal.core.motion.resample import resampled
from bl_ext.dev.motion_signal.core.motion.skeleton import Skeleton
from bl_ext.dev.motion_signal.core.techniques.figure.avatar import AVATAR, AvatarParams
from bl_ext.dev.motion_signal.core.techniques.several_takes.speed import SPEED, SpeedParams, answer, opener
from bl_ext.dev.motion_signal.core.techniques.several_takes.wavelet_blend import (
    WAVELET_BLEND,
    WaveletBlendParams,
    in_step,
    steps,
)

pytestmark = pytest.mark.only("5.2")  # what it tries is not Blender's

FILES = {"slow": "cmu_07_05_walk_slow", "normal": "cmu_07_01_walk_normal", "fast": "cmu_07_11_walk_fast"}
TAKES = ({"action": "normal"}, {"action": "fast"})
CENTIMETRES = 100.0


@pytest.fixture(scope="module")
def walks(recorded):
    """The takes in metres by name, without the T-pose in front, and what is around them."""
    clips = {name: without_first(recorded(file).clip) for name, file in FILES.items()}
    return clips, Surroundings(recorded(FILES["slow"]).skeleton, takes=clips)


def without_first(clip):
    return replace(clip, values=clip.values[1:], first_frame=clip.first_frame + 1)


@pytest.fixture(scope="module")
def speeds(walks):
    """20 speeds across the range, the process that makes them and the gaits it makes them of."""
    clips, surroundings = walks
    gaits = opener(clips["slow"], surroundings)(SpeedParams(TAKES))
    return np.linspace(*gaits.values[[0, -1]], 20).tolist(), SPEED.open(clips["slow"], surroundings), gaits


def gone(clip, skeleton):
    """Metres a second from where the hips are at first to where they are at last."""
    hips = skeleton.posed(clip)[1][:, 0, :2]
    return np.linalg.norm(hips[-1] - hips[0]) * clip.fps / (clip.frames - 1)


def test_twenty_speeds_are_delivered_and_their_feet_stand(walks, speeds):
    skeleton = walks[1].skeleton
    wanted, process, gaits = speeds
    ends = [gaits.pace(float(index)) for index in range(3)]
    print("\n asked  delivered  cadence  stride  straight line  slide mm")
    for speed in wanted:
        params = SpeedParams(TAKES, speed=speed, lock=1.0)
        delivered = gone(process(params), skeleton)
        found = answer(gaits, params)
        slide = report(process(replace(params, repeats=3)), skeleton)["slide_mean_mm"]
        print(
            f" {speed:.3f}  {delivered:.3f}      {found.pace.cadence:5.1f}    {found.pace.stride:.3f}   {found.straight:.3f} "
            f"({100 * (found.straight / speed - 1):+.1f} %)  {slide:.2f}"
        )
        assert delivered == pytest.approx(speed, rel=0.01) and slide < 3.0
        index = min(int(found.factor), 1)
        for name in ("cadence", "stride"):
            low, high = sorted(getattr(end, name) for end in ends[index : index + 2])
            assert low - 1e-6 <= getattr(found.pace, name) <= high + 1e-6


def test_a_straight_line_between_the_factors_misses_the_speed(speeds):
    wanted, _, gaits = speeds
    missed = [abs(answer(gaits, SpeedParams(TAKES, speed=speed)).straight / speed - 1.0) for speed in wanted]
    assert max(missed) > 0.02


def on_hips(clip, skeleton, samples=128):
    """Joints seen from the hips, once round, the way that the figure goes ahead, (samples, joints, 3)."""
    heads = skeleton.posed(resampled(clip, np.linspace(0.0, clip.frames - 1.0, samples + 1)[:-1]))[1]
    ahead = heads[-1, 0, :2] - heads[0, 0, :2]
    cosine, sine = ahead / np.linalg.norm(ahead)
    return (heads - heads[:, :1]) @ np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def captured(clip, skeleton):
    """Every captured stride, from a strike of the left foot to the next."""
    strikes = [event.frame - clip.first_frame for event in gait_events(clip, skeleton) if event.name == "left strike"]
    return [clip.with_values(clip.values[first : last + 1]) for first, last in zip(strikes, strikes[1:])]


def test_slow_and_fast_at_the_speed_of_normal_are_nearer_to_normal_than_either(walks):
    clips, surroundings = walks
    skeleton = surroundings.skeleton
    strides = {name: captured(clip, skeleton) for name, clip in clips.items()}
    speed = np.mean([ground_speed(stride, skeleton) for stride in strides["normal"]])
    mix = SPEED.run(clips["slow"], SpeedParams(({"action": "fast"},), speed=float(speed)), surroundings)

    def apart(stride):
        return CENTIMETRES * np.mean(
            [np.linalg.norm(on_hips(stride, skeleton) - on_hips(own, skeleton), axis=2).mean() for own in strides["normal"]]
        )

    found = {"mix": [apart(mix)], **{name: [apart(stride) for stride in strides[name]] for name in ("slow", "fast")}}
    print("\nfrom the captured normal stride, cm:", {name: np.round(each, 2).tolist() for name, each in found.items()})
    assert found["mix"][0] < 3.5
    assert found["mix"][0] < min(found["slow"] + found["fast"])
    assert found["mix"][0] < 0.8 * min(np.mean(found["slow"]), np.mean(found["fast"]))


def sized(skeleton, scale):
    def larger(bone):
        rest = np.array(bone.rest)
        rest[:3, 3] *= scale
        return replace(bone, rest=rest, length=scale * bone.length)

    return Skeleton(tuple(map(larger, skeleton.bones)), skeleton.world)


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
def test_on_avatars_feet_stay_down_and_the_speed_is_the_one_asked_for(walks, speeds, scale):
    own = walks[1].skeleton
    other = sized(own, scale)
    plain = speeds[1](SpeedParams(TAKES, speed=1.2, lock=1.0, repeats=3))
    given = AVATAR.run(plain, AvatarParams(scale=scale), Surroundings(other))
    asked = speeds[1](SpeedParams(TAKES, speed=1.2 * scale, scale=scale, lock=1.0, repeats=3))
    assert np.abs(other.posed(given)[1] - scale * own.posed(plain)[1]).max() < 1e-9
    assert gone(given, other) == pytest.approx(1.2 * scale, rel=1e-6)
    assert gone(asked, other) == pytest.approx(1.2 * scale, rel=1e-6)
    slide = report(given, other)["slide_mean_mm"]
    print(f"\navatar {scale:g} x: {gone(asked, other):.4f} m/s, feet slide {slide:.2f} mm")
    assert slide < 3.0 * scale


def test_whole_takes_with_the_same_steps_are_mixed_and_given_back(walks):
    clips, surroundings = walks
    process = WAVELET_BLEND.open(clips["slow"], surroundings)
    for amount, name in ((0.0, "slow"), (1.0, "fast")):
        assert np.array_equal(process(WaveletBlendParams("fast", amount)).values, clips[name].values)
        near = process(WaveletBlendParams("fast", abs(amount - 1e-9)))
        assert np.abs(near.values - clips[name].values).max() < 1e-6
    process(WaveletBlendParams("normal", 0.5))
    assert process.told.startswith("7 strikes and mid swings in step, without a twin are the ")


WALKS = (
    "07_05_walk_slow",
    "07_01_walk_normal",
    "07_11_walk_fast",
    "16_18_walk_turn_left90",
    "16_20_walk_turn_right90",
    "82_10_walk_sad",
    "82_12_walk_happy",
    "137_16_walk_drunk",
    "137_38_walk_sexy_lady",
)


@pytest.fixture(scope="module")
def all_walks(recorded):
    """Nine walks of four people in metres, each with its skeleton."""
    return {name: (without_first(recorded(name).clip), recorded(name).skeleton) for name in WALKS}


def test_every_two_walks_are_brought_in_step(all_walks):
    """All 72 pairs, whichever foot they begin with and however many steps they make; only two of them have the same events."""
    events = {name: gait_events(*walk, kinds=KEYS) for name, walk in all_walks.items()}
    for one, other in permutations(WALKS, 2):
        pairs = np.array(twins(events[one], events[other], one, other).pairs)
        assert len(pairs) >= min(len(events[one]), len(events[other])) - 2
        assert (np.diff(pairs, axis=0) > 0).all()


@pytest.mark.parametrize("index", range(len(WALKS)))
def test_a_mix_of_two_walks_goes_on_and_its_feet_stand(all_walks, index):
    one, other = WALKS[index], WALKS[(index + 4) % len(WALKS)]
    clip, skeleton = all_walks[one]
    around = Surroundings(skeleton, takes={other: all_walks[other][0]})
    pair = in_step(clip, other, False, partial(steps, anchors=()), around)[0]
    assert (np.diff(pair.rows(np.array([0.5, 0.5])), axis=1) > 0.0).all()
    slides = [report(*walk)["slide_mean_mm"] for walk in (all_walks[one], all_walks[other])]
    result = WAVELET_BLEND.run(clip, WaveletBlendParams(other, 0.5), around)
    assert report(result, skeleton)["slide_mean_mm"] < max(slides) + 10.0
