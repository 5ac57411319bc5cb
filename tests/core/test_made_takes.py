# SPDX-License-Identifier: GPL-3.0-or-later
"""Made takes against their truth: what stands is found, what does not is not, loops and registration see what counts."""

from dataclasses import replace

import made_takes
import numpy as np
import pytest
from made_motion import Manner
from made_takes import FPS, TAKES, Recipe, make, take
from motion_signal.core.body.body import Body
from motion_signal.core.body.contacts import events, feet, find_contacts
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.report import report
from motion_signal.core.body.roles import find_roles
from motion_signal.core.cycles.find_loops import find_loops
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.mixing.transitions import moments
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.ground import Ground
from motion_signal.core.techniques.figure.lock import LOCK, LockParams
from motion_signal.core.techniques.time.cycle import CYCLE, CycleParams
from motion_signal.core.timing.wires import wire

CLEAN = ("walk", "slow", "run", "fast", "kick", "turn", "limp", "pose", "behind", "lying")
GAITS = tuple(name for name, recipe in TAKES.items() if isinstance(recipe.motion, Manner))
MILLIMETRE = 1e-3
SHUFFLE = replace(made_takes.WALK, speed=0.8, stride=1.4)


def found(made):
    return find_contacts(made.clip, made.skeleton, find_roles(made.skeleton))


def places_of(made, clip=None):
    """Where every point is, (frames, 3) by point, and the pelvis."""
    figure = Legs(made.skeleton, find_roles(made.skeleton))
    places, pelvis = figure.places(clip or made.clip)
    return dict(zip(figure.points, np.moveaxis(places, 1, 0))), pelvis


def overlap(first, second):
    common = min(first[1], second[1]) - max(first[0], second[0]) + 1
    return max(0, common) / (max(first[1], second[1]) - min(first[0], second[0]) + 1)


@pytest.mark.parametrize("name", CLEAN)
def test_what_stands_stands_to_the_last_bit_and_nothing_is_below_the_ground(name):
    made = take(name)
    places, _ = places_of(made)
    for point in ("left_toe", "right_toe"):
        assert made.contacts[point]
        for first, last in made.contacts[point]:
            assert np.ptp(places[point][first - 1 : last], axis=0).max() < 1e-9
    assert min(places[point][made.first - 1 :, 2].min() for point in places) > 0.0


@pytest.mark.parametrize("name", TAKES)
def test_knees_bend_one_way_and_nothing_jumps_but_what_is_lost(name):
    made = take(name)
    heads = made.skeleton.posed(made.clip)[1][made.first - 1 :]
    for side in ("Left", "Right"):
        hip, knee, ankle = (heads[:, made.skeleton.index(side + segment)] for segment in ("UpLeg", "Leg", "Foot"))
        hinge = np.cross(knee - hip, ankle - knee)
        bend = np.degrees(np.arcsin(np.linalg.norm(hinge, axis=1) / (made_takes.THIGH * made_takes.SHIN)))
        assert bend.min() > 3.0 and (np.sum(hinge[1:] * hinge[:-1], axis=1) > 0.0).all()
    if name != "lost":
        assert np.linalg.norm(np.diff(heads, axis=0), axis=2).max() * FPS < 12.0


@pytest.mark.parametrize("name", TAKES)
def test_every_contact_is_found_and_none_that_is_not_there(name):
    made = take(name)
    contacts = found(made)
    for foot, mine in feet(contacts, FPS).items():
        right = made.contacts[foot]
        assert len(mine) == len(right) and all(overlap(*pair) >= 0.7 for pair in zip(mine, right))
    assert contacts["left_hand"] == contacts["right_hand"] == []
    late = [
        (mine - right) / FPS
        for foot, steps in events(contacts, made.clip).items()
        for mine, right in zip(steps["strikes"], made.strikes[foot])
    ]
    assert len(late) >= 2 and np.median(np.abs(late)) < 0.04 and np.abs(late).max() < 0.07


@pytest.mark.parametrize("name", [name for name in GAITS if name != "lost"])
def test_speed_and_stride_are_those_that_it_was_made_with(name):
    made = take(name)
    numbers = report(made.clip, made.skeleton)
    assert numbers["speed_m_s"] == pytest.approx(made.speed, rel=0.02)
    assert numbers["cycle_s"] == pytest.approx(made.stride, rel=0.03)


@pytest.mark.parametrize("name", [name for name in GAITS if name not in ("jitter", "lost", "lying")])
def test_a_heel_that_has_left_the_ground_is_not_down_and_one_that_gives_a_little_is(name):
    """Flesh and shoes give by some millimetres, a heel that is higher than 15 is on its way."""
    made = take(name)
    contacts, (places, _) = found(made), places_of(made)
    heights = {side: places[f"{side}_heel"][:, 2] for side in ("left", "right")}
    lifted, early = [], []
    for side, height in heights.items():
        for first, last in contacts[f"{side}_heel"]:
            stood = np.median(height[first - 1 : last])
            lifted.append(height[last - 1] - stood)
            if last < made.clip.last_frame:
                early.append(height[last] - stood)
    assert max(lifted) < 15 * MILLIMETRE and min(early) > 7 * MILLIMETRE


