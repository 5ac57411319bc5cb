# SPDX-License-Identifier: GPL-3.0-or-later
"""Find: what was cut out, retimed, turned about and mirrored is found where it is from."""

import made_library
import made_takes
import numpy as np
import pytest
from motion_signal.core.library import find
from motion_signal.core.library.alike import moments, shown
from motion_signal.core.library.features import features_of
from motion_signal.core.library.ways import find_way
from motion_signal.core.numeric.refusal import Refusal


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return made_library.library(tmp_path_factory.mktemp("library"))


def names(library):
    return [entry.path for entry in library.entries]


APART = ("turn", "run", "kick", "limp")  # a made walk at another pace is another made walk


@pytest.fixture(scope="module")
def unlike(tmp_path_factory):
    return made_library.library(tmp_path_factory.mktemp("unlike"), APART)


@pytest.mark.parametrize("pace", [0.8, 1.0, 1.2])
@pytest.mark.parametrize("seed", range(8))
def test_a_stretch_is_found_first_retimed_turned_and_mirrored(unlike, seed, pace):
    random = np.random.default_rng(seed)
    name = APART[seed % 4]
    made = made_takes.take(name)
    first = int(random.integers(1, made.clip.frames - 150))
    cut = made.clip.with_values(made.clip.values[first : first + 140])
    mirror = seed < 4
    asked = made_library.changed(cut, made.skeleton, pace, random.uniform(-3, 3), random.uniform(-5, 5, 2), mirror)
    best = find.find_like(unlike, features_of(asked, made.skeleton))[0]
    assert best.path == name
    period = 120.0 * made.stride  # made walks come round: another of the same strides is as good, mirrored by half a stride
    apart = min(abs(best.first - first - 1 - shift * period) for shift in np.arange(-6, 6.5, 0.5)) if period else 0.0
    assert apart < 15 and (period or best.mirrored == mirror) and best.distance < 0.1


def test_how_far_apart_is_the_mean_distance_of_the_places(library):
    """A stretch held against itself with a hand raised by so much."""
    features = library.features(names(library).index("kick"))
    best = find.find_like(library, features.between(100, 300))[0]
    assert best.path == "kick" and best.distance < 0.01
    rows = moments(features)
    raised = rows.copy()
    raised[:, 6] += 0.1  # one of the axes of one of the places
    cost = ((raised - rows) ** 2).sum(axis=1).mean()
    assert shown(cost) == pytest.approx(0.1 / np.sqrt(7.0), rel=1e-3)


def test_a_pose_is_found_where_it_is(library):
    features = library.features(names(library).index("kick"))
    frame = features.frame(40)
    best = find.find_pose(library, features.between(frame, frame))[0]
    assert (best.path, best.first, best.last) == ("kick", frame, frame) and best.distance < 1e-3


def test_hits_are_in_order_and_none_is_told_twice(library):
    hits = find.find_like(library, library.features(names(library).index("walk")).between(50, 200), 50)
    assert [hit.distance for hit in hits] == sorted(hit.distance for hit in hits)
    for one in hits:
        for other in hits:
            shared = min(one.last, other.last) - max(one.first, other.first) + 1
            shorter = min(hit.last - hit.first + 1 for hit in (one, other))
            assert one is other or one.take != other.take or shared <= 0.5 * shorter


def test_walks_are_more_alike_than_runs_and_kicks(library):
    order = [hit.path for hit in find.find_like(library, library.features(names(library).index("walk")).between(50, 200), 200)]
    best = {name: order.index(name) for name in made_library.NAMES if name in order}
    assert max(best[name] for name in ("slow", "turn", "limp")) < min(best.get(name, 999) for name in ("run", "kick"))


def test_one_frame_is_no_stretch_and_one_longer_than_all_takes_is_not_found(library):
    with pytest.raises(Refusal, match="one frame is a pose"):
        find.find_like(library, library.features(names(library).index("walk")).between(50, 50))
    long = library.features(names(library).index("turn"))
    repeated = long.__class__(np.tile(long.values, (8, 1)), np.tile(long.marks, 8), long.fps, 1, long.leg)
    with pytest.raises(Refusal, match="no take of the library is as long"):
        find.find_like(library, repeated)


@pytest.mark.parametrize("seed", range(5))
def test_a_way_that_a_take_goes_is_found_there(library, seed):
    random = np.random.default_rng(seed)
    made = made_takes.take("turn")
    path = made.hips[:, :2]
    turn = random.uniform(-3, 3)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    drawn = path[60:420] @ spin.T * [1.0, -1.0 if seed % 2 else 1.0] + random.uniform(-5, 5, 2)
    best = find_way(library, drawn)[0]
    assert best.path == "turn" and best.mirrored == bool(seed % 2) and best.distance < 0.05
    assert abs(best.first - 61) < 45 and abs(best.last - 420) < 45


def test_a_way_without_length_or_longer_than_all_is_refused(library):
    with pytest.raises(Refusal, match="shortest way"):
        find_way(library, [(0, 0), (0.1, 0)])
    with pytest.raises(Refusal, match="no take of the library goes as far"):
        find_way(library, [(0, 0), (500, 0)])
    with pytest.raises(Refusal, match="two points"):
        find_way(library, [(0, 0)])
