# SPDX-License-Identifier: GPL-3.0-or-later
"""Splines through keys with tension, continuity and bias (Kochanek and Bartels, SIGGRAPH 1984), on uneven spacing."""

import numpy as np


def tcb(times, values, tension, continuity, bias, at):
    """The spline through values (keys, channels) at increasing times (keys,), evaluated at times (samples,).

    `tension`, `continuity` and `bias` are (keys,). Outside the keys the first and last value hold.
    """
    times, values = np.asarray(times, dtype=np.float64), np.asarray(values, dtype=np.float64)
    arriving, leaving = tangents(times, values, *(np.asarray(knob, dtype=np.float64) for knob in (tension, continuity, bias)))
    at = np.clip(at, times[0], times[-1])
    segment = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    u = (at - times[segment]) / np.diff(times)[segment]
    basis = np.column_stack([(1 + 2 * u) * (1 - u) ** 2, u**2 * (3 - 2 * u), u * (1 - u) ** 2, -(u**2) * (1 - u)])
    result = np.empty((len(at), values.shape[1]))
    for start in np.unique(segment):
        here = segment == start
        result[here] = basis[here] @ np.stack([values[start], values[start + 1], leaving[start], arriving[start + 1]])
    return result


def tangents(times, values, tension, continuity, bias):
    """Tangents (keys, channels) arriving at and leaving each key, per segment: equations 8, 9 and the spacing of section 3.

    The ends have one neighbour each and head straight for it.
    """
    gaps = np.diff(times)
    steps = np.diff(values, axis=0)
    before, after = np.vstack([steps[:1], steps]), np.vstack([steps, steps[-1:]])
    loose = 1.0 - tension
    arriving = weigh(loose * (1 - continuity) * (1 + bias), before) + weigh(loose * (1 + continuity) * (1 - bias), after)
    leaving = weigh(loose * (1 + continuity) * (1 + bias), before) + weigh(loose * (1 - continuity) * (1 - bias), after)
    shorter, longer = np.append(gaps[0], gaps), np.append(gaps, gaps[-1])
    return weigh(4 * shorter / (shorter + longer), arriving), weigh(4 * longer / (shorter + longer), leaving)


def weigh(weight, rows):
    return 0.5 * weight[:, None] * rows
