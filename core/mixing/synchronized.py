# SPDX-License-Identifier: GPL-3.0-or-later
"""In step: takes whose events happen together, mixed at the time that lies in between (Ahmed 2001, section 5).

Every take is read at its own moments, so that what is one take alone is that take at its own pace. Poses are mixed on the
spot, in one chart about the mean of all takes; where the figure goes is mixed apart, as how far and how much turned (see
travel). Takes may be cycles, which then go on and on.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from ..motion.clip import FEWEST_FRAMES
from ..motion.cycle import Cycle
from ..motion.ground import Path
from ..motion.resample import BetweenFrames
from ..motion.switches import of_whom
from ..numeric.refusal import Refusal
from ..numeric.time_map import along
from .mixer import WHOLE, Mixer, SampledSignals

AROUND = 2  # frames of a cycle that are read before its first and after its last
GOING = 4  # signals that say where the figure goes: three of steps, one of turns


class Synchronized:
    """Takes of the same channels and frame rate, and rows of their events (takes, events), the same in each.

    `missing` (takes, channels) tells what a take has only borrowed from the first. The last frame of a cycle is its first.
    """

    def __init__(self, clips, events, missing, surroundings, cyclic=False):
        self.clips, self.cyclic = clips, cyclic
        self.mixer = Mixer(clips, missing, surroundings)
        self.ground = self.mixer.ground
        self.lengths = np.array([clip.frames - 1.0 for clip in clips])
        self.knots = knots_of(np.asarray(events, dtype=np.float64), self.lengths[:, None], cyclic)
        self.paths = [Path(places.rows.T, headings.rows[0]) for places, headings in self.mixer.paths]
        self.ways = [Track(gone(path, self.ground.up), cyclic) for path in self.paths]
        self.tracks = [
            Track(np.hstack([signals, gone(path, self.ground.up)]), cyclic)
            for signals, path in zip(self.mixer.signals, self.paths)
        ]
        self.missing = np.pad(self.mixer.missing, ((0, 0), (0, GOING)))

    def length(self, weights):
        """How many frames, whole or not, a mix lasts."""
        return float(np.dot(weights, self.lengths))

    def frames(self, weights, rounds=1):
        """How many frames it is until the mix has ended, or has gone so many times round."""
        return max(FEWEST_FRAMES - 1, round(round(rounds * self.length(weights), 6)))

    def rows(self, weights, rounds=1, around=0):
        """Which row of each take (takes, frames) belongs to every frame of a mix that takes its time between theirs.

        A cycle may go on for some frames `around` its rounds, before and after.
        """
        length, moments = self.length(weights), np.dot(weights, self.knots)
        refuse_disorder(moments, self.knots)
        frames = self.frames(weights, rounds)
        clock = np.arange(-around, frames + around + 1) * (rounds * length / frames)
        whole = np.floor(clock / length) if self.cyclic else np.zeros_like(clock)
        rows = np.stack(
            [
                along(np.column_stack([moments, own]), clock - whole * length) + whole * own_length
                for own, own_length in zip(self.knots, self.lengths)
            ]
        )
        return np.where(np.abs(rows - np.rint(rows)) < WHOLE, np.rint(rows), rows)

    def mixed(self, weights, rounds=1, around=0, more=None):
        """The mix with such weights (takes,) as a cycle: poses on the spot, steps and turns.

        `more` is a track of what is added to it, along the rows of the first take.
        """
        rows, shares = self.rows(weights, rounds, around), self.shares(weights)
        signals = sum(share * track.at(own) for share, track, own in zip(shares, self.tracks, rows) if share.any())
        if more is not None:
            signals += more.at(rows[0])
        near = np.rint(rows[0]).astype(int)
        near = near % (self.clips[0].frames - 1) if self.cyclic else near
        most = np.full(len(near), np.argmax(weights))
        own = rows % self.lengths[:, None] if self.cyclic else rows
        clip = replace(
            self.clips[0],
            values=self.mixer.values(signals[:, :-GOING], near),
            switches=of_whom([clip.switches for clip in self.clips], most, own),
        )
        steps = np.diff(signals[:, -GOING:], axis=0)
        return Cycle(clip, steps[:, :-1], steps[:, -1])

    def going(self, weights):
        """Steps (frames - 1, 3) and turns (frames - 1,) of the mix, without its poses."""
        ways = (weight * way.at(own) for weight, way, own in zip(weights, self.ways, self.rows(weights)))
        steps = np.diff(sum(ways), axis=0)
        return steps[:, :-1], steps[:, -1]

    def shares(self, weights):
        """How much of each take there is in every signal (takes, signals); what takes lack comes from the first."""
        shares = np.where(self.missing, 0.0, np.asarray(weights, dtype=np.float64)[:, None])
        shares[0] += np.sum(weights) - shares.sum(axis=0)
        return shares

    def start(self, weights):
        """Place and heading between those at which the takes start."""
        places, headings = (np.array(array) for array in zip(*((path.places[0], path.headings[0]) for path in self.paths)))
        apart = (headings - headings[0] + np.pi) % (2 * np.pi) - np.pi
        return places[0] + np.dot(weights, places - places[0]), headings[0] + np.dot(weights, apart)

    def placed(self, cycle, way, place, heading):
        """A cycle carried along the path that it goes from a place and heading."""
        rows = np.arange(cycle.clip.frames) % (self.clips[0].frames - 1)
        return cycle.clip_on(self.ground, cycle.going(way, place, heading, self.ground.up), self.clips[0].values[rows])

    def difference(self, take):
        """What a take has more than the first when its events are at those of the first, (frames, signals).

        Where the figure goes is told by its speeds there, one less than there are frames: the last is there twice.
        """
        rows = np.arange(self.clips[0].frames)
        there = along(np.column_stack([self.knots[0], self.knots[take]]), rows)
        apart = (self.tracks[take].at(there) - self.tracks[0].at(rows)) * ~self.missing[take]
        speeds = np.diff(apart[:, -GOING:], axis=0)
        apart[:, -GOING:] = np.concatenate([speeds, speeds[-1:]])
        return apart

    def added(self, difference):
        """Such a difference, whole or in part, as what can be added to a mix."""
        going = np.cumsum(difference[:-1, -GOING:], axis=0)
        return Track(np.hstack([difference[:, :-GOING], np.concatenate([np.zeros((1, GOING)), going])]), self.cyclic)


class Track:
    """Signals (frames, signals) to be read between frames, and on and on where they are a cycle."""

    def __init__(self, signals, cyclic):
        self.length, self.before = len(signals) - 1, AROUND if cyclic else 0
        self.around = signals[-1] - signals[0]
        if cyclic:
            inner = np.arange(-AROUND, self.length + AROUND + 1)
            signals = signals[inner % self.length] + np.multiply.outer(inner // self.length, self.around)
        self.curves = SampledSignals(signals)

    def at(self, rows):
        rounds = np.floor(rows / self.length) if self.before else np.zeros(len(rows))
        moments = BetweenFrames(rows - rounds * self.length + self.before, self.length + 1 + 2 * self.before)
        return self.curves.at(moments) + np.multiply.outer(rounds, self.around)


def gone(path, up):
    """How far a figure has gone along a path, as seen by who goes, and how much it has turned, (frames, 4)."""
    steps, turns = path.steps(up)
    return np.concatenate([np.zeros((1, GOING)), np.cumsum(np.column_stack([steps, turns]), axis=0)])


def knots_of(rows, lengths, cyclic):
    """Events (takes, events) with the ends of takes, or with those of the rounds before and after.

    Of events that a take has in one frame, as short steps at few frames a second do, the first says when they are.
    """
    apart = (np.diff(rows, axis=1) != 0.0).all(axis=0)
    rows = rows[:, np.append(True, apart)] if rows.shape[1] else rows
    if cyclic:
        return np.hstack([rows + away * lengths for away in (-1, 0, 1)])
    inside = ((rows > 0) & (rows < lengths)).all(axis=0)  # the ends belong together, whatever happens on them
    return np.hstack([np.zeros_like(lengths), rows[:, inside], lengths])


def refuse_disorder(moments, knots):
    for index, (before, after) in enumerate(pairwise(moments)):
        if after <= before:
            frames = ", ".join(f"{rows[index]:g} and {rows[index + 1]:g}" for rows in knots)
            raise Refusal(f"amount: so far beyond the takes time would run back between events, at rows {frames} of them")
