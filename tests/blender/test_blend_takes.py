# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded takes mixed and joined: feet stand where steps are brought together, and walking goes over into running."""

from dataclasses import replace

import numpy as np
import pytest
from bl_ext.dev.motion_signal.core.body.contacts import find_contacts
from bl_ext.dev.motion_signal.core.body.figure import Legs
from bl_ext.dev.motion_signal.core.body.report import strayed
from bl_ext.dev.motion_signal.core.body.roles import find_roles
from bl_ext.dev.motion_signal.core.declare.technique import Surroundings
from bl_ext.dev.motion_signal.core.mixing.weights import BlendTake
from bl_ext.dev.motion_signal.core.motion.ground import Ground
from bl_ext.dev.motion_signal.core.techniques.several_takes.blend import BLEND, BlendParams
from bl_ext.dev.motion_signal.core.techniques.several_takes.join import JOIN, JoinParams
from bl_ext.dev.motion_signal.core.timing.align import ALIGNMENTS, paced

pytestmark = pytest.mark.only("5.2")  # what it tries is not Blender's

METRE = 0.0564444  # of one unit of the recordings
FPS = 120.0


@pytest.fixture
def take(recorded):
    """A recorded take without the T-pose in front, and its skeleton."""

    def read(name):
        clip = recorded(name).clip
        return replace(clip, values=clip.values[1:], first_frame=2), recorded(name).skeleton

    return read


def standing(skeleton, figure, clip, roles):
    """When every point of the feet stands, (frames, points)."""
    contacts = find_contacts(clip, skeleton, roles)
    result = np.zeros((clip.frames, len(figure.points)), dtype=bool)
    for column, point in enumerate(figure.points):
        for first, last in contacts[point] if figure.on_foot[column] else ():
            result[first - clip.first_frame : last - clip.first_frame + 1, column] = True
    return result


def stances(both, shortest=12):
    """(point, rows) of every stretch of frames that is long enough to be a step."""
    for point, column in enumerate(both.T):
        edges = np.flatnonzero(np.diff(column.astype(int), prepend=0, append=0))
        yield from ((point, slice(start, end)) for start, end in zip(edges[::2], edges[1::2]) if end - start >= shortest)


def mean_slide(figure, clip, plants):
    places = figure.places(clip)[0][..., :2]
    return np.mean([strayed(places[rows, point]) for point, rows in plants])


@pytest.mark.parametrize(
    ("one", "other"), [("cmu_82_10", "cmu_82_12"), ("cmu_137_16", "cmu_111_13")], ids=["sad and happy", "drunk and marching"]
)
def test_feet_stand_in_a_blend_whose_steps_are_brought_together_and_slide_in_one_whose_steps_are_not(take, one, other):
    (clip, skeleton), (second, _) = take(one), take(other)
    surroundings = Surroundings(skeleton, takes={"other": second})
    roles = find_roles(skeleton)
    process, figure = BLEND.open(clip, surroundings), Legs(skeleton, roles)
    apart, together = (process(BlendParams(takes=({"action": "other"},), alignment=way)) for way in ("NONE", "TIMEWARP"))

    alignment = ALIGNMENTS["TIMEWARP"](clip, second, BlendTake("other"), surroundings)
    rows, _ = paced(np.stack([np.arange(clip.frames), alignment]), np.array([[0.5], [0.5]]))
    own, theirs = (standing(skeleton, figure, these, roles) for these in (clip, second))
    both = own & theirs[np.rint(alignment).astype(int)]
    plants = {"together": list(stances(both[np.rint(rows).astype(int)])), "apart": list(stances(both[: apart.frames]))}
    source = np.mean([mean_slide(figure, these, list(stances(down))) for these, down in ((clip, own), (second, theirs))])
    slid = {name: mean_slide(figure, mix, plants[name]) / source for name, mix in (("together", together), ("apart", apart))}
    print(
        f"{one} and {other}: feet slide {1000 * source:.1f} mm in the takes, {slid['together']:.2f} times that with "
        f"registration ({len(plants['together'])} stances), {slid['apart']:.2f} times without ({len(plants['apart'])})"
    )
    assert slid["together"] < 1.3 < slid["apart"]
    assert len(plants["together"]) > 12


@pytest.mark.parametrize("by_bands", [False, True])
def test_a_walk_goes_over_into_a_run_without_a_jump(take, by_bands):
    (walk, skeleton), (run, _) = take("cmu_07_01"), take("cmu_16_36")
    result = JOIN.run(walk, JoinParams(take="run", by_bands=by_bands), Surroundings(skeleton, takes={"run": run}))

    def steps(clip):
        heads = skeleton.forward(*skeleton.local(clip))[1]
        headings = Ground([clip], skeleton).taken_off(clip.values)[1].headings
        return np.append(np.linalg.norm(np.diff(heads, axis=0), axis=2).max(axis=0), np.abs(np.diff(headings)).max())

    worst = steps(result) / np.maximum(steps(walk), steps(run))
    print(f"walk to run: the largest step of a joint {worst[:-1].max():.2f}, of the heading {worst[-1]:.2f} of the sources'")
    assert worst.max() < 1.2
