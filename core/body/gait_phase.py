# SPDX-License-Identifier: GPL-3.0-or-later
"""Gait phase: where in its stride a figure is at every frame, told by the steps that it makes.

A stride is from one strike of the left foot to the next and counts 1; strides of any length and of any figure so go together.
"""

from dataclasses import replace

import numpy as np

from ..numeric.fourier import apart, basis, together
from ..numeric.time_map import along
from .body import planted_points
from .contacts import events

FEWEST_STRIKES = 2  # of one foot: who makes fewer is not walking
STEADIEST = 0.6  # of the median stride: a shorter one is none


def strides(clip, surroundings):
    """The frames, from 0, at which the left foot strikes, or the right foot if that is all there is, half a stride off.

    Knots (strikes, 2) from rows to phases; None for what has no feet or does not walk.
    """
    steps = events(planted_points(clip, replace(surroundings, contacts=dict)), clip)
    for foot, start in (("left_foot", 0.0), ("right_foot", 0.5)):
        rows = np.array(steps.get(foot, {}).get("strikes", ()), dtype=np.float64) - clip.first_frame
        rows = rows[np.concatenate([[True], np.diff(rows) > STEADIEST * np.median(np.diff(rows))])] if len(rows) > 1 else rows
        if len(rows) >= FEWEST_STRIKES:
            return np.column_stack([rows, start + np.arange(len(rows))])
    return None


def phases(knots, frames):
    """The phase of every frame, going on before the first strike and after the last at the pace of the nearest stride."""
    first, last = knots[1] - knots[0], knots[-1] - knots[-2]
    before = max(0, int(np.ceil(knots[0, 0] / first[0])))
    after = max(0, int(np.ceil((frames - 1 - knots[-1, 0]) / last[0])))
    whole = np.concatenate(
        [knots[0] - first * np.arange(before, 0, -1)[:, None], knots, knots[-1] + last * np.arange(1, after + 1)[:, None]]
    )
    return along(whole, np.arange(frames, dtype=np.float64))


def mean_waves(signals, at, count):
    """The waves (count, signals) of a stride that fit signals (frames, signals) at their phases best."""
    return together(np.linalg.lstsq(basis(at, count), signals, rcond=1e-9)[0])


def played_at(waves, at):
    """Waves (count, signals) at phases, (frames, signals)."""
    return basis(at, len(waves)) @ apart(waves)
