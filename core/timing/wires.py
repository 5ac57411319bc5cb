# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes as wires that can be compared: how their signals move and turn, whatever way the figure faces.

The signals of a rotation are its turning about the bone's own axes, so that neither heading nor rest pose nor the number of
whole turns matters. Signals are measured in what they move: a turn by the reach of all that hangs on the bone. Each
take is measured by its own mean liveliness: a sad walk and a happy one have the same shape, but not the same size.
"""

import numpy as np

from ..motion.chart import components, rotation_groups
from ..motion.orientations import as_quaternions
from ..numeric import rotation, scipy
from ..numeric.vectors import distances

SMOOTH_EDGES, SMOOTH_TURNS = 0.02, 0.06  # seconds that noise is taken out over
LIVELIEST = 4.0  # times the mean: what moves faster is a glitch, such as a rest pose before the first frame
TIME = 0.1  # how long a frame in which nothing moves is, beside one in which as much moves as in the mean
STEEPNESS = 5.0  # of a signal drawn over time that moves as much as the mean
BENDING = 0.01  # how much a turn counts beside an edge, so that both weights are 1 where neither outvotes the other


def wires(clip, other, weights, stretch=1.0, bend=1.0):
    """Two takes with the same channels and frame rate as wires; `weights` (channels,) say how much each channel counts."""
    return tuple(wire(clip, weights, stretch, bend) for clip in (clip, other))


def wire(clip, weights, stretch, bend):
    speeds = edges_of(clip, weights)
    usual = LIVELIEST * np.abs(speeds).mean(axis=0)
    np.clip(speeds, -usual, usual, out=speeds)
    speeds /= max(np.sqrt(np.mean(np.einsum("fs,fs->f", speeds, speeds))), 1e-12)
    edges = np.full((clip.frames, speeds.shape[1] + 1), stretch * TIME, np.float32)
    edges[1:, :-1] = stretch * smoothed(speeds, SMOOTH_EDGES * clip.fps)
    edges[0] = edges[1]
    channels = np.sqrt(speeds.shape[1])  # each counts by its share of how much moves in all
    angles = np.arctan(STEEPNESS * channels * smoothed(speeds, SMOOTH_TURNS * clip.fps))
    turns = np.zeros((clip.frames, speeds.shape[1]), np.float32)
    turns[1:-1] = np.sqrt(bend * BENDING) * clip.fps / channels * np.diff(angles, axis=0)
    return Wire(edges, turns)


def smoothed(signals, frames):
    return scipy.ndimage.gaussian_filter1d(signals, frames, axis=0, mode="nearest")


def edges_of(clip, weights):
    """How fast every signal moves between frames (frames - 1, signals), times its weight; those of no weight are left out."""
    by_mode, plain = rotation_groups(clip.channels)
    found = []
    for mode, members in by_mode:
        members = [columns for columns in members if weights[columns[0]] > 0]
        if members:
            q = rotation.normalized(as_quaternions(mode, components(clip.values, members)))[0]
            q *= rotation.lifted(q)
            steps = rotation.log(rotation.multiply(rotation.conjugate(q[:, :-1]), q[:, 1:]))
            found += [step * [weights[columns[0]] for columns in members] for step in steps]
    plain = [column for column in plain if weights[column] > 0]
    steps = np.diff(clip.values[:, plain], axis=0)
    found.append((steps - steps.mean(axis=0)) * weights[plain])
    return np.concatenate([edges.T for edges in found]).T * clip.fps  # time side by side, as the filters like it


COLLAPSE = 0.5  # c: the less, the dearer the edge that shrinks to nothing
SMALL = 1e-30  # edges of no length at all cost nothing


class Wire:
    """A take as edges (frames, signals), the edge that leads to each frame, and turns (frames, signals)."""

    def __init__(self, edges, turns):
        self.edges, self.turns = edges, turns
        self.lengths = np.sqrt(np.einsum("fs,fs->f", edges, edges))

    def part(self, rows):
        return Wire(self.edges[rows], self.turns[rows])

    def halved(self):
        return Wire(paired(self.edges), paired(self.turns))


class StretchAndBend:
    """The work of moves between the frames of two wires, as a correspondence asks for it."""

    def __init__(self, one, other):
        self.one, self.other = one, other
        self.shape = (len(one.edges), len(other.edges))
        self.down, self.across = one.lengths / COLLAPSE, other.lengths / COLLAPSE

    def block(self, rows, columns):
        bend = distances(self.one.turns[rows], self.other.turns[columns])
        work = distances(self.one.edges[rows], self.other.edges[columns])
        long, wide = self.one.lengths[rows, None], self.other.lengths[columns]
        work /= (1 - COLLAPSE) * np.minimum(long, wide) + COLLAPSE * np.maximum(long, wide) + SMALL
        work += bend
        return work, bend

    def part(self, rows, columns):
        return StretchAndBend(self.one.part(rows), self.other.part(columns))

    def halved(self):
        return StretchAndBend(self.one.halved(), self.other.halved())


def paired(rows):
    """Means of neighbouring rows, the last one alone where their number is odd."""
    result = rows[::2].copy()
    result[: len(rows) // 2] += rows[1::2]
    result[: len(rows) // 2] *= 0.5
    return result
