# SPDX-License-Identifier: GPL-3.0-or-later
"""What could come next: moments of the library at which the body is and moves as it does here, with something after them."""

import numpy as np

from ..numeric.refusal import Refusal
from .features import COLUMNS, PLANTED, RATE
from .find import Hit, find_like

AROUND = 0.2  # seconds before and after the moment that are to be alike
SHORTEST = 0.5  # seconds that follow
LOOKED_AT = 200  # hits that are alike, of which the best are told
FIRST = {foot: COLUMNS.index(f"{foot}_x") for foot in PLANTED}


def find_next(library, query, frame, seconds=3.0, count=20, mirror=True):
    """Stretches that could follow on a frame of a take, Features, those first that are the most alike where they are entered.

    A stretch begins with the moment at which it is entered, and is as long as is asked, or as there is of it. To its distance
    comes how far feet that stand would have to slide.
    """
    query = query.between(frame - AROUND * query.fps, frame + AROUND * query.fps)
    if query.rows < 4:
        raise Refusal(f"frame: {frame} is outside the motion, so that nothing can follow on it")
    hits, here = [], standing(query, 0.5 * (query.rows - 1), False)
    for hit in find_like(library, query, LOOKED_AT, mirror):
        entry = library.entries[hit.take]
        last = entry.first_frame + (library.features(hit.take).rows - 1) * entry.fps / RATE
        entered = round(0.5 * (hit.first + hit.last))
        end = min(round(last), entered + round(seconds * entry.fps))
        if end - entered >= SHORTEST * entry.fps:
            features = library.features(hit.take)
            cost = hit.distance + query.leg * slid(here, standing(features, features.row(entered), hit.mirrored))
            hits.append(Hit(hit.path, hit.figure, entered, end, hit.mirrored, cost, hit.take))
    return sorted(hits, key=lambda hit: hit.distance)[:count]


def standing(features, row, mirrored):
    """Where feet are at a row, as the hips see them, (2, 3) in legs, and which of them stand, (2,)."""
    row = int(np.clip(round(row), 0, features.rows - 1))
    places = np.array([features.values[row, FIRST[foot] : FIRST[foot] + 3] for foot in PLANTED])
    down = np.array([features.marks[row] & mark > 0 for mark in PLANTED.values()])
    return (places[::-1] * [-1.0, 1.0, 1.0], down[::-1]) if mirrored else (places, down)


def slid(here, there):
    """How far feet that stand in either would have to slide to be where they are in the other, in legs, together."""
    apart = np.linalg.norm(here[0] - there[0], axis=1)
    return float(apart[here[1] | there[1]].sum())
