# SPDX-License-Identifier: GPL-3.0-or-later
"""Dynamic programming over a whole grid of nodes, an anti-diagonal at a time: the quickest way where nothing limits a path.

Costs are counted from what it takes to go down to a row and across to a column without being anywhere. So counted, moves
across and down are free, straight ones save something, and being at a node costs.
"""

import numpy as np


def diagonals(costs, ends=(False, False)):
    """The cheapest path (nodes, 2) of all."""
    rows, columns = costs.shape
    straight, there = costs.block(slice(0, rows), slice(0, columns))
    saved = None  # where a straight move costs no more than being there, and others no less
    if straight is not there or costs.down.any() or costs.across.any():
        saved = skewed(straight - there - costs.down[:, None] - costs.across)
    travel = np.cumsum(costs.across) - costs.across[0]
    begin = there[0] - travel if ends[0] else there[0, :1]
    paid = cumulated(skewed(there), saved, begin.tolist(), rows, columns)
    last = int(np.argmin(paid[rows:, rows] + travel)) if ends[1] else columns - 1
    return walk(paid, saved, rows - 1, last, ends[0])


def skewed(grid):
    """The same by diagonal and row, so that a diagonal lies side by side."""
    rows, columns = grid.shape
    result = np.empty((rows + columns - 1, rows))
    down, along = result.strides
    np.lib.stride_tricks.as_strided(result, grid.shape, (down + along, down))[:] = grid
    return result


def cumulated(there, saved, begin, rows, columns):
    """What the cheapest way to each node costs, (1 + diagonals, 1 + rows + 1), with infinity around the grid."""
    paid = np.empty((rows + columns, rows + 2))
    paid[0] = paid[:, 0] = paid[np.arange(1, rows + 1), np.arange(2, rows + 2)] = np.inf
    older = before = paid[0]
    for diagonal in range(rows + columns - 1):
        low, high = max(diagonal - columns + 1, 0), min(diagonal, rows - 1) + 1
        now = paid[diagonal + 1]
        here, straight = now[low + 1:high + 1], older[low:high]
        np.minimum(before[low:high], before[low + 1:high + 1], out=here)
        np.minimum(here, straight if saved is None else straight + saved[diagonal, low:high], out=here)
        here += there[diagonal, low:high]
        if diagonal < len(begin):
            here[0] = min(here[0], begin[diagonal])
        older, before = before, now
    return paid


def walk(paid, saved, row, column, open_start):
    """The way back from a node: at every node the cheapest of the moves that can have led there."""
    width, paid, saved = paid.shape[1], memoryview(paid.ravel()), saved if saved is None else memoryview(saved)
    nodes = [(row, column)]
    while row or column and not open_start:
        place = (row + column) * width + row  # of what the node above has paid; beside it is the one on the left
        straight = paid[place - width] + (saved[row + column, row] if saved else 0.0)
        if straight <= paid[place] and straight <= paid[place + 1]:
            row, column = row - 1, column - 1
        elif paid[place] < paid[place + 1]:
            row -= 1
        else:
            column -= 1
        nodes.append((row, column))
    return np.array(nodes)[::-1]
