# SPDX-License-Identifier: GPL-3.0-or-later
"""Apexes: the cycles at the corners of a network as waves, in step with each other (Molnos 2010, 4.6 and 6).

An apex is an action, its mirror image, a superposition (a turn less a straight walk and a slow one is a slow turn) or a
network in itself. Cycles are brought in step with the first by shifting them round, whole frames of their own, so that at
an apex its cycle comes back as it is.
"""

from functools import cache

import numpy as np

from ..motion.chart import Chart
from ..motion.ground import Ground
from ..motion.match import common, matched
from ..motion.skeleton import lever_lengths
from ..numeric.fourier import Palette, best_shift, padded, together
from ..numeric.refusal import Refusal
from ..numeric.triangles import Triangles
from .closing import refuse_open
from .cut import FEWEST, closed_cycle, mirrored_cycle, travelling
from .network_points import read_points
from .spectra import Spectra, Spectrum

SAME_RIG = 0.5  # of the curves of the take that a cycle of the same rig has
CLOSED = 1e-4  # radians and metres: closer than this, a cycle needs no closing


class Apexes:
    """The spectra of points, in order, in one chart."""

    def __init__(self, clip, points, align, surroundings):
        self.clip, self.align, self.surroundings = clip, align, surroundings
        self.sources = sorted({source for point in points for source in sources_of(point, False)})
        self.spectra = Spectra([self._cycle(*source) for source in self.sources], surroundings)
        self.importance = importance(self.spectra, surroundings.skeleton)
        self.spectrum = cache(lambda source: self.spectra.spectrum(self.sources.index(source)))
        self.all = self._in_step(points, False)

    def _in_step(self, points, mirrored):
        """The spectra of points, in step with the first of them, and shifted as the animator wants them."""
        made = [self._made(point, mirrored) for point in points]
        return [self._aligned(spectrum, made[0], point.shift) for spectrum, point in zip(made, points)]

    def _made(self, point, mirrored):
        mirrored ^= point.mirror
        if point.superpose:
            return self._superposed(point.superpose, mirrored)
        if point.network:
            return self._nested(point.network, mirrored)
        return self.spectrum((point.action, mirrored))

    def _superposed(self, lists, mirrored):
        """Cycles added to the first and taken from it, in step with it, wave by wave."""
        first, *others = [(action, 1.0) for action in lists["plus"]] + [(action, -1.0) for action in lists.get("minus", ())]
        result = self.spectrum((first[0], mirrored))
        for action, sign in others:
            other = self._aligned(self.spectrum((action, mirrored)), self.spectrum((first[0], mirrored)))
            count = max(len(result.poses), len(other.poses))
            result = Spectrum(
                *(
                    padded(mine, count) + sign * padded(its, count)
                    for mine, its in ((result.poses, other.poses), (result.going, other.going))
                ),
                result.frames + sign * other.frames,
            )
        return enough(result, f"superpose: {written(lists)}")

    def _nested(self, nested, mirrored):
        points = read_points(nested.get("points", ()))
        weights = Triangles([(point.x, point.y) for point in points]).weights(
            (nested.get("puck_x", 0.0), nested.get("puck_y", 0.0))
        )
        return blend(self._in_step(points, mirrored), weights)

    def _aligned(self, spectrum, reference, more=0.0):
        shift = best_shift(reference.poses, spectrum.poses, self.importance) if self.align else 0.0
        frames = np.rint((shift + more) * spectrum.frames)
        return spectrum.shifted(frames / spectrum.frames) if frames else spectrum

    def _cycle(self, action, mirrored):
        """A cycle with the channels and the frame rate of the take, closed if it was not, or seen in the mirror."""
        takes = self.surroundings.takes
        if action and action not in takes:
            raise Refusal(f"points: there is no action {action}")
        found = takes[action] if action else self.clip
        shared = int(common(self.clip, found).sum())
        if shared < SAME_RIG * len(self.clip.channels):
            count = len(self.clip.channels)
            raise Refusal(f"points: {action} has {shared} of the {count} curves of the take, so that it is of another rig")
        own = shut(matched(self.clip, found)[0] if action else found, action or "the take", self.surroundings)
        return mirrored_cycle(own, self.surroundings) if mirrored else own


def shut(clip, name, surroundings):
    """A cycle, closed where it nearly was; refused if it is none."""
    if clip.frames - 1 < FEWEST:
        raise Refusal(f"points: {name} has {clip.frames - 1} frame(s) before it begins again; it needs at least {FEWEST}")
    ground = Ground([clip], surroundings.skeleton)
    gap = refuse_open(Chart(clip.with_values(ground.taken_off(clip.values)[0]), surroundings.angles_apart), name)
    if gap < CLOSED:
        return clip
    cycle, path = closed_cycle(clip, ground, 0, clip.frames - 1, "VELOCITY", False, surroundings)
    return travelling(cycle, path, ground, clip.values)


def sources_of(point, mirrored):
    """The actions that a point is made of, each with whether it is mirrored."""
    mirrored ^= point.mirror
    if point.superpose:
        return {(action, mirrored) for actions in point.superpose.values() for action in actions}
    if point.network:
        return {source for inner in read_points(point.network.get("points", ())) for source in sources_of(inner, mirrored)}
    return {(point.action, mirrored)}


def blend(spectra, weights):
    """One spectrum of several, by weights."""
    poses, going = (
        together(Palette([getattr(spectrum, kind) for spectrum in spectra]).blended(weights)) for kind in ("poses", "going")
    )
    frames = float(weights @ [spectrum.frames for spectrum in spectra])
    return enough(Spectrum(poses, going, frames), "network: the cycle there")


def enough(spectrum, what):
    if spectrum.frames < FEWEST:
        raise Refusal(f"{what} has {spectrum.frames:.1f} frame(s) before it begins again; it needs at least {FEWEST}")
    return spectrum


def written(lists):
    return " plus ".join(lists["plus"]) + "".join(f" minus {action}" for action in lists.get("minus", ()))


def importance(spectra, skeleton):
    """How much each signal counts where cycles are brought in step: rotations by how far what they turn reaches."""
    levers = lever_lengths(skeleton) if skeleton is not None else {}
    return np.array(
        [levers.get(owner, 1.0) if kind in ("ROTATION", "ANGLE") else 0.0 for owner, kind in zip(spectra.owners, spectra.kinds)]
    )
