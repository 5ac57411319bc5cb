# SPDX-License-Identifier: GPL-3.0-or-later
"""The smallest smooth shift of a body with which its centre of mass falls as it should in the air.

The least of what is shifted and of how that bends in time, given how it must bend while nothing carries the body: one banded
solve for a whole take (after Shin, Kovar and Gleicher 2003, in whose flights the centre of mass follows a parabola). Take-off
and landing take up what speed and place that asks for, and beyond their ease nothing is shifted.
"""

import numpy as np

from ..numeric import scipy

FIRM = 1e7  # how much more bending counts in the air
PINNED = 1e9  # weight of rows that do not change
RETURN = 0.10  # seconds over which a shift goes back to nothing


def shifts(bends, flights, fps, ease):
    """Shifts (frames, 3) that bend in flights as `bends` (frames, 3), second derivatives, say."""
    frames = len(bends)
    firm, near = np.zeros(frames), np.zeros(frames, dtype=bool)
    reach = max(2, round(ease * fps))
    for flight in flights:
        firm[flight.first + 1 : flight.last] = FIRM
        near[max(0, flight.first - reach) : flight.last + reach + 1] = True
    stiff = np.where(near, 1.0, 1e-6) + firm
    weights = np.where(near, 1.0 / (RETURN * fps) ** 4, PINNED)
    middle = stiff[1:-1]
    matrix = np.zeros((3, frames))
    matrix[2] = weights
    matrix[2, :-2] += middle
    matrix[2, 1:-1] += 4.0 * middle
    matrix[2, 2:] += middle
    matrix[1, 1:-1] -= 2.0 * middle
    matrix[1, 2:] -= 2.0 * middle
    matrix[0, 2:] += middle
    asked = (firm[1:-1, None] > 0.0) * bends[1:-1] / fps**2 * middle[:, None]
    right = np.zeros((frames, 3))
    right[:-2] += asked
    right[1:-1] -= 2.0 * asked
    right[2:] += asked
    return scipy.linalg.solveh_banded(matrix, right, check_finite=False)
