# SPDX-License-Identifier: GPL-3.0-or-later
"""Dynamic programming over a grid of nodes, a whole row at a time: the part of a correspondence that does the search.

What arrives straight at a row may go on across or down for as long as the limits allow. Runs across are a running minimum of
what was paid less what a run from the first column on costs; runs down are carried from row to row. A corner, across
and then down, is never cheaper than the straight move that cuts it, and so is not looked for.
"""

import numpy as np

from ..numeric.refusal import Refusal

BLOCK = 64  # rows whose costs are worked out together
ROUNDING = 1e-12


def sweep(costs, first, behind, limits=None, ends=(False, False)):
    """The cheapest path (nodes, 2) that keeps to the columns from `first` to before `behind` of every row."""
    grid = Grid(first, behind, ends[0])
    straight, fall, run, paid = grid.straight, grid.fall, grid.run, grid.paid
    across = across_freely if limits is None else across_within(limits[0])
    down = FreeFall() if limits is None else Fall(limits[1], costs.shape[1])
    for low, high, start, end, above, here in grid.rows(costs):
        before = paid[above : above + high - low + 1]
        arrived = before[:-1] + straight[start:end]
        result = across(arrived)
        result += run[start:end]
        np.minimum(result, down.onto(low, high, fall[start:end], before), out=paid[here : here + high - low])
        down.leave(low, high, arrived, run[start:end])
    return Backtrack(grid, limits, ends).path()


class Grid:
    """The costs of all nodes of a corridor, row after row in one array each.

    `run`: what going across from the left costs, of which only differences within a row count; `straight`: arriving straight,
    less that; `fall`: arriving from above. `paid`, what the way to a node has cost, has margins of infinity for what lies
    beside the corridor, and a row above the first, from which the path begins.
    """

    def __init__(self, first, behind, open_start):
        self.first, self.behind = first, behind
        self.starts = np.concatenate([[0], np.cumsum(behind - first)])
        self.straight, self.fall, self.run = np.empty((3, self.starts[-1]))
        left = np.concatenate([first[:1], first]) - 1
        widths = np.concatenate([behind, behind[-1:]]) - left
        begins = np.concatenate([[0], np.cumsum(widths)])
        self.above, self.here = begins[:-2] + first - 1 - left[:-1], begins[1:-1] + 1
        self.paid = np.full(begins[-1], np.inf)
        self.paid[: widths[0] if open_start else 1] = 0.0

    def fill(self, costs, rows):
        columns = slice(self.first[rows].min(), self.behind[rows].max())
        straight, there = costs.block(rows, columns)
        if rows.start == 0:
            straight[0] = there[0]
        run = np.cumsum(there + costs.across[columns], axis=1)
        cells = slice(self.starts[rows.start], self.starts[rows.stop])
        inside = ...
        if cells.stop - cells.start < run.size:
            column = np.arange(columns.start, columns.stop)
            inside = (column >= self.first[rows, None]) & (column < self.behind[rows, None])
        self.run[cells] = run[inside].ravel()
        self.straight[cells] = (straight - run)[inside].ravel()
        self.fall[cells] = (there + costs.down[rows, None])[inside].ravel()

    def rows(self, costs):
        """First column, the one behind the last, and the indices in the arrays: costs, paid in the row above, paid here.

        The costs of some rows are worked out when the first of them is asked for, and so are still at hand.
        """
        arrays = (self.first, self.behind, self.starts[:-1], self.starts[1:], self.above, self.here)
        for top in range(0, len(self.first), BLOCK):
            rows = slice(top, min(top + BLOCK, len(self.first)))
            self.fill(costs, rows)
            yield from zip(*(array[rows].tolist() for array in arrays))


def across_freely(arrived):
    return np.minimum.accumulate(arrived)


def across_within(limit):
    """The least of every entry and of the `limit` ones before it."""

    def across(arrived):
        result, width = arrived, 1
        while width <= limit:  # windows of twice the width, then of what is left
            step = min(width, limit + 1 - width)
            narrow, result = result, result.copy()
            np.minimum(narrow[step:], narrow[:-step], out=result[step:])
            width += step
        return result if limit else arrived.copy()

    return across


