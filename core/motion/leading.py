# SPDX-License-Identifier: GPL-3.0-or-later
"""Leading rows: poses before a take from which no body could move into it, such as the T-pose that captures begin with.

They are no part of the motion. A filter would smear them over the seconds after them, so they are told by how far the whole
figure jumps, alone among its neighbours, and kept out.
"""

import numpy as np

from .posing import posed_first
from .skeleton import size_of

FAR = 0.017  # of the figure's size: 3 cm for a leg of 82; by how much more the joints move, on average, than before or after
ALONE = 4.0  # times as much more as they do in most steps around it
AROUND = 4  # steps on each side
STILL = 0.1  # sizes a second: what moves slower before the jump is a pose that is held
LONGEST = 1.0  # seconds: what lasts longer before a jump is a take of its own


def leading_rows(clip, skeleton):
    """How many rows at the start no body could move through, looked for once; the clip has all curves of the figure."""
    if skeleton is None or not skeleton.bones or clip.frames <= 2 * AROUND:
        return 0
    kept = clip.__dict__.setdefault("_leading", {})
    if skeleton not in kept:
        kept[skeleton] = found_leading(clip, skeleton)
    return kept[skeleton]


def found_leading(clip, skeleton):
    longest = round(LONGEST * clip.fps)
    _, joints = posed_first(skeleton, clip, longest + 2 * AROUND + 1)
    steps = np.diff(joints, axis=0)
    steps = steps[:, steps.any(axis=(0, 2))] / size_of(skeleton)
    if not steps.size:
        return 0
    alone, paces, found = loneliness(steps), np.linalg.norm(steps, axis=2).mean(axis=1) * clip.fps, 0
    for index, pace in enumerate(paces[:longest]):
        if jumps(alone, index):
            found = index + 1
        elif pace > STILL and index - found >= AROUND:
            break
    return found


def loneliness(steps):
    """By how much steps (steps, joints, 3) differ from the one before or after, whichever is more alike, (steps,)."""
    apart = np.linalg.norm(np.diff(steps, axis=0), axis=2).mean(axis=1)
    return np.minimum(np.append(apart, np.inf), np.insert(apart, 0, np.inf))


def jumps(alone, index):
    """Whether a step is like none beside it, far more so than most around it."""
    return bool(alone[index] > FAR and stands_out(alone, index))


def stands_out(alone, index):
    """Whether a step is far less like those beside it than most around it are: where all are so, it is noise."""
    first = max(0, min(index - AROUND, len(alone) - 2 * AROUND - 1))
    around = np.delete(alone[first : first + 2 * AROUND + 1], index - first)
    return not around.size or bool(alone[index] > ALONE * np.median(around))


def leading_words(clip, rows):
    """What is said of rows that are kept as they are."""
    frames = f"frame {clip.first_frame}" if rows == 1 else f"frames {clip.first_frame}-{clip.first_frame + rows - 1}"
    left = f"{frames} left as {'it is' if rows == 1 else 'they are'}"
    return f"{left}: the whole figure jumps from there into the motion, in which the change comes in gently"
