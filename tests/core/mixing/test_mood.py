# SPDX-License-Identifier: GPL-3.0-or-later
"""Moods: the difference between two takes, found again where it was put, saved and read, and refused where there is none."""

import json
from dataclasses import replace

import numpy as np
import pytest
from motion_signal.bench.make_moods import MOODS, clip_of, shipped
from motion_signal.core.body.gait_phase import mean_waves, phases, played_at, strides
from motion_signal.core.body.walking_figure import FIGURE, walk
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.mixing.mood import from_data, mood_of, to_data
from motion_signal.core.motion.clip import Channel, Clip
from scipy.spatial.transform import Rotation

AROUND = Surroundings(FIGURE)


@pytest.fixture(scope="module")
def clip():
    motion = walk(241, 30.0)
    return clip_of(motion.rotations, motion.location)


def leaning(clip, name, vector):
    """The clip with a bone turned, at every frame alike, about its resting axes."""
    columns = [column for column, channel in enumerate(clip.channels) if channel.owner == name and channel.kind == "QUATERNION"]
    values = np.array(clip.values)
    turned = Rotation.from_rotvec(vector) * Rotation.from_quat(values[:, columns], scalar_first=True)
    quaternions = turned.as_quat(scalar_first=True)
    values[:, columns] = quaternions * np.sign(np.sum(quaternions * clip.values[:, columns], axis=1))[:, None]
    return clip.with_values(values)


def test_strides_of_a_walk_are_as_long_as_it_was_made(clip):
    knots = strides(clip, AROUND)
    assert np.diff(knots[:, 1]) == pytest.approx(1.0)
    stride = 2 * np.sqrt(1.3 * 60 * 0.0058)
    assert np.diff(knots[:, 0]).mean() / 30.0 == pytest.approx(stride / 1.3, rel=0.03)
    at = phases(knots, clip.frames)
    assert (np.diff(at) > 0).all() and np.abs(at[knots[:, 0].astype(int)] - knots[:, 1]).max() < 1e-9


def test_what_does_not_walk_has_no_strides(clip, figure, moving):
    still = clip.with_values(np.repeat(clip.values[:1], clip.frames, axis=0))
    assert strides(still, AROUND) is None
    assert strides(moving(figure), Surroundings(figure)) is None and strides(clip, Surroundings()) is None


def test_waves_are_found_at_phases_that_are_not_even(smooth):
    random = np.random.default_rng(1)
    waves = random.normal(size=(4, 3)) + 1j * random.normal(size=(4, 3))
    waves[0] = waves[0].real
    at = np.sort(random.uniform(0.0, 5.0, 400))
    assert np.abs(mean_waves(played_at(waves, at), at, 4) - waves).max() < 1e-9


@pytest.mark.parametrize("name, vector", [("chest", (0.2, 0.0, -0.1)), ("head", (0.0, 0.0, 0.3))])
def test_a_lean_of_one_bone_is_the_whole_mood(clip, name, vector):
    mood = mood_of(clip, leaning(clip, name, vector), AROUND)
    rest = FIGURE.bones[FIGURE.index(name)].rest[:3, :3]
    assert set(mood.bones) == {name} and set(mood.bones[name]) == {"turn"}
    waves = mood.bones[name]["turn"]
    assert np.abs(waves[0] - rest @ np.array(vector)).max() < 2e-3 and np.abs(waves[1:]).max() < 2e-3
    assert mood.stride == pytest.approx(1.0) and mood.cycle == pytest.approx(1.035, abs=0.03)


def test_limbs_say_where_they_point_and_not_how_they_are_twisted(clip):
    turned = leaning(clip, "upper_arm.L", (0.0, 0.0, 0.25))
    twisted = np.array(turned.values)
    columns = [column for column, channel in enumerate(clip.channels) if channel.owner == "upper_arm.L"]
    more = Rotation.from_quat(twisted[:, columns], scalar_first=True) * Rotation.from_rotvec([0.0, 0.5, 0.0])
    twisted[:, columns] = more.as_quat(scalar_first=True)
    plain, odd = (
        mood_of(clip, styled, AROUND).bones["upper_arm.L"]["turn"] for styled in (turned, turned.with_values(twisted))
    )
    assert np.abs(plain - odd).max() < 2e-3 and np.abs(plain).max() > 0.1


