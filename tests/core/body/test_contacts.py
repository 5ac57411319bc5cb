# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts: where the arithmetic walk is known to stand, at any size and frame rate, and as data to edit."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.body import Body
from motion_signal.core.body.contacts import (
    ContactsParams,
    Origin,
    carried,
    check_contacts,
    events,
    feet,
    find_contacts,
    find_ground,
)
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.roles import Roles, find_roles
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Skeleton
from scipy.spatial.transform import Rotation

ROLES = find_roles(gait.FIGURE)
SECONDS, SPEED, FIRST = 6.0, 1.3, 11
STRIDE_SECONDS = 2 * np.sqrt(SPEED * 60 * gait.STEP_LAW) / SPEED


def walking(fps=60.0, speed=SPEED):
    """The procedural walk as a clip."""
    motion = gait.walk(round(SECONDS * fps), fps, speed)
    values, channels = (
        [motion.location],
        [Channel(gait.FIGURE.bones[0].path + ".location", index, "LOCATION", "hips") for index in range(3)],
    )
    for number, bone in enumerate(gait.FIGURE.bones):
        values.append(motion.rotations[:, number])
        channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for index in range(4)]
    return Clip(np.hstack(values), tuple(channels), fps, FIRST)


def known(side, fps):
    """When the walk's foot is down by construction: from each strike to FOOT_OFF of the stride, in seconds."""
    starts = (np.arange(-1, 20) - 0.5 * (side == "right")) * STRIDE_SECONDS
    pairs = [(max(start, 0.0), min(start + gait.FOOT_OFF * STRIDE_SECONDS, SECONDS - 1 / fps)) for start in starts]
    return [pair for pair in pairs if pair[1] - pair[0] > 0.2]  # less is only a toe that leaves as the walk begins


def in_seconds(intervals, fps):
    return [((first - FIRST) / fps, (last - FIRST) / fps) for first, last in intervals]


def overlap(first, second):
    return (min(first[1], second[1]) - max(first[0], second[0])) / (max(first[1], second[1]) - min(first[0], second[0]))


def resized(clip, size):
    location = np.array([channel.kind == "LOCATION" for channel in clip.channels])
    bones = []
    for bone in gait.FIGURE.bones:
        rest = bone.rest.copy()
        rest[:3, 3] *= size
        bones.append(replace(bone, rest=rest, length=size * bone.length))
    return clip.with_values(np.where(location, size, 1.0) * clip.values), Skeleton(tuple(bones))


@pytest.mark.parametrize("fps", [24.0, 29.97, 60.0, 120.0])
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_walk_stands_where_it_was_made_to_stand_at_every_frame_rate(fps, side):
    found = in_seconds(feet(find_contacts(walking(fps), gait.FIGURE, ROLES), fps)[f"{side}_foot"], fps)
    wanted = known(side, fps)
    assert len(found) == len(wanted)
    for mine, right in zip(found, wanted):
        assert overlap(mine, right) > 0.7
    strikes = [mine[0] - right[0] for mine, right in zip(found, wanted) if right[0] > 0]
    assert np.median(np.abs(strikes)) < 0.04 + 0.5 / fps


def test_the_heel_is_planted_before_the_toe_and_leaves_before_it():
    found = find_contacts(walking(), gait.FIGURE, ROLES)
    heels, toes = ([interval for interval in found[f"left_{point}"] if interval[0] > FIRST + 5] for point in ("heel", "toe"))
    assert len(heels) == len(toes) >= 3
    for heel, toe in zip(heels, toes):
        assert heel[0] <= toe[0] and heel[1] < toe[1]


def test_hands_that_swing_are_never_planted():
    found = find_contacts(walking(), gait.FIGURE, ROLES)
    assert set(found) == {"left_heel", "left_toe", "right_heel", "right_toe", "left_hand", "right_hand"}
    assert found["left_hand"] == found["right_hand"] == []


@pytest.mark.parametrize("size", [0.01, 100.0])
def test_size_changes_nothing(size):
    clip, skeleton = resized(walking(), size)
    assert find_contacts(clip, skeleton, ROLES) == find_contacts(walking(), gait.FIGURE, ROLES)


def test_a_scaled_turned_and_lifted_armature_changes_nothing():
    turned = ((0.0, 3.0, 0.0, 5.0), (0.0, 0.0, 3.0, -2.0), (3.0, 0.0, 0.0, 7.0), (0.0, 0.0, 0.0, 1.0))  # X is up, size 3
    upright = np.array([[0, 0, 1.0, 0], [1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]])
    bones = tuple(replace(bone, rest=upright @ bone.rest) for bone in gait.FIGURE.bones)
    skeleton = Skeleton(bones, turned)
    assert find_contacts(walking(), skeleton, ROLES) == find_contacts(walking(), gait.FIGURE, ROLES)
    assert find_ground(walking(), skeleton, ROLES) == pytest.approx(7.0 + 3.0 * find_ground(walking(), gait.FIGURE, ROLES))


