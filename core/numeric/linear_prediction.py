# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear prediction: signals carried on beyond their ends as they swing, each value told from those before it.

Whatever is a sum of swings, growing or dying away or not, follows from its own past by one set of weights. They are those that
fit the signal best, forwards and backwards at once (the modified covariance method: Marple, Digital Spectral Analysis, 1987).
Values that count are a fixed time apart, whatever the frame rate, so that slow swings are told as surely as quick ones.
"""

import numpy as np

APART = 1 / 24  # seconds between the values that the next is told from
MEMORY, PART = 4 / 3, 1 / 3  # over how many seconds they go back, and how much of the signal at most
SLACK = 1e-8  # of the signal's power: how much noise is expected
ENOUGH = 1500  # moments of a signal that are looked at, evenly spread
WILD = 3.0  # times as far as the signal ever is: what goes farther has weights that grow


def carried_on(rows, before, after, fps):
    """Rows (signals, frames) with so many frames in front of them and after them; None where they are too short to tell."""
    step = max(1, round(APART * fps))
    order = round(min(MEMORY * fps, PART * (rows.shape[1] - 1)) / step)
    if order < 2:
        return None
    weights = fitted(rows, step, order)
    result = both_ways(rows, weights, step, before, after)
    wild = (np.abs(result) > WILD * np.abs(rows).max(axis=1, keepdims=True)).any(axis=1)
    if wild.any():
        result[wild] = both_ways(rows[wild], steady(weights[wild]), step, before, after)
    return result


def fitted(rows, step, order):
    """Weights (signals, order), the earliest first, of values a step apart that tell the next one best."""
    windows = np.lib.stride_tricks.sliding_window_view(rows.astype(np.float64), order * step + 1, axis=1)
    windows = windows[:, :: max(1, step // 2, windows.shape[1] // ENOUGH), ::step]
    products = windows.swapaxes(1, 2) @ windows
    products = products + products[:, ::-1, ::-1]
    known, told = products[:, :order, :order], products[:, :order, order]
    power = np.trace(known, axis1=1, axis2=2) / order
    slack = (SLACK * power + np.finfo(np.float64).tiny)[:, None, None] * np.eye(order)
    return np.linalg.solve(known + slack, told[..., None])[..., 0]


def both_ways(rows, weights, step, before, after):
    return np.concatenate(
        [onward(rows[:, ::-1], weights, step, before)[:, ::-1], rows, onward(rows, weights, step, after)], axis=1
    )


def onward(rows, weights, step, count):
    """The next frames (signals, count) after rows, a step at a time."""
    order = weights.shape[1]
    past = order * step
    result = np.concatenate([rows[:, -past:], np.zeros((len(rows), -(-count // step) * step))], axis=1, dtype=np.float64)
    for at in range(past, result.shape[1], step):
        result[:, at : at + step] = np.einsum("cp,cps->cs", weights, result[:, at - past : at].reshape(-1, order, step))
    return result[:, past : past + count]


def steady(weights):
    """Weights whose swings do not grow: those that would go on as they are."""
    order = weights.shape[1]
    companion = np.zeros((len(weights), order, order))
    companion[:, np.arange(order - 1), np.arange(1, order)] = 1.0
    companion[:, -1] = weights
    swings = np.linalg.eigvals(companion)
    swings = swings / np.maximum(np.abs(swings), 1.0)
    return np.array([-np.poly(own).real[:0:-1] for own in swings])
