# SPDX-License-Identifier: GPL-3.0-or-later
"""Thumbnails: figures of known places and sizes, found again in the drawing."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.operators.batch.thumbnail import HEIGHT, POSES, WIDTH, instants, joints_of, thumbnail

SVG = "{http://www.w3.org/2000/svg}"


def standing(height=1.0, steps=0.0, frames=60, width=0.2, base=0.0):
    """A post with an arm at its top that points along X, which moves on along X: joints and tips."""
    place = np.zeros((frames, 1, 3))
    place[:, 0, 0] = np.linspace(0.0, steps * (POSES - 1), frames)
    joints = place + [[0.0, 0.0, base], [0.0, 0.0, base + height]]
    return joints, place + [[0.0, 0.0, base + height], [width, 0.0, base + height]]


def drawn(text):
    """What is drawn: the height of the ground in pixels down, and by name for every pose its points (points, 2)."""
    ground, *motions = ElementTree.fromstring(text).findall(f"{SVG}g")
    names = [re.search(r"--(\w+)", motion.get("style"))[1] for motion in motions]
    poses = [[np.array(re.findall(r"-?\d+", path.get("d")), dtype=int).reshape(-1, 2) for path in motion] for motion in motions]
    return int(re.search(r"M0 (\d+)", ground[0].get("d"))[1]), dict(zip(names, poses))


def turned(motion, degrees):
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return tuple(places @ np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]]) for places in motion)


def walking(frames=240, fps=60.0):
    motion = gait.walk(frames, fps, 1.3)
    values, channels = (
        [motion.location],
        [Channel(gait.FIGURE.bones[0].path + ".location", index, "LOCATION", "hips") for index in range(3)],
    )
    for number, bone in enumerate(gait.FIGURE.bones):
        values.append(motion.rotations[:, number])
        channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for index in range(4)]
    return motion, Clip(np.hstack(values), tuple(channels), fps, 1)


def test_what_is_up_is_drawn_up_and_what_is_ahead_on_the_right():
    ground, found = drawn(thumbnail(None, standing(steps=0.5)))
    assert list(found) == ["result"] and len(found["result"]) == POSES
    for foot, top, hand in found["result"]:
        assert foot[0] == top[0] and top[1] < foot[1] == ground
        assert hand[1] == top[1] and hand[0] > top[0]
        assert abs((foot - top)[1] * 0.2 - (hand - top)[0]) <= 1


def test_take_and_result_are_drawn_to_one_scale():
    found = drawn(thumbnail(standing(0.5), standing(1.0)))[1]
    small, large = (found[name][0][0, 1] - found[name][0][1, 1] for name in ("take", "result"))
    assert abs(large - 2 * small) <= 1 and large > 0.5 * HEIGHT


def test_the_ground_is_where_the_take_is_lowest():
    for deeper in (0.0, 0.3):
        ground, found = drawn(thumbnail(standing(base=2.0), standing(base=2.0 - deeper)))
        feet = {name: max(pose[:, 1].max() for pose in poses) for name, poses in found.items()}
        height = ground - found["take"][0][:, 1].min()
        assert feet["take"] == ground and abs(feet["result"] - ground - deeper * height) <= 1


@pytest.mark.parametrize("steps, apart", [(0.0, None), (0.01, None), (0.4, 0.4), (0.6, 0.6), (5.0, 0.7), (1e4, 0.7)])
def test_poses_stand_as_far_apart_as_they_travelled_but_clear_and_near(steps, apart):
    joints, tips = standing(steps=steps, frames=POSES)  # every frame is drawn
    poses = drawn(thumbnail(None, (joints, tips)))[1]["result"]
    assert all(one[:, 0].max() < other[:, 0].min() for one, other in zip(poses, poses[1:]))
    if apart:
        metre = poses[0][0, 1] - poses[0][1, 1]
        assert np.abs(np.diff([pose[0, 0] for pose in poses]) - apart * metre).max() <= 2


def test_it_is_seen_from_the_side_whichever_way_it_goes():
    _, clip = walking()
    lines = joints_of(clip, gait.FIGURE, instants(clip.frames))
    straight = drawn(thumbnail(lines, lines))[1]["result"]
    for degrees in (30, 90, 200):
        other = drawn(thumbnail(None, turned(lines, degrees)))[1]["result"]
        assert max(np.abs(one[0] - two[0]).max() for one, two in zip(straight, other)) <= 1
    joints, tips = standing(steps=0.5)
    tips[:, 1] = joints[:, 1] + [0.0, 2.0, 0.0]  # the arm points across the way, and is seen end on
    assert max(np.ptp(pose[:, 0]) for pose in drawn(thumbnail(None, (joints, tips)))[1]["result"]) == 0
    wide = turned(standing(width=0.8), 70)  # stays in place: the arm is seen in its full length
    foot, top, hand = drawn(thumbnail(None, wide))[1]["result"][0]
    assert abs(abs((hand - top)[0]) - 0.8 * (foot - top)[1]) <= 1


@pytest.mark.parametrize("steps", [0.5, -0.5])
def test_a_result_that_stays_in_place_is_seen_from_where_its_take_is(steps):
    for before, after in ((standing(steps=steps), standing()), (standing(), standing(steps=steps))):
        for poses in drawn(thumbnail(before, after))[1].values():
            assert all(np.sign(hand[0] - top[0]) == np.sign(steps) for _, top, hand in poses)


def test_a_result_of_another_length_is_drawn_at_the_same_parts_of_its_time():
    lines = standing(steps=0.5, frames=600)
    shorter = tuple(places[::3] for places in lines)
    found = drawn(thumbnail(lines, shorter))[1]
    assert len(found["take"]) == len(found["result"]) == POSES
    assert max(np.abs(one - two).max() for one, two in zip(found["take"], found["result"])) <= 1


@pytest.mark.parametrize(
    "before, after",
    [
        (None, (np.zeros((60, 3, 3)), np.zeros((60, 3, 3)))),
        (standing(), (np.full((9, 3, 3), 7.0), np.full((9, 3, 3), 7.0))),
        (None, (np.full((60, 3, 3), np.nan), np.full((60, 3, 3), np.inf))),
        (standing(frames=1), standing(frames=2)),
        (None, (np.zeros((9, 1, 3)), np.ones((9, 1, 3)) * [0, 0, 1e-12])),
        (standing(1e-6), standing(1e6)),
    ],
)
def test_what_has_no_size_or_no_place_is_drawn_without_a_number_that_is_none(before, after):
    text = thumbnail(before, after)
    assert "nan" not in text and "inf" not in text
    numbers = np.concatenate([pose for poses in drawn(text)[1].values() for pose in poses if pose.size])
    assert (numbers >= 0).all() and (numbers <= [WIDTH, HEIGHT]).all()


def test_a_drawing_is_small_however_many_bones_there_are():
    random = np.random.default_rng(1)
    crowd = [(random.normal(size=(300, 400, 3)), random.normal(size=(300, 400, 3))) for _ in range(2)]
    assert len(thumbnail(*crowd)) < 6144
    hairy = [np.concatenate([np.full((60, 500, 3), [0.0, 0.0, 0.5]), places], axis=1) for places in standing()]
    assert thumbnail(None, hairy) == thumbnail(None, standing())  # the longest lines stay
    _, clip = walking()
    lines = joints_of(clip, gait.FIGURE, instants(clip.frames))
    assert len(thumbnail(lines, lines)) < 4096


def test_it_needs_nothing_from_elsewhere():
    text = thumbnail(standing(), standing(2.0))
    assert re.findall(r"https?:[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert {element.tag for element in ElementTree.fromstring(text).iter()} == {f"{SVG}svg", f"{SVG}g", f"{SVG}path"}


def test_joints_are_where_forward_kinematics_puts_them_in_the_world(figure, moving, posed):
    world = np.eye(4)
    world[:3, :3], world[:3, 3] = [[0, -2, 0], [2, 0, 0], [0, 0, 2]], (1.0, 2.0, 3.0)
    clip, rows = moving(figure), [3, 40, 80]
    joints, tips = joints_of(clip, replace(figure, world=tuple(map(tuple, world))), rows)
    slow = world @ posed(figure, clip)[rows]
    lengths = np.array([[bone.length] for bone in figure.bones])
    heads, tails = slow[..., :3, 3], slow[..., :3, 3] + slow[..., :3, 1] * lengths
    wanted = [(heads[:, bone.parent], heads[:, index]) for index, bone in enumerate(figure.bones) if bone.parent >= 0]
    wanted += [(heads[:, index], tails[:, index]) for index, bone in enumerate(figure.bones) if bone.name in ("head", "foot")]
    assert joints.shape == tips.shape == (3, len(wanted), 3)
    assert np.abs(joints - np.stack([start for start, _ in wanted], axis=1)).max() < 1e-9
    assert np.abs(tips - np.stack([end for _, end in wanted], axis=1)).max() < 1e-9


def test_of_a_body_neither_fingers_nor_what_it_hangs_on_are_drawn(bone):
    motion, clip = walking()
    heads, tails = gait.joints(motion)
    bones = [bone("root", -1, (0, 0, 0), (0, 0, 0))] + [replace(each, parent=each.parent + 1) for each in gait.FIGURE.bones]
    hand = next(index for index, each in enumerate(bones) if each.name == "hand.L")
    bones.append(bone("finger", hand, (0.7, 0.0, 0.9), (0, 0, 0)))
    joints, tips = joints_of(clip, Skeleton(tuple(bones)), [100])
    known = np.concatenate([heads[100], tails[100]])
    assert len(joints[0]) == len(gait.FIGURE.bones) - 1 + 5  # a line to every joint from its parent's, and five ends
    for place in np.concatenate([joints[0], tips[0]]):
        assert np.linalg.norm(known - place, axis=1).min() < 1e-9
