# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion by a number: what is asked is what comes, and beyond the examples it is said how far they go."""

import made_takes
import numpy as np
import pytest
from motion_signal.core.composed.by_number import by_number, measured_by
from motion_signal.core.numeric.refusal import Refusal


@pytest.fixture(scope="module")
def walks():
    takes = {name: made_takes.take(name) for name in ("slow", "walk", "fast")}
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


@pytest.mark.parametrize("seed", range(6))
def test_a_speed_that_is_asked_is_walked(walks, seed):
    clips, skeleton = walks
    speeds = sorted(measured_by("speed", clip, skeleton) for clip in clips.values())
    asked = np.random.default_rng(seed).uniform(speeds[0], speeds[-1])
    clip, recipe = by_number("speed", asked, clips, skeleton)
    travelled = np.linalg.norm(clip.values[-1, :3] - clip.values[0, :3])  # of the hips, whose location is keyed first
    assert travelled / (clip.frames - 1) * clip.fps == pytest.approx(asked, rel=0.02)
    assert measured_by("speed", clip, skeleton) == pytest.approx(asked, rel=0.01) and len(recipe.steps) == 1


@pytest.mark.parametrize("height", [0.2, 0.3, 0.45])
def test_a_jump_is_as_high_as_is_asked(height):
    clips = {str(each): jump(each)[0] for each in (0.15, 0.5)}
    skeleton = jump(0.1)[1]
    assert [measured_by("jump", clip, skeleton) for clip in clips.values()] == pytest.approx([0.15, 0.5], rel=0.01)
    clip, _ = by_number("jump", height, clips, skeleton)
    hips = made_takes.take("kick").skeleton
    heights = hips.posed(clip)[1][:, hips.index("Hips"), 2]
    assert np.ptp(heights) == pytest.approx(height, rel=0.03)


def test_beyond_the_examples_and_what_is_no_number_is_refused(walks):
    clips, skeleton = walks
    with pytest.raises(Refusal, match=r"speed: 3 m/s is outside the examples, which go from 0\.\d+ to 1\.\d+ m/s"):
        by_number("speed", 3.0, clips, skeleton)
    with pytest.raises(Refusal, match="there is no 'grace'; there are speed, jump"):
        by_number("grace", 1.0, clips, skeleton)
    with pytest.raises(Refusal, match="two are the fewest"):
        by_number("speed", 1.0, {"walk": clips["walk"]}, skeleton)


def test_a_number_that_an_example_has_is_that_example(walks):
    clips, skeleton = walks
    clip, recipe = by_number("speed", measured_by("speed", clips["walk"], skeleton), clips, skeleton)
    assert clip is clips["walk"] and recipe.steps == ()
