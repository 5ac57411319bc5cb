# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of a longer motion that is most like a shorter one, of many pairs at once.

Dynamic time warping with open ends (Mueller, Information Retrieval for Music and Motion, 2007, sections 4.4 and 7.2): from
one row of the query to the next the other goes on by one or two of its rows, or by one while the query goes on by two. So the
other is never more than twice as fast or as slow, and every row of the query counts once. All that a row needs is in rows
before it, so that all columns of all pairs are done together.
"""

import numpy as np


def best_parts(costs):
    """Of costs (pairs, rows of the query, rows of the other): the least mean cost of each pair, the first and the last row
    of the part of the other that has it. What is infinite is never passed."""
    pairs, rows, columns = costs.shape
    paid, begun = np.full((3, pairs, columns + 2), np.inf), np.zeros((3, pairs, columns + 2), np.int32)
    paid[0, :, 2:], begun[0, :, 2:] = costs[:, 0], np.arange(columns)
    for row in range(1, rows):
        now, last, before = row % 3, (row - 1) % 3, (row - 2) % 3
        here = costs[:, row]
        steady, faster = paid[last, :, 1:-1], paid[last, :, :-2]
        best, start = steady.copy(), begun[last, :, 1:-1].copy()
        better = faster < best
        best[better], start[better] = faster[better], begun[last, :, :-2][better]
        best += here
        if row > 1:
            slower = paid[before, :, 1:-1] + 2.0 * here
            better = slower < best
            best[better], start[better] = slower[better], begun[before, :, 1:-1][better]
        paid[now, :, 2:], begun[now, :, 2:] = best, start
    final = (rows - 1) % 3
    ends = paid[final, :, 2:].argmin(axis=1)
    every = np.arange(pairs)
    return paid[final, every, ends + 2] / rows, begun[final, every, ends + 2], ends
