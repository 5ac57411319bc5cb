# SPDX-License-Identifier: GPL-3.0-or-later
"""Cuts: where one take may go over into another without anyone seeing it.

Two moments are alike if the joints are in the same places and move the same way, as seen from where the figure stands and
faces (after Kovar, Gleicher and Pighin, Motion Graphs, SIGGRAPH 2002, whose clouds of points are laid over each other on
the ground). All pairs of moments are compared at once: the distances of many points are one product of matrices.
"""

import numpy as np

from ..motion.chart import Chart
from ..motion.ground import rotated, turning
from ..numeric import scipy
from ..numeric.frozen import frozen
from ..numeric.vectors import distances as squared_distances

SPEED_SECONDS = 0.1  # a difference in speed counts as the distance it makes in this time
APART_SECONDS = 0.1  # cuts that are closer than this are the same


@frozen
class Cuts:
    """Distances (rows of the first, rows of the second) and the rows that they belong to, and the best of them.

    With a skeleton the distance is that of the joints in metres, or the armature's units, else that of all signals.
    """

    distances: np.ndarray
    leaving: np.ndarray
    entering: np.ndarray
    apart: int

    def best(self, count=1):
        """Up to `count` pairs of rows with their distance, (leaving, entering, distance), the best first."""
        lowest = scipy.ndimage.minimum_filter(self.distances, size=2 * self.apart + 1, mode="nearest") == self.distances
        rows, columns = np.nonzero(lowest & np.isfinite(self.distances))
        order = np.argsort(self.distances[rows, columns], kind="stable")[:count]
        return [
            (int(self.leaving[row]), int(self.entering[column]), float(self.distances[row, column]))
            for row, column in zip(rows[order], columns[order])
        ]


def compared(first, second, ground, skeleton, leaving, entering, shortest=-np.inf):
    """The cuts from some rows of one clip to some rows of another, of the same channels and frame rate.

    Rows that are less than `shortest` apart are infinitely unlike.
    """
    points = [moments(clip, ground, skeleton) for clip in (first, second)]
    here, there = points[0][leaving], points[1][entering]
    distances = np.sqrt(squared_distances(here, there))
    distances[leaving[:, None] - entering < shortest] = np.inf
    return Cuts(distances, leaving, entering, max(1, round(APART_SECONDS * first.fps)))


def moments(clip, ground, skeleton):
    """Every moment as numbers (frames, numbers), whose differences are how unlike two moments are."""
    places = joints(clip, ground, skeleton) if skeleton else signals(clip, ground)
    return np.concatenate(places, axis=1) / np.sqrt(places[0].shape[1] / (3.0 if skeleton else 1.0))


def joints(clip, ground, skeleton):
    """Joints that travel with the figure, and their speeds, as seen from where it stands and faces.

    A root bone that stays behind would come closer or fall back with every step. In an object that travels they are there.
    """
    _, path = ground.taken_off(clip.values)
    heads = skeleton.posed(clip)[1][:, ground.travellers(skeleton)]
    speeds = np.gradient(heads, axis=0) * (SPEED_SECONDS * clip.fps)
    if ground.roots and not ground.roots[0].owner:
        return [points.transpose(0, 2, 1).reshape(clip.frames, -1) for points in (heads, speeds)]
    facing = turning(-path.headings, ground.up)[:, :, None]
    seen = (rotated(facing, points.transpose(2, 0, 1)) for points in (heads - path.places[:, None], speeds))
    return [np.concatenate(list(points), axis=1) for points in seen]


def signals(clip, ground):
    chart = Chart(clip.with_values(ground.taken_off(clip.values)[0])).signals
    return [chart, np.gradient(chart, axis=0) * (SPEED_SECONDS * clip.fps)]
