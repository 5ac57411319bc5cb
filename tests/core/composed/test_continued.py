# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes that go on in others of a library: joined where they are alike, with feet that stand."""

from dataclasses import replace

import made_library
import made_takes
import numpy as np
import pytest
from motion_signal.core.body.contacts import find_contacts
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.report import report
from motion_signal.core.body.roles import find_roles
from motion_signal.core.composed import continued as module
from motion_signal.core.composed.along_curve import laid_along, links_along, walked
from motion_signal.core.composed.continued import chained, continued, joining, recipe_of
from motion_signal.core.composed.tried import proved
from motion_signal.core.library.features import features_of
from motion_signal.core.library.find import Hit
from motion_signal.core.library.following import find_next
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.recipes.run import run

NAMES = ("walk", "slow", "fast", "turn", "limp")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return made_library.library(tmp_path_factory.mktemp("library"), NAMES)


def read(hit):
    made = made_takes.take(hit.path)
    return made.clip, made.skeleton


def steps(clip, skeleton):
    """Degrees that each bone turns from row to row."""
    turns = skeleton.local(clip)[0]
    cosines = (np.einsum("fbij,fbij->fb", turns[1:], turns[:-1]) - 1.0) / 2.0
    return np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))


@pytest.mark.parametrize("start", ["walk", "turn", "fast"])
def test_a_chain_has_no_pop_at_its_joins_and_its_feet_stand(library, start):
    made = made_takes.take(start)
    links = chained(library, made.clip, made.skeleton, read, 3, 1.2, {start})
    assert len({start, *(link.hit.path for link in links)}) == 4
    recipe, takes = recipe_of(links)
    joined = run(recipe, made.clip, made.skeleton, takes=takes)
    quickest = max(steps(clip, made.skeleton).max() for clip in (made.clip, *takes.values()))
    assert steps(joined, made.skeleton).max() < 1.2 * quickest
    planted = find_contacts(joined, made.skeleton)
    locked = continued(made.clip, made.skeleton, links)
    assert locked.frames == joined.frames and report(locked, made.skeleton, contacts=planted)["slide_mean_mm"] < 1.0
    assert steps(locked, made.skeleton).max() < 1.2 * quickest


def test_a_take_that_lies_as_a_whole_goes_on_as_it_does_on_its_feet(library):
    made = made_takes.take("walk")
    plain, lying = (
        chained(library, made.clip, skeleton, read, 1, 1.2, {"walk"})[0]
        for skeleton in (made.skeleton, made_library.lying(made.skeleton))
    )
    assert (lying.hit.path, lying.leave, lying.enter) == (plain.hit.path, plain.leave, plain.enter)
    assert np.abs(lying.clip.values - plain.clip.values).max() < 1e-6


def test_a_take_from_which_nothing_goes_on_is_exchanged_for_another(monkeypatch):
    made = made_takes.take("walk")
    dead_end, good, last = (made.clip.with_values(made.clip.values) for _ in range(3))

    def nearest(library, now, skeleton, entered, begun, seconds, used, read, more):
        if now is dead_end:
            raise Refusal("nothing could follow")
        name, clip = next(each for each in (("end", dead_end), ("good", good), ("last", last)) if each[0] not in used)
        return 0.2, module.Link(Hit(name, "", 0, 1, False, 0.0, 0), clip, 0, 0, 0.0)

    monkeypatch.setattr(module, "next_best", nearest)
    links = chained(None, made.clip, made.skeleton, read, 2)
    assert [link.hit.path for link in links] == ["good", "end"]
    with pytest.raises(Refusal, match="nothing could follow"):
        chained(None, dead_end, made.skeleton, read, 1)


def test_the_result_is_the_one_take_before_a_join_and_the_other_after_it(library):
    made = made_takes.take("walk")
    (link,) = links = chained(library, made.clip, made.skeleton, read, 1, 1.2, {"walk"})
    recipe, takes = recipe_of(links)
    joined = run(recipe, made.clip, made.skeleton, takes=takes)
    leave, enter = link.leave - made.clip.first_frame, link.enter - link.clip.first_frame
    span = round(link.transition * made.clip.fps / 2) + 2
    assert joined.frames == leave - enter + link.clip.frames
    assert np.allclose(steps(joined, made.skeleton)[: leave - span], steps(made.clip, made.skeleton)[: leave - span], atol=1e-3)
    after = steps(joined, made.skeleton)[leave + span :], steps(link.clip, made.skeleton)[enter + span :]
    inner = [index for index, bone in enumerate(made.skeleton.bones) if bone.parent >= 0]
    assert np.allclose(after[0][:, inner], after[1][:, inner], atol=1e-3)


