# SPDX-License-Identifier: GPL-3.0-or-later
"""Weight: jumps fall as gravity says, bodies stand over their feet and lean into bends, and feet stay planted."""

import made_takes
import numpy as np
import pytest
from motion_signal.core import Recipe, Step, Surroundings, find_contacts, report, run
from motion_signal.core.declare.params import build
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.physics.balance import centre_shift, support, zero_moment
from motion_signal.core.physics.ballistic import shifts
from motion_signal.core.physics.flights import GRAVITY, Flight, borders, gravity_of, in_the_air
from motion_signal.core.physics.masses import SHARES, MassModel
from motion_signal.core.physics.measures import physics_numbers
from motion_signal.core.physics.weighted import Weighted
from motion_signal.core.techniques import technique
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation
from technique_cases import FIGURE, FIRST, HIPS, walking

WEIGHT, EQUALIZE = technique("weight"), technique("equalize")
WALK = walking()


def jump(fall=GRAVITY, seconds=0.5, height=None):
    """A figure that stands, jumps and stands again: its hips, and all of it, go up and down as if it fell at `fall`."""
    fps, clip = WALK.fps, WALK
    frames = 3 * round(seconds * fps) + 31
    values = np.repeat(clip.values[:1], frames, axis=0)
    hips = [index for index, channel in enumerate(clip.channels) if channel.owner == HIPS.name and channel.kind == "LOCATION"]
    first, count = round(seconds * fps) + 15, round(seconds * fps)
    times = np.arange(count + 1) / fps
    up = np.zeros(frames)
    up[first : first + count + 1] = 0.5 * fall * times * (seconds - times)
    along = np.linalg.inv(HIPS.rest[:3, :3]) @ np.linalg.inv(np.array(FIGURE.world)[:3, :3]) @ (0.0, 0.0, 1.0)
    values[:, hips] += up[:, None] * along
    tuck = np.zeros(frames)
    tuck[first : first + count + 1] = np.radians(25.0) * np.hanning(count + 1)
    turns = {f"{name}.{side}": sign * tuck for name, sign in (("thigh", -1.0), ("shin", 1.0)) for side in "LR"}
    columns = {owner: [index for index, each in enumerate(clip.channels) if each.owner == owner] for owner in turns}
    for owner, angles in turns.items():
        own = Rotation.from_quat(values[:, columns[owner]], scalar_first=True) * Rotation.from_rotvec(
            np.outer(angles, (1.0, 0.0, 0.0))
        )
        values[:, columns[owner]] = own.as_quat(scalar_first=True)
    return clip.with_values(values, np.arange(frames)), first, first + count


def weighed(clip, around=None, **values):
    process = WEIGHT.open(clip, around or Surroundings(FIGURE))
    return process(build(WEIGHT.params, values)), process


def centre(clip):
    return MassModel(FIGURE).centre(clip)


def test_the_shares_of_all_parts_are_a_body():
    one = {"head", "trunk"}
    assert sum(share * (1 if name in one else 2) for name, share in SHARES.items()) == pytest.approx(100.0, abs=1.0)


def test_a_centre_of_mass_is_the_mean_of_its_masses_and_lies_in_the_belly():
    model = MassModel(FIGURE)
    points, found = model.points(WALK), model.centre(WALK)
    slow = sum(mass * track for mass, track in zip(model.masses, points))
    np.testing.assert_allclose(found, slow, atol=1e-12)
    joints = FIGURE.posed(WALK)[1]
    height = found[:, 2] / joints[:, FIGURE.index("head"), 2]
    assert 0.5 < height.min() and height.max() < 0.75


@pytest.mark.parametrize("fall", [5.0, 7.0, 14.0, 20.0])
def test_a_jump_falls_as_gravity_says_and_lands_where_it_did(fall):
    clip, first, last = jump(fall)
    result, process = weighed(clip, balance=0.0)
    rows = slice(first + 2, last - 1)
    assert gravity_of(centre(clip)[rows], clip.fps) == pytest.approx(fall, rel=0.2)
    assert gravity_of(centre(result)[rows], clip.fps) == pytest.approx(GRAVITY, rel=0.02), process.told
    points = Weighted(clip, Surroundings(FIGURE), SHARES)
    feet = [points.body.again(each).places[:, points.corners] for each in (clip, result)]
    standing = np.r_[0 : first - 1, last + 2 : clip.frames]
    assert np.linalg.norm(feet[1] - feet[0], axis=2)[standing].max() < 0.004
    far = round(0.25 * clip.fps) + 2
    outside = np.r_[0 : max(0, first - far), last + far : clip.frames]
    assert np.abs(result.values[outside] - clip.values[outside]).max() < 1e-3


