# SPDX-License-Identifier: GPL-3.0-or-later
"""Room: changes stop at the limits of joints, softly, and what the take does itself is never held back."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.ik.joint_limits import within_room
from motion_signal.core.motion.clip import Clip
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.numeric.smoothing import approached, softened
from scipy.spatial.transform import Rotation

TIME = np.arange(120) / 30.0
LIMITS = (-30.0, 40.0, -180.0, 180.0, -180.0, 180.0)


def test_a_way_is_left_alone_until_its_end_is_near_and_never_goes_beyond():
    ways, room, softness = np.linspace(0.0, 5.0, 501), 1.0, 0.4
    found = approached(ways, room, softness)
    assert (found[ways <= room - softness] == ways[ways <= room - softness]).all()
    assert found.max() < room and (np.diff(found) > 0).all()
    slopes = np.diff(found) / np.diff(ways)
    assert np.abs(np.diff(slopes)).max() < 0.03
    assert approached(np.array([2.0]), 0.0, 0.4)[0] < 1e-9  # no room at all


def test_beyond_a_limit_one_can_come_back_but_go_no_farther():
    assert softened(np.array([0.3]), -2.0, -0.5, 0.1)[0] < 1e-9
    assert softened(np.array([-0.3]), -2.0, -0.5, 0.1)[0] == pytest.approx(-0.3)


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "ZYX"])
def test_a_hinge_stays_within_the_limits_of_its_rig(mode, bone, rotation_channels, in_mode, as_rotations):
    joint = replace(bone("bone", -1, (0, 0, 0), (0.2, 0, 0), mode=mode), limits=LIMITS)
    skeleton = Skeleton((joint,))

    def clip(size):
        turned = Rotation.from_rotvec(np.outer(size * np.sin(3 * TIME), [1, 0, 0]))
        return Clip(in_mode(turned, mode), rotation_channels(mode), 30, 1)

    source, wild = clip(0.3), clip(1.4)
    result = within_room(source, wild, skeleton, 10.0)
    angles = np.degrees(as_rotations(result.values, mode).as_rotvec()[:, 0])
    assert angles.min() > -30 - 1e-6 and angles.max() < 40 + 1e-6 and np.ptp(angles) > 60
    assert np.abs(within_room(source, source, skeleton, 10.0).values - source.values).max() < 1e-9
    assert within_room(source, wild, Skeleton((replace(joint, limits=()),)), 10.0) is wild
    if mode == "QUATERNION":  # on the same side as what was changed, whichever that is
        turned = within_room(source.with_values(-source.values), wild.with_values(-wild.values), skeleton, 10.0)
        assert np.abs(turned.values + result.values).max() < 1e-9 and (result.values * wild.values).sum(axis=1).min() > 0.0


def test_what_a_take_does_beyond_its_limits_stays(bone, rotation_channels, in_mode):
    skeleton = Skeleton((replace(bone("bone", -1, (0, 0, 0), (0, 0, 0)), limits=LIMITS),))
    source, farther = (
        Clip(
            in_mode(Rotation.from_rotvec(np.tile([angle, 0, 0], (120, 1))), "QUATERNION"),
            rotation_channels("QUATERNION"),
            30,
            1,
        )
        for angle in np.radians([60.0, 72.0])
    )
    assert np.abs(within_room(source, farther, skeleton, 10.0).values - source.values).max() < 1e-6