def test_what_comes_next_begins_alike_and_has_something_after_it(library):
    made = made_takes.take("walk")
    features = features_of(made.clip, made.skeleton)
    hits = find_next(library, features, 150, 1.0)
    assert hits[0].path == "walk" and hits[0].distance < 0.1
    assert all(hit.last - hit.first >= 60 for hit in hits)
    assert [hit.distance for hit in hits] == sorted(hit.distance for hit in hits)
    with pytest.raises(Refusal, match="outside the motion"):
        find_next(library, features, 9000)


def test_a_library_that_has_nothing_more_says_so(library):
    made = made_takes.take("walk")
    with pytest.raises(Refusal, match="nothing in it could follow"):
        chained(library, made.clip, made.skeleton, read, 9, 1.2, {"walk"})


@pytest.mark.parametrize("bend", [0.0, 0.8, -0.8])
def test_a_curve_is_gone_along_to_its_end(library, bend):
    made = made_takes.take("walk")
    angles = bend * np.sin(np.linspace(0.0, 2.0 * np.pi, 100))
    points = np.cumsum(np.column_stack([np.cos(angles), np.sin(angles)]) * 0.08, axis=0)
    links = links_along(library, made.clip, made.skeleton, read, points, budget=120.0)
    result = laid_along(made.clip, made.skeleton, links, points)
    _, hips = Legs(made.skeleton, find_roles(made.skeleton)).places(result)
    off = np.array([np.linalg.norm(points - place, axis=1).min() for place in hips[::6, :2]])
    assert off.mean() < 0.15 and np.linalg.norm(hips[-1, :2] - points[-1]) < 0.6


def test_where_a_stretch_leads_is_told_from_its_features():
    made = made_takes.take("turn")
    features = features_of(made.clip, made.skeleton)
    places, headings = walked(features, 0, features.rows - 1, 0.0, 0.0)
    hips = made.hips[:: round(made.clip.fps / 30.0), :2] - made.hips[0, :2]
    there = hips[:, 0] + 1j * hips[:, 1]
    turn = np.exp(1j * np.angle(there[len(there) // 2] / places[len(there) // 2]))
    assert np.abs(places[: len(there)] * turn - there).max() < 0.06
    assert np.degrees(headings[-1]) == pytest.approx(made.turn, abs=12.0)


def test_a_curve_too_short_or_a_take_that_stands_is_refused(library):
    made, kick = made_takes.take("walk"), made_takes.take("kick")
    with pytest.raises(Refusal, match="no way to go along"):
        links_along(library, made.clip, made.skeleton, read, [(0, 0), (0.3, 0)])
    with pytest.raises(Refusal, match="is the slowest that goes along a curve"):
        links_along(library, kick.clip, kick.skeleton, read, [(0, 0), (9, 0)])


def test_a_join_at_which_a_calm_joint_whips_round_is_no_good_however_fast_another_is_in_the_takes(library):
    made = made_takes.take("walk")
    (link,) = chained(library, made.clip, made.skeleton, read, 1, 1.2, {"walk"})
    link = replace(link, transition=0.1)
    step, begun = joining(link, 0, "next"), made.clip.first_frame
    calm = proved(made.clip, link, made.skeleton, step, begun, 1.0)
    flipping = [turned(each, "LeftHand", np.where(np.arange(each.frames) % 2, 170.0, 0.0)) for each in (made.clip, link.clip)]
    whipped = replace(link, clip=turned(flipping[1], "RightArm", 140.0))
    proof = proved(flipping[0], whipped, made.skeleton, step, begun, 1.0)
    assert proof.faster < 0.1 and proof.jumps > 1.0 > calm.jumps and proof.cost >= proof.jumps


def turned(clip, name, degrees):
    """A clip with the first angle of a bone changed."""
    values, size = clip.values.copy(), np.radians(degrees)
    (column,) = (
        column
        for column, channel in enumerate(clip.channels)
        if channel.owner == name and channel.kind != "LOCATION" and channel.index == 0
    )
    values[:, column] += size
    return clip.with_values(values)
