# SPDX-License-Identifier: GPL-3.0-or-later
"""The report: numbers of motions whose numbers are known."""

import json
from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.report import compare, report, words
from motion_signal.core.body.roles import Roles, find_roles
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Skeleton
from scipy.spatial.transform import Rotation

FPS, FRAMES = 60.0, 240
UP = gait.FIGURE.bones[0].rest[2, :3]  # the world's axes along the hips' own
SIDEWAYS = gait.FIGURE.bones[0].rest[0, :3]


def walking(push=0.0, speed=1.3):
    """The procedural walk as a clip, its hips pushed by (frames, 3)."""
    motion = gait.walk(FRAMES, FPS, speed)
    values, channels = (
        [motion.location + push],
        [Channel(gait.FIGURE.bones[0].path + ".location", index, "LOCATION", "hips") for index in range(3)],
    )
    for number, bone in enumerate(gait.FIGURE.bones):
        values.append(motion.rotations[:, number])
        channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for index in range(4)]
    return Clip(np.hstack(values), tuple(channels), FPS, 1)


@pytest.fixture(scope="module")
def walk():
    return report(walking(), gait.FIGURE)


def seconds():
    return np.arange(FRAMES)[:, None] / FPS


def test_slide_is_the_largest_distance_from_the_median_place_of_a_plant():
    push = np.random.default_rng(2).normal(size=(FRAMES, 3)) * 0.01
    motion = gait.walk(FRAMES, FPS, 1.3)
    heads, _ = gait.joints(motion._replace(location=motion.location + push))
    slow = {}
    for point, bone, first, last in (("right_toe", "toe.R", 100, 140), ("left_toe", "toe.L", 60, 80)):
        ball = heads[first - 1 : last, gait.NAMES.index(bone), :2]
        slow[point] = 1000 * max(np.hypot(*(place - np.median(ball, axis=0))) for place in ball)
    numbers = report(walking(push), gait.FIGURE, contacts={"right_toe": [[100, 140]], "left_toe": [[60, 80]]})
    assert numbers["contacts"] == 2
    assert numbers["slide_worst_mm"] == pytest.approx(max(slow.values()))
    assert numbers["slide_mean_mm"] == pytest.approx(np.mean(list(slow.values())))


def test_a_drift_of_known_speed_slides_by_half_of_its_way(walk):
    contacts = {"left_toe": [[60, 60 + 30]]}
    drifting = report(walking(0.2 * seconds() * SIDEWAYS), gait.FIGURE, contacts=contacts)
    standing = report(walking(), gait.FIGURE, contacts=contacts)
    assert drifting["slide_worst_mm"] == pytest.approx(0.2 * 15 / FPS * 1000, abs=standing["slide_worst_mm"] + 1)
    assert walk["slide_mean_mm"] < 25


def test_a_figure_pushed_down_sinks_in_by_that(walk):
    lower = report(walking(-0.05 * UP), gait.FIGURE, ground=walk["ground_m"])
    assert lower["penetration_worst_mm"] == pytest.approx(walk["penetration_worst_mm"] + 50)
    assert walk["penetration_worst_mm"] < 25


def test_speed_cadence_and_cycle_are_those_that_the_walk_was_made_with():
    for speed in (1.0, 1.5):
        numbers = report(walking(speed=speed), gait.FIGURE)
        stride = 2 * np.sqrt(speed * 60 * gait.STEP_LAW)
        assert numbers["speed_m_s"] == pytest.approx(speed, rel=0.05)
        assert numbers["cycle_s"] == pytest.approx(stride / speed, rel=0.03)
        assert numbers["cadence_steps_min"] == pytest.approx(120 * speed / stride, rel=0.05)


def test_acceleration_and_jerk_are_those_of_a_known_swing(bone):
    skeleton = Skeleton((bone("box", -1, (0, 0, 0), (0, 0, 0)),))
    time = np.arange(600) / 100.0
    rate, size = 2 * np.pi * 0.5, 0.3
    clip = Clip(size * np.sin(rate * time)[:, None], (Channel('pose.bones["box"].location', 0, "LOCATION", "box"),), 100.0, 1)
    numbers = report(clip, skeleton)
    assert numbers["acceleration_peak_m_s2"] == pytest.approx(size * rate**2, rel=1e-3)
    assert numbers["jerk_rms_m_s3"] == pytest.approx(size * rate**3 / np.sqrt(2), rel=1e-2)
    assert numbers["slide_worst_mm"] is None and numbers["speed_m_s"] is None


def test_a_pop_is_seen_where_it_is(walk):
    push = np.zeros((FRAMES, 3))
    push[150] = 0.02
    numbers = report(walking(push), gait.FIGURE)
    assert numbers["acceleration_peak_frame"] == 151  # rows count from 0, frames from 1
    assert numbers["acceleration_peak_m_s2"] > 2 * walk["acceleration_peak_m_s2"]


