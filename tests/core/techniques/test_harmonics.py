# SPDX-License-Identifier: GPL-3.0-or-later
"""Harmonics as faders: exact on waves, limb by limb, at any length, the stride kept."""

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.ground import Ground
from motion_signal.core.techniques.time.cycle import CYCLE, CycleParams
from motion_signal.core.techniques.time.harmonics import HARMONICS, HarmonicsParams
from scipy.spatial.transform import Rotation

PHASE = np.arange(41) / 40
WAVES = 1.5 + 0.5 * np.cos(2 * np.pi * PHASE) + 0.2 * np.cos(4 * np.pi * PHASE) + 0.1 * np.cos(6 * np.pi * PHASE)


def waving(values=WAVES):
    return Clip(np.stack([values, 2.0 * values], axis=1), (Channel('["a"]', 0), Channel('["b"]', 0)), 30.0, 1)


@pytest.fixture(scope="module")
def walk():
    motion = gait.walk(240, 60.0)
    hips = gait.FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [
        Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in gait.FIGURE.bones for index in range(4)
    ]
    take = Clip(np.hstack([motion.location, motion.rotations.reshape(240, -1)]), tuple(channels), 60.0, 1)
    return CYCLE.run(take, CycleParams(find="SEARCH"), Surroundings(gait.FIGURE))


def test_a_gain_acts_on_its_harmonic_alone():
    result = HARMONICS.run(waving(), HarmonicsParams(gains=(1.0, 3.0, 0.0))).values[:, 0]
    assert np.allclose(result, 1.5 + 0.5 * np.cos(2 * np.pi * PHASE) + 0.6 * np.cos(4 * np.pi * PHASE))


def test_a_phase_delays_its_harmonic():
    result = HARMONICS.run(waving(), HarmonicsParams(phases=(0.0, 90.0))).values[:, 0]
    wanted = WAVES - 0.2 * np.cos(4 * np.pi * PHASE) + 0.2 * np.cos(4 * np.pi * PHASE - np.pi / 2)
    assert np.allclose(result, wanted)


def test_only_so_many_are_kept():
    result = HARMONICS.run(waving(), HarmonicsParams(harmonics=1)).values[:, 0]
    assert np.allclose(result, 1.5 + 0.5 * np.cos(2 * np.pi * PHASE))


def test_another_length_holds_the_same_waves():
    result = HARMONICS.run(waving(), HarmonicsParams(length=25)).values[:, 0]
    phase = np.arange(26) / 25
    assert np.allclose(
        result, 1.5 + 0.5 * np.cos(2 * np.pi * phase) + 0.2 * np.cos(4 * np.pi * phase) + 0.1 * np.cos(6 * np.pi * phase)
    )


def test_all_harmonics_give_a_walk_back(walk):
    result = HARMONICS.run(walk, HarmonicsParams(gains=(1.0,)), Surroundings(gait.FIGURE))
    assert np.abs(result.values - walk.values).max() < 1e-9


def test_a_longer_walk_takes_the_same_stride_and_stays_closed(walk):
    result = HARMONICS.run(walk, HarmonicsParams(length=100), Surroundings(gait.FIGURE))
    paths = [Ground([clip], gait.FIGURE).taken_off(clip.values) for clip in (walk, result)]
    gone = [path.places[-1] - path.places[0] for _, path in paths]
    assert result.frames == 101 and np.abs(gone[0] - gone[1]).max() < 1e-3
    assert np.abs(paths[1][0][-1] - paths[1][0][0]).max() < 1e-9


def test_a_limb_has_gains_of_its_own(walk):
    params = HarmonicsParams(limbs={"upper_arm.L": (0.0,) * 30})
    result = HARMONICS.run(walk, params, Surroundings(gait.FIGURE))
    limb = gait.FIGURE.below("upper_arm.L")
    inside = np.array([channel.owner in limb for channel in walk.channels])
    assert np.ptp(result.values[:, inside], axis=0).max() < 1e-3 < 0.1 < np.ptp(walk.values[:, inside], axis=0).max()
    assert np.abs(result.values - walk.values)[:, ~inside].max() < 1e-9


def test_a_motion_that_drifts_keeps_its_drift():
    result = HARMONICS.run(waving(WAVES + PHASE), HarmonicsParams(harmonics=1)).values[:, 0]
    assert np.allclose(result, 1.5 + 0.5 * np.cos(2 * np.pi * PHASE) + PHASE)


@pytest.mark.parametrize(
    "ask, words",
    [
        ({"gains": (1.0,) * 30}, "gains: 30 given, but the cycle has 20 harmonics"),
        ({"limbs": {"leg": (1.0,)}}, "no curve in scope belongs to leg"),
        ({"length": 3}, r"length: the cycle has 3 frame\(s\)"),
    ],
)
def test_what_does_not_fit_is_refused(ask, words):
    with pytest.raises(ValueError, match=words):
        HARMONICS.run(waving(), HarmonicsParams(**ask))


def test_under_four_frames_there_is_no_cycle():
    with pytest.raises(ValueError, match=r"the cycle has 3 frame\(s\) before it begins again; it needs at least 4"):
        HARMONICS.run(waving(WAVES[:4]), HarmonicsParams(harmonics=1))


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("turned", [0, 20, 45])
def test_fewer_harmonics_neither_shift_nor_turn_the_way(count, turned):
    """Wherever in its stride a cycle begins: what is left out swings about the take, and carries it neither aside nor away."""
    swaying = shifted_cycle(turned)
    result = HARMONICS.run(swaying, HarmonicsParams(harmonics=count), Surroundings(gait.FIGURE))
    (before, after), headings = zip(
        *(
            (gait.FIGURE.posed(clip)[1][:-1], Ground([swaying], gait.FIGURE).taken_off(clip.values)[1].headings[:-1])
            for clip in (swaying, result)
        )
    )
    assert (np.abs((after - before)[:, 0].mean(axis=0)) < (0.0005, 0.005, 0.0005)).all()  # a round becomes a little longer
    assert abs(np.degrees(headings[1] - headings[0]).mean()) < 0.05


def shifted_cycle(rows):
    """A cycle of a walk whose hips sway and turn more than they do, begun so many rows later."""
    motion = gait.walk(480, 120.0)
    time = 2 * np.pi * 1.3 / (2 * np.sqrt(1.3 * 60 * gait.STEP_LAW)) * np.arange(480) / 120.0
    hips = gait.FIGURE.bones[0]
    sway = np.radians(4.0) * np.sin(4 * time + 1.0) + np.radians(3.0) * np.sin(3 * time)
    spin = Rotation.from_rotvec(np.outer(sway, [0.0, 0.0, 1.0]))
    rest = Rotation.from_matrix(hips.rest[:3, :3])
    turns = rest.inv() * spin * rest * Rotation.from_quat(motion.rotations[:, 0], scalar_first=True)
    rotations = motion.rotations.copy()
    rotations[:, 0] = turns.as_quat(scalar_first=True)
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [
        Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in gait.FIGURE.bones for index in range(4)
    ]
    values = np.hstack([motion.location, rotations.reshape(480, -1)])[rows:]
    return CYCLE.run(Clip(values, tuple(channels), 120.0, 1), CycleParams(find="SEARCH"), Surroundings(gait.FIGURE))
