# SPDX-License-Identifier: GPL-3.0-or-later
"""The walk: feet that stay where they stand, knees that bend one way, the same motion at every frame rate."""

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait

MILLIMETRE = 0.001
SPEEDS = (0.4, 0.8, 1.3, 2.0)


def index_of(name):
    return gait.NAMES.index(name)


def phases(frames, fps, speed, side):
    stride = 2 * np.sqrt(speed * 60 * gait.STEP_LAW)
    return (np.arange(frames) / fps * speed / stride + (side == ".R") / 2) % 1


def slide(points, planted):
    """The farthest that a point (frames, 3) strays while it is planted, over all spells of that."""
    spells = np.split(np.arange(len(points)), np.flatnonzero(np.diff(planted.astype(int))) + 1)
    return max(np.ptp(points[spell], axis=0).max() for spell in spells if planted[spell[0]])


def knees(motion, side):
    """Bend of a knee in degrees (frames,), negative when it bends the wrong way."""
    heads, _ = gait.joints(motion)
    hip, knee, ankle = (heads[:, index_of(name + side)] for name in ("thigh", "shin", "foot"))
    thigh, shin = knee - hip, ankle - knee
    cross = np.cross(thigh, shin)
    sine = np.copysign(np.linalg.norm(cross, axis=1), cross[:, 0])
    return np.degrees(np.arctan2(sine, (thigh * shin).sum(1)))


@pytest.mark.parametrize("side", gait.SIDES)
@pytest.mark.parametrize("speed", SPEEDS)
def test_planted_feet_slide_less_than_two_millimetres(speed, side):
    heads, tails = gait.joints(gait.walk(720, 120, speed))
    phase = phases(720, 120, speed, side)
    ankle, ball, tip = heads[:, index_of("foot" + side)], heads[:, index_of("toe" + side)], tails[:, index_of("toe" + side)]
    for point, first, last in ((ankle, 0.09, 0.29), (ball, 0.09, 0.53), (tip, 0.10, 0.61)):
        assert slide(point, (phase > first) & (phase < last)) < 2 * MILLIMETRE


@pytest.mark.parametrize("speed", SPEEDS)
def test_feet_stay_above_the_ground(speed):
    heads, tails = gait.joints(gait.walk(720, 120, speed))
    assert min(heads[..., 2].min(), tails[..., 2].min()) > 0


def test_same_motion_at_24_and_120_fps():
    slow, fast = gait.walk(145, 24), gait.walk(721, 120)
    assert np.abs(slow.rotations - fast.rotations[::5]).max() < 1e-12
    assert np.abs(slow.location - fast.location[::5]).max() < 1e-12


def test_a_longer_walk_begins_like_a_shorter_one():
    short, long = gait.walk(60), gait.walk(600)
    assert np.abs(long.rotations[:60] - short.rotations).max() < 1e-12


@pytest.mark.parametrize("side", gait.SIDES)
@pytest.mark.parametrize("speed", SPEEDS)
def test_knees_never_hyperextend(speed, side):
    bend = knees(gait.walk(720, 120, speed), side)
    assert 3 < bend.min() and bend.max() < 80


@pytest.mark.parametrize("side", gait.SIDES)
def test_knees_flex_twice_in_a_stride(side):
    bend, phase = knees(gait.walk(720, 120), side), phases(720, 120, 1.3, side)
    loaded, straight, flown = (bend[np.abs(phase - middle) < 0.02].mean() for middle in (0.15, 0.36, 0.72))
    assert loaded > straight + 5 and flown > loaded + 30


@pytest.mark.parametrize("speed", SPEEDS)
def test_neither_place_nor_velocity_jumps(speed):
    def largest_steps(fps):
        motion = gait.walk(3 * fps, fps, speed)
        heads, _ = gait.joints(motion)
        velocity = np.diff(heads, axis=0) * fps
        return np.array([np.abs(np.diff(values, axis=0)).max() for values in (motion.rotations, heads, velocity)])

    assert (largest_steps(960) < 0.6 * largest_steps(480)).all()  # a jump would not shrink with the time step


@pytest.mark.parametrize("speed", SPEEDS)
def test_walks_at_the_speed_asked(speed):
    heads, _ = gait.joints(gait.walk(1801, 30, speed))
    travel = heads[-1, 0] - heads[0, 0]
    assert abs(-travel[1] / 60 - speed) < 0.001
    assert abs(travel[0]) < 0.05


def test_the_same_seed_gives_the_same_walk_and_another_seed_another():
    assert np.array_equal(gait.walk(seed=3).rotations, gait.walk(seed=3).rotations)
    assert not np.allclose(gait.walk(seed=3).rotations, gait.walk(seed=4).rotations)


def test_there_is_motion_in_every_octave_up_to_8_hz():
    angles = 2 * gait.walk(1800, 60).rotations[..., 1:]
    power = (np.abs(np.fft.rfft(angles - angles.mean(0), axis=0)) ** 2).sum((1, 2))
    frequency = np.fft.rfftfreq(1800, 1 / 60)
    for low in (0.125, 0.25, 0.5, 1, 2, 4):
        assert power[(frequency >= low) & (frequency < 2 * low)].sum() > 1e-5 * power.sum()


def test_head_is_steadier_than_chest():
    heads, tails = gait.joints(gait.walk(720, 120))

    def sway(name):
        along = (tails - heads)[:, index_of(name)]
        return np.degrees(np.ptp(np.arctan2(along[:, 0], along[:, 2])))

    assert sway("head") < sway("chest")


def test_shortest_walk_is_one_frame():
    motion = gait.walk(1)
    assert motion.rotations.shape == (1, 21, 4) and motion.location.shape == (1, 3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"frames": 0},
        {"frames": 2.5},
        {"fps": 0.0},
        {"fps": float("nan")},
        {"speed": 0.1},
        {"speed": 5.0},
        {"speed": float("nan")},
    ],
)
def test_refuses_bad_input_by_name_and_value(wrong):
    ((name, value),) = wrong.items()
    with pytest.raises(ValueError, match=f"{name} .*{value}"):
        gait.walk(**wrong)
