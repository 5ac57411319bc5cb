# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls of feet that the animator holds while a foot stands: what is held from key to key in the take is held in a result.

Planting knows heels and toes. Between the moment that a heel comes up and that the toe leaves, a foot may turn about its toe,
and with few keys that is a slide. An animator has its control held until the toe is off, so the result has, and what that
changes goes over into the swing.
"""

import numpy as np

from ..body.body import Body
from ..ik.plants import Ease
from ..numeric import rotation
from ..numeric.matrix import inside, plain, turns_to
from ..numeric.smoothing import runs
from ..numeric.vectors import length

STILL = 5e-5  # of the leg, and radians from frame to frame: a control that moves less is held
FIRM = 3e-3  # of the leg, and ten times that in radians: a result in which a standing foot moves more means it to
MOST = 0.75  # of the frames of a stand: as many must be firm
LOOSE = 5e-3  # radians, and of the leg: what is held as well as that, as a take in another time is, stays as it is
LEAST = 3  # frames that are a hold
SWING = 0.5  # seconds at most over which a result is left and come back to


def held_controls(result, take, skeleton, free, clock, contacts, loop):
    """A result with the controls of feet, of those that are `free`, held as long as the take holds them.

    `clock` (frames,) says which row of the take each frame is, `contacts` what stands when in the take. What reaches over the
    ends of a `loop` is left to it.
    """
    body, before = Body(result, skeleton), Body(take, skeleton)
    turns, moves = {}, {}
    for end, foot in body.ends.items():
        handle = body.handles.get(foot)
        if handle is None or not end.endswith("foot") or body.skeleton.bones[handle].name not in free:
            continue
        known, turn, move = np.zeros(result.frames, dtype=bool), np.zeros((3, result.frames)), np.zeros((3, result.frames))
        down = before.downs(end, contacts)
        for first, last in runs(held_rows(before, handle)):
            rows = np.flatnonzero((clock >= first) & (clock <= last))
            if len(rows) < LEAST or np.ptp(rows) >= len(rows) or loop and {rows[0], rows[-1]} & {0, result.frames - 1}:
                continue
            found = as_held(body, handle, rows, down[:, np.rint(clock[rows]).astype(int)])
            if found:
                known[rows], (turn[:, rows], move[:, rows]) = True, found
        if known.any():
            eased = Ease(body.stretches, SWING * result.fps)
            turns[handle] = inside(rotation.exp(eased(turn, known)), plain(body.axes[handle]))
            moves[handle] = eased(move, known)
    return body.clip_of(turns, np.zeros((3, result.frames)), {}, moves) if moves else result


def held_rows(body, bone):
    """When a bone neither moves nor turns, from one row to the next or from the one before, (rows,)."""
    away = length(np.diff(body.heads[bone], axis=-1)) / body.leg
    turned = np.abs(np.diff(plain(body.axes[bone]), axis=-1)).max(axis=(0, 1))
    still = np.maximum(away, turned) < STILL
    return np.append(still, False) | np.append(False, still)


def as_held(body, handle, rows, down):
    """Turns and moves (3, rows) that hold a control in rows as it is while its foot stands there, on points that are `down`
    (points, rows); nothing if it does not, or if they are held well."""
    standing = rows[down.all(axis=0)] if down.all(axis=0).any() else rows[down.any(axis=0)]
    if not len(standing):
        return ()
    joints, axes = body.heads[handle], plain(body.axes[handle])
    place, goal = np.median(joints[:, standing], axis=1)[:, None], axes[:, :, standing[len(standing) // 2]]
    away, turned = length(joints[:, standing] - place) / body.leg, length(turns_to(axes[:, :, standing], goal))
    if np.mean(np.maximum(away, turned / 10.0) < FIRM) < MOST:
        return ()
    turn, move = turns_to(axes[:, :, rows], goal), place - joints[:, rows]
    return (turn, move) if length(turn).max() > LOOSE or length(move).max() > LOOSE * body.leg else ()