class FreeFall:
    """Runs down without a limit: they go on from whatever the row above has paid."""

    def leave(self, low, high, arrived, run):
        """Nothing is kept: whatever was arrived at is in what the row has paid."""

    def onto(self, low, high, fall, before):
        return before[1:] + fall


class Fall:
    """Runs down, column by column, one for each of the latest rows that they may have begun in."""

    def __init__(self, limit, columns):
        self.runs, self.limit, self.oldest = np.full((max(limit, 1), columns), np.inf), limit, 0

    def leave(self, low, high, arrived, run):
        if self.limit:
            np.add(arrived, run, out=self.runs[self.oldest, low:high])
            self.oldest = (self.oldest + 1) % self.limit

    def onto(self, low, high, fall, before):
        runs = self.runs[:, low:high]
        runs += fall
        return np.minimum.reduce(runs, axis=0)


class Backtrack:
    """The way back from the end: at every node the cheapest of the moves that can have led there."""

    def __init__(self, grid, limits, ends):
        self.first, self.behind, self.starts = grid.first.tolist(), grid.behind.tolist(), grid.starts.tolist()
        self.above, self.here = grid.above.tolist(), grid.here.tolist()
        self.straight, self.fall, self.run, self.paid = map(memoryview, (grid.straight, grid.fall, grid.run, grid.paid))
        self.limits, self.ends = limits, ends

    def path(self):
        row, column = len(self.first) - 1, self.behind[-1] - 1
        last = np.asarray(self.paid[self.here[-1] :])
        if self.ends[1]:
            column = self.first[-1] + int(last.argmin())
        if not np.isfinite(last[column - self.first[-1]]):
            raise Refusal(f"limits: {self.limits} allow no way from {len(self.first)} to {self.behind[-1]} frames")
        nodes = [(row, column)]
        back = self.one_back if self.limits is None else self.run_back
        while row or column and not self.ends[0]:
            nodes += back(row, column)
            row, column = nodes[-1]
        return np.array(nodes[::-1])

    def one_back(self, row, column):
        """The node before, where runs are free."""
        left, above = column - self.first[row], self.above[row] + column - self.first[row]
        index, here = self.starts[row] + left, self.here[row] + left
        straight = self.paid[above] + self.straight[index] + self.run[index]
        across = self.paid[here - 1] + self.run[index] - self.run[index - 1] if left else np.inf
        down = self.paid[above + 1] + self.fall[index] if row else np.inf
        if straight <= across and straight <= down:
            return [(row - 1, column - 1)]
        return [(row, column - 1)] if across < down else [(row - 1, column)]

    def run_back(self, row, column):
        """The nodes of a run back to where it was arrived at straight, and the one before that."""
        left, best, ups, lefts = column - self.first[row], self.arrived(row, column), 0, 0
        if row and best <= self.paid[self.here[row] + left] * (1 + ROUNDING):
            return [(row - 1, column - 1)]
        index, fall = self.starts[row] + left, 0.0
        for step in range(1, min(self.limits[0], left) + 1):
            cost = self.arrived(row, column - step) + self.run[index] - self.run[index - step]
            if cost < best:
                best, lefts = cost, step
        for step in range(1, min(self.limits[1], row) + 1):
            if column >= self.behind[row - step]:
                break
            fall += self.fall[self.starts[row - step + 1] + column - self.first[row - step + 1]]
            cost = self.arrived(row - step, column) + fall
            if cost < best:
                best, ups, lefts = cost, step, 0
        run = [(row, column - step) for step in range(1, lefts + 1)] + [(row - step, column) for step in range(1, ups + 1)]
        return run + [(row - ups - 1, column - lefts - 1)] * (row > ups)

    def arrived(self, row, column):
        """What the cheapest way to a node costs whose last move is straight."""
        left = column - self.first[row]
        return self.paid[self.above[row] + left] + self.straight[self.starts[row] + left] + self.run[self.starts[row] + left]