def test_half_of_it_is_half_way():
    clip, first, last = jump(14.0)
    rows = slice(first + 2, last - 1)
    found = [gravity_of(centre(weighed(clip, balance=0.0, jumps=jumps)[0])[rows], clip.fps) for jumps in (0.5, 1.0)]
    own = gravity_of(centre(clip)[rows], clip.fps)
    assert found[0] == pytest.approx(0.5 * (own + found[1]), rel=0.03)


def test_a_jump_that_falls_right_stays_as_it_is():
    clip, _, _ = jump(GRAVITY)
    result, _ = weighed(clip, balance=0.0)
    assert np.linalg.norm(FIGURE.posed(result)[1] - FIGURE.posed(clip)[1], axis=2).max() < 0.003


def test_what_an_equalizer_did_to_a_jump_is_put_right():
    clip, first, last = jump(GRAVITY)
    loud = Step(EQUALIZE, build(EQUALIZE.params, {"gains": [1, 1, 1.5, 1.5, 1.5, 1.5]}))
    edit, both = (run(Recipe(steps), clip, FIGURE) for steps in ((loud,), (loud, Step(WEIGHT, WEIGHT.params(balance=0.0)))))
    rows = slice(first + 2, last - 1)
    assert abs(gravity_of(centre(edit)[rows], clip.fps) - GRAVITY) > 0.1 * GRAVITY
    assert gravity_of(centre(both)[rows], clip.fps) == pytest.approx(GRAVITY, rel=0.02)


@pytest.mark.parametrize("seed", range(5))
def test_shifts_bend_in_flights_as_asked_and_are_nothing_far_from_them(seed):
    random = np.random.default_rng(seed)
    bends = random.normal(size=(200, 3))
    flight = Flight(80, 110, np.zeros((31, 3)))
    found = shifts(bends, [flight], 60.0, 0.3)
    np.testing.assert_allclose(60.0**2 * np.diff(found, 2, axis=0)[80:109], bends[81:110], atol=1e-3)
    assert np.abs(found[:60]).max() < 1e-6 and np.abs(found[132:]).max() < 1e-6


@pytest.mark.parametrize("seed", range(20))
def test_the_support_is_the_hull_of_what_is_down(seed):
    random = np.random.default_rng(seed)
    places, points = random.normal(size=(40, 4, 2)), 1.5 * random.normal(size=(40, 2))
    downs = random.uniform(size=(40, 4)) < 0.8
    away, nearest = support(places, downs, points)
    for row in range(40):
        there = places[row][downs[row]]
        if len(there) < 3:
            continue
        hull = ConvexHull(there)
        outside = (hull.equations[:, :2] @ points[row] + hull.equations[:, 2]).max()
        assert (outside > 1e-9) == (away[row] > 1e-9)
        fine = np.concatenate([np.linspace(*there[edge], 400) for edge in hull.simplices])
        if outside > 0.0:
            assert away[row] == pytest.approx(np.linalg.norm(fine - points[row], axis=1).min(), abs=1e-2)


def test_the_zero_moment_point_of_a_body_at_rest_is_below_its_centre_of_mass():
    points, masses = np.repeat(np.random.default_rng(1).normal(size=(5, 1, 3)), 60, axis=1), np.full(5, 0.2)
    zero, arm, standing = zero_moment(points, masses, 30.0, -3.0)
    np.testing.assert_allclose(zero[30], points[:, 0, :2].mean(axis=0), atol=1e-9)
    assert standing.all() and arm[30] == pytest.approx((points[:, 0, 2].mean() + 3.0) / GRAVITY)


def test_the_shift_of_the_centre_moves_the_zero_moment_point_as_far_as_asked():
    times = np.arange(300) / 60.0
    moves = np.column_stack([0.05 * np.sin(2.0 * times), 0.03 * np.cos(3.0 * times)])
    arm = np.full(300, 0.09)
    found = centre_shift(moves, arm, np.ones(300, dtype=bool), 60.0)
    bent = found[1:-1] - 0.09 * np.diff(found, 2, axis=0) * 60.0**2
    np.testing.assert_allclose(bent, moves[1:-1], atol=1e-9)


@pytest.mark.parametrize("name", ["walk", "turn"])
def test_a_walk_with_a_heavy_posture_stands_over_its_feet_again_and_they_stay_planted(name):
    steps = (Step(EQUALIZE, build(EQUALIZE.params, {"dc_gain": 1.5})), Step(WEIGHT, WEIGHT.params(jumps=0.0)))
    clip = made_takes.take(name)
    edit, both = (run(Recipe(steps[:count]), clip.clip, clip.skeleton) for count in (1, 2))
    judge = Weighted(clip.clip, Surroundings(clip.skeleton), SHARES)
    before, after = judge.out_of_balance(edit), judge.out_of_balance(both)
    assert before > 0.2 and after < before / 3
    planted = find_contacts(clip.clip, clip.skeleton)
    slid = [report(each, clip.skeleton, contacts=planted)["slide_mean_mm"] for each in (edit, both)]
    assert slid[1] < slid[0] + 1.0


