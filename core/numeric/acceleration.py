# SPDX-License-Identifier: GPL-3.0-or-later
"""The inverted, smoothed second derivative of signals (Kenwright, equation 8; Wang et al. 2006).

A signal's acceleration, smoothed over a time and turned over, swings out before a move begins and beyond where it ends. Times
its time squared it has the signal's own unit, and does not depend on the frame rate. All of it is one multiplication in the
Fourier domain, where a delay is another, of any part of a frame.
"""

import numpy as np

from . import scipy
from .frozen import frozen

STEADY = 0.06  # seconds: what is faster does not tell how fast a motion is, it is noise
SHORTEST, LONGEST = 0.02, 0.5  # seconds, of a time that is found


@frozen
class Accelerations:
    """The spectra of signals (frames, signals), ready to be smoothed over any time.

    The straight line from first to last frame has no acceleration. What is left is turned over at both ends, so that it goes
    on as fast as it was; of a `loop` the last frame is the first, and it begins again.
    """

    signals: np.ndarray
    fps: float
    loop: bool = False

    def __post_init__(self):
        line = np.linspace(0.0, 1.0, len(self.signals))[:, None]
        swings = (self.signals - self.signals[0] - line * (self.signals[-1] - self.signals[0]))[:-1]
        period = swings if self.loop else np.concatenate([swings, np.zeros_like(swings[:1]), -swings[:0:-1]])
        object.__setattr__(self, "spectra", scipy.fft.rfft(period, axis=0))
        object.__setattr__(self, "pace", 2.0 * np.pi * scipy.fft.rfftfreq(len(period), 1.0 / self.fps)[:, None])
        object.__setattr__(self, "period", len(period))

    def swung(self, time, delays=None):
        """What is added to the signals at full strength, smoothed over a time, for each signal so many seconds later.

        A step of 1 gives t / time * exp(-(t / time)^2 / 2) / sqrt(2 pi), whose peaks of 0.242 are one time before and after.
        """
        change = self.spectra * ((self.pace * time) ** 2 * np.exp(-0.5 * (self.pace * time) ** 2))
        if delays is not None and np.any(delays):
            change *= np.exp(-1j * self.pace * delays)
        rows = scipy.fft.irfft(change, n=self.period, axis=0)
        return np.concatenate([rows, rows[:1]])[: len(self.signals)]

    def time(self, columns=slice(None)):
        """The time at which the effect is largest for how fast signals mostly accelerate, in seconds."""
        power = np.sum(np.abs(self.spectra[:, columns]) ** 2, axis=1, keepdims=True) * np.exp(-((self.pace * STEADY) ** 2))
        speed, acceleration = (np.sum(power * self.pace**order) for order in (2, 4))
        return float(np.clip(np.sqrt(2.0 * speed / acceleration), SHORTEST, LONGEST)) if acceleration > 0.0 else SHORTEST
