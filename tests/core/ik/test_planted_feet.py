# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted feet on walks made of arithmetic, edited in ways that let feet slide, sink, jerk and legs fall short."""

from dataclasses import replace

import numpy as np
import pytest
import scipy
from motion_signal.bench.make_moods import clip_of
from motion_signal.core.body.body import Body
from motion_signal.core.body.upright import stood
from motion_signal.core.body.walking_figure import FIGURE, walk
from motion_signal.core.ik.foot_solver import Grip, Solver
from motion_signal.core.ik.hinge import Hinge, soft_hinges, within_stretches
from motion_signal.core.ik.pelvis import shifted
from motion_signal.core.ik.planted_feet import PlantedFeet, let_go, lock_feet
from motion_signal.core.ik.steady_joints import SteadyJoints
from motion_signal.core.motion.clip import Channel
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.numeric.smoothing import runs
from scipy.spatial.transform import Rotation

MILLIMETRE = 0.001
LEGS = ("thigh.L", "shin.L", "foot.L", "thigh.R", "shin.R", "foot.R")


@pytest.fixture(scope="module")
def take():
    motion = walk(180, 60.0)
    return replace(clip_of(motion.rotations, motion.location), fps=60.0)


def louder(clip, factor=1.5, names=None, seed=None):
    """Every rotation farther from its mean, about the same axis, and with a seed a smooth shake on top."""
    values, random = np.array(clip.values), np.random.default_rng(seed)
    for name in {channel.owner for channel in clip.channels if channel.kind == "QUATERNION"}:
        columns = [
            column for column, channel in enumerate(clip.channels) if channel.owner == name and channel.kind != "LOCATION"
        ]
        if names and name not in names:
            continue
        turns = Rotation.from_quat(values[:, columns], scalar_first=True)
        mean = turns.mean()
        away = factor * (mean.inv() * turns).as_rotvec()
        if seed is not None:
            away += scipy.ndimage.gaussian_filter1d(random.normal(0.0, 0.5, away.shape), 6.0, axis=0)
        quaternions = (mean * Rotation.from_rotvec(away)).as_quat(scalar_first=True)
        signs = np.sign((quaternions * values[:, columns]).sum(axis=1))
        values[:, columns] = quaternions * signs[:, None]
    return clip.with_values(values)


def toes(clip, skeleton=FIGURE):
    """Where both toes are, by forward kinematics, {end: (frames, 3)}."""
    axes, heads = skeleton.posed(clip)
    return {side: heads[:, skeleton.index(f"toe{side}")] for side in (".L", ".R")}


def stands(take, skeleton=FIGURE):
    """First and last rows at which toes are down."""
    source = PlantedFeet(take, skeleton).solver.source
    downs = {side: source.feet[end].downs[-1] for side, end in ((".L", "left_foot"), (".R", "right_foot"))}
    return {side: runs(source.finer.at_frames(down)) for side, down in downs.items()}


def slides(clip, take, skeleton=FIGURE):
    """How far a toe strays from its median place along the ground in every stand of the take."""
    found = []
    for side, plants in stands(take, skeleton).items():
        for first, last in plants:
            rows = toes(clip, skeleton)[side][first : last + 1, :2]
            found.append(np.linalg.norm(rows - np.median(rows, axis=0), axis=1).max())
    return np.array(found)


def bends(clip, skeleton=FIGURE):
    """Angles between thigh and shin, in degrees, signed by the side that the knee points to, of both legs."""
    axes, heads = skeleton.posed(clip)
    result = []
    for side in (".L", ".R"):
        hip, knee, ankle = (heads[:, skeleton.index(name + side)] for name in ("thigh", "shin", "foot"))
        normal = np.cross(knee - hip, ankle - knee)
        hinge = np.einsum("fij,fi->fj", axes[:, skeleton.index("thigh" + side)], normal)
        size = np.degrees(np.arctan2(np.linalg.norm(normal, axis=1), ((knee - hip) * (ankle - knee)).sum(axis=1)))
        result.append((size, hinge / np.maximum(np.linalg.norm(hinge, axis=1, keepdims=True), 1e-12)))
    return result


