# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights: how much of each take there is in a mix, from weights by take, by limb, by band and over time."""

import numpy as np

from ..declare.params import number, numbers, points, tree, words
from ..numeric import scipy
from ..numeric.bands import HZ_BANDS
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal

FADER = (-1.0, 2.0)  # what a slider spans
CANCELS = 1e-6  # of the weights' size: a smaller sum is none
EACH_GAIN = "How much what moves at this pace counts in the take: 1 as the whole take does, 0 not at all"


@frozen
class BlendTake:
    """A take in the list, and how much of it there is."""

    action: str = words(
        "", "Action to mix in; empty is the take itself, which has a weight of 1 where it is not listed", names="action"
    )
    weight: float = number(
        1.0, "How much of this take there is; below 0 and above 1 go beyond it", -100.0, 100.0, slider_range=FADER
    )
    weight_curve: tuple = points("Weights over time, [frame of the take itself, weight], instead of the one weight")
    weight_from: str = words("", 'Curve of the take itself that is the weight, as path[index], such as ["happy"][0]')
    limbs: dict = tree("Weights of their own for a bone and everything below it, by bone name")
    bands: tuple = numbers(
        "Gain of each band, finest first, times the weight", EACH_GAIN, -4.0, 4.0, item=1.0, slider_range=FADER
    )
    posture: float = number(
        1.0, "Gain of the posture that the motion moves around, times the weight", -4.0, 4.0, slider_range=FADER
    )
    anchors: tuple = points("Frames that go together, [frame of the take itself, frame of this action]")


class BlendWeights:
    """Weights of takes, as arrays (takes, rows or 1, columns) where the first column is of the takes as a whole.

    `owners` are those of the signals that are mixed, one each; rows count from `first_frame`.
    """

    def __init__(self, takes, normalise, owners, skeleton, first_frame):
        self.takes, self.normalise, self.first_frame = takes, normalise, first_frame
        self.names = ["the takes", *dict.fromkeys(owners)]
        self.columns = np.array([self.names.index(owner, 1) for owner in owners])
        self.limbs = [limb_columns(take.limbs, self.names, skeleton) for take in takes]
        self.gains = np.stack([band_gains(take) for take in takes], axis=1)

    def at(self, rows):
        """Weights of the posture, and of every set of bands unlike it as a pair: which bands, and their weights."""
        weights, posture = self._weights(rows), self.gains[-1]
        sets = {
            tuple(gains): tuple(bool(same) for same in (self.gains[:-1] == gains).all(axis=1))
            for gains in self.gains[:-1]
            if np.any(gains != posture)
        }
        return self._divided(weights, posture), [
            (chosen, self._divided(weights, np.array(gains), silence=True)) for gains, chosen in sets.items()
        ]

    def heard(self):
        """Whether each take has any weight anywhere."""
        return [
            bool(np.any(gains) and np.any([take.weight, *(weight for _, weight in take.weight_curve), *take.limbs.values()]))
            for take, gains in zip(self.takes, self.gains.T)
        ]

    def _weights(self, rows):
        curves = np.broadcast_arrays(*(weights_over(take, rows + self.first_frame) for take in self.takes))
        weights = np.repeat(np.stack(curves)[:, :, None], len(self.names), axis=2)
        for own, limbs in zip(weights, self.limbs):
            for columns, weight in limbs:
                own[:, columns] = weight
        return weights

    def _divided(self, weights, gains, silence=False):
        """Weights as parts of one, if wanted; with `silence` nothing but zeros stays zero."""
        raw = weights * gains[:, None, None]
        if not self.normalise:
            return raw
        total, size = raw.sum(axis=0), np.abs(raw).sum(axis=0)
        silent = silence & (size == 0)
        turning_over = np.sign(total).min(axis=0) != np.sign(total).max(axis=0)  # through zero, between two frames
        zero = (turning_over | (np.abs(total) <= CANCELS * size)) & ~silent
        if zero.any():
            name = self.names[np.argwhere(zero)[0][1]] or "the object"
            raise Refusal(f"takes: the weights of {name} sum to zero, which cannot be normalised")
        return raw / np.where(silent, 1.0, total)


def weights_over(take, frames):
    """The weight of a take at frames, (frames,), or (1,) if it never changes."""
    if len(take.weight_curve) < 2:
        return np.array([take.weight_curve[0][1] if take.weight_curve else take.weight])
    at, weights = np.array(take.weight_curve).T
    if np.any(np.diff(at) <= 0):
        raise Refusal(f"weight_curve: the frames {', '.join(f'{frame:g}' for frame in at)} do not follow each other")
    return scipy.interpolate.PchipInterpolator(at, weights)(np.clip(frames, at[0], at[-1]))


def band_gains(take):
    """Gains of a take, finest band first, and of its posture last."""
    if len(take.bands) > HZ_BANDS:
        raise Refusal(f"bands: {len(take.bands)} given, but there are {HZ_BANDS} bands")
    return np.array([*take.bands, *[1.0] * (HZ_BANDS - len(take.bands)), take.posture])


def limb_columns(limbs, names, skeleton):
    """Where limbs are among the names, and their weights; parents first, so that the nearer one counts."""
    found = []
    for bone, weight in sorted(limbs.items(), key=lambda limb: skeleton.index(limb[0]) if skeleton else 0):
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not np.isfinite(weight):
            raise Refusal(f"limbs {bone}: {weight!r} is no number")
        limb = skeleton.below(bone) if skeleton else {bone}
        columns = [column for column, name in enumerate(names) if column and name in limb]
        if not columns:
            raise Refusal(f"limbs: no curve in scope belongs to {bone} or a bone below it")
        found.append((columns, weight))
    return found
