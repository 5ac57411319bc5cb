# SPDX-License-Identifier: GPL-3.0-or-later
"""One stretch of motion on its way to few keys.

A curve's own error says little: a degree at the hip is centimetres at the foot, and what one joint gets wrong another may
make good. So the curves of all bones are fitted together to what they do to the end effectors (least squares by conjugate
gradients, each curve's own fit as the preconditioner), and wherever an end effector is further off than allowed, the curve
that has the largest part in it gets a key. Forward kinematics, not the linear model, have the last word at every frame.

Rows are half frames: keys stand on whole frames, the even rows, but what they draw is fitted and checked halfway too. With
whole frames alone, slopes of keys on neighbouring frames would be free to swing out in between.
"""

import itertools
from typing import NamedTuple

import numpy as np

from ..numeric import scipy
from ..numeric.bezier_fit import Bezier
from ..numeric.rotation import EULER_ORDERS
from .effectors import Effectors
from .half_frames import STEP

ENOUGH = 0.98  # of what is allowed, since Blender keeps keys in single precision
COARSE = 4.0  # times what is allowed: until then each curve is fitted for itself, which is quicker
APART = {COARSE: 4, ENOUGH: 6}  # frames between rows that get keys at once, at least
ROUNDS = {COARSE: 0, ENOUGH: 4}  # of fitting the curves together
PATIENCE = 8  # times that one curve gets a key where something is off, before two do, and then three
STIFF = 0.3  # how much a curve's own error counts beside what it does to the end effectors
LOOSE = 4.0  # times the degrees: what fingers, toes and all that no end effector hangs on may turn
FINE = 0.005  # of its range: how far a curve may be off that is neither place nor angle
EXTREME = 0.2  # of its range: a curve that turns back by more has an extreme there,
FELT = 5.0  # if that is also as many times what is allowed
TINY = 1e-12
HALFWAY = 1.2  # times what is allowed between two frames: no take says exactly what is there
MIDDLE = 0.3  # of a segment: no new key is nearer to its ends


class Keys(NamedTuple):
    """The keys of one channel: frames from the clip's first, values, slopes a frame for handles a third of the way along."""

    rows: np.ndarray
    values: np.ndarray
    slopes: np.ndarray


