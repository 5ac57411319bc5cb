# SPDX-License-Identifier: GPL-3.0-or-later
"""Banking: who goes round a bend leans into it, as far as speed and bend ask for."""

import numpy as np

from ..numeric import scipy
from .flights import GRAVITY, accelerations

SLOW = 0.35  # seconds over which way and lean are smoothed
STILL = 0.3  # metres a second: who is slower does not bank
MOST = np.radians(35.0)


def leans(centre, feet, ground, fps):
    """How far a body should lean more than it does, as rotation vectors (frames, 3) in the world.

    `centre` (frames, 3) is the centre of mass, `feet` (frames, 2) the middle between the feet.
    """
    smooth = max(SLOW * fps, 0.5)
    way, base = (scipy.ndimage.gaussian_filter1d(each, smooth, axis=0, mode="nearest") for each in (centre[:, :2], feet))
    speed = np.gradient(way, axis=0) * fps
    size = np.linalg.norm(speed, axis=1)
    side = np.column_stack([-speed[:, 1], speed[:, 0]]) / np.maximum(size, 1e-9)[:, None]
    height = np.maximum(scipy.ndimage.gaussian_filter1d(centre[:, 2] - ground, smooth, mode="nearest"), 0.1)
    asked = np.arctan((accelerations(way, fps) * side).sum(axis=1) / GRAVITY)
    own = np.arctan(((way - base) * side).sum(axis=1) / height)
    going = np.clip(size / STILL - 1.0, 0.0, 1.0)
    more = np.clip(asked - own, -MOST, MOST) * going * going * (3.0 - 2.0 * going)
    more = scipy.ndimage.gaussian_filter1d(more, 0.5 * smooth, mode="nearest")
    return np.column_stack([-side[:, 1] * more, side[:, 0] * more, np.zeros(len(more))])
