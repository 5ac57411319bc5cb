# SPDX-License-Identifier: GPL-3.0-or-later
"""Wavelet blend: the takes themselves at 0 and 1, levels that mix what they hold, events that meet, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.gait_events import KEYS, gait_events
from motion_signal.core.body.report import report
from motion_signal.core.declare.params import build
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.cycle import cycle_of
from motion_signal.core.motion.ground import Ground
from motion_signal.core.numeric.wavelets import families, level_count
from motion_signal.core.techniques.several_takes.wavelet_blend import WAVELET_BLEND, WaveletBlendParams, level_label
from motion_signal.core.techniques.time.cycle import CYCLE, CycleParams

FIGURE, FPS = gait.FIGURE, 60.0


def walking(speed, seed=1, strides=2.45):
    stride = 2 * np.sqrt(speed * 60 * gait.STEP_LAW) / speed
    frames = round(strides * stride * FPS)
    motion = gait.walk(frames, FPS, speed, seed)
    hips = FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in FIGURE.bones for index in range(4)]
    return Clip(np.hstack([motion.location, motion.rotations.reshape(frames, -1)]), tuple(channels), FPS, 1)


@pytest.fixture(scope="module")
def takes():
    return {"fast": walking(1.6, 2), "long": walking(1.6, 2, 4.2)}


@pytest.fixture(scope="module")
def slow():
    return replace(walking(1.0), first_frame=11)


@pytest.fixture(scope="module")
def process(slow, takes):
    return WAVELET_BLEND.open(slow, Surroundings(FIGURE, takes=takes))


def plain(signals, fps=32.0, first=1):
    return Clip(signals, tuple(Channel(f'["{index}"]', 0) for index in range(signals.shape[1])), fps, first)


def test_nothing_and_everything_give_the_takes_at_their_own_timing(process, slow, takes):
    for amount, wanted in ((0.0, slow), (1.0, takes["fast"])):
        result = process(WaveletBlendParams("fast", amount))
        assert np.array_equal(result.values, wanted.values) and result.first_frame == 11


@pytest.mark.parametrize("amount", [1e-9, 1.0 - 1e-9])
def test_close_to_nothing_and_everything_it_is_close_to_the_takes(process, slow, takes, amount):
    wanted = (slow, takes["fast"])[round(amount)]
    result = process(WaveletBlendParams("fast", amount))
    assert result.frames == wanted.frames and np.abs(result.values - wanted.values).max() < 1e-6


def test_events_of_the_mix_are_between_those_of_the_takes(process, slow, takes):
    result = process(WaveletBlendParams("fast", 0.5))
    own, other, mixed = (gait_events(clip, FIGURE, kinds=KEYS) for clip in (slow, takes["fast"], result))
    assert [event.name for event in mixed] == [event.name for event in own]
    between = [0.5 * (one.frame - 11 + there.frame - 1) for one, there in zip(own, other)]
    assert np.abs(np.array([event.frame - 11 for event in mixed]) - between).max() <= 3


def test_the_way_is_mixed_as_steps_whichever_way_the_takes_go(slow, takes):
    ground = Ground([takes["fast"]], FIGURE)
    cycle, path = cycle_of(takes["fast"], ground)
    turned = cycle.clip_on(
        ground, cycle.going("TRAVEL", path.places[0] + [3.0, 1.0, 0.0], path.headings[0] + 1.0, ground.up), takes["fast"].values
    )
    results = [
        WAVELET_BLEND.run(slow, WaveletBlendParams("fast", 0.5), Surroundings(FIGURE, takes={"fast": take}))
        for take in (takes["fast"], turned)
    ]
    gone = [np.linalg.norm(np.ptp(FIGURE.posed(clip)[1][[0, -1], 0, :2], axis=0)) for clip in results]
    assert gone[0] == pytest.approx(gone[1], rel=1e-6)
    own = [np.linalg.norm(np.ptp(FIGURE.posed(clip)[1][[0, -1], 0, :2], axis=0)) for clip in (slow, takes["fast"])]
    assert gone[0] == pytest.approx(np.mean(own), rel=0.01)


def test_all_levels_moved_alike_are_the_amount_at_the_timing_of_the_take(process, slow):
    count = level_count(slow.frames, "db4")
    result = process(WaveletBlendParams("fast", 0.0, coarse=1.0, levels=(1.0,) * count))
    again = process(WaveletBlendParams("fast", 1.0))
    assert result.frames == slow.frames
    (still, path), (poses, other) = (Ground([clip], FIGURE).taken_off(clip.values) for clip in (result, again))
    assert np.abs(still[[0, -1]] - poses[[0, -1]]).max() < 1e-6
    assert np.linalg.norm(path.places[-1] - path.places[0]) == pytest.approx(
        np.linalg.norm(other.places[-1] - other.places[0]), rel=1e-3
    )


@pytest.mark.parametrize("family", ["haar", "db8", "sym5", "coif2", "bior4.4"])
def test_levels_mix_what_they_hold(family):
    """One take holds a slow wave, the other a fast one: the levels tell them apart."""
    time = np.arange(512) / 32.0
    slow, fast = np.sin(2 * np.pi * 0.25 * time), 0.5 * np.sin(2 * np.pi * 5.7 * time)
    own, other = plain(slow[:, None]), plain(fast[:, None])
    process = WAVELET_BLEND.open(own, Surroundings(takes={"other": other}))
    both = process(WaveletBlendParams("other", levels=(1.0, 1.0, 1.0), events="ANCHORS", anchors=((257, 257),), family=family))
    inner = slice(64, -64)
    assert np.sqrt(np.mean((both.values[inner, 0] - slow[inner] - fast[inner]) ** 2)) < 0.12
    slower = (0.0, 0.0, 0.0) + (1.0,) * (level_count(512, family) - 3)
    none = process(
        WaveletBlendParams("other", coarse=1.0, levels=slower, events="ANCHORS", anchors=((257, 257),), family=family)
    )
    assert np.abs(none.values[inner]).mean() < 0.2


def test_a_level_may_change_over_time():
    time = np.arange(512) / 32.0
    fast = np.sin(2 * np.pi * 6.0 * time)
    process = WAVELET_BLEND.open(plain(np.zeros((512, 1))), Surroundings(takes={"other": plain(fast[:, None])}))
    keys = tuple(
        {"level": level, "frame": frame, "offset": offset} for level in (1, 2, 3) for frame, offset in ((200, 0.0), (300, 1.0))
    )
    result = process(WaveletBlendParams("other", level_keys=keys, events="ANCHORS", anchors=((257, 257),))).values[:, 0]
    assert np.abs(result[:150]).max() < 0.05 and np.abs(result[350:480] - fast[350:480]).max() < 0.2


def test_every_family_gives_the_other_take_when_all_levels_go_there():
    own, other = (plain(np.random.default_rng(seed).normal(size=(120, 2))) for seed in (1, 2))
    process = WAVELET_BLEND.open(own, Surroundings(takes={"other": other}))
    for family in families():
        ask = WaveletBlendParams(
            "other", 0.0, 1.0, (1.0,) * level_count(120, family), family=family, events="ANCHORS", anchors=((60, 60),)
        )
        assert np.abs(process(ask).values - other.values).max() < 1e-9, family


@pytest.fixture(scope="module")
def cycles():
    found = [
        CYCLE.run(walking(speed, seed), CycleParams(find="SEARCH"), Surroundings(FIGURE))
        for speed, seed in ((1.0, 1), (1.6, 2))
    ]
    return found


@pytest.mark.parametrize("levels", [(), (0.5, -0.5, 0.3)])
def test_cycles_stay_cycles_wherever_they_begin(cycles, levels):
    slow, fast = cycles
    later = CYCLE.run(fast, CycleParams(phase=0.3), Surroundings(FIGURE))
    result = WAVELET_BLEND.run(
        slow,
        WaveletBlendParams("fast", 0.5, levels=levels, ends="CYCLE", family="db2"),
        Surroundings(FIGURE, takes={"fast": later}),
    )
    still = Ground([result], FIGURE).taken_off(result.values)[0]
    assert np.abs(still[-1] - still[0]).max() < 1e-6
    assert np.abs((still[1] - still[0]) - (still[-1] - still[-2])).max() < 0.5 * np.abs(np.diff(still, axis=0)).max()
    assert result.frames - 1 == pytest.approx(0.5 * (slow.frames + fast.frames) - 1, abs=1)


def test_steps_that_only_one_take_makes_are_left_out_and_said(slow, takes):
    """A longer walk goes along as far as both make the same steps; nothing of it runs back, and feet stand as in the takes."""
    surroundings = Surroundings(FIGURE, takes=takes)
    opened = WAVELET_BLEND.open(slow, surroundings)
    result = opened(WaveletBlendParams("long", 0.5))
    names = [[event.name for event in gait_events(clip, FIGURE, kinds=KEYS)] for clip in (slow, takes["long"], result)]
    assert len(names[1]) > len(names[0]) and names[2] == names[0]
    assert "strikes and mid swings in step, without a twin are the " in opened.told and opened.told.endswith(" of long")
    slides = [report(clip, FIGURE)["slide_mean_mm"] for clip in (slow, takes["long"], result)]
    assert slides[2] < max(slides[:2]) + 5.0
    assert np.array_equal(opened(WaveletBlendParams("long", 0.0)).values, slow.values) and opened.told == ""


def test_levels_are_called_by_their_hz():
    assert level_label("levels", 0, WaveletBlendParams(), 120.0) == "30-60 Hz"
    assert level_label("levels", 3, WaveletBlendParams(), 24.0) == "0.75-1.5 Hz"


@pytest.mark.parametrize(
    "ask, words",
    [
        ({"take": "run"}, "take: there is no action run"),
        ({"take": "wave"}, "events: no gait found in wave, as the left and right foot never strikes"),
        ({"take": "fast", "family": "db99"}, "family: there is no wavelet 'db99'"),
        ({"take": "fast", "levels": [0.0] * 20}, "levels: 20 given, but 173 frames have 4"),
        ({"take": "fast", "level_keys": [{"level": 9}]}, "there is no level 9"),
        ({"take": "fast", "level_keys": [{"level": 1}, {"level": 1}]}, "two of one level stand on one frame"),
        ({"take": "fast", "events": "ANCHORS"}, "anchors: there are none"),
        ({"take": "fast", "events": "ANCHORS", "anchors": [[500, 3]]}, "anchors: frame 500 is not one of"),
        ({"take": "fast", "ends": "CYCLE"}, r"the take is no cycle: \S+ ends \d+ degrees from where it began"),
        ({"take": "fast", "amount": 4.0}, "time would run back"),
    ],
)
def test_what_cannot_be_blended_is_refused(ask, words, slow, takes):
    wave = slow.with_values(np.repeat(slow.values[30:31], slow.frames, axis=0))
    surroundings = Surroundings(FIGURE, takes={**takes, "wave": wave})
    with pytest.raises(ValueError, match=words):
        WAVELET_BLEND.run(slow, build(WaveletBlendParams, {"amount": 0.5, **ask}), surroundings)