def test_takes_of_another_pace_and_rate_go_together_stride_by_stride(clip):
    fast = walk(481, 60.0, speed=1.6)
    mood = mood_of(clip, replace(clip_of(fast.rotations, fast.location), fps=60.0), AROUND)
    assert mood.stride == pytest.approx(np.sqrt(1.6 / 1.3), rel=0.02)
    assert mood.cycle == pytest.approx(2 * np.sqrt(1.6 * 60 * 0.0058) / 1.6, rel=0.04)


def test_a_take_alone_is_all_that_it_does_about_its_mean(clip):
    mood = mood_of(None, clip, AROUND)
    assert np.abs(mood.bones["upper_arm.L"]["turn"][1]).max() > 0.2
    assert max(np.abs(kinds["turn"][0]).max() for kinds in mood.bones.values() if "turn" in kinds) < 0.02


def test_without_steps_posture_and_bands_are_compared(smooth):
    channels = tuple(Channel("location", index, "LOCATION") for index in range(2))
    slow = smooth(300, 2, fastest=1.0)
    quick = 0.1 * np.sin(2 * np.pi * 5.6 * np.arange(300) / 30)[:, None]
    neutral, styled = (Clip(slow + gain * quick + shift, channels, 30.0, 1) for gain, shift in ((1, 0.0), (2, 0.5)))
    kinds = mood_of(neutral, styled, Surroundings()).bones[""]
    assert kinds["move"][0, :2] == pytest.approx([0.5, 0.5]) and kinds["gains"][4] == pytest.approx(2.0, rel=0.05)
    assert kinds["gains"][7:9] == pytest.approx([1.0, 1.0], abs=0.05)


def test_a_mood_is_the_same_after_it_was_saved(clip):
    mood = mood_of(clip, leaning(clip, "chest", (0.2, 0.0, -0.1)), AROUND)
    again = from_data(json.loads(json.dumps(to_data(mood))))
    assert again.roles == mood.roles and again.cycle == pytest.approx(mood.cycle, abs=1e-4)
    assert np.abs(again.bones["chest"]["turn"] - mood.bones["chest"]["turn"]).max() < 1e-9


@pytest.mark.parametrize(
    "data, sentence",
    [
        ({"format": 2, "bones": {}}, "it was saved as format 2 by a newer version, and this one reads 1; update the extension"),
        ({"bones": {}}, "is no style; it needs format 1"),
        ({"format": 1, "bones": []}, "is no style"),
        ({"format": 1, "bones": {"arm": 1}}, "is no style"),
        ({"format": 1, "bones": {}, "cycle": "long"}, "is no style"),
        ({"format": 1, "bones": {"arm": {"turn": [[1, 2]]}}}, "style arm: its turn is not what a style holds"),
        ({"format": 1, "bones": {"arm": {"turn": [["a"] * 6]}}}, "style arm: its turn is not what a style holds"),
        ({"format": 1, "bones": {"arm": {"wish": [[0] * 6]}}}, "style arm: its wish is not what a style holds"),
    ],
)
def test_a_style_file_that_is_none_is_refused(data, sentence):
    with pytest.raises(ValueError, match=sentence):
        from_data(data)


def test_a_neutral_take_that_is_the_styled_one_is_refused(clip):
    with pytest.raises(ValueError, match="neutral: it is the same motion as the styled take"):
        mood_of(clip, clip, AROUND)


def test_shipped_moods_are_what_they_are_called():
    tired, happy, sneaking = (shipped(name) for name in ("tired", "happy", "sneaking"))

    def ahead(mood, bone):
        return np.degrees(mood.bones[bone]["turn"][0, 0].real)

    assert ahead(tired, "head") > 8 and ahead(tired, "chest") > 6 and ahead(happy, "chest") < -2
    assert tired.stride < 0.85 and happy.stride > 1.05 and sneaking.stride < 0.8
    assert sneaking.bones["hips"]["move"][0, 2].real < -0.05  # of the figure's size: on bent knees
    assert np.abs(happy.bones["hips"]["move"][2, 2]) > 1.5 * np.abs(tired.bones["hips"]["move"][2, 2])
    assert set(MOODS) == {"tired", "happy", "nervous", "proud", "sneaking"}
