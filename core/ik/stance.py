# SPDX-License-Identifier: GPL-3.0-or-later
"""Stance: when and how the feet of a take stand, everything of it that no edit changes.

A toe stands where contacts say so, and, where they are found and not given, also while it hardly moves at any height: on a
chair, on another foot, in the air. Points and vectors are (3, frames), masks (frames,).
"""

import copy

import numpy as np

from ..body.body import points_of
from ..body.contacts import JUMP, LEG
from ..numeric import rotation, scipy
from ..numeric.banded import Smoother
from ..numeric.matrix import plain, turns_to
from ..numeric.smoothing import runs
from ..numeric.vectors import SMALL, dot, length, turned
from .plants import INSTANTS, TILT, yielding

STILL = 0.16  # metres a second, of a leg of 82 cm: what is slower stands, however high
STEP = 1.5  # metres a second: a single step as fast as that is no standing
BOX = 0.04  # seconds over which speed is taken
SHORTEST, BRIDGED = 0.09, 0.05  # seconds that a stand lasts, and that a gap in it is none
LEVEL = 0.6  # how much of a foot lies along the ground for its heading to be known
SPUN = np.radians(5.0)  # a heading that turns more in a frame is not known
TREMBLE = 8.0  # hertz: what of a standing foot's height and tilt is faster is no drift
FIRM, FIRM_FLAT = 1e7, 10.0  # weights of a foot that stands, and of one that is held flat, that of a free one being 1
QUICK = 0.15  # seconds between two stands: with as much, and as long stands, each has half its way
RISE = 0.008  # of the leg: how far a toe that is down is kept from rising and sinking as in the take
ROLL = 0.03  # seconds over which a foot that is held flat takes up rolling