def steps(clip, names=LEGS):
    """How far bones turn from frame to frame, in degrees, (bones, frames - 1)."""
    found = []
    for name in names:
        columns = [
            column for column, channel in enumerate(clip.channels) if channel.owner == name and channel.kind != "LOCATION"
        ]
        turns = Rotation.from_quat(clip.values[:, columns], scalar_first=True)
        found.append(np.degrees((turns[1:] * turns[:-1].inv()).magnitude()))
    return np.array(found)


@pytest.mark.parametrize("mode", ["TAKE", "LOCKED", "PATHS"])
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_feet_stand_as_they_do_in_the_take_whatever_the_edit_does(take, mode, seed):
    edit = louder(take, 1.4, seed=seed)
    before, free, result = (slides(clip, take) for clip in (take, edit, PlantedFeet(take, FIGURE, None, mode)(edit)))
    assert len(before) >= 4 and free.mean() > 20 * MILLIMETRE
    assert (result < before + MILLIMETRE).all()
    assert mode != "LOCKED" or result.mean() < 0.5 * MILLIMETRE


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_legs_neither_jerk_nor_bend_backwards_nor_sink(take, seed):
    edit = louder(take, 1.8, seed=seed)
    result = PlantedFeet(take, FIGURE)(edit)
    near = scipy.ndimage.maximum_filter1d(steps(take), 7, axis=1, mode="nearest")
    assert (steps(result) < near + 2 * 13.0).all()
    for (was, hinge), (now, axis) in zip(bends(take), bends(result)):
        usual = hinge[was > 15].mean(axis=0)
        assert (now * (axis @ usual)).min() > -1.0
    for side in (".L", ".R"):
        assert toes(result)[side][:, 2].min() > toes(take)[side][:, 2].min() - 5 * MILLIMETRE


def test_what_has_not_changed_stays_to_the_bit(take):
    for mode in ("TAKE", "PATHS", "FREE"):
        assert (PlantedFeet(take, FIGURE, None, mode)(take).values == take.values).all()
    edit = louder(take, 1.5, ("head", "neck", "upper_arm.L"))
    result = PlantedFeet(take, FIGURE)(edit)
    legs = [column for column, channel in enumerate(take.channels) if channel.owner in (*LEGS, "hips")]
    assert (result.values[:, legs] == take.values[:, legs]).all()
    part = np.where((np.arange(180) > 60)[:, None] & (np.arange(180) < 120)[:, None], louder(take).values, take.values)
    result = PlantedFeet(take, FIGURE)(take.with_values(part))
    assert (result.values[:61] == take.values[:61]).all() and (result.values[120:] == take.values[120:]).all()


def test_free_feet_are_the_edits_own(take):
    edit = louder(take)
    assert PlantedFeet(take, FIGURE, None, "FREE")(edit) is edit


def test_feet_on_their_paths_swing_where_they_swung(take):
    result = PlantedFeet(take, FIGURE, None, "PATHS")(louder(take, 1.2, seed=5))
    for side, path in toes(take).items():
        assert np.linalg.norm(toes(result)[side] - path, axis=1).max() < 2 * MILLIMETRE


def other_rest(clip, skeleton, turn, move, size):
    """The same motion on a figure whose object is turned, moved and scaled so that its armature is another."""
    world = np.eye(4)
    world[:3, :3], world[:3, 3] = Rotation.from_euler("xyz", turn, degrees=True).as_matrix() * size, move
    back = np.linalg.inv(world)
    bones = []
    for bone in skeleton.bones:
        rest = back @ bone.rest
        rest[:3, :3] *= size
        bones.append(replace(bone, rest=rest, length=bone.length / size))
    values = clip.values.copy()
    values[:, [column for column, channel in enumerate(clip.channels) if channel.kind == "LOCATION"]] /= size
    return clip.with_values(values), Skeleton(tuple(bones), tuple(map(tuple, world))), world


@pytest.mark.parametrize(
    "turn, move, size", [((90, 0, 0), (0, 0, 0), 1.0), ((0, 0, 40), (4, -3, 0), 1.0), ((90, 0, 0), (0, 4, 0), 0.01)]
)
def test_other_rest_poses_places_and_sizes_give_the_same_motion(take, turn, move, size):
    edit = louder(take, 1.5, seed=4)
    wanted = FIGURE.posed(PlantedFeet(take, FIGURE)(edit))[1]
    own, skeleton, world = other_rest(take, FIGURE, turn, move, size)
    result = PlantedFeet(own, skeleton)(other_rest(edit, FIGURE, turn, move, size)[0])
    found = skeleton.posed(result)[1] @ world[:3, :3].T + world[:3, 3]
    assert np.abs(found - wanted).max() < 1e-4


