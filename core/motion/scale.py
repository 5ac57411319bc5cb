# SPDX-License-Identifier: GPL-3.0-or-later
"""Scale: a clip for the same figure at another size."""

import numpy as np

from ..numeric.refusal import Refusal
from .ground import Ground

SMALLEST, LARGEST = 1e-3, 1e3


def scaled(clip, scale, legs=0.0, skeleton=None):
    """A clip for a figure of such scale; what carries it through the world goes by the length of its legs, if that is given."""
    check_size("scale", scale)
    check_size("legs", legs or scale)
    factors = np.array([scale if channel.kind == "LOCATION" and not channel.measured else 1.0 for channel in clip.channels])
    for root in Ground([clip], skeleton).roots if legs else ():
        factors[root.location] = legs
    return clip.with_values(clip.values * factors)


def check_size(name, value):
    if not SMALLEST <= value <= LARGEST:
        raise Refusal(f"{name}: {value:g} is no size of a figure; it must be from {SMALLEST:g} to {LARGEST:g}")
    return value
