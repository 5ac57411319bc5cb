# SPDX-License-Identifier: GPL-3.0-or-later
"""Moments brought onto beats: which goes to which, so that most are on a beat and nothing is hurried or dragged much.

One pass of dynamic programming over pairs of a moment and a beat (after Bellini et al. 2018): as many pairs as there can be,
then as little change of pace as there can be, and between neighbours time runs no slower and no faster than is allowed. What is
after the last of them keeps its own pace; the take begins where it began.
"""

import numpy as np

REACH = 6  # pairs before, in moments and in beats, from which one may follow
LEFT_OUT = 0.35  # what a moment that is on no beat costs, in changes of pace


def assigned(moments, beats, slowest, fastest, start=0.0):
    """Pairs (pairs, 2) of a moment and the beat that it goes to, both in frames; time begins at `start` in both."""
    moments, beats = np.asarray(moments, dtype=float), np.asarray(beats, dtype=float)
    if not len(moments) or not len(beats):
        return np.empty((0, 2))
    usual = max(np.median(np.diff(beats)) if len(beats) > 1 else 1.0, 1e-9)
    cost = np.full((len(moments), len(beats)), np.inf)
    before = np.full((len(moments), len(beats), 2), -1)
    for row, moment in enumerate(moments):
        for column, beat in enumerate(beats):
            if beat > start and moment > start and slowest <= (moment - start) / (beat - start) <= fastest:
                cost[row, column] = LEFT_OUT * row + change(moment - start, beat - start, usual)
            for back in range(1, min(REACH, row) + 1):
                for steps in range(1, min(REACH, column) + 1):
                    lasts, lasted = beat - beats[column - steps], moment - moments[row - back]
                    if slowest <= lasted / lasts <= fastest:
                        own = cost[row - back, column - steps] + LEFT_OUT * (back - 1) + change(lasted, lasts, usual)
                        if own < cost[row, column]:
                            cost[row, column], before[row, column] = own, (row - back, column - steps)
    cost += LEFT_OUT * (len(moments) - 1 - np.arange(len(moments)))[:, None]
    if not np.isfinite(cost).any():
        return np.empty((0, 2))
    row, column = np.unravel_index(int(cost.argmin()), cost.shape)
    pairs = []
    while row >= 0:
        pairs.append((moments[row], beats[column]))
        row, column = before[row, column]
    return np.array(pairs[::-1])


def change(lasted, lasts, usual):
    """What it costs that something lasts longer or shorter, in changes of pace by e over a beat."""
    return abs(np.log(lasted / lasts)) * lasted / usual


def off_beat(moments, beats):
    """How far each moment is from the beat next to it, in frames."""
    return np.abs(np.asarray(moments)[:, None] - np.asarray(beats)).min(axis=1)
