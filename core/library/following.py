# SPDX-License-Identifier: GPL-3.0-or-later
"""What could come next: moments of the library at which the body is and moves as it does here, with something after them."""

from ..numeric.refusal import Refusal
from .features import RATE
from .find import Hit, find_like

AROUND = 0.2  # seconds before and after the moment that are to be alike
SHORTEST = 0.5  # seconds that follow


def find_next(library, query, frame, seconds=3.0, count=20, mirror=True):
    """Stretches that could follow on a frame of a take, Features, the most alike where they are entered first.

    A stretch begins with the moment at which it is entered, and is as long as is asked, or as there is of it.
    """
    query = query.between(frame - AROUND * query.fps, frame + AROUND * query.fps)
    if query.rows < 4:
        raise Refusal(f"frame: {frame} is outside the motion, so that nothing can follow on it")
    hits = []
    for hit in find_like(library, query, 4 * count, mirror):
        entry = library.entries[hit.take]
        last = entry.first_frame + (library.features(hit.take).rows - 1) * entry.fps / RATE
        entered = round(0.5 * (hit.first + hit.last))
        end = min(round(last), entered + round(seconds * entry.fps))
        if end - entered >= SHORTEST * entry.fps:
            hits.append(Hit(hit.path, hit.figure, entered, end, hit.mirrored, hit.distance, hit.take))
    return hits[:count]
