# SPDX-License-Identifier: GPL-3.0-or-later
"""A take that lies in the scene as a whole, as files in which Z is up do, has its ground where its feet are."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core import EqualizeParams, LockParams, Recipe, ScopeParams, Step, find_contacts, report, run, technique
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.intake import intake_of
from motion_signal.core.body.upright import lying_turn, on_its_ground, stood
from other_rests import placed, resting
from scipy.spatial.transform import Rotation
from technique_cases import walking

QUARTERS = [("x", 90), ("x", -90), ("x", 180), ("y", 90), ("y", -90)]


def lying(axis, angle):
    """The walking figure in an object that is turned."""
    world = np.eye(4)
    world[:3, :3] = Rotation.from_euler(axis, angle, degrees=True).as_matrix()
    return replace(gait.FIGURE, world=tuple(map(tuple, world.tolist())))


@pytest.mark.parametrize("axis, angle", QUARTERS)
def test_contacts_and_report_of_a_take_that_lies_are_those_of_the_same_standing(axis, angle):
    clip, skeleton = walking(), lying(axis, angle)
    assert find_contacts(clip, skeleton) == find_contacts(clip, gait.FIGURE)
    stands, lies = report(clip, gait.FIGURE), report(clip, skeleton)
    for name in ("slide_mean_mm", "penetration_worst_mm", "speed_m_s", "cadence_steps_min"):
        assert lies[name] == pytest.approx(stands[name], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("axis, angle", QUARTERS)
def test_two_steps_make_the_same_of_a_take_that_lies(axis, angle):
    steps = (
        Step(technique("equalize"), EqualizeParams(gains=(1.0, 1.5, 2.0, 2.0, 2.0)), ScopeParams()),
        Step(technique("lock"), LockParams()),
    )
    stands, lies = (run(Recipe(steps), walking(), skeleton) for skeleton in (gait.FIGURE, lying(axis, angle)))
    assert np.abs(lies.values - stands.values).max() < 1e-6


@pytest.mark.parametrize("axis, angle", QUARTERS)
def test_the_turn_puts_it_on_its_feet(axis, angle):
    skeleton, clip = lying(axis, angle), walking()
    turn = np.array(intake_of(clip, skeleton).turn)
    assert turn @ turn.T == pytest.approx(np.eye(3)) and np.linalg.det(turn) == pytest.approx(1.0)
    upright = on_its_ground(skeleton, clip)
    assert upright.up == pytest.approx([0.0, 0.0, 1.0])
    assert lying_turn(upright, clip) is None


def test_who_stands_leans_or_only_lies_in_the_motion_is_left_alone():
    clip = walking()
    for skeleton in (gait.FIGURE, lying("x", 25), lying("z", 90)):
        assert lying_turn(stood(skeleton), clip) is None
    down = clip.values.copy()  # the hips are turned over in every frame, the rest pose stands
    columns = [i for i, channel in enumerate(clip.channels) if channel.path == gait.FIGURE.bones[0].rotation_path]
    turned = Rotation.from_euler("x", 90, degrees=True) * Rotation.from_quat(down[:, columns], scalar_first=True)
    down[:, columns] = turned.as_quat(scalar_first=True)
    assert lying_turn(stood(gait.FIGURE), clip.with_values(down)) is None


def test_who_sidles_about_stands_although_the_rest_does_too_and_who_lies_and_lifts_feet_or_hips_does_not():
    take, rows = walking(), np.arange(walking().frames)
    hips, place = gait.FIGURE.bones[0], [i for i, channel in enumerate(take.channels) if channel.kind == "LOCATION"]
    turn = [i for i, channel in enumerate(take.channels) if channel.path == hips.rotation_path]
    thighs = [i for i, channel in enumerate(take.channels) if channel.owner.startswith("thigh")]
    still = np.tile(take.values[0], (take.frames, 1))
    over = Rotation.from_euler("x", 90, degrees=True)  # of the file: what was up is behind

    def lain(lift, bent=0.0):
        values = still.copy()
        values[:, turn] = (Rotation.from_matrix(hips.rest[:3, :3].T) * over * Rotation.from_matrix(hips.rest[:3, :3])).as_quat(
            scalar_first=True
        )
        values[:, place] += np.outer(lift, hips.rest[2, :3])
        for columns in (thighs[:4], thighs[4:]):
            own = Rotation.from_quat(values[:, columns], scalar_first=True)
            bend = Rotation.from_euler("x", np.broadcast_to(bent, take.frames)[:, None], degrees=True)
            values[:, columns] = (own * bend).as_quat(scalar_first=True)
        return take.with_values(values)

    swing = np.sin(rows / 15.0)
    assert lying_turn(stood(gait.FIGURE), lain(0.5 * swing)) is not None
    assert lying_turn(stood(gait.FIGURE), lain(0.0 * swing)) is None
    assert lying_turn(stood(gait.FIGURE), lain(0.0 * swing, 30.0 * swing)) is None


@pytest.mark.parametrize("away", [(90, 0, 0), (-90, 0, 0), (0, 90, 0), (0, -90, 20), (60, 60, 0), (70, 0, 50)])
def test_a_rest_that_neither_stands_nor_lies_as_the_take_does_is_no_witness(away):
    skeleton, (clip,) = resting(lying("x", 90), [walking()], placed(away))
    assert on_its_ground(skeleton, clip).up == pytest.approx([0.0, 0.0, 1.0])
    assert find_contacts(clip, skeleton) == find_contacts(walking(), gait.FIGURE)


@pytest.mark.parametrize("away", [(0, 90, 0), (90, 0, 0), (0, 0, 0)])
@pytest.mark.parametrize("turn", [(90, 0, 90), (180, 0, 0)])
def test_who_lies_along_the_first_axis_or_is_upside_down_is_left_alone_whatever_the_rest_does(turn, away):
    world = Rotation.from_euler("xyz", turn, degrees=True)
    clip, hips = walking(), gait.FIGURE.bones[0]
    values, rest = np.array(clip.values), Rotation.from_matrix(hips.rest[:3, :3])
    columns = [i for i, channel in enumerate(clip.channels) if channel.path == hips.rotation_path]
    own = rest * Rotation.from_quat(values[:, columns], scalar_first=True)
    values[:, columns] = (rest.inv() * world * own).as_quat(scalar_first=True)
    skeleton, (lies,) = resting(gait.FIGURE, [clip.with_values(values)], placed(away))
    assert on_its_ground(skeleton, lies).up == pytest.approx([0.0, 0.0, 1.0])


def test_a_rest_in_which_one_leg_points_up_leaves_it_to_the_take():
    skeleton, clip = leg_up(lying("x", 90), walking(), "thigh.L")
    assert not stood(skeleton).standing
    assert on_its_ground(skeleton, clip).up == pytest.approx([0.0, 0.0, 1.0])


def leg_up(skeleton, clip, name):
    """A skeleton with a limb turned over at rest, and the same motion of it."""
    top, values = skeleton.index(name), np.array(clip.values)
    head, turn = skeleton.bones[top].rest[:3, 3], placed((180, 0, 0))
    about = placed(move=head) @ turn @ placed(move=-head)
    below = skeleton.below(name) | {name}
    bones = [replace(bone, rest=about @ bone.rest) if bone.name in below else bone for bone in skeleton.bones]
    rest = skeleton.bones[top].rest[:3, :3]
    columns = [i for i, channel in enumerate(clip.channels) if channel.path == skeleton.bones[top].rotation_path]
    back = Rotation.from_matrix(rest.T @ turn[:3, :3].T @ rest)
    values[:, columns] = (back * Rotation.from_quat(values[:, columns], scalar_first=True)).as_quat(scalar_first=True)
    return replace(skeleton, bones=tuple(bones)), clip.with_values(values)