@pytest.mark.parametrize("times, most", [(2, 6), (4, 12), (5, 16)])
@pytest.mark.parametrize("mode", ["TAKE", "LOCKED"])
def test_other_frame_rates_plant_the_same_moments(times, most, mode):
    motion = walk(361, 120.0)
    fine = replace(clip_of(motion.rotations, motion.location), fps=120.0)
    few, louder_few = (replace(clip, values=clip.values[::times], fps=120.0 / times) for clip in (fine, louder(fine, 1.4)))
    wanted = FIGURE.posed(PlantedFeet(fine, FIGURE, None, mode)(louder(fine, 1.4)))[1][::times]
    result = PlantedFeet(few, FIGURE, None, mode)(louder_few)
    away = np.linalg.norm(FIGURE.posed(result)[1] - wanted, axis=2)
    assert away.mean() < MILLIMETRE and away.max() < most * MILLIMETRE
    assert (slides(result, few) < slides(few, few) + MILLIMETRE).all()


@pytest.mark.parametrize("mode", ["TAKE", "LOCKED"])
def test_a_figure_that_goes_about_lying_in_the_scene_has_its_ground_under_its_feet(take, mode):
    """As files in which Z is up do, that are read as if Y were."""
    world = np.eye(4)
    world[:3, :3] = Rotation.from_rotvec([-np.pi / 2, 0.0, 0.0]).as_matrix()
    lying = stood(replace(FIGURE, world=tuple(map(tuple, world.tolist()))))
    edit = louder(take, 1.4)
    upright, laid = (PlantedFeet(take, skeleton, None, mode)(edit).values for skeleton in (stood(FIGURE), lying))
    assert np.abs(upright - laid).max() < 1e-4


def test_a_channel_more_or_less_makes_no_difference(take):
    edit = louder(take, 1.4)
    more = edit.with_channels(
        [Channel('pose.bones["head"].location', axis, "LOCATION", "head") for axis in range(3)], [0.0] * 3
    )
    same, other = (PlantedFeet(take, FIGURE)(these) for these in (edit, more))
    assert np.abs(FIGURE.posed(same)[1] - FIGURE.posed(other)[1]).max() < 1e-9


def test_what_cannot_be_held_is_said_with_bone_and_frame(take):
    values = np.array(take.values)
    height = [column for column, channel in enumerate(take.channels) if channel.kind == "LOCATION"]
    up = FIGURE.bones[0].rest[2, :3]
    values[:, height] += np.outer(np.exp(-0.5 * ((np.arange(180) - 90) / 12.0) ** 2), 0.9 * up)
    feet = PlantedFeet(take, FIGURE)
    result = feet(take.with_values(values))
    assert "frame" in feet.words and "foot" in feet.words and "%" in feet.words
    assert (slides(result, take) < slides(take, take) + MILLIMETRE).all()


def test_figures_that_cannot_stand_run_with_free_feet_and_say_why(take, moving, bone):
    alone = Skeleton((bone("bone", -1, (0, 0, 0), (0, 0, 0)),))
    clip = moving(alone)
    feet = PlantedFeet(clip, alone)
    assert feet(clip) is clip and feet.words.startswith("feet are free: no feet")
    stiff = louder(take, 0.0, LEGS)
    feet = PlantedFeet(stiff, FIGURE)
    assert feet(louder(take)) is not None and "welded" in feet.words
    shorter = PlantedFeet(take, FIGURE)
    cut = take.with_values(take.values[:90])
    assert shorter(cut) is cut and "90 frames" in shorter.words


def test_knees_and_elbows_end_within_their_range_without_feet_being_held(take):
    edit = louder(take, 2.5, ("shin.L", "shin.R", "forearm.L", "forearm.R"))
    body = Body(take, FIGURE)
    for end in body.limbs:
        hinge = Hinge(body, end, within_stretches(body))
        before, after = (hinge.bend(body.again(these)).angle for these in (edit, soft_hinges(take, edit, FIGURE)))
        assert after.min() > min(hinge.lowest, hinge.angle.min()) - 1e-6
        assert after.max() < max(hinge.highest, hinge.angle.max()) + 1e-6
    assert (soft_hinges(take, take, FIGURE).values == take.values).all()


