# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure on a mesh: feet stand on it as they stand on level ground, never under it, and do not slide or jerk."""

import numpy as np
import pytest
from motion_signal.core.body.contacts import stand
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.roles import find_roles
from motion_signal.core.body.trust import trust
from motion_signal.core.declare.params import build
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.numeric.height_field import HeightField
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.paths.on_ground import put_on
from motion_signal.core.recipes.recipe import Recipe, Step
from motion_signal.core.recipes.run import run
from motion_signal.core.techniques import technique
from technique_cases import FIGURE, walking

WALK, POINTS = walking(), Legs(FIGURE, find_roles(FIGURE))
CONTACTS, GROUND = stand(WALK, POINTS, *POINTS.places(WALK))
FEET = [column for column, point in enumerate(POINTS.points) if not point.endswith("hand")]
TEN = np.tan(np.radians(10.0))
SHAPES = {
    "level": lambda x, y: GROUND + 0.0 * x,
    "uphill": lambda x, y: GROUND - TEN * y,
    "downhill": lambda x, y: GROUND + TEN * y,
    "across": lambda x, y: GROUND + TEN * x,
    "bumpy": lambda x, y: 0.06 * np.sin(5.7 * x) * np.cos(7.0 * y) + 0.05 * np.sin(2.7 * (x + y)),
}


