# SPDX-License-Identifier: GPL-3.0-or-later
"""Alignment: which moment of one take goes with which of another, and the pace at which they go on together.

An alignment gives, for every row of the first take, a row of the other: whole or between two frames, never going back.
"""

import math

import numpy as np

from ..numeric.time_map import along
from .register import Matching, read_anchors, register

SLOWEST = 0.1  # of the first take's pace: time never stands still, whatever the weights
STEEPEST = 8  # rows of one take that may pass in one row of the other, unless their lengths ask for more
WHOLE = 1e-6  # frames; closer to a frame than this is on it
CANCELS = 1e-6  # a smaller sum of shares is none


def side_by_side(clip, other, take, surroundings):
    return np.arange(clip.frames, dtype=np.float64)


def stretched(clip, other, take, surroundings):
    return np.linspace(0.0, other.frames - 1.0, clip.frames)


def anchored(clip, other, take, surroundings):
    """Smoothly from anchor to anchor; the ends of the takes are anchors too."""
    source = surroundings.takes[take.action]
    anchors = read_anchors(clip, source, take.anchors, source.fps / clip.fps, other.frames)
    knots = {0: 0, clip.frames - 1: other.frames - 1} | dict(anchors)
    return along(np.array(sorted(knots.items()), dtype=np.float64), np.arange(clip.frames))


def warped(clip, other, take, surroundings):
    """Along the cheapest correspondence of the two, through the anchors if there are any."""
    if np.array_equal(clip.values, other.values):
        return side_by_side(clip, other, take, surroundings)
    longer = max(clip.frames, other.frames) / min(clip.frames, other.frames)
    limit = 0 if take.anchors else max(STEEPEST, math.ceil(2 * longer))
    matching = Matching(anchors=take.anchors, fastest=limit, slowest=limit)
    return along(register(clip, take.action, surroundings, matching).knots, np.arange(clip.frames))


ALIGNMENTS = {"NONE": side_by_side, "STRETCH": stretched, "TIMEWARP": warped, "ANCHORS": anchored}


def paced(alignments, shares, to_the_end=True):
    """Rows of the first take (frames,) and of every take (takes, frames), at the pace that the takes share.

    `alignments` (takes, rows of the first take), the first its own rows; shares are (takes, rows of the first take or 1).
    A length that is no whole number of frames is made one `to_the_end`, a little faster or slower, or else ends in between.
    """
    shares = np.broadcast_to(shares, alignments.shape)
    between = 0.5 * (shares[:, 1:] + shares[:, :-1])
    total = between.sum(axis=0)
    if np.any(np.abs(total) < CANCELS):
        between, total = (np.arange(len(alignments)) == 0)[:, None], 1.0
    pace = np.maximum(np.sum(between * np.diff(alignments), axis=0) / total, SLOWEST)
    clock = np.concatenate([[0.0], np.cumsum(pace)])
    last = max(2, round(clock[-1]) if to_the_end else int(clock[-1] + WHOLE))
    rows = np.interp(np.arange(last + 1), clock * (last / clock[-1]) if to_the_end else clock, alignments[0])
    return rows, np.stack([np.interp(rows, alignments[0], alignment) for alignment in alignments])