@pytest.mark.parametrize(
    "mode, turned, wanted",
    [
        ("XYZ", lambda values: values + 2 * np.pi * (np.arange(len(values)) >= 50)[:, None], 1),
        ("QUATERNION", lambda values: values * np.where(np.arange(len(values)) % 40 == 39, -1.0, 1.0)[:, None], 4),
        ("QUATERNION", lambda values: values, 0),
        ("AXIS_ANGLE", lambda values: values, 0),
        ("ZYX", lambda values: values, 0),
    ],
)
def test_flips_are_counted_in_every_kind_of_curve(mode, turned, wanted, rotation_channels, in_mode, smooth):
    turns = Rotation.from_rotvec(smooth(100, 3, size=0.4) + [0.9, 0.2, -0.4])
    clip = Clip(turned(in_mode(turns, mode)), rotation_channels(mode), 30.0, 1)
    assert report(clip, Skeleton(gait.FIGURE.bones[:1]))["flips"] == wanted


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ"])
@pytest.mark.parametrize("degrees, flips", [(80.0, 0), (88.0, 0), (92.0, 1), (110.0, 1), (170.0, 1)])
def test_a_bone_that_turns_by_more_than_a_quarter_within_a_frame_is_a_flip(degrees, flips, mode, rotation_channels, in_mode):
    angles = np.radians(np.where(np.arange(60) < 30, 5.0, 5.0 + degrees))[:, None] * [1.0, 0.0, 0.0]
    clip = Clip(in_mode(Rotation.from_rotvec(angles), mode), rotation_channels(mode), 30.0, 1)
    assert report(clip, Skeleton(gait.FIGURE.bones[:1]))["flips"] == flips


def test_a_loop_has_no_gap_and_a_part_of_one_has_the_gap_it_has(rotation_channels):
    angle = 40.0 * np.sin(2 * np.pi * np.arange(101) / 100)
    numbers = [
        report(
            Clip(np.radians(angle[:end, None] * [1, 0, 0]), rotation_channels("XYZ"), 50.0, 1), Skeleton(gait.FIGURE.bones[:1])
        )
        for end in (101, 26)
    ]
    assert numbers[0]["loop_pose_gap_deg"] < 1e-6 and numbers[0]["loop_velocity_gap_deg_s"] < 1e-6
    assert numbers[1]["loop_pose_gap_deg"] == pytest.approx(40.0)
    assert numbers[1]["loop_velocity_gap_deg_s"] == pytest.approx(50.0 * (angle[1] - angle[25] + angle[24]), rel=1e-6)


@pytest.mark.parametrize("flipped", [[-1], [1], [-2], [0], [0, -1], range(3, 101)], ids=str)
def test_a_loop_has_no_gap_whichever_sign_its_quaternions_have(flipped, rotation_channels, in_mode):
    angle = np.radians(40.0 * np.sin(2 * np.pi * np.arange(101) / 100))[:, None]
    values = in_mode(Rotation.from_rotvec(angle * [0.6, 0.0, 0.8]), "QUATERNION")
    values[list(flipped)] *= -1.0
    numbers = report(Clip(values, rotation_channels("QUATERNION"), 50.0, 1), Skeleton(gait.FIGURE.bones[:1]))
    assert numbers["loop_pose_gap_deg"] < 1e-5 and numbers["loop_velocity_gap_deg_s"] < 1e-5


def test_a_wheel_that_goes_round_once_has_no_gap(rotation_channels):
    half = np.pi * np.arange(101) / 100
    values = np.column_stack([np.cos(half), np.sin(half), 0.0 * half, 0.0 * half])  # ends at minus where it began
    numbers = report(Clip(values, rotation_channels("QUATERNION"), 50.0, 1), Skeleton(gait.FIGURE.bones[:1]))
    assert numbers["loop_pose_gap_deg"] < 1e-5 and numbers["loop_velocity_gap_deg_s"] < 1e-5


def test_limits_of_the_rig_are_held_against_the_motion(bone, rotation_channels):
    hinge = replace(bone("bone", -1, (0, 0, 0), (0, 0, 0), mode="XYZ"), limits=(-30.0, 20.0, -180.0, 180.0, -180.0, 180.0))
    angles = np.zeros((50, 3))
    angles[10:15, 0], angles[30:33, 0] = np.radians(26.0), np.radians(-29.0)
    numbers = report(Clip(angles, rotation_channels("XYZ"), 30.0, 1), Skeleton((hinge,)))
    assert numbers["limits_frames"] == 5 and numbers["limits_worst_deg"] == pytest.approx(6.0)


def test_the_report_is_plain_data_and_compares(walk):
    assert json.loads(json.dumps(walk)) == walk
    after = report(walking(0.1 * seconds() * SIDEWAYS), gait.FIGURE, keys=120)
    both = compare(walk, after)
    assert both["slide_worst_mm"] == {"before": walk["slide_worst_mm"], "after": after["slide_worst_mm"]}
    line = words(after, walk)
    assert f"slide {after['slide_worst_mm']:.1f} mm at worst ({walk['slide_worst_mm']:.1f} before)" in line
    assert "120 keys" in line and "flips" not in line and "\n" not in line
    assert words(walk, walk) == "nothing changed"


def test_contacts_outside_the_motion_are_refused():
    with pytest.raises(ValueError, match="outside the motion"):
        report(walking(), gait.FIGURE, contacts={"left_toe": [[230, 250]]})


def test_without_feet_there_is_still_a_report():
    numbers = report(walking(), gait.FIGURE, Roles())
    assert numbers["slide_mean_mm"] is None and numbers["jerk_rms_m_s3"] > 0
    assert set(numbers) == set(report(walking(), gait.FIGURE, find_roles(gait.FIGURE)))
    assert "slide" not in words(numbers)
