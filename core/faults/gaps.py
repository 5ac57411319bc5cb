# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps: stretches in which a bone was lost. It stands still in the midst of moving, goes straight on as nobody does, or is
elsewhere altogether and then back.

What stands still, or goes straight, for most of a take was made so, by hand or because it is no joint; there are no gaps in it.
"""

import numpy as np

from ..numeric.vectors import length
from .spikes import LONGEST as SPIKE
from .spikes import limits, without

EXACT = 1e-7  # of what numbers may differ by and be the same
SHORTEST, FEWEST, STRAIGHT = 0.025, 3, 5  # seconds and frames of a stand-still, frames of a straight line
LONGEST = 0.25  # seconds in which a bone may be elsewhere and come back
BESIDE = 3  # frames before and after that tell how fast it moves there
MOVES = 0.05  # of what is seen at all: how far it would have gone meanwhile
USUAL = 0.1  # of how far it moves in most frames: less beside a stand-still is slowing down for it
CAUGHT = 2.5  # times as far as beside it: such a step brings it where it would have been
OFTEN = 0.3  # of the frames: what is still or straight for longer is so by nature
STOP = 1e-3  # of its range: as near to the end of it a joint is at its stop
BACK, OUT = 0.35, 0.5  # of the jump: how near it must be to where it left when it is back, and how far out all the while


def gaps(clip, tracks, wrong, fps):
    """First row, end row, track and size of every gap; `wrong` (frames, tracks) are known to be spikes."""
    found = []
    steps = length(tracks.way(tracks.values[:, :-1], tracks.values[:, 1:]))
    away = elsewhere(tracks, wrong, fps)
    for track, columns in enumerate(tracks.columns):
        numbers = clip.values[:, list(columns)]
        runs = away.get(track, [])
        for still, fewest in ((1, max(FEWEST, round(SHORTEST * fps))), (2, STRAIGHT)):
            runs = runs + constant(numbers, still, fewest, steps[:, track], tracks.least[track], ~wrong[:, track])
        for first, end in merged(runs):
            found.append((first, end, track, missed(tracks, track, first, end)))
    return found


def constant(numbers, order, fewest, steps, least, right):
    """Runs of rows whose numbers (frames, size) do not change, or change by the same each frame, while it moves around."""
    scale = EXACT * max(1.0, np.abs(numbers).max())
    same = (np.abs(np.diff(numbers, order, axis=0)) < scale).all(axis=1)
    if order == 2:
        same &= (np.abs(np.diff(numbers, axis=0)).max(axis=1) > scale)[1:]
    if not same.any() or same.mean() > OFTEN:
        return []
    edges = np.flatnonzero(np.diff(same.astype(np.int8), prepend=0, append=0))
    held = [(int(first), int(end) + order - 1) for first, end in zip(edges[::2], edges[1::2])]  # first and last rows
    usual, runs = usual_step(steps, scale), []
    for first, last in held:
        before, after = steps[max(0, first - BESIDE) : first], steps[last + 1 : last + 1 + BESIDE]
        if last - first + 1 < fewest or not len(before) or not len(after):
            continue
        jumped = len(before) > 1 and steps[first - 1] > 4.0 * np.median(before[:-1]) + least
        pace, back = 0.5 * (np.median(before) + np.median(after)), steps[min(last, len(steps) - 1)]
        moving = min(np.median(before), np.median(after)) > usual or order == 2
        caught_up = order == 1 and back > max(CAUGHT * np.median(before), CAUGHT * np.median(after), MOVES * least)
        if not (jumped or caught_up or moving and pace * (last - first + 1) > MOVES * least):
            continue
        if not jumped and order == 1 and (at_its_end(numbers[right], numbers[first]) or again(numbers, first, held)):
            continue
        runs.append((first if jumped else first + 1, last + (order == 1)))
    return [(first, end) for first, end in runs if end > first]


def usual_step(steps, scale):
    """How far it moves in a frame at least where it is said to move: some of what it does in most."""
    moving = steps[steps > scale]
    return USUAL * np.median(moving) if len(moving) else 0.0


def again(numbers, row, held):
    """Whether it stands still at another time with the same numbers: so it does by nature, as a toe on the ground."""
    near = STOP * np.ptp(numbers, axis=0).max()
    return sum(np.abs(numbers[first] - numbers[row]).max() <= near for first, _ in held) > 1


def at_its_end(numbers, held):
    """Whether all numbers held are the least or the greatest that they ever are: a joint at its stop, not a bone lost."""
    low, high = numbers.min(axis=0), numbers.max(axis=0)
    moving = high - low > STOP * (high - low).max()
    near = STOP * (high - low)
    return bool(((held <= low + near) | (held >= high - near))[moving].all())


def elsewhere(tracks, wrong, fps):
    """Runs of rows, by track, between a jump away and the jump back."""
    values = tracks.values
    if values.shape[1] < 8:
        return {}
    steps = tracks.way(values[:, :-1], values[:, 1:])
    apart = length(np.diff(steps, axis=1))
    lone = np.minimum(apart[:-1], apart[1:])  # of steps 1 to last - 1
    rows = values.shape[1] - 4
    limit = limits(tracks, without(tracks, values, 1, rows)[2], values.shape[1:], fps)
    jumps = lone > np.maximum(limit[2:-1], max(tracks.fastest / (fps * fps), 0.0))
    found = {}
    for track in np.flatnonzero(jumps.any(axis=0)):
        at = np.flatnonzero(jumps[:, track]) + 2  # the first row after each jump
        at = [row for row in at if not wrong[row - 1 : row + 1, track].any()]
        index = 0
        while index < len(at) - 1:
            first, end = at[index], at[index + 1]
            if SPIKE * fps < end - first <= LONGEST * fps and left_and_back(tracks, steps, track, first, end):
                found.setdefault(int(track), []).append((int(first), int(end)))
                index += 1
            index += 1
    return found


def left_and_back(tracks, steps, track, first, end):
    """Whether a bone is far out from a row on and, at another, back where it left, but for what it would have gone since."""
    values = tracks.values[:, :, track]
    out = min(length(steps[:, row - 1, track]) for row in (first, end))
    apart = length(tracks.way(values[:, first - 1, None], values[:, end, None]))[0]
    pace = np.median(length(steps[:, max(0, first - 1 - BESIDE) : first - 1, track]))
    if apart > BACK * out + 2.0 * pace * (end - first):
        return False
    return astray(tracks, track, first, end).min() > max(OUT * out, tracks.least[track])


def missed(tracks, track, first, end):
    """How far it is out at most, as far as what is before and after it tells."""
    return float(astray(tracks, track, first, end).max())


def astray(tracks, track, first, end):
    """How far each row of a run is from the straight way across it."""
    values = tracks.values[:, :, track]
    before, after = max(0, first - 1), min(end, values.shape[1] - 1)
    ways = tracks.way(np.repeat(values[:, before, None], end - first + 1, axis=1), values[:, [*range(first, end), after]])
    share = np.arange(1, end - first + 1) / (end - first + 1)
    return length(ways[:, :-1] - ways[:, -1:] * share)


def merged(runs):
    """Runs in order, those that overlap or touch made one."""
    joined = []
    for first, end in sorted(runs):
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((first, end))
    return joined
