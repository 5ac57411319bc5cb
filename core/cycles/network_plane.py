# SPDX-License-Identifier: GPL-3.0-or-later
"""Pad: the plane of a network, ready to be played: a cycle for every place on it, a motion for every way across it."""

from dataclasses import replace

import numpy as np

from ..body.contacts import find_contacts
from ..declare.params import build
from ..ik.planted_feet import lock_feet
from ..motion.cycle import Cycle
from ..motion.ground import walked
from ..numeric import scipy
from ..numeric.fourier import Palette
from ..numeric.refusal import Refusal
from ..numeric.triangles import Triangles
from .feet_drive import anchor
from .network_corners import Apexes, enough
from .network_points import PuckKey, read_points
from .spectra import PATH, Spectrum

ROUNDS = 3  # of finding what is planted and locking it
AROUND = 2  # rounds before and after one whose feet are locked, so that it ends as it begins


class Pad:
    """Cycles at places on a plane, of which every place in between has a share."""

    def __init__(self, clip, points, align, harmonics, surroundings):
        points = read_points(points)
        self.triangles = Triangles([(point.x, point.y) for point in points])
        self.apexes = Apexes(clip, points, align, surroundings)
        self.clip, self.spectra, self.skeleton = clip, self.apexes.spectra, surroundings.skeleton
        count = harmonics + 1 if harmonics else None
        self.poses, self.going = (
            Palette([getattr(spectrum, kind)[:count] for spectrum in self.apexes.all]) for kind in ("poses", "going")
        )
        self.frames = np.array([spectrum.frames for spectrum in self.apexes.all])
        self.ground = self.spectra.ground
        start = self.ground.taken_off(clip.values[:1])[1]
        self.place, self.heading = start.places[0], float(start.headings[0])
        self.anchor = anchor(self.spectra.clips[0], self.ground, self.skeleton)

    def cycle(self, place):
        """The cycle at a place of the plane, with the steps and turns that its own cycles make."""
        weights = self.triangles.weights(place)
        frames = round(self._length(weights))
        signals = self.poses.played(weights, frames)
        going = self.going.played(weights, frames, 0.5) / frames
        return Cycle(self.spectra.clip_of(np.concatenate([signals, signals[:1]])), going[:, : PATH - 1], going[:, PATH - 1])

    def at(self, place, path="FEET", lock=0.0, repeats=1):
        """The cycle at a place of the plane, carried on and repeated."""
        cycle = self.cycle(place)
        around = AROUND if lock else 0
        steps = self._pushed(cycle) if path == "FEET" else cycle
        many = steps.repeated(repeats + 2 * around)
        way = many.going("PLACE" if path == "PLACE" else "TRAVEL", self.place, self.heading, self.ground.up)
        near = self.spectra.near(many.length + 1, np.arange(many.length + 1) / cycle.length)
        result = many.clip_on(self.ground, way, near)
        if lock:
            result = self._cut(self._locked(result, lock), around * cycle.length, repeats * cycle.length)
        return replace(result, first_frame=self.clip.first_frame)

    def along(self, keys, path="FEET", lock=0.0):
        """One motion as the puck goes from key to key, from the frame of the first to that of the last."""
        frames, places = puck_way(keys)
        weights = np.array([self.triangles.weights(place) for place in places])
        between = 0.5 * (weights[1:] + weights[:-1])
        rates = 1.0 / np.array([self._length(row) for row in between])
        phases = np.concatenate([[0.0], np.cumsum(rates)])
        result = self.spectra.clip_of(self.poses.moving(weights, phases), phases)
        going = self.going.moving(between, phases[:-1] + 0.5 * rates) * rates[:, None]
        cycle = Cycle(result, going[:, : PATH - 1], going[:, PATH - 1])
        cycle = self._pushed(cycle) if path == "FEET" else cycle
        still = 0.0 if path == "PLACE" else 1.0
        way = walked(self.place, self.heading, still * cycle.steps, still * cycle.turns, self.ground.up)
        result = cycle.clip_on(self.ground, way, self.spectra.near(cycle.clip.frames, phases))
        return replace(self._locked(result, lock) if lock else result, first_frame=int(frames[0]))

    def _length(self, weights):
        return enough(Spectrum(None, None, float(weights @ self.frames)), "puck_x, puck_y: the cycle there").frames

    def _pushed(self, cycle):
        """A cycle whose steps are those that its lower foot pushes it on by."""
        if self.anchor is None:
            return cycle
        headings = np.concatenate([[0.0], np.cumsum(cycle.turns)])
        path = self.anchor.path(cycle.clip, np.zeros(3), headings, cycle.steps)
        return replace(cycle, steps=path.steps(self.ground.up)[0])

    def _locked(self, clip, amount):
        """Planted feet held in place; a foot that is held stands longer, so that it is looked for again."""
        if self.anchor is None:
            return clip
        for _ in range(ROUNDS):
            contacts = find_contacts(clip, self.skeleton, self.anchor.roles)
            clip = lock_feet(clip, self.skeleton, contacts, amount)
        return clip

    def _cut(self, clip, first, length):
        """Some rows, moved and turned so that they begin where the motion is to begin."""
        values, path = self.ground.taken_off(clip.values[first : first + length + 1])
        steps = path.steps(self.ground.up)
        way = walked(self.place, self.heading, *steps, self.ground.up)
        rows = np.arange(first, first + length + 1)
        return clip.with_values(self.ground.put_on(values, way, clip.values[rows]), rows)


def puck_way(keys):
    """The frames from the first key to the last, and where the puck is at each, smoothly from key to key."""
    keys = sorted((build(PuckKey, key, f"puck_keys[{index}] ") for index, key in enumerate(keys)), key=lambda key: key.frame)
    if len({key.frame for key in keys}) < len(keys):
        raise Refusal("puck_keys: two of them stand on one frame")
    if len(keys) < 2:
        raise Refusal("puck_keys: there is one, and a way needs two or more")
    stops = np.array([key.frame for key in keys])
    frames = np.arange(stops[0], stops[-1] + 1)
    return frames, scipy.interpolate.PchipInterpolator(stops, [(key.x, key.y) for key in keys])(frames)
