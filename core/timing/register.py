# SPDX-License-Identifier: GPL-3.0-or-later
"""Registration: which moments of a reference belong to those of a take, and when each happens in between the two."""

from collections.abc import Mapping
from dataclasses import field
from itertools import pairwise

import numpy as np

from ..motion.clip import FEWEST_FRAMES, Clip
from ..motion.match import common, matched
from ..motion.skeleton import lever_lengths
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from ..numeric.rotation import ROTATION_SIZES
from ..numeric.time_map import along, smoothed
from .dtw import correspondence
from .wires import StretchAndBend, wires

ANY = 64  # frames, where only one of fastest and slowest is without a limit
SHORTEST = 0.02  # frames of the result that a frame of the take takes at least, however far timing goes


@frozen
class Matching:
    """What decides which moments belong together."""

    anchors: tuple = ()
    open_ends: bool = False
    fastest: int = 4
    slowest: int = 4
    stretch: float = 1.0
    bend: float = 1.0
    root: float = 0.0
    limbs: Mapping = field(default_factory=dict)


@frozen
class Pair:
    """A take and its reference, with the take's channels and frame rate, and what belongs together."""

    reference: Clip
    shared: np.ndarray  # channels that the reference has too
    path: np.ndarray  # nodes: row of the take, row of the reference
    knots: np.ndarray  # the same as a smooth map
    rate: float  # frames of the reference as it was, to one row

    def moments(self, timing):
        """Rows of the take and rows of the reference, one of each for every frame of the result."""
        rows, columns = self.knots.T
        steps = (1 - timing) * np.diff(rows) + timing * np.diff(columns)
        times = np.concatenate([[0.0], np.cumsum(np.maximum(steps, SHORTEST * np.diff(rows)))])
        count = max(round(round(times[-1], 6)) + 1, FEWEST_FRAMES)
        at = np.linspace(0.0, times[-1], count)
        return tuple(along(np.column_stack([times, moments]), at) for moments in (rows, columns))

    def frames(self, clip):
        """The map in frames: of the take, and of the reference as it was."""
        return self.knots * [1.0, self.rate] + [clip.first_frame, self.reference.first_frame]


def register(clip, name, surroundings, matching=Matching()):
    """The take paired with another by its name, as a Matching, or what has the same fields, says; or a Refusal."""
    if name not in surroundings.takes:
        raise Refusal(f"reference: there is no action {name}")
    other = surroundings.takes[name]
    if other.frames < FEWEST_FRAMES:
        raise Refusal(f"reference: {name} has {other.frames} frame(s); it needs at least {FEWEST_FRAMES}")
    reference, _ = matched(clip, other)
    if reference.frames == clip.frames and np.array_equal(reference.values, clip.values):
        raise Refusal(f"reference: {name} is the take itself")
    shared, rate = common(clip, other), other.fps / clip.fps
    anchors = read_anchors(clip, other, matching.anchors, rate, reference.frames)
    costs = StretchAndBend(
        *wires(clip, reference, weights_of(clip, shared, matching, surroundings.skeleton), matching.stretch, matching.bend)
    )
    limits = read_limits(matching, costs.shape, anchors)
    path = correspondence(costs, anchors, limits, matching.open_ends)
    return Pair(reference, shared, path, smoothed(path, anchors, clip.fps), rate)


def read_anchors(clip, other, anchors, rate, columns):
    """Anchors in rows, in order, or a Refusal that says what is wrong with them."""
    nodes = []
    for frame, there in sorted(anchors):
        if not clip.first_frame <= frame <= clip.last_frame:
            raise Refusal(f"anchors: frame {frame:g} is not one of {clip.first_frame} to {clip.last_frame}")
        if not other.first_frame <= there <= other.last_frame:
            raise Refusal(f"anchors: the reference has no frame {there:g}, only {other.first_frame} to {other.last_frame}")
        nodes.append((round(frame - clip.first_frame), min(round((there - other.first_frame) / rate), columns - 1)))
    for index, (before, after) in enumerate(pairwise(nodes)):
        if after[0] <= before[0] or after[1] <= before[1]:
            (frame, there), (later, elsewhere) = sorted(anchors)[index : index + 2]
            raise Refusal(f"anchors: {frame:g} belongs to {there:g}, so {later:g} cannot belong to {elsewhere:g}")
    return nodes


def read_limits(matching, shape, anchors):
    """How many moves across and down may follow one another, or None for any number; refused where that leads nowhere."""
    if not matching.slowest and not matching.fastest:
        return None
    slowest, fastest = matching.slowest or ANY, matching.fastest or ANY
    stops = [(0, 0), *anchors, (shape[0] - 1, shape[1] - 1)]
    for index, (before, after) in enumerate(pairwise(stops)):
        rows, columns = (end - start + 1 for start, end in zip(before, after))
        if rows > columns * fastest:
            raise Refusal(f"fastest: {fastest} is too few for {rows} frames of the take in {columns} of the reference")
        if columns > rows * slowest and not (matching.open_ends and index in (0, len(stops) - 2)):
            raise Refusal(f"slowest: {slowest} is too few for {columns} frames of the reference in {rows} of the take")
    return slowest - 1, fastest - 1


def weights_of(clip, shared, matching, skeleton):
    """How much each channel counts: by what it moves, by its limb, and by whether it moves the whole figure."""
    levers = lever_lengths(skeleton) if skeleton else {}
    root = roots(clip, skeleton)
    owned = {channel.owner: 1.0 for channel in clip.channels} | dict.fromkeys(root, matching.root)
    for name in sorted(matching.limbs, key=lambda name: skeleton.index(name) if skeleton else 0):
        limb = (skeleton.below(name) if skeleton else {name}) & owned.keys()
        if not limb:
            raise Refusal(f"limbs: no curve belongs to {name} or a bone below it")
        owned |= dict.fromkeys(limb, (*matching.limbs[name], 1.0)[0])
    weights = (
        np.array(
            [
                owned[channel.owner] * (levers.get(channel.owner, 1.0) if channel.kind in ROTATION_SIZES else 1.0)
                for channel in clip.channels
            ]
        )
        * shared
    )
    if not weights.any():
        raise Refusal("root and limbs: no curve that both takes have counts more than 0")
    return weights


def roots(clip, skeleton):
    """Who moves the whole figure: the object, and the bone that most others hang on; nobody where nothing else moves."""
    owners = {channel.owner for channel in clip.channels}
    found = {""}
    if skeleton:
        loose = [bone.name for bone in skeleton.bones if bone.parent < 0]
        found.add(max(loose, key=lambda name: len(skeleton.below(name))))
    return found & owners if owners - found else set()
