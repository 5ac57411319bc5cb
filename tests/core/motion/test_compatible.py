# SPDX-License-Identifier: GPL-3.0-or-later
"""Kin: who may play whose take; small differences and other ways to face do no harm, other axes and sizes do."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.compatible import difference, rest_of
from scipy.spatial.transform import Rotation

FIGURE = gait.FIGURE


@pytest.fixture(scope="module")
def walk():
    motion = gait.walk(120, 30.0)
    hips = FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in FIGURE.bones for index in range(4)]
    return Clip(np.hstack([motion.location, motion.rotations.reshape(120, -1)]), tuple(channels), 30.0, 1)


def changed(rest):
    """The figure with every rest matrix given anew."""
    return replace(FIGURE, bones=tuple(replace(bone, rest=rest(bone)) for bone in FIGURE.bones))


def turned(*vector, only=""):
    turn = np.eye(4)
    turn[:3, :3] = Rotation.from_rotvec(np.radians(vector)).as_matrix()
    return changed(lambda bone: turn @ bone.rest if not only else bone.rest @ turn if bone.name == only else bone.rest)


def sized(size):
    return changed(lambda bone: np.block([[bone.rest[:3, :3], size * bone.rest[:3, 3:]], [0, 0, 0, 1]]))


def words(other, clip, own=FIGURE):
    return difference(rest_of(own), rest_of(other), clip)


@pytest.mark.parametrize(
    "other",
    [FIGURE, turned(0, 0, 130), turned(0, 40, 0, only="thigh.L"), sized(1.3), sized(0.75)],
    ids=["itself", "facing elsewhere", "built a little differently", "taller", "smaller"],
)
def test_kin_may_play_each_others_takes(other, walk):
    assert words(other, walk) == ""


def test_bones_with_other_axes_are_named_the_first_of_them(walk):
    assert "bone thigh.L rests turned by 90 degrees" in words(turned(0, 90, 0, only="thigh.L"), walk)
    assert "bone forearm.R rests turned by 60 degrees" in words(turned(60, 0, 0, only="forearm.R"), walk)


def test_a_figure_that_rests_lying_down_does_not_stand_up_in_a_take_of_one_that_stands(walk):
    assert "bone hips rests turned by 90 degrees" in words(turned(90, 0, 0), walk)
    lying = replace(
        turned(90, 0, 0), world=tuple(map(tuple, np.linalg.inv([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])))
    )
    assert words(lying, walk) == ""  # its object is turned, so that it stands all the same


def test_bones_that_the_take_leaves_at_rest_may_lie_as_they_like(walk):
    still = np.array([channel.owner == "hand.L" for channel in walk.channels])
    values = walk.values.copy()
    values[:, still] = (1.0, 0.0, 0.0, 0.0)
    assert words(turned(0, 90, 0, only="hand.L"), walk.with_values(values)) == ""
    assert "hand.L" in words(turned(0, 90, 0, only="hand.L"), walk)


def test_a_figure_by_far_larger_or_smaller_cannot_play_a_take_that_moves(walk):
    for size in (100.0, 1.7, 0.5, 0.01):
        assert "another size" in words(sized(size), walk)
    on_the_spot = replace(walk, values=walk.values[:, 3:], channels=walk.channels[3:])
    assert words(sized(2.0), on_the_spot) == ""


def test_bones_that_only_one_of_them_has_do_not_matter(walk):
    fewer = replace(FIGURE, bones=FIGURE.bones[:4])
    assert words(fewer, walk) == words(FIGURE, walk, fewer) == ""
    strange = replace(FIGURE, bones=tuple(replace(bone, name=f"other {bone.name}") for bone in FIGURE.bones))
    assert words(strange, walk) == ""