def test_the_points_are_the_ball_and_below_the_ankle_as_low_as_the_ball():
    clip = walking()
    figure = Legs(gait.FIGURE, ROLES)
    places, pelvis = figure.places(clip)
    heads, _ = gait.joints(gait.walk(clip.frames, clip.fps, SPEED))
    assert np.abs(places[:, figure.points.index("left_toe")] - heads[:, gait.NAMES.index("toe.L")]).max() < 1e-9
    assert np.abs(pelvis - heads[:, 0]).max() < 1e-9
    apart = np.linalg.norm(places[:, figure.points.index("left_heel")] - heads[:, gait.NAMES.index("foot.L")], axis=1)
    assert np.abs(apart - (gait.HEADS["foot.L"] - gait.HEADS["toe.L"])[2]).max() < 1e-9


def test_the_ground_is_where_the_feet_stand_and_can_be_typed():
    clip = walking()
    assert find_ground(clip, gait.FIGURE, ROLES) == pytest.approx(gait.HEADS["toe.L"][2], abs=0.01)
    typed = ContactsParams(ground="TYPED", ground_height=gait.HEADS["toe.L"][2])
    assert feet(find_contacts(clip, gait.FIGURE, ROLES, typed), 60.0)["left_foot"]
    deep = ContactsParams(ground="TYPED", ground_height=-0.5)
    assert not any(find_contacts(clip, gait.FIGURE, ROLES, deep).values())


def test_no_contact_reaches_over_a_cut():
    clip = walking()
    values = clip.values.copy()
    values[100:, :3] += 5.0
    found = find_contacts(clip.with_values(values), gait.FIGURE, ROLES)
    cut = FIRST + 100
    assert any(first <= cut for intervals in found.values() for first, _ in intervals)
    assert not any(first < cut <= last for intervals in found.values() for first, last in intervals)


def turned(clip, name, axis, degrees):
    """The clip with a bone turned further, by so much in each frame."""
    columns = [column for column, channel in enumerate(clip.channels) if (channel.owner, channel.kind) == (name, "QUATERNION")]
    values = clip.values.copy()
    more = Rotation.from_rotvec(np.outer(degrees, np.eye(3)[axis]), degrees=True)
    values[:, columns] = (Rotation.from_quat(values[:, columns], scalar_first=True) * more).as_quat(scalar_first=True)
    return clip.with_values(values)


def cuts(clip):
    return [rows.start for rows in Body(clip, gait.FIGURE).stretches[1:]]


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
def test_kicks_and_leaps_are_no_cuts(fps):
    time = np.arange(round(SECONDS * fps)) / fps
    for seed in range(20):
        random = np.random.default_rng(seed)
        moments, quick = random.uniform(0.5, 5.5, 4), random.uniform(0.06, 0.12)
        kicks = [np.exp(-0.5 * ((time - moment) / width) ** 2) for moment, width in zip(moments, (quick, quick, quick, 0.2))]
        clip = turned(walking(fps), "thigh.R", 0, -100.0 * (kicks[0] + kicks[1]))
        clip = turned(clip, "thigh.L", 0, -100.0 * kicks[2])
        values = clip.values.copy()
        values[:, :3] += np.outer(kicks[3], random.uniform(-0.7, 0.7, 3))
        clip = clip.with_values(values)
        feet = Legs(gait.FIGURE, ROLES).places(clip)[0]
        assert np.linalg.norm(np.diff(feet, axis=0), axis=2).max() * fps > 7.0
        assert cuts(clip) == [], seed


