# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a motion is another than it was, as far as single precision can tell."""

import numpy as np

UNCHANGED = 1e-7  # of a curve's size: nothing that single precision keeps


def differs(result, source):
    """Whether a result is another motion than its source."""
    return bool(changed_channels(result, source, any_of_them=True))


def changed_channels(result, source, any_of_them=False):
    """Channels of a result that are others than in its source: all of them where its frames are others, or only the first."""
    if (result.first_frame, result.frames) != (source.first_frame, source.frames):
        return set(result.channels)
    if not any_of_them and result.channels == source.channels:
        return changed_alike(result, source)
    columns, before = {channel: column for column, channel in enumerate(source.channels)}, source.values.T
    changed = set()
    for channel, values in zip(result.channels, result.values.T):
        if not unchanged(values, before[columns[channel]] if channel in columns else values[:1]):
            changed.add(channel)
            if any_of_them:
                break
    return changed


def changed_alike(result, source):
    """The same for clips of the same channels: those that differ at a few frames are told all at once."""
    few = few_of(result.frames)
    values, before = result.values[few], source.values[few]
    same = np.abs(values - before).max(axis=0) <= UNCHANGED * np.maximum(1.0, np.abs(before).max(axis=0))
    rows, rows_before, channels = result.values.T, source.values.T, result.channels
    same[same] = [close(rows[column], rows_before[column]) for column in np.flatnonzero(same)]
    return {channel for channel, alike in zip(channels, same.tolist()) if not alike}


def unchanged(values, before):
    """Whether two curves are the same to single precision; most that differ do so at any few frames."""
    few = few_of(len(before))
    return close(values[few], before[few]) and close(values, before)


def few_of(frames):
    return slice(None, None, frames // 16 + 1)


def close(values, before):
    return np.abs(values - before).max() <= UNCHANGED * max(1.0, np.abs(before).max())