def test_feet_that_slide_a_little_stand_and_feet_that_slide_a_lot_do_not():
    """At 10 cm/s captured feet are still meant to stand, at 22 cm/s nothing is."""
    sliding = make(Recipe(SHUFFLE, 480, farther=0.12))
    for foot, mine in feet(found(sliding), FPS).items():
        right = sliding.contacts[foot]
        assert len(mine) == len(right) and all(overlap(*pair) >= 0.7 for pair in zip(mine, right))
    assert not any(found(make(Recipe(SHUFFLE, 480, farther=0.28))).values())


def both_ways(drop, degrees):
    """A walk in which the hips are lower a stride after its start, and an arm is higher a stride before its end."""
    manner = Manner(start=0.5, restless=0.0, bounce=0.0, crouch=0.09, sunk=((1.3, 1.5, drop),), raised=((2.1, 2.3, degrees),))
    return make(Recipe(manner, round(2.6 * manner.stride * FPS)))


@pytest.mark.parametrize(("times", "lower"), [(5.0, False), (10.0, True)])
def test_the_height_of_the_pelvis_over_its_feet_counts_seven_times_a_joints(times, lower):
    """Of two loops, one with the pelvis lower and one with an arm elsewhere, by 5 or by 10 times as much in all joints."""
    drop, stride = 0.008, round(1.1 * FPS)
    arm = both_ways(0.0, 20.0)
    points = moments(arm.clip, Ground([arm.clip], arm.skeleton), arm.skeleton)
    usual = np.linalg.norm(points[140:205] - points[140 + stride : 205 + stride], axis=1).mean()
    made = both_ways(drop, 20.0 * times * drop / usual)
    best = find_loops(made.clip, Surroundings(made.skeleton)).best[0]
    assert best.last - best.first == pytest.approx(stride, rel=0.05)
    assert (best.first < 100) == lower


def test_closing_a_take_whose_ground_sinks_moves_the_pelvis_and_takes_the_feet_along():
    made = take("sinks")
    ask = CycleParams(find="FRAMES", loop_start=60, loop_end=192, path="PLACE")
    source = made.clip.with_values(made.clip.values[59:192])
    result = CYCLE.run(made.clip, ask, Surroundings(made.skeleton))
    before, after = (places_of(made, clip) for clip in (source, result))
    inner = slice(20, -20)  # away from the seam, at which the feet are closed too
    assert np.abs(after[1] - before[1])[inner, 2].max() > 4 * MILLIMETRE
    for point in ("left_heel", "right_heel"):
        below = [(pelvis - places[point])[inner, 2] for places, pelvis in (before, after)]
        assert np.abs(below[1] - below[0]).max() < 0.3 * MILLIMETRE


@pytest.mark.parametrize("name", ["slide", "jitter", "kick", "limp", "turn", "run"])
def test_locked_feet_stand_and_legs_bend_no_faster(name):
    made = take(name)
    contacts = {point: plants for point, plants in Body(made.clip, made.skeleton).contacts.items() if plants}
    result = LOCK.run(made.clip, LockParams(amount=1.0), Surroundings(made.skeleton))
    numbers = report(result, made.skeleton, contacts=contacts)
    mean, worst = (3.0, 12.0) if name == "jitter" else (0.5, 3.0)  # a foot that trembles does so on, or its knee would instead
    assert numbers["slide_mean_mm"] < mean and numbers["slide_worst_mm"] < worst and numbers["flips"] == 0
    bends = [np.linalg.norm(np.diff(made.skeleton.posed(clip)[1], 2, axis=0), axis=2).max() for clip in (made.clip, result)]
    assert bends[1] < 1.5 * bends[0]


def test_a_toe_that_is_lost_or_a_pose_before_the_take_hardly_changes_what_the_rest_counts():
    own = take("walk").clip
    weights = np.ones(len(own.channels))
    for name in ("lost", "pose"):
        made = take(name)
        plain, other = wire(own, weights, 1.0, 1.0).edges[10:340], wire(made.clip, weights, 1.0, 1.0).edges[10:341]
        other = other[made.first - 1 :][: len(plain)]
        assert np.vdot(plain, other) > 0.95 * np.vdot(plain, plain)


def test_what_is_three_times_as_fast_as_usual_counts_three_times():
    rows = np.arange(240)
    speeds = np.where(rows % 40 < 20, 1.0, -1.0) * np.where(rows // 40 == 3, 3.0, 1.0)
    edges = wire(Clip(np.cumsum(speeds)[:, None], (Channel("x", 0),), FPS, 1), np.ones(1), 1.0, 1.0).edges[:, 0]
    assert edges[130] / edges[90] == pytest.approx(3.0, rel=0.02)
