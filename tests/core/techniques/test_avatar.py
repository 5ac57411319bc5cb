# SPDX-License-Identifier: GPL-3.0-or-later
"""Avatars: every joint of a figure of another size where it should be, feet down, speed scaled."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.report import report
from motion_signal.core.body.roles import find_roles
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.cycle import pace
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.techniques.figure.avatar import AVATAR, AvatarParams

FPS = 60.0


def walking(frames=180):
    motion = gait.walk(frames, FPS, 1.3)
    hips = gait.FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [
        Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in gait.FIGURE.bones for index in range(4)
    ]
    return Clip(np.hstack([motion.location, motion.rotations.reshape(frames, -1)]), tuple(channels), FPS, 1)


def sized(scale, legs=1.0):
    """The figure at another size, and its shins `legs` times as long as that would make them."""
    bones, moved = [], {}
    for index, bone in enumerate(gait.FIGURE.bones):
        rest = np.array(bone.rest)
        rest[:3, 3] *= scale
        if bone.parent >= 0:
            moved[index] = moved[bone.parent]
            if bone.name.startswith("foot"):
                moved[index] = moved[index] + (legs - 1.0) * (rest[:3, 3] - bones[bone.parent].rest[:3, 3])
        else:
            moved[index] = np.zeros(3)
        bones.append(replace(bone, rest=rest, length=bone.length * scale))
    placed = []
    for index, bone in enumerate(bones):
        rest = np.array(bone.rest)
        rest[:3, 3] += moved[index]
        placed.append(replace(bone, rest=rest))
    return Skeleton(tuple(placed))


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
def test_a_figure_of_another_size_does_all_of_it_larger(scale):
    clip, skeleton = walking(), sized(scale)
    result = AVATAR.run(clip, AvatarParams(scale=scale), Surroundings(skeleton))
    assert np.abs(skeleton.posed(result)[1] - scale * gait.FIGURE.posed(clip)[1]).max() < 1e-9
    assert pace(result, skeleton)[0] == pytest.approx(scale * pace(clip, gait.FIGURE)[0], rel=1e-12)
    slides = [report(*motion)["slide_mean_mm"] for motion in ((clip, gait.FIGURE), (result, skeleton))]
    assert slides[1] == pytest.approx(scale * slides[0], rel=0.05)


def test_without_the_scale_the_same_take_slides():
    clip, skeleton = walking(), sized(2.0)
    contacts = {"left_heel": [[70, 90]]}
    wrong, right = (
        report(motion, skeleton, contacts=contacts)["slide_mean_mm"]
        for motion in (clip, AVATAR.run(clip, AvatarParams(scale=2.0), Surroundings(skeleton)))
    )
    assert wrong > 100.0 > 20.0 > right


def test_a_figure_with_longer_shins_keeps_its_feet_down_through_the_lock():
    clip, skeleton = walking(), sized(1.0, legs=1.3)
    ratio = np.divide(*(Legs(figure, find_roles(figure)).leg for figure in (skeleton, gait.FIGURE)))
    loose, held = (AVATAR.run(clip, AvatarParams(legs=ratio, lock=lock), Surroundings(skeleton)) for lock in (0.0, 1.0))
    slide = [report(motion, skeleton)["slide_mean_mm"] for motion in (loose, held)]
    assert 1.1 < ratio < 1.2 and slide[1] < 3.0 < slide[0]
    assert pace(held, skeleton)[0] == pytest.approx(ratio * pace(clip, gait.FIGURE)[0], rel=1e-3)


def test_rotations_and_scales_stay_as_they_are(mixed_clip):
    clip = mixed_clip()
    result = AVATAR.run(clip, AvatarParams(scale=3.0))
    moved = np.array([channel.kind == "LOCATION" for channel in clip.channels])
    assert np.array_equal(result.values[:, ~moved], clip.values[:, ~moved])
    assert np.allclose(result.values[:, moved], 3.0 * clip.values[:, moved])


@pytest.mark.parametrize(
    "params, words",
    [
        (AvatarParams(scale=0.0), "scale: 0 is no size of a figure"),
        (AvatarParams(scale=-1.0), "scale: -1 is no size"),
        (AvatarParams(legs=-2.0), "legs: -2 is no size"),
    ],
)
def test_no_size_is_refused(params, words):
    with pytest.raises(ValueError, match=words):
        AVATAR.run(walking(), params, Surroundings(gait.FIGURE))
