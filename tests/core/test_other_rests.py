# SPDX-License-Identifier: GPL-3.0-or-later
"""Every technique gives the same result however the figure is described: lying at rest, standing elsewhere, larger, Y up."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from motion_signal.bench.make_moods import shipped
from motion_signal.core.body.upright import stood
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.mixing.mood import to_data
from motion_signal.core.numeric.height_field import HeightField
from motion_signal.core.paths.on_ground import put_on
from motion_signal.core.recipes.opened import opened
from other_rests import grown, in_world, placed, resting, turned
from technique_cases import CASES, FIGURE, Case

SAME = 1e-4  # of the figure's size
SIZE = 1.7  # metres
WAYS = {
    "lying on its back": lambda *those: resting(*those, placed((90.0, 0.0, 0.0))),
    "lying on its side, askew": lambda *those: resting(*those, placed((30.0, 80.0, -20.0))),
    "4 m away, facing +X": lambda *those: resting(*those, placed((0.0, 0.0, 90.0), (3.0, -2.5, 1.0))),
    "100 times as large": lambda *those: grown(*those, 100.0),
    "in centimetres, Y up": lambda *those: turned(*grown(*those, 100.0, world=True), placed((-90.0, 0.0, 0.0))),
}


@cache
def done(case):
    """The parameters of a case, and its result as the figure is."""
    params = case.of(1.0)
    return params, planted(case, case.clip, params, replace(case.around, skeleton=stood(FIGURE)))


def planted(case, clip, params, around):
    """What comes of a case as everybody runs it, feet planted; not where parameters are along a root's own axes."""
    return opened(case.entry, clip, around, ScopeParams(feet="FREE" if by_own_axes(case) else "TAKE"))(params)


def adapted(case, way):
    """The parameters of a case; numbers that are metres, for a figure that is 100 times as large."""
    params = done(case)[0]
    if way != "100 times as large" or case.name not in ("path", "speed", "between", "pins", "locomotion"):
        return params
    if case.name in ("speed", "between"):
        return replace(params, speed=100.0 * params.speed)
    if case.name == "pins":
        return replace(params, pins=[pin | {axis: 100.0 * pin[axis] for axis in "xyz"} for pin in params.pins])
    if case.name == "locomotion":
        points = (100.0 * np.array(params.path["points"])).tolist()
        return replace(params, speed=100.0 * params.speed, path={"points": points})
    larger = {name: {"control": (100.0 * np.array(getattr(params, name)["control"])).tolist()} for name in ("path", "original")}
    return replace(params, **larger)


def by_own_axes(case):
    """Whether parameters are numbers along a root's own axes at rest: they say something else where these are others."""
    return case.name == "displace" or (case.name, case.what) == ("waveshape", "curve")


def shown(case, skeleton, result, factor):
    """Places in the world; an avatar's result is for a figure of another size."""
    if case.name == "avatar":
        skeleton, _ = grown(skeleton, [result], case.params(1.0)["scale"])
    return in_world(skeleton, result) / factor


def local(result, root):
    """The rotations of all bones but the root."""
    kept = [column for column, channel in enumerate(result.channels) if channel.owner != root and channel.kind != "LOCATION"]
    return result.values[:, kept]


MOODS = tuple(
    Case("style", mood, lambda amount, mood=mood: {"style": to_data(shipped(mood))}) for mood in ("tired", "sneaking")
)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", (*CASES, *MOODS), ids=str)
def test_the_result_is_the_same(case, way):
    if case.name == "weight" and way == "100 times as large":
        return  # giants fall no faster: what gravity allows is another motion
    clips = [case.clip, *case.around.takes.values()]
    skeleton, others = WAYS[way](FIGURE, clips)
    factor = 100.0 if way == "100 times as large" else 1.0
    assert np.abs(in_world(skeleton, others[0]) / factor - in_world(FIGURE, clips[0])).max() < 1e-9
    takes = dict(zip(case.around.takes, others[1:]))
    result = planted(case, others[0], adapted(case, way), Surroundings(stood(skeleton), takes=takes))
    wanted = done(case)[1]
    if by_own_axes(case):
        assert np.abs(local(result, "hips") - local(wanted, "hips")).max() < SAME
        return
    off = np.abs(shown(case, skeleton, result, factor) - shown(case, FIGURE, wanted, 1.0)).max()
    assert off < SAME * SIZE


@pytest.mark.parametrize("way", WAYS)
def test_the_result_is_the_same_on_a_slope(way):
    clip, factor = CASES[0].clip, 100.0 if way == "100 times as large" else 1.0
    skeleton, (other,) = WAYS[way](FIGURE, [clip])
    corners = np.array([[x, y, 0.2 * x - 0.1 * y] for x, y in ((-9, -9), (9, -9), (9, 9), (-9, 9))])
    results = [
        put_on(each, stood(figure), HeightField(scale * corners, [[0, 1, 2], [0, 2, 3]]), "Hill")[0]
        for each, figure, scale in ((clip, FIGURE, 1.0), (other, skeleton, factor))
    ]
    assert np.abs(in_world(skeleton, results[1]) / factor - in_world(FIGURE, results[0])).max() < SAME * SIZE


def test_a_figure_knows_its_own_left_back_and_up():
    """Whichever way it lies; one without legs takes the world's."""
    axes = stood(FIGURE).standing_axes
    assert np.degrees(np.arccos(np.clip(np.diag(axes), -1.0, 1.0))).max() < 2.0
    for way in (placed((90.0, 0.0, 0.0)), placed((30.0, 80.0, -20.0)), placed((0.0, 180.0, 0.0))):
        lying, _ = resting(FIGURE, [CASES[0].clip], way)
        assert np.abs(stood(lying).standing_axes - way[:3, :3] @ axes).max() < 1e-9
    trunk = replace(FIGURE, bones=FIGURE.bones[:5])
    assert np.array_equal(stood(trunk).standing_axes, np.eye(3))
