# SPDX-License-Identifier: GPL-3.0-or-later
"""How far planted feet slide: the number that says whether an edit cost the figure its footing.

Feet are told by shape, not by name: the ends of limbs that stand lowest at rest. A point of a foot is planted while it
is low and slow in the original take; how far it strays from where it stood is measured over the same frames.
"""

from dataclasses import replace

import numpy as np

from .skeleton import Skeleton

LOW_AT_REST = 0.12  # of the figure's height: where feet are
MOST_FEET = 12  # bones; more than that at the bottom is no figure that stands
PLANTED_HEIGHT = 0.03  # of the figure's height above where the point is lowest
PLANTED_SPEED = 0.15  # figure heights a second
SHORTEST_PLANT = 0.1  # seconds


def legs(skeleton, up):
    """The bones from the root to the feet as a skeleton of their own, or None for a figure without legs."""
    heads, tails = (np.array([point @ up for point in points]) for points in rest_ends(skeleton))
    low, high = min(heads.min(), tails.min()), max(heads.max(), tails.max())
    ground = low + LOW_AT_REST * (high - low)
    feet = [place for place in range(len(heads))
            if min(heads[place], tails[place]) < ground and len(ancestors(skeleton, place)) >= 2]
    if not feet or len(feet) > MOST_FEET:
        return None
    kept = sorted(set(feet).union(*(ancestors(skeleton, place) for place in feet)))
    bones = tuple(replace(skeleton.bones[place], parent=kept.index(skeleton.bones[place].parent)
                          if skeleton.bones[place].parent >= 0 else -1) for place in kept)
    return Legs(Skeleton(bones), [kept.index(place) for place in feet], high - low)


class Legs:
    """Legs of a figure of some height, in the armature's units."""

    def __init__(self, skeleton, feet, height):
        self.skeleton, self.feet, self.height = skeleton, feet, height

    def points(self, clip):
        """Heads and tails of the feet over time, (frames, points, 3), in the armature."""
        axes, heads = self.skeleton.forward(*self.skeleton.local(clip))
        lengths = np.array([self.skeleton.bones[place].length for place in self.feet])
        tails = heads[:, self.feet] + axes[:, self.feet][..., 1] * lengths[:, None]
        return np.concatenate([heads[:, self.feet], tails], axis=1)


def slides(figure, original, before, after, up):
    """Mean slide, before and after, of points that are planted in the original take, in the armature's units.

    None where nothing is ever planted.
    """
    plants = planted(figure.points(original), original.fps, figure.height, up)
    if not plants:
        return None
    return tuple(mean_slide(figure.points(clip), plants, up) for clip in (before, after))


def mean_slide(points, plants, up):
    flat = np.eye(3) - np.outer(up, up)
    return float(np.mean([strayed(points[rows, point] @ flat) for point, rows in plants]))


def planted(points, fps, height, up):
    """(point, rows) for every stretch of frames in which a point stands."""
    level = points @ up
    speed = np.linalg.norm(np.gradient(points, axis=0), axis=2) * fps
    stands = (level < np.percentile(level, 5, axis=0) + PLANTED_HEIGHT * height) & (speed < PLANTED_SPEED * height)
    least = max(2, round(SHORTEST_PLANT * fps))
    found = []
    for point, column in enumerate(stands.T):
        edges = np.flatnonzero(np.diff(column.astype(int), prepend=0, append=0))
        found += [(point, slice(start, end)) for start, end in zip(edges[::2], edges[1::2]) if end - start >= least]
    return found


def strayed(places):
    """The largest distance from the place a point mostly has."""
    return np.linalg.norm(places - np.median(places, axis=0), axis=1).max()


def rest_ends(skeleton):
    heads = [bone.rest[:3, 3] for bone in skeleton.bones]
    return heads, [head + bone.rest[:3, 1] * bone.length for head, bone in zip(heads, skeleton.bones)]


def ancestors(skeleton, place):
    found = []
    while skeleton.bones[place].parent >= 0:
        place = skeleton.bones[place].parent
        found.append(place)
    return found