@pytest.mark.parametrize("fps", [24.0, 60.0, 120.0])
def test_a_toe_that_is_lost_for_a_frame_is_no_cut(fps):
    flip = np.zeros(round(SECONDS * fps))
    flip[[40, 41, 77]] = 150.0
    assert cuts(turned(walking(fps), "foot.L", 0, flip)) == []


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
def test_noise_on_every_joint_is_no_cut(fps):
    for seed in range(5):
        random, clip = np.random.default_rng(seed), walking(fps)
        for name in {channel.owner for channel in clip.channels if channel.kind == "QUATERNION"}:
            for axis in range(3):
                clip = turned(clip, name, axis, random.normal(0.0, 2.0, clip.frames))
        assert cuts(clip) == [], seed


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
def test_takes_that_are_joined_are_cut_where_they_meet(fps):
    frames = round(SECONDS * fps)
    for seed in range(20):
        random = np.random.default_rng(seed)
        one, other = walking(fps, 1.0).values, walking(fps, 1.6).values.copy()
        other[:, :3] += random.normal(size=3)
        end, start = random.integers(10, frames - 10, 2)
        assert cuts(walking(fps).with_values(np.vstack([one[:end], other[start:]]))) == [end], seed
        bad = np.vstack([one[:end], np.zeros_like(one[:1]), one[end:]])  # a row of zeros
        assert set(cuts(walking(fps).with_values(bad))) >= {end, end + 1}, seed


def test_a_pose_of_one_frame_before_the_take_is_no_contact_and_moves_none():
    clip = walking()
    values = np.vstack([np.zeros((1, len(clip.channels))), clip.values])
    values[0, 3::4] = 1.0
    values[0, 1] = -2.0
    longer = replace(clip, values=values, first_frame=FIRST - 1)
    assert find_contacts(longer, gait.FIGURE, ROLES) == find_contacts(clip, gait.FIGURE, ROLES)


def test_events_are_read_off_the_contacts():
    clip = Clip(np.zeros((200, 1)), (Channel("x", 0),), 100.0, 1)
    contacts = {
        "left_heel": [[1, 20], [61, 80], [121, 140]],
        "left_toe": [[5, 30], [63, 90], [125, 150]],
        "right_toe": [[40, 62]],
    }
    assert feet(contacts, 100.0) == {"left_foot": [[1, 30], [61, 90], [121, 150]], "right_foot": [[40, 62]]}
    left, right = events(contacts, clip).values()
    assert left == {"strikes": [61, 121], "toe_offs": [30, 90, 150], "mid_swings": [45, 105], "cycles": [[61, 121]]}
    assert right == {"strikes": [40], "toe_offs": [62], "mid_swings": [], "cycles": []}


@pytest.mark.parametrize(
    "contacts, words",
    [
        ({"left_heel": [[5, 20]]}, "5 to 20 is outside the motion, which goes from 11 to 370"),
        ({"left_heel": [[300, 371]]}, "outside"),
        ({"left_heel": [[20, 40], [40, 50]]}, "overlaps"),
        ({"left_heel": [[60, 70], [20, 40]]}, "precedes"),
        ({"left_heel": [[40, 20]]}, "no first and last"),
        ({"left_heel": [[20]]}, "no first and last"),
        ({"left_heel": 4}, "no first and last"),
        ({"left_heel": [[20.5, 30]]}, "no first and last"),
        ({"left_ear": []}, "no point 'left_ear'"),
        ([], "no table"),
    ],
)
def test_contacts_that_make_no_sense_are_refused(contacts, words):
    with pytest.raises(ValueError, match=words):
        check_contacts(contacts, walking())


def test_figures_that_cannot_stand_are_refused_with_what_to_do():
    clip = walking()
    with pytest.raises(ValueError, match="no feet found"):
        find_contacts(clip, gait.FIGURE, Roles())
    with pytest.raises(ValueError, match="no feet found"):
        find_contacts(clip, Skeleton(gait.FIGURE.bones[:1]), find_roles(Skeleton(gait.FIGURE.bones[:1])))
    with pytest.raises(ValueError, match="no leg has a length"):
        find_contacts(clip, gait.FIGURE, Roles(left_foot="foot.L"))
    flat = replace(gait.FIGURE, world=((0.0,) * 4,) * 3 + ((0.0, 0.0, 0.0, 1.0),))
    with pytest.raises(ValueError, match="scale"):
        find_contacts(clip, flat, find_roles(flat))


def test_contacts_go_where_frames_go():
    """From the rows of two takes, one of them in the mirror; what adjoins is one contact, and a single frame is none."""
    clip = Clip(np.zeros((20, 0)), (), 30.0, 101)
    other = Clip(np.zeros((10, 0)), (), 30.0, 1)
    held = [(clip, {"left_heel": [[103, 106]], "right_toe": [[101, 101]]}), (other, {"right_heel": [[3, 8]], "left_toe": []})]
    rows = np.arange(12)
    origins = (Origin(clip, np.where(rows < 6, rows, -1)), Origin(other, np.where(rows >= 6, rows - 4.0, -1), True))
    found = carried(origins, lambda take: next(contacts for one, contacts in held if one is take), 50)
    assert found == {"left_heel": [[52, 61]], "right_toe": []}
