# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars go along with time, and are the same after they were written and read."""

import numpy as np
import pytest
from motion_signal.core.body.contacts import Origin, carried
from motion_signal.core.motion.bars import (
    KINDS,
    Bar,
    bars_from_json,
    bars_to_json,
    contact_bars,
    contacts_from,
    in_order,
    retimed,
)
from motion_signal.core.numeric.refusal import Refusal


def made_bars(generator, count, last):
    bars = []
    for _ in range(count):
        first = int(generator.integers(1, last))
        long = int(generator.integers(0, last - first + 1))
        kind = KINDS[generator.integers(len(KINDS))]
        bars.append(Bar(kind, first, first + long, "hand", float(generator.normal()), "mm", "off", "on a rail"))
    return in_order(bars)


@pytest.mark.parametrize("seed", range(20))
def test_bars_read_as_they_were_written(seed):
    bars = made_bars(np.random.default_rng(seed), 12, 200)
    assert bars_from_json(bars_to_json(bars)) == bars


@pytest.mark.parametrize(
    "text", ['{"kind": 1}', "[", "[3]", '[{"kind": "pin", "first": 3}]', '[{"kind": "hat", "first": 1, "last": 2}]',
             '[{"kind": "pin", "first": 9, "last": 2}]', '[{"kind": "pin", "first": 1, "last": "2"}]',
             '[{"kind": "pin", "first": 1, "last": 2, "color": 3}]', '[{"kind": "pin", "first": 1, "last": Infinity}]']
)  # fmt: skip
def test_a_text_that_is_no_bars_is_refused(text):
    with pytest.raises(Refusal, match="bars"):
        bars_from_json(text)


@pytest.mark.parametrize("seed", range(20))
def test_bars_go_where_their_frames_go(seed):
    """Every frame of the result lies in a bar if the moment of the take that it shows did."""
    generator = np.random.default_rng(seed)
    clock = 1.0 + np.cumsum(generator.uniform(0.1, 2.5, 120))
    clock -= clock[0] - 5.0
    bars = [bar for bar in made_bars(generator, 6, int(clock[-1])) if bar.last - bar.first > 3]
    frames = 31 + np.arange(len(clock))
    for bar in bars:
        moved = retimed([bar], clock, 31)
        inside = (clock >= bar.first) & (clock <= bar.last)
        now = np.any([(frames >= each.first - 1e-9) & (frames <= each.last + 1e-9) for each in moved] or [inside < 0], axis=0)
        np.testing.assert_array_equal(now, inside)
        assert all((each.bone, each.size, each.state) == (bar.bone, bar.size, bar.state) for each in moved)


def test_a_loop_has_its_bars_in_every_round_and_what_is_from_elsewhere_has_none():
    clock = np.concatenate([10.0 + np.arange(20), 10.0 + np.arange(20), np.full(5, np.nan)])
    (first, second) = retimed([Bar("pin", 12, 15, "hand")], clock, 1)
    assert (first.first, first.last, second.first, second.last) == (3, 6, 23, 26)
    assert retimed([Bar("beat", 40, 40)], clock, 1) == ()


@pytest.mark.parametrize("seed", range(10))
def test_contacts_as_bars_go_where_contacts_go(seed):
    """The slow way of contacts, frame by frame, is the oracle where frames go to frames."""
    generator = np.random.default_rng(seed)
    rows = np.concatenate([np.arange(5, 60), np.arange(20, 80)])
    edges = np.sort(generator.choice(np.arange(1, 90), 8, replace=False)).reshape(-1, 2)
    contacts = {"left_toe": [[int(first), int(last)] for first, last in edges if last > first + 1]}

    class Take:
        first_frame = 1

    expected = carried([Origin(Take, rows)], lambda clip: contacts, 7)["left_toe"]
    found = contacts_from(retimed(contact_bars(contacts), 1.0 + rows, 7)).get("left_toe", [])
    assert [span for span in found if span[1] > span[0]] == expected or bridged(found) == expected


def bridged(spans):
    """Where one round of a loop ends planted and the next begins so, the slow way sees one contact."""
    result = []
    for first, last in spans:
        if result and first == result[-1][1] + 1:
            result[-1][1] = last
        else:
            result.append([first, last])
    return [span for span in result if span[1] > span[0]]
