# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins: exact while they hold, smooth before and after, nothing beyond; what cannot be had is said."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core import Recipe, Step, Surroundings, run
from motion_signal.core.declare.params import build
from motion_signal.core.motion.skeleton import sub_skeleton
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.pinning.rail import Rail
from motion_signal.core.techniques import technique
from technique_cases import FIGURE, FIRST, bent, walking

PINS = technique("pins")
MILLIMETRE = 1e-3
WALK = walking()
WORLD = np.array(FIGURE.world)


def place(clip, bone, along=0.0, skeleton=FIGURE):
    """Where a point of a bone is in the world, (frames, 3)."""
    own = sub_skeleton(skeleton, [bone])
    axes, heads = own.posed(clip)
    index = own.index(bone)
    points = heads[:, index] + along * own.bones[index].length * axes[:, index, :, 1]
    world = np.array(skeleton.world)
    return points @ world[:3, :3].T + world[:3, 3]


def held(clip, *pins, around=None):
    """The clip with pins, and what was said of them."""
    process = PINS.open(clip, around or Surroundings(FIGURE))
    return process(build(PINS.params, {"pins": [dict(pin) for pin in pins]})), process


def accelerations(track, fps):
    return np.linalg.norm(np.diff(track, 2, axis=0), axis=1) * fps**2