def test_the_pelvis_moves_as_little_as_a_slow_search_finds():
    """One leg, straight down, that must be no longer than a bound: against least squares with bounds."""
    frames, fps = 40, 30.0
    way = np.zeros((1, 3, frames))
    way[0, 2] = -1.0 - 0.1 * np.exp(-0.5 * ((np.arange(frames) - 20) / 4.0) ** 2)
    held = np.ones((1, frames), dtype=bool)
    found = shifted(way, np.zeros((1, frames)), np.ones((1, frames)), held, np.zeros(frames), fps, (), 1.0, rounds=400)[0]
    stiff = (0.15 * fps) ** 2 * np.diff(np.eye(frames), 2, axis=0)
    whole, goal = np.vstack([np.eye(frames), stiff]), np.zeros(2 * frames - 2)
    slow = scipy.optimize.lsq_linear(whole, goal, (-np.inf, way[0, 2] + 1.0), tol=1e-12).x
    cost = [np.square(whole @ shift).sum() for shift in (found[2], slow)]
    assert (found[2] < way[0, 2] + 1.0 + 1e-3).all() and np.abs(found[:2]).max() < 1e-12
    assert cost[0] < 1.15 * cost[1]


def test_a_bone_that_flips_is_held_back_and_others_are_not(take):
    edit = np.array(take.values)
    columns = [column for column, channel in enumerate(take.channels) if channel.owner == "upper_arm.L"]
    flip = Rotation.from_rotvec(np.outer(np.where(np.arange(180) == 80, 2.5, 0.0), [0, 0, 1]))
    edit[:, columns] = (Rotation.from_quat(edit[:, columns], scalar_first=True) * flip).as_quat(scalar_first=True)
    joints = SteadyJoints(take, FIGURE, ["upper_arm.L", "head"], np.ones(180, dtype=bool))
    result, names = joints(take.with_values(edit))
    assert names == ("upper_arm.L",)
    assert (steps(result, names) < steps(take, names).max() + 36.5).all()
    others = [column for column in range(len(take.channels)) if column not in columns]
    assert (result.values[:, others] == edit[:, others]).all()


def test_a_solver_without_feet_that_may_move_leaves_the_edit(take):
    legs = [column for column, channel in enumerate(take.channels) if channel.owner in LEGS]
    beside = replace(take, values=take.values[:, legs], channels=tuple(take.channels[column] for column in legs))
    rest = take.without(beside)
    feet = PlantedFeet(rest, FIGURE, None, "TAKE", beside=beside)
    assert feet(rest) is rest and "no foot" in feet.words
    assert Solver(Body(take, FIGURE), None, "TAKE", Grip(), beside).source.feet.keys() <= {"left_hand", "right_hand"}


def test_a_locked_heel_stays_while_the_foot_rolls_from_side_to_side(take):
    foot, toe = (FIGURE.bones[FIGURE.index(name)] for name in ("foot.L", "toe.L"))
    source = PlantedFeet(take, FIGURE).solver.source
    first, last = runs(source.finer.at_frames(source.feet["left_foot"].firm))[1]
    columns = [column for column, channel in enumerate(take.channels) if channel.owner == "foot.L"]
    values, angles = np.array(take.values), np.radians(6.0) * np.sin(np.arange(take.frames) / 10.0)
    rolls = Rotation.from_rotvec(angles[:, None] * [0.0, 1.0, 0.0])  # about the bone
    values[:, columns] = (Rotation.from_quat(values[:, columns], scalar_first=True) * rolls).as_quat(scalar_first=True)
    rolling = take.with_values(values)
    below = np.array([0.0, 0.0, toe.rest[2, 3] - foot.rest[2, 3]])  # from the ankle to the heel, at rest

    def strayed(clip):
        axes, heads = FIGURE.posed(clip)
        place = FIGURE.index("foot.L")
        heels = heads[:, place] + axes[:, place] @ np.linalg.inv(foot.rest[:3, :3]) @ below
        rows = heels[first : last + 1, :2]
        return np.linalg.norm(rows - np.median(rows, axis=0), axis=1).max()

    frames = [[take.first_frame + first, take.first_frame + last]]
    result = Solver(Body(rolling, FIGURE), {"left_heel": frames, "left_toe": frames}, "LOCKED", Grip())(rolling)[0]
    assert strayed(result) < 1 * MILLIMETRE < 2 * MILLIMETRE < strayed(rolling)


