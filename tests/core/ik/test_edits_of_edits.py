# SPDX-License-Identifier: GPL-3.0-or-later
"""What no single, gentle edit of a walk shows: knees pushed sideways, feet that never stand, edits of edits."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.bench.make_moods import clip_of
from motion_signal.core.body.body import Body
from motion_signal.core.body.walking_figure import FIGURE, walk
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.ik.hinge import Hinge, within_stretches
from motion_signal.core.ik.pelvis import raised
from motion_signal.core.ik.planted_feet import PlantedFeet
from motion_signal.core.ik.pose import joint_steps
from motion_signal.core.ik.stance import standing
from motion_signal.core.ik.steady_joints import SteadyJoints
from motion_signal.core.motion.leading import leading_rows
from motion_signal.core.recipes.recipe import Recipe, Step
from motion_signal.core.recipes.run import run
from motion_signal.core.techniques import technique
from scipy.spatial.transform import Rotation

MILLIMETRE = 0.001
FPS, FRAMES = 60.0, 180


def walking(frames=FRAMES, fps=FPS):
    motion = walk(frames, fps)
    return replace(clip_of(motion.rotations, motion.location), fps=fps)


def turned(clip, name, vectors):
    """A bone turned in its own space by rotation vectors (frames, 3)."""
    columns = [column for column, channel in enumerate(clip.channels) if (channel.owner, channel.kind) == (name, "QUATERNION")]
    values = np.array(clip.values)
    turns = Rotation.from_quat(values[:, columns], scalar_first=True) * Rotation.from_rotvec(vectors)
    values[:, columns] = turns.as_quat(scalar_first=True)
    values[:, columns] *= np.sign((values[:, columns] * clip.values[:, columns]).sum(axis=1))[:, None]
    return clip.with_values(values)


def sideways(clip, take, side="L"):
    """By how many degrees a shin leaves the plane that the take bends the knee in, by forward kinematics, (frames,)."""
    axes, heads = FIGURE.posed(take)
    thigh, shin, foot = (FIGURE.index(f"{name}.{side}") for name in ("thigh", "shin", "foot"))
    normal = np.cross(heads[:, shin] - heads[:, thigh], heads[:, foot] - heads[:, shin])
    hinge = np.einsum("fij,fi->fj", axes[:, thigh], normal).mean(axis=0)
    axes, heads = FIGURE.posed(clip)
    lower = heads[:, foot] - heads[:, shin]
    across = np.einsum("fij,j->fi", axes[:, thigh], hinge / np.linalg.norm(hinge))
    return np.degrees(np.arcsin((across * lower).sum(axis=1) / np.linalg.norm(lower, axis=1)))


@pytest.mark.parametrize("mode", ["TAKE", "LOCKED", "PATHS"])
@pytest.mark.parametrize("angle", [-25.0, 25.0])
def test_a_knee_bends_sideways_hardly_more_than_in_the_take(mode, angle):
    take = walking()
    push = np.radians(angle) * np.sin(np.arange(FRAMES) / 25.0)[:, None] ** 2 * [0.0, 0.0, 1.0]
    edit = turned(take, "shin.L", push)
    own, pushed, result = (
        np.abs(sideways(clip, take)).max() for clip in (take, edit, PlantedFeet(take, FIGURE, None, mode)(edit))
    )
    assert own < 2.0 and pushed > 18.0
    assert result < own + 5.1


@pytest.mark.parametrize("seed", range(4))
def test_knees_stay_in_their_range_where_no_foot_ever_stands(seed):
    take = walking()
    carried, speed = np.array(take.values), np.random.default_rng(seed).normal(0.0, 1.0, 3)
    place = [column for column, channel in enumerate(take.channels) if channel.kind == "LOCATION"]
    carried[:, place] += 6.0 * speed / np.linalg.norm(speed) * np.arange(FRAMES)[:, None] / FPS
    take = take.with_values(carried)
    edit = turned(take, "shin.L", np.radians(60.0) * np.sin(np.arange(FRAMES) / 9.0)[:, None] ** 2 * [1.0, 0.0, 0.0])
    body, feet = Body(take, FIGURE), PlantedFeet(take, FIGURE)
    hinge = Hinge(body, "left_foot", within_stretches(body))
    before, after = (hinge.bend(body.again(clip)).angle for clip in (edit, feet(edit)))
    assert "no foot stands anywhere" in feet.words
    assert before.min() < -0.3 and after.min() > min(hinge.lowest, hinge.angle.min()) - 1e-6


def test_a_foot_that_is_held_in_the_air_stays_there_in_every_step_of_a_recipe():
    take = walking()
    heights = FIGURE.posed(take)[1][:, FIGURE.index("toe.L"), 2]
    raised_at = 30 + int(np.argmax(heights[30:150]))
    held = take.with_values(np.concatenate([take.values[: raised_at + 1], np.repeat(take.values[[raised_at]], 90, axis=0)]))
    rows = slice(raised_at + 15, raised_at + 85)
    first, body = held.first_frame, Body(held, FIGURE)
    assert any(
        begin <= first + rows.start and first + rows.stop - 1 <= end for begin, end in standing(body, body.contacts)["left_toe"]
    )
    louder = technique("equalize").params(gains=(1.0, 1.0, 1.0, 1.8, 1.8, 1.8))
    for count in (1, 2, 3):
        result = run(Recipe((Step(technique("equalize"), louder),) * count), held, FIGURE)
        toe = FIGURE.posed(result)[1][rows, FIGURE.index("toe.L"), :2]
        assert np.linalg.norm(toe - np.median(toe, axis=0), axis=1).max() < 1 * MILLIMETRE


def test_edits_of_edits_turn_no_faster_than_one_edit_may():
    take, rows = walking(240, 120.0), np.ones(240, dtype=bool)

    def jerked(clip, degrees):
        return turned(clip, "upper_arm.L", np.radians(degrees) * (np.arange(240) >= 100)[:, None] * [0.0, 0.0, 1.0])

    def step(clip):
        axes = FIGURE.posed(clip)[0]
        local = np.linalg.inv(axes[:, FIGURE.bones[FIGURE.index("upper_arm.L")].parent]) @ axes[:, FIGURE.index("upper_arm.L")]
        return np.degrees((Rotation.from_matrix(local[1:]) * Rotation.from_matrix(local[:-1]).inv()).magnitude()).max()

    once = SteadyJoints(take, FIGURE, ["upper_arm.L"], rows)(jerked(take, 16.0))[0]
    alone = SteadyJoints(once, FIGURE, ["upper_arm.L"], rows)(jerked(once, 16.0))[0]
    known = SteadyJoints(once, FIGURE, ["upper_arm.L"], rows, take)(jerked(once, 16.0))[0]
    assert step(once) > 15.0 and step(alone) > 30.0
    assert step(known) < step(take) + 18.0 + 2.0
    assert (SteadyJoints(once, FIGURE, ["upper_arm.L"], rows, take)(once)[0].values == once.values).all()


@pytest.mark.parametrize("fps", [24.0, 30.0, 120.0])
def test_a_body_begins_after_the_pose_that_no_body_could_move_through(fps):
    take = walking(round(3 * fps), fps)
    rest = [FIGURE.held(channel) for channel in take.channels]
    place = [column for column, channel in enumerate(take.channels) if channel.kind == "LOCATION"]
    before = np.array([rest])
    before[:, place] = take.values[0, place]  # it stands where the walk begins
    clip = take.with_values(np.concatenate([before, take.values]))
    assert leading_rows(clip, FIGURE) == 1 and Body(clip, FIGURE).stretches[0] == slice(0, 1)


@pytest.mark.parametrize("start", [0, 40])
def test_a_locked_edit_comes_in_gently_after_a_pose_that_stands_alone(start):
    take = walking(220, 120.0)
    take = take.with_values(np.array(take.values[start : start + 180]))
    rest = np.array([[FIGURE.held(channel) for channel in take.channels]])
    place = [column for column, channel in enumerate(take.channels) if channel.kind == "LOCATION"]
    rest[:, place] = take.values[0, place]
    clip = take.with_values(np.concatenate([rest, take.values]))
    louder = technique("equalize").params(gains=(1.0, 1.0, 1.0, 1.2, 1.5, 2.0, 2.0, 2.0, 2.0))
    result = run(Recipe((Step(technique("equalize"), louder, ScopeParams(feet="LOCKED")),)), clip, FIGURE)

    def into_it(clip):
        return np.degrees([joint_steps(Body(clip, FIGURE), end)[:, 1] for end in ("left_foot", "right_foot")])

    assert into_it(clip).max() > 20.0 and np.abs(result.values - clip.values).max() > 0.1
    assert (into_it(result) - into_it(clip)).max() < 8.0


def test_the_pelvis_rises_and_sinks_with_what_a_straight_leg_stands_on():
    """A leg that is nearly straight, over a foot that slowly goes down by three millimetres, and a bent one that does not."""
    take = walking()
    body = Body(take, FIGURE)
    hinges = [Hinge(body, end, within_stretches(body)) for end in ("left_foot", "right_foot")]
    bends = [hinge.bend(body) for hinge in hinges]
    straight = [np.full(FRAMES, np.radians(angle)) for angle in (5.0, 60.0)]
    sizes = [bend.distance(angle) for bend, angle in zip(bends, straight)]
    bends = [
        replace(bend, angle=angle, lower=size * np.array([[0.0], [0.0], [-1.0]]) - bend.upper)
        for bend, angle, size in zip(bends, straight, sizes)
    ]
    sunk = 3.0 * MILLIMETRE * np.sin(np.arange(FRAMES) / 40.0) ** 2
    ways = [-size * np.array([[0.0], [0.0], [1.0]]) for size in sizes]
    ways[0] = ways[0] - sunk * np.array([[0.0], [0.0], [1.0]])
    planted, up = [np.ones(FRAMES, dtype=bool)] * 2, np.array([[0.0], [0.0], [1.0]])
    found = raised(ways, bends, planted, up, FPS, (), 0.82 / body.leg)
    assert np.abs(found[:2]).max() == 0.0
    assert np.abs(found[2] + sunk).max() < 0.1 * sunk.max()
    assert np.abs(raised(ways, bends, [planted[0] & False, planted[1]], up, FPS, (), 0.82 / body.leg)).max() < 1e-12


def test_a_leg_that_the_take_never_bends_stays_stiff_in_every_step_of_a_recipe():
    take = walking()
    stiff = [c for c, channel in enumerate(take.channels) if channel.owner in ("thigh.L", "shin.L", "foot.L", "toe.L")]
    values = np.array(take.values)
    values[:, stiff] = values[0, stiff]
    take = take.with_values(values)
    louder = technique("equalize").params(gains=(1.0, 1.0, 1.0, 1.8, 1.8, 1.8))
    steps = (Step(technique("lock"), technique("lock").params()), *(Step(technique("equalize"), louder),) * 2)
    body = Body(take, FIGURE)
    hinge = Hinge(body, "left_foot", within_stretches(body))
    bent = [np.degrees(np.ptp(hinge.bend(body.again(run(Recipe(steps[:n]), take, FIGURE))).angle)) for n in (1, 2, 3)]
    assert hinge.stiff and max(bent) < 1.0
