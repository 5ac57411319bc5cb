# SPDX-License-Identifier: GPL-3.0-or-later
"""Underway: a take seen from the way that its figure goes, so that a filter treats how it walks and not where to.

Feet are planted where the figure goes: a swing that grows or a range that is bent may change how it sways, never its way.
"""

import numpy as np

from ..motion.ground import Ground, Path
from ..numeric.bands import Bank, band_edges
from ..numeric.frozen import frozen
from .figure import FEET
from .roles import find_roles

SLOWER = 0.5  # Hz: slower than any stride is where a figure goes and which way it faces, not how it walks
SAME = 1e-12


class Underway:
    """The values of a clip beside a path (frames, channels), and back; those of whoever has no feet as they are."""

    def __init__(self, clip, surroundings, path=lambda path, clip: path):
        self.clip, self.values = clip, clip.values
        self.ground = Ground([clip], surroundings.skeleton) if stands(surroundings) else None
        if self.ground and self.ground.roots and {channel.owner for channel in clip.channels} - self.owners:
            self.path = path(self.ground.taken_off(clip.values)[1], clip)
            self.values = self.ground.seen_from(clip.values, self.path)
        else:
            self.ground = None

    @property
    def owners(self):
        return {root.owner for root in self.ground.roots}

    def back(self, values, path=None):
        """Such values on their way again, or on another; what was not changed beside its own is what it was."""
        if self.ground is None:
            return values
        result = self.ground.put_on(values, path or self.path, self.clip.values)
        for root in self.ground.roots if path is None else ():
            columns = [*root.location, *root.rotation]
            if np.abs(values[:, columns] - self.values[:, columns]).max() <= SAME:
                result[:, columns] = self.clip.values[:, columns]
        return result

    def farther(self, gain):
        """The path with so much of the straight way that it goes, or None where that is all of it."""
        if self.ground is None or gain == 1.0:
            return None
        return Path(self.path.places + (gain - 1.0) * self.path.straight, self.path.headings)


@frozen
class Trend(Path):
    """What of a path is slower than any stride, and of that the place and the straight way (frames, 3) alone."""

    straight: np.ndarray


def stands(surroundings):
    """Whether there is a figure with feet."""
    skeleton = surroundings.skeleton
    if skeleton is None:
        return False
    table = find_roles(skeleton).table()
    return all(table[foot] for foot in FEET)


def trend(boundary):
    """A function from the path of a clip to its trend."""

    def slow(path, clip):
        edges = band_edges("HZ", clip.fps, clip.frames)
        bank = Bank(np.column_stack([path.places, path.headings]), clip.fps, "HZ", boundary)
        rows = bank.weighted([*(float(high <= SLOWER) for _, high in edges), 1.0])
        return Trend(rows[:, :3], rows[:, 3], bank.weighted([0.0] * len(edges) + [1.0])[:, :3])

    return slow
