# SPDX-License-Identifier: GPL-3.0-or-later
"""The cheapest correspondence of two takes, frame by frame (Bruderlin and Williams 1995, section 3.2.1).

A path of nodes (row of the one take, column: row of the other) leads from the first of both to the last of both. A move
goes on in both (straight), only in the other (across) or only in the one (down), never back. It costs what its kind and
the node that it arrives at say; the path costs least of all there are (see sweep).

`costs` has `shape` (rows, columns); `block(rows, columns)` for two slices: what arriving straight costs in all and what
being there costs; `across` (columns,) and `down` (rows,): what such a move costs besides being there; `part(rows, columns)`:
the same question for two slices only; and `halved()`: the same for half as many rows and columns.
"""

from itertools import pairwise

import numpy as np

from .dtw_corridor import sweep

WHOLE = 1_000_000  # nodes up to which all of them are looked at
COARSEST = 160_000  # nodes at which coarse to fine begins
RADIUS = 8  # nodes that a path may stray from the coarser one, in every direction


def correspondence(costs, anchors=(), limits=None, open_ends=False, whole=WHOLE):
    """The cheapest path (nodes, 2), first and last node included.

    `anchors` are nodes that it must pass, in order. `limits` say how many moves across, and how many down, may follow on one
    straight move before the next. With `open_ends` it may begin and end in any column. With more than `whole` nodes between
    anchors it is looked for near the path of half the resolution.
    """
    rows, columns = costs.shape
    stops = [(0, 0)] * ((0, 0) not in anchors) + list(anchors)
    stops += [(rows - 1, columns - 1)] * (stops[-1] != (rows - 1, columns - 1))
    path = [np.array(stops[:1])]
    for index, ((row, column), (last_row, last_column)) in enumerate(pairwise(stops)):
        part = costs.part(slice(row, last_row + 1), slice(column, last_column + 1))
        ends = tuple(open_ends and stop not in anchors for stop in stops[index : index + 2])
        found = solved(part, limits, ends, whole) + [row, column]
        path = [*path, found[1:]] if index else [found]
    return np.concatenate(path)


def solved(costs, limits, ends, whole=0):
    """The cheapest path from corner to corner, or from and to anywhere in the first and the last row where `ends` are open."""
    rows, columns = costs.shape
    if rows * columns <= max(whole, COARSEST) or min(rows, columns) < 4 * RADIUS:
        whole = (np.zeros(rows, int), np.full(rows, columns))
        return sweep(costs, *whole, limits, ends) if limits else diagonals(costs, ends)
    return sweep(costs, *corridor(solved(costs.halved(), limits, ends), costs.shape), limits, ends)


def corridor(path, shape):
    """The first column and the one behind the last, of every row, that are near a path of half the resolution."""
    rows, columns = shape
    low, high = np.full((rows + 1) // 2, columns), np.zeros((rows + 1) // 2, int)
    np.minimum.at(low, path[:, 0], 2 * path[:, 1])
    np.maximum.at(high, path[:, 0], 2 * path[:, 1] + 2)
    row = np.arange(rows)
    return (
        np.maximum(low[np.maximum(row - RADIUS, 0) // 2] - RADIUS, 0),
        np.minimum(high[np.minimum(row + RADIUS, rows - 1) // 2] + RADIUS, columns),
    )


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
        here, straight = now[low + 1 : high + 1], older[low:high]
        np.minimum(before[low:high], before[low + 1 : high + 1], out=here)
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
        index = (row + column) * width + row  # of what the node above has paid; beside it is the one on the left
        straight = paid[index - width] + (saved[row + column, row] if saved else 0.0)
        if straight <= paid[index] and straight <= paid[index + 1]:
            row, column = row - 1, column - 1
        elif paid[index] < paid[index + 1]:
            row -= 1
        else:
            column -= 1
        nodes.append((row, column))
    return np.array(nodes)[::-1]
