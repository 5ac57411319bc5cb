# SPDX-License-Identifier: GPL-3.0-or-later
"""Time spent where it is seen least: the cheapest of all ways, and every length between the shortest and the longest."""

from itertools import product

import numpy as np
import pytest
from motion_signal.core.timing.spend import SeenTake, Spending, cheapest, paces_between

FPS, MOMENT = 60.0, 0.1


def seen(places):
    """Places (frames,) of one thing, and how fast it moves."""
    return SeenTake(np.column_stack([places, np.gradient(places) * FPS * MOMENT]), FPS, MOMENT)


@pytest.mark.parametrize("seed", range(8))
def test_the_way_is_the_cheapest_of_all_that_there_are(seed):
    random = np.random.default_rng(seed)
    steps, count = 5, 3
    costs, lasts = random.random((steps, count, count)), random.random(count) + 0.5
    prices = np.array([-1.0, -0.2, 0.0, 0.3, 2.0])
    found = cheapest(costs, lasts, prices)
    for price, way in zip(prices, found):

        def worth(paces, price=price):
            follow = [*paces[1:], paces[-1]]
            return sum(costs[step][own, after] + price * lasts[own] for step, (own, after) in enumerate(zip(paces, follow)))

        assert np.isclose(worth(way.tolist()), min(worth(paces) for paces in product(range(count), repeat=steps)))


def test_every_length_is_to_be_had_and_no_pace_is_beyond_the_limits():
    times = np.arange(300) / FPS
    ways = Spending(seen(np.sin(2.0 * np.pi * times) + 0.3 * np.sin(17.0 * times)), 0.5, 2.0)
    assert np.allclose(ways.bounds(), (299 / 2.0, 299 / 0.5))
    for frames in np.linspace(*ways.bounds(), 23):
        way = ways.way(frames)
        assert abs(ways.lasts(way).sum() - frames) < 1e-6
        assert np.log(0.5) - 1e-9 <= way.min() and way.max() <= np.log(2.0) + 1e-9


def test_paces_have_the_take_own_among_them():
    for slowest, fastest in ((0.5, 2.0), (1.0, 3.0), (0.2, 1.0), (0.9, 1.01)):
        paces = paces_between(slowest, fastest)
        assert 1.0 in paces and np.isclose(paces[0], slowest) and np.isclose(paces[-1], fastest) and (np.diff(paces) > 0).all()


def test_what_moves_as_the_example_does_keeps_its_pace():
    times = np.arange(240) / FPS
    own, faster = (seen(np.sin(2.0 * np.pi * rate * times)) for rate in (0.8, 1.2))
    assert abs(Spending(own, 0.5, 2.0, own).natural - 239.0) < 1.0
    assert abs(Spending(own, 0.5, 2.0, faster).natural - 239.0 / 1.5) < 0.12 * 239.0
