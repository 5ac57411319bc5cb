# SPDX-License-Identifier: GPL-3.0-or-later
"""Trust: what an edit did to a body that an animator would see at once, against the take that it was made from.

A joint that turns in one frame farther than the take's ever does around there, a knee that bends the wrong way, a foot deeper
in the ground than it was.
"""

from typing import NamedTuple

import numpy as np

from ..motion.skeleton import sub_skeleton
from ..numeric import scipy
from ..numeric.vectors import cross, dot, length, unit
from .contacts import stand
from .figure import FEET, known_legs
from .more_feet import sides_in, whole_table
from .report import DEGREES, MILLIMETRES, depths
from .roles import find_roles
from .turning import turning_of

AROUND = 3  # frames on each side within which the take's own turn counts
BENT = 15.0  # degrees: a knee that is bent more tells about which axis it bends
STRAIGHT = 2.0  # degrees beyond straight, and beyond the take's own straightest, that are none
SEEN = {"turn": 1.0, "depth": 1.0}  # degrees, millimetres: what is less is not worth a word


class Worst(NamedTuple):
    """The worst of something: how much, whose, in which frame, and on how many frames at all."""

    size: float = 0.0
    owner: str = ""
    frame: int = 0
    count: int = 0


def trust(before, after, skeleton, roles=None, ground=None, surface=None, moved=False):
    """What of a clip is worse than in the take before, {"turn": Worst, "knee": Worst, "depth": Worst}, degrees and millimetres.

    Nothing of knees and depth where there are no legs. Where frames were `moved` in time, turns are held against the largest in
    all the take. The height of the ground is found unless it is given; on a `surface` all that is under it counts.
    """
    roles = roles or find_roles(skeleton)
    found = {"turn": turn_beyond(before, after, moved or before.frames != after.frames)}
    table = whole_table(skeleton, roles)
    knees = [side for side in sides_in(table) if all(table[f"{side}_{bone}"] for bone in ("upper_leg", "lower_leg", "foot"))]
    if knees:
        found["knee"] = max(
            (knee_beyond(before, after, skeleton, table, side) for side in knees), key=lambda worst: worst.count
        )
    if any(table[foot] for foot in FEET):
        found["depth"] = depth_beyond(before, after, known_legs(skeleton, roles), ground, surface)
    return found


def turn_beyond(before, after, moved=False):
    """The largest turn of a bone in one frame beyond its largest in the take, within a few frames or, moved in time, in all."""
    owners, beyond = turns_beyond(before, after, moved)
    if not beyond.size or beyond.max() <= 0.0:
        return Worst()
    index, row = np.unravel_index(beyond.argmax(), beyond.shape)
    frames = int(np.count_nonzero(beyond[index] > SEEN["turn"]))
    return Worst(float(beyond[index, row]), owners[index], int(after.first_frame + row + 1), frames)


def turns_beyond(before, after, moved=False, start=0):
    """Who turns, and how much farther than in the take in each frame (owners, frames - 1), from a row on."""
    was, now = ({owner: turned[start:] for owner, turned in turning_of(clip).turns} for clip in (before, after))
    owners, steps = list(now), np.array(list(now.values()))
    if moved:
        return owners, steps - np.array([[was[owner].max(initial=0.0) if owner in was else 0.0] for owner in owners])
    known = np.array([was.get(owner, np.zeros(steps.shape[1])) for owner in owners])
    return owners, steps - (scipy.ndimage.maximum_filter1d(known, 2 * AROUND + 1, axis=1) if known.size else known)


def knee_beyond(before, after, skeleton, table, side, start=0):
    """How far and how often a knee is past straight, farther than it ever is in the take, both from a row on."""
    names = [table[f"{side}_{bone}"] for bone in ("upper_leg", "lower_leg", "foot")]
    seen = knee_bends((before, after), skeleton, names, start)
    if seen is None:
        return Worst(owner=names[1])
    was, now = seen.angles
    beyond = min(0.0, was.min()) - STRAIGHT - now
    row = int(beyond.argmax())
    if beyond[row] <= 0.0:
        return Worst(owner=names[1])
    return Worst(float(-now[row]), names[1], after.first_frame + start + row, int(np.count_nonzero(beyond > 0.0)))


