# SPDX-License-Identifier: GPL-3.0-or-later
"""Time maps: smooth, never standing still, never running back.

A map is a list of knots (knots, 2), moments of one time and of another, both increasing; between them it follows a curve
that keeps to their order (Fritsch and Carlson 1980).
"""

from itertools import pairwise

import numpy as np

from . import scipy
from .refusal import Refusal

SMOOTH, SPACING = 0.08, 0.05  # seconds: how far the steps of a path are smoothed out, and from knot to knot
STEPS, APART = 3.0, 2.0  # frames that these are at least, for a path steps by whole frames


def along(knots, moments):
    """Moments of the first time as moments of the second; at its ends time keeps the pace that it has there."""
    first, second = np.concatenate([2 * knots[:1] - knots[1:2], knots, 2 * knots[-1:] - knots[-2:-1]]).T
    return scipy.interpolate.PchipInterpolator(first, second)(np.clip(moments, first[1], first[-2]))


def stretches(moments):
    """First and one past the last of every stretch of moments (frames,) in which time runs on, or stands still; what is no
    number is in none."""
    known = np.isfinite(moments)
    breaks = np.flatnonzero(~known[1:] | ~known[:-1] | (np.diff(np.where(known, moments, 0.0)) < 0.0)) + 1
    edges = [0, *breaks.tolist(), len(known)]
    return [(first, end) for first, end in zip(edges, edges[1:]) if known[first]]


def smoothed(path, stops, fps):
    """Knots of a smooth map that follows a path of nodes (nodes, 2) and passes exactly through `stops`, its ends included.

    Seen along the diagonal a path moves sideways by at most as much as it moves on, and whatever is smoothed keeps to
    that: it stays in order.
    """
    on, side = path.sum(axis=1), path[:, 1] - path[:, 0]
    steps = np.arange(on[0], on[-1] + 1)
    spacing = max(SPACING * fps, APART)
    width = 2 * max(SMOOTH * fps, STEPS)  # a frame of both is two steps along the diagonal
    margin = int(4 * width) + 1
    sides = np.pad(np.interp(steps, on, side), margin, mode="reflect", reflect_type="odd")
    sides = scipy.ndimage.gaussian_filter1d(sides, width)[margin:-margin]
    knots = np.column_stack([steps - sides, steps + sides])[:: int(2 * spacing)] / 2
    return through(np.array(sorted(set(map(tuple, [path[0], *stops, path[-1]])))), knots, spacing)


def through(stops, knots, spacing):
    """The stops, and of the knots between them those that keep their distance from them in both times."""
    result = [stops[:1]]
    for before, after in pairwise(stops):
        between = (knots - before >= spacing).all(axis=1) & (after - knots >= spacing).all(axis=1)
        result += [knots[between], after[None]]
    knots = np.concatenate(result).astype(np.float64)
    return knots[np.concatenate([[True], (np.diff(knots, axis=0) > 1e-6).all(axis=1)])]


def moved(moves, holds, first, last, ease=1.0):
    """Knots from old frames to new ones, given some that have moved.

    What comes after the last of them moves along with it, at its own speed, which it has again after so many frames as `ease`
    says; so does what is between two that move alike. The first frame stays, and so does what comes before a first one that
    stays; it moves along where it would be passed.
    Spans (start, end) in `holds` keep their speed: each goes where its middle would have gone, or with what is moved in it.
    """
    knots = dict(moves) or {float(first): float(first)}
    for (mark, there), (after, there_after) in pairwise(sorted(knots.items())):
        if there - mark == there_after - after and after - mark > 2 * ease:
            knots |= {float(near): float(near + there - mark) for near in (mark + ease, after - ease)}
    front, back = min(knots), max(knots)
    carried = knots[front] - front if knots[front] <= first < front else 0.0
    for end, mark, shift in ((first, front, carried), (last, back, knots[back] - back)):
        if mark != end:
            near = mark + np.sign(end - mark) * ease
            knots[float(end)] = float(end + shift)
            if knots[mark] - mark == shift and abs(near - mark) < abs(end - mark):
                knots[float(near)] = float(near + shift)
    plain = in_order("moves", knots)
    for start, end in holds:
        if end <= start:
            raise Refusal(f"hold: {start:g} to {end:g} is no span")
        shifts = [knots[frame] - frame for frame in knots if start <= frame <= end]
        if shifts and max(shifts) - min(shifts) > 1e-9:
            raise Refusal(f"hold: between {start:g} and {end:g} frames are moved by {min(shifts):g} and by {max(shifts):g}")
        middle = 0.5 * (start + end)
        shift = shifts[0] if shifts else float(along(plain, middle)) - middle
        knots |= {float(frame): float(frame + shift) for frame in (*np.arange(start, end), end)}
    return in_order("hold", knots)


def in_order(name, knots):
    """Knots sorted by the first time, refused where the second is in another order."""
    result = np.array(sorted(knots.items()))
    wrong = np.flatnonzero(np.diff(result[:, 1]) <= 0)
    if len(wrong):
        (first, before), (second, after) = result[wrong[0] : wrong[0] + 2].tolist()
        raise Refusal(f"{name}: {first:g} would go to {before:g} and {second:g}, which comes later, to {after:g}")
    return result
