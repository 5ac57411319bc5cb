# SPDX-License-Identifier: GPL-3.0-or-later
"""Kept bones on a walk made of arithmetic that an edit has changed: they are where they were, and the feet come first."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.body import Body
from motion_signal.core.declare.lists import split_names
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.techniques.figure.lock import LOCK, LockParams
from scipy.spatial.transform import Rotation

MILLIMETRE = 1e-3
FRAMES, FPS = 120, 60.0
ARM = {"upper_arm.L", "forearm.L", "hand.L"}
FEET = ("foot.L", "foot.R")


@pytest.fixture(scope="module")
def walk(rotation_channels):
    motion = gait.walk(FRAMES, FPS)
    values = [motion.location, *np.moveaxis(motion.rotations, 1, 0)]
    channels = [Channel(gait.FIGURE.bones[0].path + ".location", axis, "LOCATION", "hips") for axis in range(3)]
    channels += [channel for bone in gait.FIGURE.bones for channel in rotation_channels("QUATERNION", bone.name)]
    return Clip(np.hstack(values), tuple(channels), FPS, 5)


@pytest.fixture(scope="module")
def edited(walk, smooth):
    """The walk with every bone turned a little, slowly, and the hips moved; by so many radians and metres."""

    def make(turn=0.08, move=0.02, clip=walk, bones=range(len(gait.FIGURE.bones))):
        values = clip.values.copy()
        for place in bones:
            columns = slice(3 + 4 * place, 7 + 4 * place)
            turns = Rotation.from_rotvec(smooth(FRAMES, 3, place, FPS, turn, 1.5))
            turned = (Rotation.from_quat(values[:, columns], scalar_first=True) * turns).as_quat(scalar_first=True)
            values[:, columns] = turned * np.sign((turned * values[:, columns]).sum(axis=1))[:, None]
        values[:, :3] += smooth(FRAMES, 3, 99, FPS, move, 1.5)
        return clip.with_values(values)

    return make


def run(clip, original, keep, skeleton=gait.FIGURE, **params):
    return LOCK.run(clip, LockParams(**{"amount": 0.0, "keep": keep, **params}), Surroundings(skeleton, original=original))


def some(*names):
    return [gait.FIGURE.index(name) for name in names]


def places(clip, *names, skeleton=gait.FIGURE):
    return skeleton.posed(clip)[1][:, [skeleton.index(name) for name in names]]


def strayed(clip, original, *names, skeleton=gait.FIGURE):
    return np.linalg.norm(places(clip, *names, skeleton=skeleton) - places(original, *names, skeleton=skeleton), axis=2)


def changed(clip, before):
    return {
        channel.owner
        for channel, old, new in zip(clip.channels, before.values.T, clip.values.T)
        if np.abs(old - new).max() > 1e-9
    }


def acceleration(clip):
    return np.linalg.norm(np.diff(gait.FIGURE.posed(clip)[1], 2, axis=0), axis=2).max()


def test_a_kept_hand_is_where_it_was_and_turned_as_it_was_by_its_arm_alone(walk, edited):
    clip = edited(0.2, 0.0, bones=some(*ARM))
    result = run(clip, walk, "hand.L")
    assert strayed(clip, walk, "hand.L").max() > 50 * MILLIMETRE
    assert strayed(result, walk, "hand.L").max() < 1 * MILLIMETRE
    hand = gait.FIGURE.index("hand.L")
    assert np.abs(gait.FIGURE.posed(result)[0][:, hand] - gait.FIGURE.posed(walk)[0][:, hand]).max() < 1e-6
    assert changed(result, clip) == ARM


def test_a_shoulder_helps_an_arm_that_is_too_short(walk, edited):
    clip = edited(0.1, 0.02)
    result = run(clip, walk, "hand.L, hand.R")
    assert strayed(result, walk, "hand.L", "hand.R").max() < 2 * MILLIMETRE
    assert changed(result, clip) > ARM
    assert strayed(result, clip, *FEET).max() == 0.0
    assert acceleration(result) < 1.3 * max(acceleration(clip), acceleration(walk))


@pytest.mark.parametrize("name", ["head", "chest", "forearm.R"])
def test_any_bone_is_kept_while_the_feet_stay_where_they_are(walk, edited, name):
    clip = edited(0.08, 0.0, bones=some("spine", "chest", "shoulder.R", "upper_arm.R"))
    result = run(clip, walk, name)
    assert strayed(clip, walk, name).max() > 7 * MILLIMETRE
    assert strayed(result, walk, name).max() < 2 * MILLIMETRE and strayed(result, walk, name).mean() < 1 * MILLIMETRE
    assert strayed(result, clip, *FEET).max() < 0.6 * MILLIMETRE
    assert acceleration(result) < 1.3 * max(acceleration(clip), acceleration(walk))


def test_kept_hips_go_back_as_far_as_the_legs_allow(walk, edited):
    clip = edited(0.0, 0.05)
    result = run(clip, walk, "hips")
    left, before = strayed(result, walk, "hips")[:, 0], strayed(clip, walk, "hips")[:, 0]
    assert before.max() > 50 * MILLIMETRE and left.mean() < 0.4 * before.mean()
    assert strayed(result, clip, *FEET).max() < 0.6 * MILLIMETRE
    assert acceleration(result) < 1.3 * max(acceleration(clip), acceleration(walk))
    legs = Body(result, gait.FIGURE)
    straight = np.max(
        [np.linalg.norm(legs.root(end) - legs.tip(end)[0], axis=0) / legs.lengths(end) for end in ("left_foot", "right_foot")],
        axis=0,
    )
    assert (straight[left > 5 * MILLIMETRE] > 0.9).all()  # where they do not arrive, a leg is long


def test_planted_feet_come_first_and_kept_feet_swing_where_they_swung(walk, edited):
    clip = edited(0.03, 0.01)
    planted = Body(walk, gait.FIGURE).contacts
    result = run(clip, walk, "foot.L, hand.L", amount=1.0, contacts=planted, ease=0.1)
    body = Body(result, gait.FIGURE)
    heel, toe = np.moveaxis(body.points("left_foot"), 2, 1)
    downs = body.downs("left_foot", planted)
    assert len(planted["left_toe"]) > 1
    for first, last in planted["left_toe"]:
        rows = toe[first - 5 : last - 4, :2]
        assert np.linalg.norm(rows - np.median(rows, axis=0), axis=1).max() < 1 * MILLIMETRE
    far = np.convolve(downs.any(axis=0), np.ones(25), mode="same") == 0  # twice as far as the ease
    assert far.sum() > 2
    assert strayed(result, walk, "foot.L")[far].max() < 6 * MILLIMETRE < strayed(clip, walk, "foot.L")[far].max()
    assert strayed(result, walk, "hand.L").max() < 1.2 * MILLIMETRE  # a straight arm, whose shoulder the pelvis takes along


def test_a_bone_of_a_leg_is_kept_by_its_leg(walk, edited):
    clip = edited(0.05, 0.0)
    result = run(clip, walk, "toe.R")
    assert strayed(clip, walk, "toe.R").max() > 30 * MILLIMETRE
    assert np.percentile(strayed(result, walk, "toe.R"), 90) < 1 * MILLIMETRE
    assert changed(result, clip) <= {"thigh.R", "shin.R", "foot.R"}


def test_a_bone_that_moves_by_itself_is_moved_back_by_itself(walk, edited, bone, smooth):
    prop = bone("cup", 0, (0.3, 0.0, 1.0), (0.2, 0.1, 0.0))
    skeleton = Skeleton((*gait.FIGURE.bones, prop))
    channels = (*walk.channels, *(Channel(prop.path + ".location", axis, "LOCATION", "cup") for axis in range(3)))
    original = replace(walk, values=np.hstack([walk.values, smooth(FRAMES, 3, 7, FPS, 0.1)]), channels=channels)
    clip = edited(clip=original)
    result = run(clip, original, "cup", skeleton)
    assert strayed(clip, original, "cup", skeleton=skeleton).max() > 10 * MILLIMETRE
    assert strayed(result, original, "cup", skeleton=skeleton).max() < 0.01 * MILLIMETRE
    assert changed(result, clip) == {"cup"}


def test_what_was_not_edited_stays_as_it_is(walk):
    result = run(walk, walk, "hand.L, head, hips, foot.R, toe.L")
    assert np.abs(result.values - walk.values).max() < 1e-6


def test_names_stand_between_commas():
    assert split_names(" hand.L,, head , hand.L ") == ("hand.L", "head") and split_names("") == ()


def test_what_cannot_be_kept_is_refused_with_a_sentence(walk, with_bone):
    for original in (None, replace(walk, first_frame=6), walk.with_values(walk.values[:-1])):
        with pytest.raises(ValueError, match="keep: hand.L has no other path than its own"):
            run(walk, original, "hand.L")
    with pytest.raises(ValueError, match="keep: the armature has no bone 'tail'"):
        run(walk, walk, "hand.L, tail")
    led = with_bone(gait.FIGURE, "forearm.L", led=True)
    with pytest.raises(ValueError, match="keep: bone forearm.L is moved by constraints or drivers"):
        run(walk, walk, "hand.L", led)