class Foot:
    """A foot, or a hand, in a take: when it stands, on which of its points, and how it is turned then."""

    def __init__(self, body, end, downs, rows):
        self.end, self.downs, self.joint, self.axes = end, downs, body.tip(end)[0], plain(body.tip(end)[1])
        self.points, self.rows, self.up, self.leg = body.points(end), rows, body.up, body.leg
        self.planted, self.firm = downs.any(axis=0), downs.all(axis=0) & (len(downs) > 1)
        self._part([stretch.start for stretch in body.stretches[1:]])
        self.heights = np.einsum("i,pif->pf", self.up, self.points)
        self.lowest = self.heights.min(axis=0)

    def over_cuts(self, starts):
        """The same foot standing on over cuts at which it hardly jumps, as where a capture slips: these but for some."""
        foot, far = copy.copy(self), length(np.diff(self.points[-1], prepend=self.points[-1][:, :1])) > JUMP * self.leg
        foot._part([start for start in self.starts if start in starts or far[start]])
        return foot

    def _part(self, starts):
        """Let stands end where these rows start."""
        self.starts, self.over = starts, over(self.downs, starts)
        self.plants = [piece for run in runs(self.planted) for piece in pieces(run, starts)]

    def steps(self, points):
        """How far the point that the foot stands on goes along the ground from frame to frame, (3, frames)."""
        result = np.zeros((3, points.shape[-1]))
        for index, point in enumerate(points):
            result[:, 1:] += np.where(self.over[1:] == index, np.diff(point), 0.0)
        return result - self.up[:, None] * dot(self.up[:, None], result)

    def locked(self, instant, smooth, flat, fps):
        """What takes the drift out of stands, one place and one heading for each: turns and moves (3, frames).

        Upwards slow drift alone goes: a foot that trembles does so on, and no knee trembles in its place.
        """
        eased = Smoother(np.where(self.planted, FIRM, 1.0), smooth, fps, self.starts)
        if len(self.points) < 2:
            return self._gripped(instant, eased)
        edges = sorted({row for first, last in self.plants for row in (first, last + 1)} | set(self.starts))
        calm = Smoother(np.ones(len(self.planted)), 0.5 / (np.pi * TREMBLE), fps, edges)
        tilt = rotation.exp(eased(self._calmed(calm)) + self._flattened(instant, np.inf if flat else TILT, fps))
        yaw = -np.cumsum(self._headings(self.arms(tilt)))
        yaw = eased(np.where(self.planted, yaw - self.constant(yaw, instant), 0.0))
        turns = rotation.log(rotation.multiply(rotation.exp(self.up[:, None] * yaw), tilt))
        points = self.joint + self.arms(rotation.exp(turns))
        moves = -np.cumsum(self.steps(points), axis=1)
        down = self.downs[-1].astype(float)
        sunk = down * (self.constant(down * self.heights[-1]) / np.maximum(self.constant(down), SMALL) - self.heights[-1])
        rise = self.up[:, None] * (self.heights[-1] + yielding(sunk[None], RISE * self.leg)[0] - self.up @ points[-1])
        return turns, eased(np.where(self.planted, moves - self.constant(moves, instant) + calm(rise), 0.0))

    def _gripped(self, instant, eased):
        """Turns and moves that hold a hand as it is at one instant of every stand."""
        turns, moves = np.zeros_like(self.joint), np.zeros_like(self.joint)
        for first, last in self.plants:
            rows, at = slice(first, last + 1), first + round(INSTANTS[instant or "MIDDLE"] * (last - first))
            turns[:, rows] = turns_to(self.axes[:, :, rows], self.axes[:, :, at])
            moves[:, rows] = self.joint[:, [at]] - self.joint[:, rows]
        return eased(turns), eased(moves)

    def _calmed(self, calm):
        """Turns (3, frames) that take the tremble out of how the foot is turned while it stands.

        In the take it shakes the toe; with the toe at rest it would shake the knee.
        """
        way = np.zeros_like(self.joint)
        for first, last in self.plants:
            rows = slice(first, last + 1)
            way[:, rows] = -turns_to(self.axes[:, :, rows], self.axes[:, :, (first + last) // 2])
        return np.where(self.planted, calm(way) - way, 0.0)

    def arms(self, turn):
        """The way from the joint to each point (points, 3, frames), turned (4, frames)."""
        return turned(turn[:, None], np.moveaxis(self.points - self.joint, 0, 1)).swapaxes(0, 1)

    def constant(self, values, instant=None):
        """One value for every stand, (..., frames): that of its instant, or the mean."""
        result = np.array(values)
        for first, last in self.plants:
            rows = [first + round(INSTANTS[instant] * (last - first))] if instant else np.arange(first, last + 1)
            result[..., first : last + 1] = values[..., rows].mean(axis=-1, keepdims=True)
        return result

    def tied(self, values, fps):
        """Values (..., frames), one for every stand, the more alike the less time there is from one stand to the next.

        A foot that is taken up for a few hundredths of a second can go nowhere else, and whether it was is hard to say.
        """
        if len(self.plants) < 2:
            return values
        first, last = np.array(self.plants).T
        lasting, gaps = (last + 1 - first) / fps, (first[1:] - last[:-1]) / fps
        ties = QUICK * (QUICK / gaps) ** 4
        ties[np.searchsorted(self.starts, last[:-1], "right") < np.searchsorted(self.starts, first[1:], "right")] = 0.0
        bands = np.array([np.append(0.0, -ties), lasting + np.append(ties, 0.0) + np.append(0.0, ties)])
        means = values.reshape(-1, values.shape[-1])[:, first].T
        result = values.copy()
        for stand, own in zip(self.plants, scipy.linalg.solveh_banded(bands, lasting[:, None] * means)):
            result[..., stand[0] : stand[1] + 1] = own.reshape(*values.shape[:-1], 1)
        return result

    def lifted(self, level):
        """Lifts (3, frames) that put every stand at one height."""
        lifts = np.zeros(len(self.planted))
        for first, last in self.plants if level is not None else ():
            firm = first + np.flatnonzero(self.firm[first : last + 1])
            at = firm[len(firm) // 2] if len(firm) else (first + last) // 2
            lifts[first : last + 1] = level - self.heights[:, at].mean()
        return self.up[:, None] * lifts

    def _flattened(self, instant, limit, fps):
        """Turns (3, frames) that keep the foot from rolling while heel and toe are down, as far as the limit."""
        turns = np.zeros_like(self.joint)
        for first, last in runs(self.firm):
            at = first + round(INSTANTS[instant or "MIDDLE"] * (last - first))
            turns[:, first : last + 1] = turns_to(self.axes[:, :, first : last + 1], self.axes[:, :, at])
        turns = turns - self.up[:, None] * dot(self.up[:, None], turns)
        if not turns.any():
            return turns
        turns = yielding(turns, limit) if np.isfinite(limit) else turns
        return Smoother(np.where(self.firm, FIRM_FLAT, 1.0), ROLL, fps, self.starts)(turns)

    def _headings(self, points):
        """How much the line from heel to toe turns about the up axis from frame to frame while both are down, (frames,)."""
        result = np.zeros(self.joint.shape[1])
        side = np.linalg.svd(self.up[None])[2][1:]
        ahead = points[1] - points[0]
        flat = side @ ahead
        lying = self.firm & (np.hypot(*flat) > LEVEL * length(ahead))
        sense = np.sign(np.linalg.det(np.array([*side, self.up])))
        turning = sense * np.diff(np.unwrap(np.arctan2(flat[1], flat[0])))
        result[1:] = np.where(lying[1:] & lying[:-1] & (np.abs(turning) < SPUN), turning, 0.0)
        return result


def over(downs, starts):
    """On which point a foot goes from one frame to the next, the last that is down at both; -1 where on none."""
    both = downs & np.roll(downs, 1, axis=1)
    both[:, [0, *starts]] = False
    index = len(downs) - 1 - np.argmax(both[::-1], axis=0)
    return np.where(both.any(axis=0), index, -1)


def pieces(run, starts):
    """A run of rows as the parts that it has between cuts."""
    first, last = run
    inside = [start for start in starts if first < start <= last]
    return list(zip([first, *inside], [*(start - 1 for start in inside), last]))


def still(body, end):
    """When the toe of a foot, or a hand, hardly moves, (frames,)."""
    track, fps, metre = body.points(end)[-1], body.clip.fps, LEG / body.leg
    result = np.zeros(body.clip.frames, dtype=bool)
    width = max(1, int(BOX * fps) | 1)
    for rows in body.stretches:
        if rows.stop - rows.start < 3:
            continue
        own = track[:, rows]
        smooth = scipy.ndimage.uniform_filter1d(own, width, axis=1, mode="nearest")
        speed = length(np.gradient(smooth, axis=1)) * fps * metre
        steady = length(np.diff(own)) * fps * metre < STEP
        slow = (speed < STILL) & np.append(True, steady) & np.append(steady, True)
        for first, last in runs(~slow):
            gap = speed[first : last + 1]
            if 0 < first and last + 1 < len(slow) and len(gap) <= BRIDGED * fps and gap.max() < 3 * STILL:
                slow[first : last + 1] = True
        for first, last in runs(slow):
            if last + 1 - first >= max(3, SHORTEST * fps):
                result[rows.start + first : rows.start + last + 1] = True
    return result


def standing(body, contacts):
    """What stands when in a take, first and last frames by point: contacts as they are found, and toes that hardly move."""
    found, first_frame = dict(contacts), body.clip.first_frame
    for end in (end for end in body.ends if end.endswith("foot")):
        downs = body.downs(end, found)
        downs[-1] |= still(body, end)
        for point, own in zip(points_of(end), downs):
            found[point] = [[first_frame + first, first_frame + last] for first, last in runs(own)]
    return found


def feet_of(body, contacts, rows, ends, hands=True):
    """The feet, and planted hands, of the body in a take, {end: Foot}; contacts are found unless they are given."""
    given, feet = contacts or body.contacts, {}
    for end in ends:
        downs = body.downs(end, given)
        if end.endswith("foot"):
            downs[-1] |= still(body, end) if not contacts else False
        elif not (hands and downs.any()):
            continue
        feet[end] = Foot(body, end, downs & rows, rows)
    return feet