def test_a_lock_leaves_toes_on_the_ground_on_which_they_stand_whatever_they_do_before(take):
    before, after = toes(take), toes(lock_feet(take, FIGURE))
    rises = [
        (after[side] - before[side])[first : last + 1, 2].mean()
        for side, plants in stands(take).items()
        for first, last in plants
    ]
    assert len(rises) > 4 and np.abs(rises).max() < 1.0 * MILLIMETRE


def test_a_foot_stands_on_where_the_captured_body_slips_about_it(take):
    source = Solver(Body(take, FIGURE), None, "TAKE", Grip()).source
    first, last = next(rows for rows in source.feet["left_foot"].plants if rows[0] > 0)
    row = (first + last) // 2 // source.finer.times
    slipped = turned_about(take, toes(take)[".L"][row], 20.0, row)
    assert [rows.start for rows in Body(slipped, FIGURE).stretches] == [0, row]
    before, after = (np.diff(toes(clip)[".L"][row - 1 : row + 1], axis=0)[0] for clip in (slipped, planted(slipped)))
    assert np.linalg.norm(after - before) < 2 * MILLIMETRE


def planted(take):
    return PlantedFeet(take, FIGURE)(louder(take))


def turned_about(take, place, degrees, row):
    """The take, from a row on turned as a whole about a place."""
    root, values = FIGURE.bones[0], np.array(take.values)
    columns = {
        kind: [i for i, each in enumerate(take.channels) if each.owner == root.name and each.kind == kind]
        for kind in ("QUATERNION", "LOCATION")
    }
    turn = Rotation.from_rotvec([degrees, 0.0, 0.0], degrees=True)
    rest = Rotation.from_matrix(root.rest[:3, :3])
    own = Rotation.from_quat(values[row:, columns["QUATERNION"]], scalar_first=True)
    values[row:, columns["QUATERNION"]] = (rest.inv() * turn * rest * own).as_quat(scalar_first=True)
    heads = rest.apply(values[row:, columns["LOCATION"]]) + root.rest[:3, 3]
    heads = turn.apply(heads - place) + place
    values[row:, columns["LOCATION"]] = rest.inv().apply(heads - root.rest[:3, 3])
    return take.with_values(values)


def test_a_foot_that_a_lock_lets_go_or_that_misses_is_said_with_frame_and_millimetres(take):
    body = Body(take, FIGURE)
    _, left, pose = Solver(body, None, "LOCKED", Grip())(take)
    assert not [*let_go(body, left, pose)]
    left["left_foot"][50], pose.missing["right_foot"][70] = 0.2, 0.004 / pose.metre
    assert [*let_go(body, left, pose)] == [
        "foot.L is let go around frame 51: its leg would not reach, or jerk",
        "foot.R misses its place by 4.0 mm at frame 71",
    ]


@pytest.mark.parametrize("gap, most, least", [(2, 0.01, 0.0), (6, 0.05, 0.0), (17, 0.6, 0.4), (60, 1.0, 0.98)])
def test_stands_with_hardly_any_time_between_them_move_alike(take, gap, most, least):
    foot = Solver(Body(take, FIGURE), None, "TAKE", Grip()).source.feet["left_foot"]
    rows = np.arange(len(foot.planted))
    downs = np.tile(((rows >= 20) & (rows < 50)) | ((rows >= 50 + gap) & (rows < 80 + gap)), (2, 1))
    foot.downs, foot.planted = downs, downs[0]
    foot.plants = [(20, 49), (50 + gap, 79 + gap)]
    values = np.zeros((3, len(rows)))
    values[0, 50 + gap : 80 + gap] = 1.0
    tied = foot.tied(values, 120.0)
    apart = tied[0, 60 + gap] - tied[0, 30]
    assert least <= apart <= most and tied[0, 60 + gap] + tied[0, 30] == pytest.approx(1.0)
    assert not tied[:, ~foot.planted].any() and not tied[1:].any()