class KneeBends(NamedTuple):
    """How far a knee is bent in some clips, in degrees, below 0 past straight; and the hinge (3,) as the thigh sees it."""

    angles: list
    hinge: np.ndarray

    def in_bones(self, clip, skeleton, names):
        """The hinge (3, frames) as each bone of a leg in a clip sees it, by its name."""
        leg = sub_skeleton(skeleton, names)
        axes = leg.posed(clip)[0]
        world = np.einsum("fij,j->if", axes[:, leg.index(names[0])], self.hinge)
        return {name: np.einsum("fij,if->jf", axes[:, leg.index(name)], world) for name in names}


def knee_bends(clips, skeleton, names, start=0):
    """How a knee bends in clips from a row on, by thigh, lower leg and foot; None where it never does in the first."""
    hinge, bends = None, []
    for clip in clips:
        around, angle = (array[..., start:] for array in bent_about(clip, skeleton, names))
        if hinge is None:
            if not (angle > BENT).any():
                return None
            hinge = unit(around[:, angle > BENT].sum(axis=1))
        bends.append(np.where(hinge @ around < 0.0, -angle, angle))
    return KneeBends(bends, hinge)


def bent_about(clip, skeleton, names):
    """What a knee is bent about as the thigh sees it (3, frames), and how far, in degrees (frames,); found once for a clip."""
    kept, known = clip.__dict__.setdefault("_bent", {}), (skeleton, *names)
    if known not in kept:
        leg = sub_skeleton(skeleton, names)
        hip, knee, ankle = (leg.index(name) for name in names)
        arounds, angles = [], []
        for axes, heads in leg.in_stretches(clip):
            ways = (heads[:, knee] - heads[:, hip], heads[:, ankle] - heads[:, knee])
            thigh, shin = (unit(np.einsum("fji,fj->if", axes[:, hip], way)) for way in ways)
            arounds.append(cross(thigh, shin))
            angles.append(DEGREES * np.arctan2(length(arounds[-1]), dot(thigh, shin)))
        kept[known] = np.concatenate(arounds, axis=1), np.concatenate(angles)
    return kept[known]


def depth_beyond(before, after, figure, ground=None, surface=None):
    """How much deeper a heel or toe gets under the ground that the take stands on than it ever does in the take, or how deep
    under a surface."""
    places, pelvis = figure.places(before)
    ground = stand(before, figure, places, pelvis)[1] if ground is None else ground
    was = depths(places[:, figure.on_foot], ground).max() if surface is None else 0.0
    now = depths(figure.places(after)[0][:, figure.on_foot], ground, surface)
    deeper = now.max(axis=1) - max(0.0, was)
    row = int(deeper.argmax())
    if deeper[row] <= 0.0:
        return Worst()
    feet = [point for point, foot in zip(figure.points, figure.on_foot) if foot]
    owner = feet[int(now[row].argmax())].replace("_", " ")
    return Worst(float(MILLIMETRES * deeper[row]), owner, after.first_frame + row, int(np.count_nonzero(deeper > 0.0)))


def trust_words(before, after, skeleton, roles=None, ground=None, surface=None, moved=False):
    """What an edit made worse, in words for whoever applied it; that nothing did, where nothing did; nothing if unknown."""
    found = trust(before, after, skeleton, roles, ground, surface, moved)
    none = Worst()
    turn, knee, depth = (found.get(name, none) for name in ("turn", "knee", "depth"))
    pieces = [
        turn.size > SEEN["turn"] and f"{turn.owner} turns {turn.size:.0f}° farther in frame {turn.frame} than in the take",
        knee.count and f"{knee.owner} is past straight on {knee.count} frame(s), by {knee.size:.0f}° in frame {knee.frame}",
        depth.size > SEEN["depth"] and f"{depth.owner} {depth.size:.0f} mm deeper in the ground in frame {depth.frame}",
    ]
    return ", ".join(filter(None, pieces)) or "no joint jumps, no knee is past straight, no foot is deeper than in the take"