def surface(shape, size=5.0, count=161):
    """A mesh of squares around the walk."""
    steps = np.linspace(-size, size, count)
    x, y = np.meshgrid(steps, steps - 2.0, indexing="ij")
    index = np.arange(count * count).reshape(count, count)
    a, b, c, d = (corner.ravel() for corner in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return HeightField(np.stack([x, y, SHAPES[shape](x, y)], axis=-1).reshape(-1, 3), faces)


@pytest.fixture(scope="module", params=SHAPES)
def ground(request):
    return surface(request.param)


@pytest.fixture(scope="module")
def there(ground):
    """The walk on a ground, and where its points are, (frames, points, 3)."""
    result, words = put_on(WALK, FIGURE, ground, "Hill", CONTACTS)
    assert words == ""
    return result, POINTS.places(result)[0]


def above(places, ground):
    return places[..., 2] - ground.heights(places[..., :2])[0]


def stands():
    return [
        (column, slice(first - WALK.first_frame, last - WALK.first_frame + 1))
        for column in FEET
        for first, last in CONTACTS[POINTS.points[column]]
    ]


def test_feet_stand_on_it_as_they_do_on_level_ground(ground, there):
    level = POINTS.places(WALK)[0][..., 2] - GROUND
    off = [np.abs(above(there[1], ground)[rows, column] - level[rows, column]).max() for column, rows in stands()]
    assert len(off) > 6 and max(off) < 0.005


def test_feet_are_never_under_it(ground, there):
    assert above(there[1], ground)[:, FEET].min() > -0.005


def test_feet_slide_no_farther_than_in_the_take(there):
    before = POINTS.places(WALK)[0]
    for column, rows in stands():
        was, now = (np.ptp(places[rows, column], axis=0).max() for places in (before, there[1]))
        assert now < was + 0.003


def test_nothing_jerks_and_no_knee_passes_straight(there):
    found = trust(WALK, there[0], FIGURE)
    assert found["knee"].count == 0 and found["turn"].size < 10.0  # at 30 frames a second


def test_the_pelvis_goes_smoothly(there):
    bends = [np.abs(np.diff(POINTS.places(clip)[1][:, 2], 2)).max() for clip in (WALK, there[0])]
    assert bends[1] < bends[0] + 0.004


@pytest.mark.parametrize("degrees", [10.0, -10.0])
def test_a_slope_as_a_mesh_is_the_slope_of_a_path(degrees):
    way = np.array([[0.0, -step, 0.0] for step in np.linspace(0.0, 3.2, 6)])
    rise = np.outer(-np.tan(np.radians(degrees)) * way[:, 1], [0.0, 0.0, 1.0])
    curves = {"path": {"control": (way + rise).tolist()}, "original": {"control": way.tolist()}, "plant": True}
    params = build(technique("path").params, {**curves, "height": "FOLLOW", "timing": "KEEP"})
    lock = Step(technique("lock"), technique("lock").params(), ScopeParams())  # as paths do
    step = Step(technique("path"), params, ScopeParams())
    path = POINTS.places(run(Recipe((lock, step)), WALK, FIGURE, contacts=CONTACTS))[0]
    flat = build(technique("path").params, {**curves, "timing": "KEEP"})
    step = Step(technique("path"), flat, ScopeParams(ground="Hill"))
    hill = surface("uphill" if degrees > 0 else "downhill")
    mesh = POINTS.places(run(Recipe((lock, step)), WALK, FIGURE, contacts=CONTACTS, grounds={"Hill": hill}))[0]
    apart = [np.abs(path - mesh)[rows, column, 2].max() for column, rows in stands()]
    assert np.median(apart) < 0.002 and max(apart) < 0.004  # a path leans feet under the ankle, a mesh under heel and toe


def test_what_stands_there_already_stays(ground, there):
    again, _ = put_on(there[0], FIGURE, ground, "Hill", CONTACTS)
    apart = np.abs(POINTS.places(again)[0] - there[1])[:, FEET]
    assert apart.max() < 0.004 and np.median(apart) < 1e-9


def test_a_step_after_it_keeps_feet_on_it():
    hill = surface("bumpy")
    steps = [Step(technique("equalize"), build(technique("equalize").params, {"gains": gains}), ScopeParams(ground="Hill"))
             for gains in ([], [1.0] * 6 + [1.6, 1.6])]  # fmt: skip
    result = run(Recipe(tuple(steps)), WALK, FIGURE, contacts=CONTACTS, grounds={"Hill": hill})
    high = above(POINTS.places(result)[0], hill)[:, FEET]
    assert high.min() > -0.005


def test_it_fades_in_with_a_range():
    scope = ScopeParams(ground="Hill", frames="RANGE", frame_start=WALK.first_frame + 20, frame_end=WALK.last_frame)
    step = Step(technique("equalize"), build(technique("equalize").params, {}), scope)
    result = run(Recipe((step,)), WALK, FIGURE, grounds={"Hill": surface("uphill")})
    columns = [result.channels.index(channel) for channel in WALK.channels]
    np.testing.assert_allclose(result.values[:20, columns], WALK.values[:20], atol=1e-9)
    assert np.abs(result.values[-1, columns] - WALK.values[-1]).max() > 0.1


def test_on_steps_a_foot_stands_level_and_is_never_in_them():
    corners = [
        [x, -0.5 * step - nose, 0.15 * (step + up)]
        for step in range(-4, 12)
        for nose, up in ((0.0, 0), (0.499, 0), (0.5, 1))
        for x in (-3, 3)
    ]
    first = 2 * np.arange(len(corners) // 2 - 1)[:, None]
    stairs = HeightField(corners, np.concatenate([first + [0, 1, 2], first + [1, 3, 2]]))
    result, _ = put_on(WALK, FIGURE, stairs, "Stairs", CONTACTS)
    places, level = POINTS.places(result)[0], POINTS.places(WALK)[0]
    assert above(places, stairs)[:, FEET].min() > -0.005
    leaning = [
        np.ptp(places[rows.start, [c, c + 1], 2]) - np.ptp(level[rows.start, [c, c + 1], 2])
        for c, rows in stands()
        if c % 2 == 0
    ]
    assert np.max(leaning) < 0.1


def test_where_it_ends_is_said():
    _, words = put_on(WALK, FIGURE, surface("uphill", size=2.2), "Hill", CONTACTS)
    assert "Hill ends under the feet at frame" in words


@pytest.mark.parametrize(
    "scope, wrong",
    [
        ({"ground": "Sea"}, "ground: there is no mesh Sea"),
        ({"ground": "Hill", "scope": "NAMED", "bones": "head"}, "ground: .* is not among what changes"),
    ],
)
def test_what_cannot_be_is_refused(scope, wrong):
    step = Step(technique("equalize"), build(technique("equalize").params, {"gains": [2.0] * 8}), ScopeParams(**scope))
    with pytest.raises(Refusal, match=wrong):
        run(Recipe((step,)), WALK, FIGURE, grounds={"Hill": surface("level")})
