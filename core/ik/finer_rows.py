# SPDX-License-Identifier: GPL-3.0-or-later
"""Finer rows: a body between its frames, so that feet are planted, and eased, at moments and not at frames.

A strike falls between two frames of a film at 24 a second, and a leg that is eased over a tenth of a second has two frames for
it: worked out on frames alone, the same take would be planted otherwise at every frame rate. Between frames bones go along
cubic curves, each for itself; at frames they are where they are. Arrays have the frames last.
"""

import copy
from dataclasses import replace

import numpy as np

from ..numeric.matrix import product
from ..numeric.vectors import length

RATE = 120.0  # rows a second, about: of what has as many, frames are fine enough


class FinerRows:
    """The rows of a body and, between every two, so many more that there are enough for a second; none at cuts."""

    def __init__(self, body, wanted=True):
        self.times = max(1, round(RATE / body.clip.fps)) if wanted else 1
        self.stretches, self.frames = body.stretches, body.clip.frames
        self.count = self.times * (self.frames - 1) + 1
        self.frame = np.arange(self.count) % self.times == 0  # which rows are frames

    def body(self, body, bones=None):
        """The body, or only some of its bones, on the finer rows; as `frames` it has the one that it was."""
        finer = copy.copy(body)
        finer.frames = body
        if self.times == 1:
            return finer
        for seen in ("places", "contacts", "posed"):
            finer.__dict__.pop(seen, None)
        finer.clip = replace(
            body.clip, values=np.empty((self.count, 0)), channels=(), fps=self.times * body.clip.fps, switches=None
        )
        finer.heads, finer.axes = (np.zeros((*these.shape[:-1], self.count)) for these in (body.heads, body.axes))
        for bone in range(len(body.heads)) if bones is None else bones:
            finer.heads[bone], finer.axes[bone] = self.between(body.heads[bone]), straightened(self.between(body.axes[bone]))
            finer.axes[bone, ..., :: self.times] = body.axes[bone]
        finer.stretches = [slice(self.times * rows.start, min(self.times * rows.stop, self.count)) for rows in self.stretches]
        return finer

    def contacts(self, contacts, first_frame):
        """First and last frames of plants as those of rows."""
        return {
            point: [[first_frame + self.times * (frame - first_frame) for frame in interval] for interval in intervals]
            for point, intervals in contacts.items()
        }

    def between(self, values):
        """Values (..., frames) on the finer rows, along cubic curves through them; held where a stretch ends."""
        if self.times == 1:
            return values
        finer = np.empty((*values.shape[:-1], self.frames, self.times))
        finer[...] = values[..., None]
        for rows in self.stretches:
            own = values[..., rows]
            if own.shape[-1] > 1:
                slopes = slopes_of(own)
                for step in range(1, self.times):
                    here = step / self.times
                    rest = 1.0 - here
                    finer[..., rows.start : rows.stop - 1, step] = (
                        (1.0 + 2.0 * here) * rest**2 * own[..., :-1]
                        + here * rest**2 * slopes[..., :-1]
                        + (3.0 - 2.0 * here) * here**2 * own[..., 1:]
                        - here**2 * rest * slopes[..., 1:]
                    )
        return finer.reshape(*values.shape[:-1], -1)[..., : self.count]

    def held(self, values):
        """Values (..., frames) of frames that hold until the next."""
        return np.repeat(values, self.times, axis=-1)[..., : self.count]

    def both(self, mask):
        """A mask (frames,) on the finer rows, true between frames where it is at both."""
        after = np.append(mask[1:], True)
        after[[rows.stop - 1 for rows in self.stretches]] = True
        finer = self.held(mask & after)
        finer[:: self.times] = mask
        return finer

    def at_frames(self, values):
        """Values (..., rows) at the frames."""
        return values[..., :: self.times]


def slopes_of(values):
    """How fast values (..., frames) change at every frame: as the cubic through its neighbours does."""
    slopes = np.gradient(values, axis=-1)
    if values.shape[-1] > 4:
        wide = 0.25 * (values[..., 4:] - values[..., :-4])
        slopes[..., 2:-2] += (slopes[..., 2:-2] - wide) / 3.0
    return slopes


def straightened(axes):
    """Axes (3, 3, rows) at right angles again, as long as they are: two steps of Newton towards the nearest turns."""
    size = length(axes)
    turns = axes / size
    for _ in range(2):
        turns = product(turns, 1.5 * np.eye(3)[:, :, None] - 0.5 * product(turns.swapaxes(0, 1), turns))
    return turns * size
