# SPDX-License-Identifier: GPL-3.0-or-later
"""A take warped frame by frame along a path: copies, means and splines (Bruderlin and Williams 1995, section 3.2.1).

Of the frames of the take that meet a frame of the result:
substitution, one meets one: it is copied; deletion, several meet one: it is their mean; insertion, one meets several: they
lie on the uniform cubic B-spline that has the frames of the take for control points, spread evenly over the span of the
one, half a frame to either side, so that a run goes on moving.
"""

import numpy as np

from ..motion.chart import Chart, components, rotation_groups
from ..motion.orientations import Orientations, as_quaternions, on_side_of
from ..numeric import rotation
from ..numeric.rotation import ROTATION_SIZES


def warp_frame_by_frame(clip, path):
    """The clip in the columns of a path of nodes (row of the clip, column of the result)."""
    center, rows, weights = taps(path, clip.frames)
    by_mode, plain = rotation_groups(clip.channels)
    result = np.empty((len(center), len(clip.channels)), order="F")
    for mode, members in by_mode:
        source = components(clip.values, members)
        turned = Orientations(mode, source[:, center])
        signals = turned.signals_from(on_side_of(turned.quaternions, rotation_means(mode, source, center, rows, weights)))
        for columns, component in zip(zip(*members), turned.channels(signals)):
            result[:, list(columns)] = component
    angles = [clip.channels[column].kind in ROTATION_SIZES for column in plain]
    values = np.where(angles, np.unwrap(clip.values[:, plain], axis=0), clip.values[:, plain])
    result[:, plain] = np.einsum("ft,fts->fs", weights, values[rows])
    return clip.with_values(result, center)


def taps(path, frames):
    """For every column the row that it is nearest to (columns,), and rows and their weights (columns, taps) that make it up."""
    low, columns = path[0, 1], path[-1, 1] - path[0, 1] + 1
    met = np.bincount(path[:, 1] - low, minlength=columns)
    spread = np.bincount(path[:, 0], minlength=frames)
    begins = np.searchsorted(path[:, 1] - low, np.arange(columns))
    width = max(4, met.max())
    rows, weights = np.zeros((columns, width), int), np.zeros((columns, width))
    center = path[begins + met // 2, 0]
    for column, (begin, count) in enumerate(zip(begins, met)):
        row = path[begin, 0]
        if count > 1:
            rows[column, :count], weights[column, :count] = path[begin : begin + count, 0], 1 / count
        elif spread[row] > 1:
            ahead = column + low - path[np.searchsorted(path[:, 0], row), 1]
            first, weights[column, :4] = b_spline(row + (ahead + 0.5) / spread[row] - 0.5)
            rows[column, :4] = np.clip(np.arange(first, first + 4), 0, frames - 1)
        else:
            rows[column, 0], weights[column, 0] = row, 1.0
    return center, rows, weights


def b_spline(moment):
    """The first of the four rows that a uniform cubic B-spline is made up of at a moment, and their weights."""
    row = int(np.floor(moment))
    u = moment - row
    return row - 1, np.array([(1 - u) ** 3, 3 * u**3 - 6 * u**2 + 4, 3 * (u - u**3 + u**2) + 1, u**3]) / 6


def rotation_means(mode, source, center, rows, weights):
    """Weighted means of rotations (4, columns, rotations), as turns away from the center."""
    q = rotation.normalized(as_quaternions(mode, source))[0]
    q *= rotation.lifted(q)
    turns = sum(
        rotation.log(rotation.multiply(rotation.conjugate(q[:, center]), q[:, rows[:, tap]])) * weights[:, tap, None]
        for tap in range(rows.shape[1])
    )
    return rotation.multiply(q[:, center], rotation.exp(turns))


def interpolate_poses(clip, other, amount, shared):
    """The clip with its poses moved by `amount` towards those of another with the same channels and frames.

    0 is the clip, 1 the other one, beyond is farther. Channels that are not `shared` (channels,) stay as they are.
    """
    chart, goals = Chart(clip), iter(Chart(other).orientations)  # of the same channels, so in the same order

    def turn(q, mode, owners):
        way = rotation.multiply(rotation.conjugate(q), next(goals).quaternions)
        way *= np.where(way[0] < 0, -1.0, 1.0)
        way *= rotation.lifted(way)  # near half a turn the shorter way would change sides from frame to frame
        return rotation.multiply(q, rotation.exp(amount * rotation.log(way)))

    def move(values, channels):
        way = other.values[:, chart.plain] - values
        angles = [channel.kind in ROTATION_SIZES for channel in channels]
        return values + amount * np.where(angles, np.remainder(way + np.pi, 2 * np.pi) - np.pi, way)

    values = chart.values(chart.reshaped(turn, move))
    values[:, ~shared] = clip.values[:, ~shared]
    return clip.with_values(values)
