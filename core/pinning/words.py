# SPDX-License-Identifier: GPL-3.0-or-later
"""What came of pins, in a sentence: how near bones are, which does not get there and by how much, which comes too fast."""

import numpy as np

from ..numeric.vectors import length

MILLIMETRES = 1000.0
MISS = 1.0  # millimetres: what is farther off is said
FAST = 2.0  # times the take's own speed: what comes faster is said


def pin_words(goals, missing, points, clip, skeleton):
    """How well pins are held; `missing` and `points` (3, frames) by (bone, along), in the armature."""
    world = np.array(skeleton.world)[:3, :3]
    off = {}
    for goal in goals:
        away = MILLIMETRES * length(world @ missing[goal.bone, goal.along]) * goal.held
        off[goal] = int(away.argmax()), float(away.max())
    count = len({pin.name for goal in goals for pin in goal.pins})
    near = [size for _, size in off.values() if size <= MISS]
    said = [f"{count} pin{'s' if count > 1 else ''} held within {max(near):.1f} mm"] if len(near) == len(goals) else []
    for goal, (row, size) in off.items():
        if size > MISS:
            said.append(
                f"{goal.bone} does not reach {reaches_for(goal, row)}: {size:.0f} mm are missing "
                f"at frame {clip.first_frame + row}"
            )
    return "; ".join([*said, *filter(None, (too_fast(goal, points, clip, world) for goal in goals))])


def reaches_for(goal, row):
    """What a bone is held to at a row."""
    pin = next((each.pin for each in goal.pins if each.first <= row <= each.last), goal.pins[0].pin)
    return " of ".join(filter(None, (pin.target_bone, pin.target))) or "its place"


def too_fast(goal, points, clip, world):
    """That a bone has to hurry to where it is held, and how long an ease would do."""
    easing = goal.changing & ~goal.held
    pairs = (easing[1:] | easing[:-1]) & (goal.changing[1:] & goal.changing[:-1])
    if not pairs.any():
        return ""
    own, added = (length(world @ np.diff(track)) * clip.fps for track in (points[goal.bone, goal.along], goal.move))
    fastest, most = added[pairs].max(), np.percentile(own, 98)
    if fastest <= FAST * max(most, 0.25):
        return ""
    pin = goal.pins[0].pin
    ease = max(pin.ease_in, pin.ease_out) * fastest / max(most, 0.25)
    return (
        f"{goal.bone} goes there {fastest / max(most, 0.25):.1f} times as fast as it moves in the take: ease over {ease:.1f} s"
    )