class Reduction:
    """The keys of one stretch, a clip of half frames; only channels that move take part."""

    def __init__(self, clip, skeleton, names, allowed, groups, moving):
        self.clip, self.groups, self.moving = clip, groups, moving
        self.source = np.ascontiguousarray(clip.values.T[self.moving])
        self.group = groups[self.moving]
        self.effectors = Effectors(clip, skeleton, names, *allowed)
        self.effects = self.effectors.effects(self.moving.tolist())
        self.squares = np.zeros(self.source.shape)
        most = np.zeros(self.source.shape)
        for indices, effects in self.effects:
            sizes = np.square(effects).sum(axis=2)
            self.squares[indices] += sizes.sum(axis=1)
            most[indices] = np.maximum(most[indices], np.sqrt(sizes.max(axis=1)))
        own = np.array([own_weight(clip.channels[column], clip.values[:, column], skeleton, allowed) for column in self.moving])
        felt = np.median(most, axis=1)
        self.loose = most.max(axis=1, initial=0.0) < STIFF * own / LOOSE
        self.weight = np.where(self.loose, own, felt)

    def hold(self, wanted, slopes, cut_before, cut_after):
        """Say where keys must be: at the ends, at extremes, and at frames where they are wanted; slopes are those a frame."""
        self.slopes, self.bezier = np.repeat(slopes[self.moving] / STEP, STEP, axis=1), None
        self.held = np.zeros(self.source.shape, dtype=bool)
        turning = extremes(self.source[:, ::STEP], FELT / np.maximum(self.weight, TINY))
        self.held[:, ::STEP] = wanted[self.moving] | turning
        self.held[:, [0, -1]] = True
        self.given_up = np.zeros(self.held.shape[1], dtype=bool)
        self.cut = np.zeros(self.held.shape[1], dtype=bool)
        self.cut[[0, -1]] = cut_before, cut_after
        self.keyed = np.zeros((self.groups.max() + 1, self.held.shape[1]), dtype=bool)
        self.keyed[:, [0, -1]] = True
        np.logical_or.at(self.keyed, self.group, self.held)

    def keys(self):
        """Add keys until every end effector is where it should be; the keys of all channels."""
        for enough in (COARSE, ENOUGH) if len(self.moving) else ():
            for turn in itertools.count():
                self.fit(ROUNDS[enough])
                if not self.add(enough, 1 + turn // PATIENCE):
                    break
        indices = {column: index for index, column in enumerate(self.moving)}
        return [self.found(indices[column]) if column in indices else self.still(column) for column in range(len(self.groups))]

    def found(self, index):
        """The keys of a channel that moves."""
        own = slice(*np.searchsorted(self.bezier.channel, (index, index + 1)))
        return Keys(self.bezier.rows[own] // STEP, self.numbers[own, 0], STEP * self.numbers[own, 1])

    def still(self, column):
        """The keys of a channel that does not move: two, or those of its group."""
        rows = np.flatnonzero(self.keyed[self.groups[column]])
        return Keys(rows // STEP, self.clip.values[rows, column], np.zeros(len(rows)))

    def fit(self, rounds):
        """Values and slopes of the keys: each curve for itself, then in rounds all together."""
        before, self.bezier = self.bezier, Bezier(self.keyed[self.group])
        bezier, at = self.bezier, (self.bezier.channel, self.bezier.rows)
        together = rounds and before is not None
        self.numbers = np.column_stack(
            [(self.source + self.error)[at], before.slopes(self.numbers, bezier.indices)]
            if together
            else [self.source[at], self.slopes[at]]
        )
        self.numbers[self.held[at], 0] = self.source[at][self.held[at]]
        fixed = np.column_stack([self.held[at], self.cut[bezier.rows]])
        stiffness = (np.where(self.loose, 1.0, STIFF) * np.maximum(self.weight, TINY)) ** 2
        weights = stiffness + self.squares.mean(axis=1)
        solve = bezier.solver(weights, fixed)

        def gathered(curves):
            return np.where(fixed, 0.0, bezier.gathered(curves))

        if not together:
            self.numbers += solve(gathered(weights[:, None] * (self.source - bezier.drawn(self.numbers))))
        if rounds:
            asked = gathered(self.felt(self.source - bezier.drawn(self.numbers), stiffness))
            self.numbers += conjugate_gradients(
                lambda keys: gathered(self.felt(bezier.drawn(keys), stiffness)), asked, solve, rounds
            )
        self.error = bezier.drawn(self.numbers) - self.source
        values = self.clip.values.copy(order="F")
        values[:, self.moving] += self.error.T
        self.off = self.effectors.off(self.clip.with_values(values))
        self.off[..., 1::STEP] /= HALFWAY
        self.off[..., self.given_up] = 0.0

    def felt(self, change, stiffness):
        """How strongly a change of the curves pulls at each of them, through all that it moves."""
        result = stiffness[:, None] * change
        for indices, effects in self.effects:
            moved = np.einsum("ckif,cf->kif", effects, change[indices].astype(np.float32))
            result[indices] += np.einsum("ckif,kif->cf", effects, moved)
        return result

    def add(self, enough, count):
        """Give keys to the `count` curves most to blame where something is too far off; whether there was any."""
        apart = 2 * STEP * APART[enough] + 1
        blamed = [*self.blamed_for_effectors(enough, apart, count), *self.blamed_for_themselves(enough, apart)]
        if not blamed:
            return False
        channels, rows = (np.concatenate(column) for column in zip(*blamed))
        groups, before = self.group[channels], self.held.sum() + self.keyed.sum()
        free = self.bezier.free_rows(STEP)[channels, rows]
        for side in (rows // STEP, -(-rows // STEP)):
            self.held[channels[~free], STEP * side[~free]] = True  # a key that makes good for others is to do so no more
        for group in np.unique(groups[free]):
            keyed = self.keyed[group]
            found = between(np.flatnonzero(keyed) // STEP, np.unique(rows[free & (groups == group)] // STEP))
            keyed[STEP * found] = True
        if self.held.sum() + self.keyed.sum() == before:
            frames = STEP * np.concatenate([rows // STEP, -(-rows // STEP)])
            self.held[:, frames] = self.keyed[:, frames] = True  # so that this comes to an end, whatever the rig
        if self.held.sum() + self.keyed.sum() == before:
            self.given_up[rows] = True  # halfway between two frames that have all they can have
        return True

    def blamed_for_effectors(self, enough, apart, count):
        """Rows where an effector's error is too large and largest around, with the channels whose part in it is largest."""
        shared = np.sqrt(np.bincount(self.group))[self.group]  # a key for a whole group must be worth more
        sizes = np.sqrt(np.square(self.off).sum(axis=2))
        peaks = (sizes > enough) & (sizes >= scipy.ndimage.maximum_filter1d(sizes, apart, axis=2))
        for number, kind in zip(*np.nonzero(peaks.any(axis=2))):
            indices, effects = self.effects[number]
            if len(indices):
                rows = np.flatnonzero(peaks[number, kind])
                blame = np.einsum("cif,if->cf", effects[:, kind][..., rows], self.off[number, kind][:, rows])
                blame *= self.error[np.ix_(indices, rows)] / shared[indices, None]
                yield indices[np.argsort(blame, axis=0)[-count:]].ravel(), np.tile(rows, min(count, len(indices)))

    def blamed_for_themselves(self, enough, apart):
        """The same for channels that no effector feels."""
        for index in np.flatnonzero(self.loose):
            sizes = self.weight[index] * np.abs(self.error[index]) * ~self.given_up
            rows = np.flatnonzero((sizes > enough) & (sizes >= scipy.ndimage.maximum_filter1d(sizes, apart)))
            if len(rows):
                yield np.full(len(rows), index), rows


def own_weight(channel, values, skeleton, allowed):
    """What a channel's error is in what is allowed, if only the channel itself is looked at."""
    millimetres, degrees = allowed
    turn = np.degrees(1.0) / (LOOSE * degrees)
    size = np.linalg.norm(np.array(skeleton.world)[:3, :3], axis=0).max()
    weights = {"LOCATION": 1e3 * size / millimetres, "QUATERNION": 2.0 * turn, **dict.fromkeys(EULER_ORDERS, turn)}
    return weights.get(channel.kind, 1.0 / max(FINE * np.ptp(values), TINY))


def extremes(curves, least):
    """Where (channels, frames) curves turn back by a good part of their range, and by no less than (channels,) `least`."""
    result = np.zeros(curves.shape, dtype=bool)
    for found, curve, depth in zip(result, curves, np.maximum(EXTREME * np.ptp(curves, axis=1), least)):
        for side in (curve, -curve):
            found[scipy.signal.find_peaks(side, prominence=depth)[0]] = True
    return result


def between(keyed, rows):
    """New rows in the segments that hold the given ones, one a segment and not too near to its ends."""
    spans = np.diff(keyed)
    segment = np.minimum(np.searchsorted(keyed, rows, side="right") - 1, len(spans) - 1)
    before = np.maximum(segment - 1, 0)
    segment = np.where((keyed[segment] == rows) & (spans[before] > spans[segment]), before, segment)
    open_ = spans[segment] > 1
    segment, first = np.unique(segment[open_], return_index=True)
    start, span = keyed[segment], spans[segment]
    margin = np.maximum(1, np.minimum(np.ceil(MIDDLE * span), span // 2)).astype(int)
    return np.clip(rows[open_][first], start + margin, start + span - margin)


def conjugate_gradients(apply, asked, solve, rounds):
    """The solution of apply(x) = asked after so many rounds, with an approximate solver."""
    result, left = np.zeros_like(asked), asked
    step = solve(left)
    way, size = step, np.vdot(left, step)
    for _ in range(rounds):
        if size <= 0.0:
            break
        pull = apply(way)
        length = size / np.vdot(way, pull)
        result = result + length * way
        left = left - length * pull
        step = solve(left)
        before, size = size, np.vdot(left, step)
        way = step + size / before * way
    return result
