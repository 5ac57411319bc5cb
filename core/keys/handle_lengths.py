# SPDX-License-Identifier: GPL-3.0-or-later
"""How long handles are to be so that a segment comes nearer to what is wanted than heights alone bring it.

A pose that is held longer, or gone through faster, between the same two keys is what an animator makes with longer or shorter
handles. Values of a curve are no sums of lengths: a step of Gauss and Newton at a time, slopes staying what they are.
"""

from dataclasses import replace

import numpy as np

from .keyed_curve import BEZIER
from .sums import is_full, nearest, product, side_by_side, weighing

SHORTEST, LONGEST = 0.05, 0.95  # of the gap between two keys, unless the handle is shorter or longer already
NUDGE = 1e-3  # of a length, to see what it does
STIFF = 0.1  # of what is allowed in each frame of a gap is what making a handle e times as long must be worth
STRIDE = 0.7  # at most by which the logarithm of a length changes at once


def supple(curve, segment, error, free):
    """Which handles (keys, 2) may be longer or shorter: those of smooth segments that are off, whose heights are free."""
    far = np.unique(segment[error > 1.0])
    far = far[(far >= 0) & (far < len(curve) - 1)]
    far = far[curve.kinds[far] == BEZIER]
    sides = np.zeros((len(curve), 2), dtype=bool)
    sides[far, 1], sides[far + 1, 0] = True, True
    return sides & free[:, 1:] & (curve.reach > 0.0)


def reaching(curve, solved, sides, frames, eased, wanted, ties, hold, counts):
    """The same keys with handles of lengths that come nearer: `curve` with other lengths on `sides` (keys, 2), as what is
    `wanted` (frames,) asks of `solved`, the curve as it is now. Heights, moved by `ties` and held by `hold`, give way."""
    weights, segment = solved.weights(frames, eased), solved.segments(frames)
    drawn, columns, found = weights @ solved.numbers, [product(weights, ties)], []
    for side in (0, 1):
        keys = np.flatnonzero(sides[:, side])
        longer = stretched(solved, np.where(sides & (np.arange(2) == side), 1.0 + NUDGE, 1.0))
        change = (longer.drawn(frames, eased) - drawn) / NUDGE
        gaps = keys - (1 - side)  # a left handle is of the gap before its key
        rows, entries = np.nonzero(segment[:, None] == gaps)
        columns.append(weighing((rows, entries, change[rows]), (len(frames), len(keys)), is_full(weights)))
        found.append(np.column_stack([keys, np.full(len(keys), side), gaps]))
    keys, ends, gaps = np.concatenate(found).T
    drawing = side_by_side(columns)
    worth = STIFF * np.bincount(np.maximum(segment, 0), minlength=len(curve))[gaps]
    step = nearest(drawing, counts, np.concatenate([hold, worth]), wanted - drawn)[len(hold) :]
    reach, span = curve.reach[keys, ends], np.diff(curve.times)[gaps]
    least, most = np.minimum(SHORTEST * span, reach), np.maximum(LONGEST * span, np.minimum(reach, span))
    by = np.ones(curve.reach.shape)
    by[keys, ends] = np.clip(reach * np.exp(np.clip(step, -STRIDE, STRIDE)), least, most) / reach
    return stretched(curve, by)


def stretched(curve, by):
    """A curve whose handles are so many times (keys, 2) as long, and lean as they did."""
    return replace(curve, reach=curve.reach * by, rise=curve.rise * by)
