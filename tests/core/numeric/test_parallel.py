# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks: every channel once, results in order."""

import pytest
from motion_signal.core.numeric.parallel import PARTS, blocks, each


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 100, 1001])
@pytest.mark.parametrize("least", [1, 8, 5000])
def test_blocks_cover_every_channel_once(count, least):
    found = blocks(count, least)
    assert [index for block in found for index in range(count)[block]] == list(range(count))
    assert len(found) <= PARTS
    assert all(block.stop - block.start >= min(least, count) for block in found[:-1])


def test_each_gives_results_in_order_and_passes_errors_on():
    assert each(lambda item: item * item, list(range(50))) == [item * item for item in range(50)]
    with pytest.raises(ZeroDivisionError):
        each(lambda item: 1 / item, [1, 0, 2])
