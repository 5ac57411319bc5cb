# SPDX-License-Identifier: GPL-3.0-or-later
"""Mixing: any number of takes into one, with weights that may differ by bone, by band and over time.

All takes lie in one chart, about the mean of them all, so that what they have in common cancels out. The slowest part of
a motion, its posture, is mixed as a mean on the sphere of rotations; the bands above it swing about that, and add up as
plain signals. Takes are mixed on the spot: the path on the ground is mixed apart, step by step (see travel).
"""

from dataclasses import replace
from functools import lru_cache
from types import SimpleNamespace

import numpy as np

from ..motion.chart import Chart
from ..motion.ground import Ground, Path, mixed_path
from ..motion.orientations import BACK
from ..motion.resample import BetweenFrames
from ..motion.switches import of_whom
from ..numeric import rotation
from ..numeric.bands import Bank
from ..numeric.parallel import each

WHOLE = 1e-9  # frames; closer to a frame than this is on it
EVEN = 1e-12


class Mixer:
    """Takes of the same channels and frame rate, ready to be mixed again and again.

    `missing` (takes, channels) tells what a take has only borrowed from the first; its weight there goes to the first.
    """

    def __init__(self, clips, missing, surroundings):
        self.clips = clips
        self.ground = Ground(clips, surroundings.skeleton)
        grounded, paths = zip(*(self.ground.taken_off(clip.values) for clip in clips))
        self.paths = [(SampledSignals(path.places), SampledSignals(path.headings[:, None])) for path in paths]
        self.chart = Chart(clips[0].with_values(np.concatenate(grounded)), surroundings.angles_apart)
        self.turned = list(zip(self.chart.orientations, self.chart.orientation_columns()))
        self.turning = self._turning()
        self.signals = self._by_take()
        self.missing = np.stack([self._by_signal(row) for row in missing])
        self.curves = [SampledSignals(rows) for rows in self.signals]
        self.rest = self.signals[0].mean(axis=0)
        self.banks = lru_cache(maxsize=len(clips))(lambda take: Bank(self.signals[take], clips[0].fps))
        self.band = lru_cache(maxsize=16 * len(clips))(self._band)
        self.energy = lru_cache(maxsize=16)(self._energy)

    @property
    def owners(self):
        """Whose every signal is."""
        return self.chart.owners

    def mixed(self, times, posture, bands=()):
        """The clip that shows each take at its `times` (takes, frames), in rows, as much as its shares say.

        Weights are (takes, frames or 1, signals): of the posture, and for sets of bands that differ from it, as pairs of
        the set (True for every band of the bank that is in it) and its shares. What the shares of the posture lack to one
        is filled with the mean posture of the first take.
        """
        times = np.where(np.abs(times - np.rint(times)) < WHOLE, np.rint(times), times)
        posture, bands = self._given(posture), [(chosen, self._given(shares)) for chosen, shares in bands]
        at = [BetweenFrames(np.minimum(rows, clip.frames - 1.0), clip.frames) for rows, clip in zip(times, self.clips)]
        signals = self._mean([own.at(moments) for own, moments in zip(self.curves, at)], posture)
        for chosen, shares in bands:
            for take, more in enumerate(shares - posture):
                if np.any(more):
                    signals += more * self.band(take, chosen).at(at[take])
        values = self.values(signals, at[0].nearest)
        values = self._put_on_path(values, at, posture, bands)
        self._keep_whole(values, times, [posture, *(shares for _, shares in bands)])
        return replace(self.clips[0], values=values, switches=self._switches(times, posture))

    def lead(self, posture, bands):
        """Weights of what goes with the motion as a whole, its pace and its path: each band counts as much as moves in it."""
        rest = tuple(~np.any([chosen for chosen, _ in bands], axis=0)) if bands else ()
        layers = [(rest, posture), *bands] if any(rest) or not bands else bands
        sizes = np.array([self.energy(chosen) for chosen, _ in layers]) if bands else np.ones(1)
        return sum(size * shares for size, (_, shares) in zip(sizes / max(sizes.sum(), EVEN), layers))

    def _by_take(self):
        """The signals of each take; what counts whole turns starts within half a turn of the first take."""
        ends = np.cumsum([clip.frames for clip in self.clips])[:-1]
        signals = [np.asfortranarray(rows) for rows in np.split(self.chart.signals, ends)]
        for rows in signals[1:]:
            apart = rows[:, self.turning].mean(axis=0) - signals[0][:, self.turning].mean(axis=0)
            rows[:, self.turning] -= 2 * np.pi * np.rint(apart / (2 * np.pi))
        return signals

    def _turning(self):
        """The signals that count whole turns."""
        found = [column for column, kind in enumerate(self.chart.kinds) if kind == "ANGLE"]
        for own, columns in self.turned:
            found += range(columns.start + 3 * own.count, columns.stop)
        return found

    def _brought_together(self, samples, shares):
        """Samples of takes without the whole turns that they have made against the first elsewhere: where both are heard, each
        is mixed with it the short way."""
        for sample, share in zip(samples[1:], shares[1:]):
            heard = np.broadcast_to(np.abs(shares[0] * share), sample.shape)
            apart = (heard * (sample - samples[0]))[:, self.turning].sum(axis=0) / np.maximum(
                heard[:, self.turning].sum(axis=0), EVEN
            )
            sample[:, self.turning] -= 2 * np.pi * np.rint(apart / (2 * np.pi))
            for own, columns in self.turned:
                first, other = (rotation.stack(*own.vectors_of(each[:, columns])) for each in (samples[0], sample))
                farthest = [np.sqrt(np.einsum("cft,cft->ft", each, each)).max(axis=0) for each in (first, other)]
                far = np.flatnonzero(sum(farthest) > np.pi)  # what is nearer is on the same side
                if not len(far):
                    continue
                alike = np.einsum("cft,cft->ft", rotation.exp(first[:, :, far]), rotation.exp(other[:, :, far]))
                for index in far[(alike * heard[:, columns.start + far]).sum(axis=0) < 0.0]:
                    members = columns.start + index + own.count * np.arange(3)
                    mean = own.mean_vector[:, 0, index]
                    sample[:, members] = mean + rotation.log(-rotation.exp(other[:, :, index])).T
        return samples

    def _by_signal(self, by_channel):
        """What is said of channels, said of signals."""
        found = []
        for own, (_, members) in zip(self.chart.orientations, self.chart.groups):
            said = [by_channel[columns[0]] for columns in members]
            found += said * 3 + [said[index] for index in own.spinning]
        return np.array(found + list(by_channel[self.chart.plain]))

    def _by_channel(self, by_signal):
        """What is said of signals, said of channels."""
        said = np.empty(len(self.clips[0].channels), dtype=bool)
        for (_, columns), (_, members) in zip(self.turned, self.chart.groups):
            for index, own in enumerate(members):
                said[own] = by_signal[columns.start + index]
        said[self.chart.plain] = by_signal[len(by_signal) - len(self.chart.plain) :]
        return said

    def _given(self, shares):
        """Weights with what takes lack given to the first."""
        if not self.missing.any():
            return shares
        given = np.where(self.missing[:, None], 0.0, shares)
        given[0] += np.sum(shares - given, axis=0)
        return given

    def _band(self, take, chosen):
        return SampledSignals(self.banks(take).weighted(np.append(chosen, False).astype(float)))

    def _mean(self, samples, shares):
        lacking, samples = 1.0 - shares.sum(axis=0), self._brought_together(samples, shares)
        signals = sum((share * sample for share, sample in zip(shares, samples)), self.rest * lacking)
        members = [(share, sample) for share, sample in zip(shares, samples) if np.any(share)]
        if np.abs(lacking).max() > EVEN or not members:
            members.append((lacking, self.rest[None]))

        def turn(index):
            own, columns = self.turned[index]
            vectors = [rotation.stack(*own.vectors_of(sample[:, columns])) for _, sample in members]
            weights = [share[:, columns.start : columns.start + own.count] for share, _ in members]
            mean = rotation.weighted_mean(vectors, weights, rounds=1 if len(members) > 2 else 0) + own.mean_vector
            signals[:, columns.start : columns.start + 3 * own.count] = np.concatenate(list(mean), axis=1)

        each(turn, range(len(self.chart.orientations)))
        return signals

    def values(self, signals, rows):
        """Signals back to channels, on the branch that the first take is on at `rows`."""
        result = np.empty((len(self.clips[0].channels), len(signals)))

        def fill(index):
            own, columns = self.turned[index]
            near = SimpleNamespace(mode=own.mode, source=own.source[:, rows], lengths=own.lengths[rows])
            channels = BACK[own.mode](own.composed(signals[:, columns]), near, heal=True)
            for members, component in zip(zip(*self.chart.groups[index][1]), channels):
                result[list(members)] = component.T

        each(fill, range(len(self.chart.orientations)))
        plain = len(self.chart.plain)
        result[self.chart.plain] = (signals[:, signals.shape[1] - plain :] + self.chart.rest).T
        return result.T

    def _energy(self, chosen):
        """How much all takes together turn in a set of bands."""
        turning = [kind in ("ROTATION", "ANGLE") for kind in self.chart.kinds]
        columns = turning if any(turning) else slice(None)
        return sum(float(np.sum(self.band(take, chosen).rows[columns] ** 2)) for take in range(len(self.clips)))

    def _put_on_path(self, values, at, posture, bands):
        if not self.ground.roots:
            return values
        column = len(self.owners) - len(self.chart.plain) + list(self.chart.plain).index(self.ground.roots[0].location[0])
        shares = self.lead(posture[:, :, column], [(chosen, shares[:, :, column]) for chosen, shares in bands])
        paths = [Path(places.at(moments), headings.at(moments)[:, 0]) for (places, headings), moments in zip(self.paths, at)]
        path = mixed_path(paths, np.broadcast_to(shares, (len(paths), len(values))), self.ground.up)
        return self.ground.put_on(values, path, self.clips[0].values[at[0].nearest])

    def _switches(self, times, shares):
        """Switches cannot be mixed: of every frame they are those of the take that it has most of."""
        most = np.argmax(np.broadcast_to(shares.mean(axis=2), times.shape), axis=0)
        return of_whom([clip.switches for clip in self.clips], most, times)

    def _keep_whole(self, values, times, shares):
        """Copy what comes from one take alone, at its own frames, to the bit; the path as a whole or not at all."""
        for take, clip in enumerate(self.clips):
            if np.any(times[take] != np.rint(times[take])):
                continue
            only = np.arange(len(self.clips))[:, None, None] == take
            alone = self._by_channel(np.all([np.all(share == only, axis=(0, 1)) for share in shares], axis=0))
            path = self.ground.columns
            alone[path] &= alone[path].all()
            values[:, alone] = clip.values[:, alone][np.minimum(times[take], clip.frames - 1).astype(int)]


class SampledSignals:
    """Signals (frames, signals) to be looked up between frames, along cubics with the speed of the neighbouring frames."""

    def __init__(self, signals):
        self.rows = np.ascontiguousarray(signals.T)
        self.speeds = np.gradient(self.rows, axis=1)

    def at(self, moments):
        before, after = moments.before, moments.before + 1
        step, leaving, arriving = (weight[:, 0] for weight in (moments.step, moments.leaving, moments.arriving))
        result = self.rows[:, before]
        result *= 1.0 - step
        for rows, where, weight in ((self.rows, after, step), (self.speeds, before, leaving), (self.speeds, after, arriving)):
            weighted = rows[:, where]
            weighted *= weight
            result += weighted
        return result.T