def test_who_runs_round_a_bend_leans_into_it():
    from technique_cases import bent

    path = technique("path")
    around = {"timing": "KEEP"}
    control = [[2.0 * np.cos(angle), 2.0 * np.sin(angle), 0.0] for angle in np.linspace(0.0, 2.5, 8)]
    params = build(path.params, {**bent(0.0), "path": {"control": control}, **around})
    clip = run(Recipe((Step(path, params),)), walking(1.9), FIGURE)
    result, _ = weighed(clip, jumps=0.0, balance=0.0, banking=1.0)
    hips, head = (FIGURE.index(name) for name in ("hips", "head"))
    lean = []
    for each in (clip, result):
        joints = FIGURE.posed(each)[1]
        up = joints[:, head] - joints[:, hips]
        inward = -joints[:, hips, :2] / np.linalg.norm(joints[:, hips, :2], axis=1)[:, None]
        lean.append(np.degrees(np.arctan2((up[:, :2] * inward).sum(axis=1), up[:, 2]))[20:-20].mean())
    speed = np.linalg.norm(np.diff(FIGURE.posed(clip)[1][:, hips, :2], axis=0), axis=1).mean() * clip.fps
    asked = np.degrees(np.arctan(speed**2 / 2.0 / GRAVITY))
    assert lean[1] - lean[0] > 0.4 * asked


def test_a_flight_without_a_landing_is_refused_and_said():
    clip, first, last = jump(14.0)
    middle = clip.with_values(clip.values[: (first + last) // 2 + 4], np.arange((first + last) // 2 + 4))
    with pytest.raises(Refusal, match="has no landing"):
        weighed(middle, balance=0.0)
    assert "has no landing and is left as it is" in weighed(middle)[1].told


def test_a_body_without_feet_is_refused():
    with pytest.raises(Refusal, match="weight: no feet found"):
        weighed(WALK, Surroundings())


def test_masses_may_be_edited():
    clip, _, _ = jump(14.0)
    heavy, light = (weighed(clip, balance=0.0, head=head)[0] for head in (8.1, 60.0))
    assert heavy.channels == light.channels
    assert np.abs(MassModel(FIGURE, {**SHARES, "head": 60.0}).centre(clip) - centre(clip)).max() > 0.1


def test_frames_far_from_anything_stay_where_they_are():
    assert FIRST == WALK.first_frame
    result, _ = weighed(WALK, balance=0.0)
    assert np.array_equal(result.values, WALK.values)


def test_reports_tell_the_gravity_of_every_flight_and_how_often_a_body_tips_over():
    clip, first, last = jump(14.0)
    numbers = physics_numbers(clip, FIGURE)
    (fall,) = numbers["gravity_m_s2"]
    assert numbers["flights"] == 1 and fall == numbers["gravity_worst_m_s2"] == pytest.approx(14.0, rel=0.2)
    assert 0.0 <= numbers["out_of_balance_percent"] <= 100.0
    assert set(physics_numbers(WALK, FIGURE)) == set(numbers)


def test_a_quick_step_before_a_jump_is_not_part_of_its_flight():
    falls = np.array([False] * 4 + [True] * 8 + [False] * 16 + [True] * 32 + [False] * 2)
    high = np.where(falls, 0.2, 0.0)
    assert borders(falls, high, 0.025, 6) == ((4, 59), (28, 59))
    blinked = falls & (np.arange(len(falls)) != 40)
    assert borders(blinked, high, 0.025, 6)[1] == (28, 59)


def test_a_time_without_contacts_in_which_a_body_is_carried_has_the_flights_in_it_that_fall_as_gravity_says():
    """A dive and a roll: hands and back carry it where no contact is seen; between the two it falls."""
    fps, rate = 120.0, np.zeros(140)
    rate[:30], rate[80:105] = -GRAVITY, -6.0  # the second is carried: it comes down, and slower
    centre = np.zeros((142, 3))
    centre[1:, 2] = np.cumsum(np.cumsum(np.append(0.0, rate)) / fps) / fps + 2.0 * np.arange(1, 142) / fps
    falls = np.append(rate, [0.0, 0.0]) < -0.5 * GRAVITY
    high = np.full(142, 0.3)
    assert [tuple(map(int, each)) for each in in_the_air(centre, falls, high, 0.82, fps)] == [(0, 29)]
    low = np.full(142, 0.01)
    assert in_the_air(centre, falls, low, 0.82, fps) == []


def test_a_take_that_is_played_twice_too_fast_is_told_once():
    clip, first, last = jump(4.0 * GRAVITY)
    with pytest.raises(Refusal, match=r"falls at \d\d m/s², as in a take that is played [12]\.\d times too fast, so that"):
        weighed(clip, balance=0.0)
    result, process = weighed(clip)
    assert process.told.count("too fast") == 1
