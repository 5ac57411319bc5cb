# SPDX-License-Identifier: GPL-3.0-or-later
"""Spectra: whole cycles as waves, poses and the way that they go, and back to clips (Molnos 2010, 4.4 and 4.7).

All cycles lie in one chart, so that waves of one signal mean the same in all of them. Steps and turns count per cycle and
not per frame, so that a cycle that becomes longer takes the same stride.
"""

import numpy as np

from ..mixing.mixer import Mixer
from ..numeric.fourier import shifted, waves_of
from ..numeric.frozen import frozen

PATH = 4  # columns of going: a step ahead, aside and up, and a turn


@frozen
class Spectrum:
    """A cycle as waves of poses (harmonics + 1, signals) and of going (harmonics + 1, 4), and how many frames it takes."""

    poses: np.ndarray
    going: np.ndarray
    frames: float

    def shifted(self, shift):
        """The cycle begun a part of it later."""
        return Spectrum(shifted(self.poses, shift), shifted(self.going, shift), self.frames)


class Spectra:
    """Cycles, clips of the same channels and frame rate that end as they begin, ready to be taken apart into waves."""

    def __init__(self, clips, surroundings):
        self.clips = clips
        self.mixer = Mixer(clips, np.zeros((len(clips), len(clips[0].channels)), dtype=bool), surroundings)
        self.ground, self.owners, self.kinds = self.mixer.ground, self.mixer.owners, self.mixer.chart.kinds
        self.paths = [self.ground.taken_off(clip.values)[1] for clip in clips]

    def drift(self, index):
        """How far the signals of a cycle have gone from its start at its end, (signals,): nothing, or whole turns."""
        signals = self.mixer.signals[index]
        return signals[-1] - signals[0]

    def spectrum(self, index):
        """The waves of one of the cycles, what it drifts taken off."""
        signals = self.mixer.signals[index]
        frames = len(signals) - 1
        steps, turns = self.paths[index].steps(self.ground.up)
        poses = signals[:-1] - np.multiply.outer(np.arange(frames) / frames, self.drift(index))
        return Spectrum(waves_of(poses), waves_of(frames * np.column_stack([steps, turns]), 0.5), float(frames))

    def clip_of(self, signals, phases=None):
        """Signals (frames, signals) as a clip on the spot, angles close to those of the first cycle at these phases."""
        rows = self._rows(len(signals), phases)
        return self.clips[0].with_values(self.mixer.values(signals, rows), rows)

    def near(self, frames, phases=None):
        """The values of the first cycle at phases, to which angles are kept close."""
        return self.clips[0].values[self._rows(frames, phases)]

    def _rows(self, frames, phases):
        last = self.clips[0].frames - 1
        phases = np.linspace(0.0, 1.0, frames) if phases is None else phases % 1.0
        return np.rint(phases * last).astype(int)
