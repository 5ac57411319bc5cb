# SPDX-License-Identifier: GPL-3.0-or-later
"""Limp: what closing a cycle does to the legs, undone (Molnos 2010, 4.5).

When hip, knee and ankle have each been bent a little to close a cycle, the feet are no longer where they were, and the
pelvis is too high on one leg and too low on the other. So the feet are brought back to be as far below the pelvis, and as
much tilted, as they were, by two-bone IK: hips, knees and ankles give, the pelvis keeps its height.
"""

import numpy as np

from ..body.body import Body
from ..body.figure import walks
from ..ik.hinge import hinges_of, within_stretches
from ..ik.reach import reached
from ..numeric.matrix import turns_to
from .closing import closed


def limp_undone(before, after, skeleton):
    """A closed cycle with the feet as far below the pelvis as before it was closed; both clips are on the spot.

    What is missing is closed near the seam alone, so that whoever stands stays standing.
    """
    if not walks(before, skeleton):
        return after
    source, result = Body(before, skeleton), Body(after, skeleton)
    still = np.zeros((3, after.frames))
    carried = result.heads[result.mover] - source.heads[source.mover]
    turns, hinges = {}, hinges_of(source, within_stretches(source))
    for end in (end for end in source.limbs if end.endswith("foot")):
        (goal, axes), (joint, turned) = source.tip(end), result.tip(end)
        height = source.up[:, None] * (source.up @ (goal + carried - joint))
        missing = [closed(array.T, after.fps, "SEAM").T for array in (height, turns_to(turned, axes))]
        turns |= reached(result, end, hinges[end], *missing, still)[0]
    return result.clip_of(turns, still, {})
