# SPDX-License-Identifier: GPL-3.0-or-later
"""Closing: a stretch of motion bent so that its end leads into its start (Molnos 2010, 4.3 and 4.4).

Start and end are moved towards each other by equal and opposite amounts, all between accordingly. With the speeds matched
as well, the motion near the ends is bent so that it arrives as fast as it leaves.
"""

import numpy as np

from ..numeric.refusal import Refusal

EASE, SEAM = 0.25, 0.12  # seconds before and after the seam within which it is bent, or closed alone
OPEN = np.radians(20.0)  # a bone that ends farther from where it began is in no cycle
TURNING = ("ROTATION", "ANGLE")


def closed(signals, fps, way="VELOCITY", turns=0.0):
    """Signals (frames, signals) with a last frame that is the first, and everything between moved accordingly.

    What they have come round by in whole turns, as a chart tells it, they keep.
    """
    ramp = np.linspace(0.0, 1.0, len(signals))[:, None] * turns
    close, ease = CLOSINGS[way]
    result = close(signals - ramp, max(1.5, min(ease * fps, 0.5 * (len(signals) - 1))))
    result[-1] = result[0]
    return result + ramp


def refuse_open(chart, name):
    """Say which bone of a motion on the spot does not end as it begins, or give back the farthest that any signal is."""
    gaps = np.abs(chart.signals[-1] - chart.signals[0] - chart.turns())
    turned = np.where(np.isin(chart.kinds, TURNING), gaps, 0.0)
    worst = int(np.argmax(turned))
    if turned[worst] > OPEN:
        owner = chart.owners[worst] or "the object"
        raise Refusal(f"{name} is no cycle: {owner} ends {np.degrees(turned[worst]):.0f} degrees from where it began")
    return float(gaps.max(initial=0.0))


def ramped(signals, radius):
    """Poses alone: a straight ramp over the whole cycle."""
    fraction = np.linspace(0.0, 1.0, len(signals))[:, None]
    return signals + (signals[-1] - signals[0]) * (0.5 - fraction)


def matched(signals, radius):
    """Poses and speeds: the ramp, and a bend on both sides of the seam."""
    return bent(ramped(signals, radius), radius)


def seamed(signals, radius):
    """Poses and speeds, near the seam alone: what is far from it stays as it is."""
    start, end = (near * near * (3.0 - 2.0 * near) for near in nearness(len(signals), radius))
    return bent(signals + 0.5 * (signals[-1] - signals[0]) * (start - end)[:, None], radius)


CLOSINGS = {"VELOCITY": (matched, EASE), "RAMP": (ramped, EASE), "SEAM": (seamed, SEAM)}


def bent(signals, radius):
    """Give each end half of the speed of the other, so that the last step is as large as the first."""
    bend = sum((1.0 - near) * near**2 for near in nearness(len(signals), radius))
    steps = bend[1] - bend[0], bend[-1] - bend[-2]
    jump = (signals[-1] - signals[-2]) - (signals[1] - signals[0])
    return signals + jump / (steps[0] - steps[1]) * bend[:, None]


def nearness(frames, radius):
    """How near rows are to the start and to the end, 1 there and 0 farther away than the reach."""
    rows = np.arange(frames)
    return tuple(1.0 - np.minimum(far / radius, 1.0) for far in (rows, rows[::-1]))


def closed_steps(steps, rows):
    """Steps (steps, ...) of a slice with the first as the one that follows the last would be, and their sum as it was."""
    inner = steps[rows]
    follows = steps[rows.stop] if rows.stop < len(steps) else 2.0 * inner[-1] - inner[-2]
    fraction = (np.arange(len(inner)) + 0.5) / len(inner)
    return inner + np.multiply.outer(0.5 - fraction, follows - inner[0])