@pytest.mark.parametrize("bone", ["hand.L", "hand.R", "foot.L", "foot.R"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_pinned_somewhere_near_is_there_and_the_rest_of_the_take_is_as_it_was(bone, seed):
    random = np.random.default_rng(seed)
    first = int(random.integers(30, 45))
    last, ease = first + int(random.integers(0, 12)), float(random.uniform(0.1, 0.4))
    where = place(WALK, bone)[(first + last) // 2 - FIRST] + random.uniform(-0.06, 0.06, 3) * (1, 1, 0) + (0, 0, 0.05)
    pin = {"bone": bone, "first": first, "last": last, "hold": "PLACE", "ease_in": ease, "ease_out": ease}
    result, process = held(WALK, {**pin, **dict(zip("xyz", where.tolist()))})
    rows = slice(first - FIRST, last - FIRST + 1)
    assert np.linalg.norm(place(result, bone)[rows] - where, axis=1).max() < MILLIMETRE, process.told
    reach = round(ease * WALK.fps)
    outside = np.r_[0 : max(0, first - FIRST - reach), last - FIRST + reach + 1 : WALK.frames]
    assert result.channels == WALK.channels and np.array_equal(result.values[outside], WALK.values[outside])


@pytest.mark.parametrize("bone", ["hand.L", "foot.R"])
def test_a_bone_that_is_pinned_here_stays_there(bone):
    result, process = held(WALK, {"bone": bone, "first": 40, "last": 43})
    rows = slice(40 - FIRST, 44 - FIRST)
    assert np.linalg.norm(place(result, bone)[rows] - place(WALK, bone)[40 - FIRST], axis=1).max() < MILLIMETRE, process.told


@pytest.mark.parametrize("bone", ["hand.L", "head", "hips", "spine"])
def test_a_body_that_is_pinned_lower_bends_its_legs_and_its_feet_stay(bone):
    there = place(WALK, bone)[40 - FIRST] - (0.0, 0.0, 0.02)
    result, process = held(WALK, {"bone": bone, "first": 40, "last": 40, "hold": "PLACE", **dict(zip("xyz", there.tolist()))})
    assert np.linalg.norm(place(result, bone)[40 - FIRST] - there) < MILLIMETRE, process.told
    for foot in ("foot.L", "foot.R"):
        assert np.linalg.norm(place(result, foot) - place(WALK, foot), axis=1).max() < 2 * MILLIMETRE


@pytest.mark.parametrize("along", [0.5, 1.0])
@pytest.mark.parametrize("turned", [False, True])
def test_a_point_of_a_bone_is_held_and_its_direction_where_that_is_asked_for(along, turned):
    pin = {"bone": "hand.L", "first": 40, "last": 44, "along": along, "turned": turned}
    result, _ = held(WALK, pin)
    rows = slice(40 - FIRST, 45 - FIRST)
    still = place(WALK, "hand.L", along)[40 - FIRST]
    assert np.linalg.norm(place(result, "hand.L", along)[rows] - still, axis=1).max() < MILLIMETRE
    axes = FIGURE.posed(result)[0][rows, FIGURE.index("hand.L")]
    assert (np.abs(axes - axes[0]).max() < 1e-3) == turned


def test_a_hand_on_a_rail_stays_on_it_while_the_path_bends():
    """Within a millimetre, and at its borders it accelerates at most 1.3 times as much as it does in the take anyway."""
    clip = run(Recipe((Step(technique("path"), build(technique("path").params, bent(0.8))),)), WALK, FIGURE)
    track = place(clip, "hand.L")
    control = track[np.linspace(0, clip.frames - 1, 6).astype(int)] * (1, 1, 0) + (0, 0, track[:, 2].mean() + 0.04)
    curves = {"Rail": {"path": {"control": control.tolist()}, "original": {}}}
    pin = {"bone": "hand.L", "first": 35, "last": 65, "target": "Rail", "hold": "PLACE"}
    result, process = held(clip, pin, around=Surroundings(FIGURE, curves=curves))
    found, rail = place(result, "hand.L"), Rail(curves["Rail"]["path"], "Rail")
    away = np.linalg.norm(found - rail.nearest(found.T).T, axis=1)[35 - FIRST : 66 - FIRST]
    assert away.max() < MILLIMETRE, process.told
    own, now = (accelerations(each, clip.fps) for each in (track, found))
    for border in (35 - FIRST, 65 - FIRST):
        near = slice(max(0, border - 10), border + 10)
        assert now[near].max() < 1.3 * own.max()


def test_two_figures_hold_hands_after_path_and_equalizer():
    steps = (
        Step(technique("path"), build(technique("path").params, bent(0.6))),
        Step(technique("equalize"), build(technique("equalize").params, {"gains": [1, 1, 1.4, 1.4]})),
    )
    world = WORLD.copy()
    beside = place(WALK, "hand.R").mean(axis=0) - place(WALK, "hand.L").mean(axis=0) + (0.03, 0.0, 0.05)
    world[:3, 3] += beside
    other = replace(FIGURE, world=tuple(map(tuple, world)))
    one = run(Recipe(steps), WALK, FIGURE)
    axes, heads = other.posed(run(Recipe(steps), walking(1.3, 5), FIGURE))
    index = other.index("hand.L")
    there = np.tile(np.eye(4), (one.frames, 1, 1))
    there[:, :3, :3], there[:, :3, 3] = axes[: one.frames, index], heads[: one.frames, index] + beside
    targets = lambda name, bone, first, last: there[first - FIRST : last - FIRST + 1]  # noqa: E731
    pin = {"bone": "hand.R", "first": 40, "last": 60, "target": "Other", "target_bone": "hand.L", "hold": "PLACE"}
    result, process = held(one, pin, around=Surroundings(FIGURE, targets=targets))
    rows = slice(40 - FIRST, 61 - FIRST)
    assert np.linalg.norm(place(result, "hand.R")[rows] - there[rows, :3, 3], axis=1).max() < 2 * MILLIMETRE, process.told


def test_from_an_object_that_turns_the_distance_is_kept():
    angles = np.linspace(0.0, 0.5, WALK.frames)
    there = np.tile(np.eye(4), (WALK.frames, 1, 1))
    there[:, 0, 0], there[:, 0, 1] = np.cos(angles), -np.sin(angles)
    there[:, 1, 0], there[:, 1, 1] = np.sin(angles), np.cos(angles)
    there[:, :3, 3] = place(WALK, "head") + (0.1, -0.3, -0.4)
    targets = lambda name, bone, first, last: there[first - FIRST : last - FIRST + 1]  # noqa: E731
    result, _ = held(
        WALK, {"bone": "hand.R", "first": 40, "last": 60, "target": "Cup"}, around=Surroundings(FIGURE, targets=targets)
    )
    offset = np.linalg.inv(there[40 - FIRST]) @ (*place(WALK, "hand.R")[40 - FIRST], 1.0)
    wanted = (there @ offset)[40 - FIRST : 61 - FIRST, :3]
    assert np.linalg.norm(place(result, "hand.R")[40 - FIRST : 61 - FIRST] - wanted, axis=1).max() < MILLIMETRE


def test_a_hand_on_the_own_head_stays_there():
    pin = {"bone": "hand.L", "first": 35, "last": 60, "target_bone": "head", "hold": "PLACE", "x": 0.1, "y": 0.1}
    result, process = held(WALK, pin)
    rows = slice(35 - FIRST, 61 - FIRST)
    axes, heads = FIGURE.posed(result)
    index = FIGURE.index("head")
    wanted = heads[:, index] + np.einsum("fij,j->fi", axes[:, index], (0.1, 0.1, 0.0))
    away = np.linalg.norm((heads[:, FIGURE.index("hand.L")] - wanted)[rows], axis=1)
    assert away.max() < MILLIMETRE, process.told


def test_what_cannot_be_reached_is_said_by_how_much_and_feet_stay():
    pin = {"bone": "hand.L", "first": 45, "last": 46, "hold": "PLACE", "x": 30.0, "y": 0.0, "z": 1.0}
    result, process = held(WALK, pin)
    missing = 1000 * np.linalg.norm(place(result, "hand.L")[[45 - FIRST, 46 - FIRST]] - (30.0, 0.0, 1.0), axis=1).max()
    assert f"hand.L does not reach its place: {missing:.0f} mm are missing" in process.told
    for foot in ("foot.L", "foot.R"):
        assert np.linalg.norm(place(result, foot) - place(WALK, foot), axis=1).max() < 3 * MILLIMETRE


def test_pins_go_along_when_an_earlier_step_moves_frames_in_time():
    later = Step(technique("timewarp"), build(technique("timewarp").params, {"moves": [[11, 11], [40, 50]]}))
    pin = Step(PINS, build(PINS.params, {"pins": [{"bone": "hand.L", "first": 40, "last": 50}]}))
    result = run(Recipe((later, pin)), WALK, FIGURE)
    moved = run(Recipe((later,)), WALK, FIGURE)
    track = place(result, "hand.L")[50 - FIRST : 61 - FIRST]
    assert np.linalg.norm(track - place(moved, "hand.L")[50 - FIRST], axis=1).max() < MILLIMETRE
    assert result.switches is None


def test_of_two_pins_of_a_bone_the_more_important_has_its_way_where_both_hold():
    where = place(WALK, "hand.L")[45 - FIRST]
    low, high = ({"hold": "PLACE", **dict(zip("xyz", (where + (0, 0, up)).tolist()))} for up in (0.02, 0.08))
    pins = [
        {"bone": "hand.L", "first": 30, "last": 62, **low, "priority": 2},
        {"bone": "hand.L", "first": 44, "last": 48, **high},
    ]
    result, _ = held(WALK, *pins)
    assert abs(place(result, "hand.L")[46 - FIRST, 2] - where[2] - 0.08) < MILLIMETRE
    assert abs(place(result, "hand.L")[30 - FIRST, 2] - where[2] - 0.02) < MILLIMETRE


@pytest.mark.parametrize(
    ("pin", "said"),
    [
        ({"bone": "wing", "first": 20, "last": 30}, "pin 1: the figure has no bone 'wing'"),
        ({"first": 20, "last": 30}, "pin 1: say which bone is held"),
        ({"bone": "hand.L", "first": 40, "last": 30}, "it ends at frame 30, before it begins at 40"),
        ({"bone": "hand.L", "first": 4000, "last": 5000}, "frames 4000 to 5000 are not in the motion"),
        ({"bone": "hand.L", "first": 20, "last": 30, "target": "Gone"}, "there is no object Gone"),
        ({"bone": "hand.L", "first": 20, "last": 30, "target_bone": "wing"}, "the figure has no bone 'wing' to be held to"),
        ({"bone": "hand.L", "first": 20, "last": 30, "along": 2.0}, "along: 2 is outside 0 to 1"),
    ],
)
def test_a_pin_that_makes_no_sense_is_refused(pin, said):
    with pytest.raises(Refusal, match=said):
        held(WALK, pin)


@pytest.mark.parametrize("seed", range(10))
def test_a_rail_is_nearest_where_a_search_along_it_finds_it(seed):
    random = np.random.default_rng(seed)
    control = np.cumsum(random.normal(size=(7, 3)), axis=0)
    rail = Rail({"control": control.tolist()}, "Rail")
    points = control[[1, 3, 5]].T + 0.2 * random.normal(size=(3, 3))
    fine = rail.curve(np.linspace(0.0, rail.length, 200_000))
    for point, found in zip(points.T, rail.nearest(points).T):
        slow = np.linalg.norm(fine - point, axis=1).min()
        assert np.linalg.norm(found - point) < slow + 1e-3


def test_a_rail_may_lead_straight_up():
    rail = Rail({"points": [[0, 0, 0], [0, 0, 1], [0, 0, 3]]}, "Pole")
    np.testing.assert_allclose(rail.nearest(np.array([[0.5], [0.0], [1.3]]))[:, 0], (0.0, 0.0, 1.3), atol=1e-9)
