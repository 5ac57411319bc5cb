# SPDX-License-Identifier: GPL-3.0-or-later
"""Bands by what moves in them, in words of the trade; their Hz are in the tooltip."""

from ...core.numeric.bands import band_label

NAMES = (
    (32.0, "Buzz"),
    (16.0, "Tremor"),
    (8.0, "Jitter"),
    (4.0, "Snap"),
    (2.0, "Bounce"),
    (1.0, "Steps"),
    (0.5, "Stride"),
    (0.25, "Sway"),
    (0.125, "Lean"),
    (0.0625, "Drift"),
    (0.0, "Trend"),
)


BY_RANGE = {band_label(low, 2.0 * low): name for low, name in NAMES if low}


def band_name(low, high):
    """What a band is called, and its range in Hz."""
    middle = (low * high) ** 0.5 if low > 0 else 0.5 * high
    name = next(name for edge, name in NAMES if middle >= edge)
    return name, band_label(low, high)


def range_name(words):
    """What a band is called whose range in Hz is all that is known; other words stay."""
    return BY_RANGE.get(words, words)
