# SPDX-License-Identifier: GPL-3.0-or-later
"""A take off its path and on another: equation 1 of Gleicher 2001, P R R0^-1 P0^-1, applied to whatever carries the figure.

Off its path a take is a figure on the spot, where it is and how it is turned beside the path, and how far along it has
come. How the path fits does not matter: what it misses stays in the take as detail.
"""

import numpy as np

from ..motion.clip import Channel
from ..motion.ground import Ground, Path, carried, moving_owners, rotated, turning
from ..numeric import scipy
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from .fit import progress_of

EASED = 0.2  # seconds over which a figure takes up a new heading of its path
RIGID = 1e-6  # radians, and the armature's units
UNEVEN = 1e-4  # of the armature's scale


@frozen
class Aside:
    """A take beside its path, row by row."""

    values: np.ndarray  # of all channels, the figure on the spot and facing as at rest
    near: np.ndarray  # of all channels in the take, so that angles stay on their branch
    places: np.ndarray  # (rows, 3) in the frame of the path: ahead, to the left, up
    turned: np.ndarray  # from the path's heading to the figure's, in radians
    steps: np.ndarray  # along the path, from the row before, in metres

    def at(self, rows):
        return Aside(*(array[rows] for array in (self.values, self.near, self.places, self.turned, self.steps)))


class PathFollower:
    """A clip that follows a curve, and may follow another."""

    def __init__(self, clip, skeleton, curve, gone=()):
        self.clip, self.curve, self.ground = clip, curve, Ground([clip], skeleton)
        self.gone = spread(gone, clip.frames) if len(gone) else progress_of(clip, skeleton)
        self.world = world_of(self.ground, skeleton)
        values, self.path = self.ground.taken_off(clip.values)
        places, headings = self.along(curve, self.gone * curve.length)
        beside = self.path.places @ self.world[:3, :3].T + self.world[:3, 3] - places
        self.aside = Aside(
            values,
            clip.values,
            rotated(turning(-headings), beside.T).T,
            self.path.headings - side_of(self.world) * headings,
            np.diff(self.gone * curve.length, prepend=0.0),
        )

    def along(self, curve, distances):
        return eased(curve, distances, self.clip.fps)

    def put_on(self, aside, curve, distances, rows):
        """The clip of such rows of it at distances along a curve, and the Path of the figure in the armature or the world."""
        path = path_beside(aside, *self.along(curve, distances), self.world, self.path.headings[0])
        return self.clip.with_values(self.ground.put_on(aside.values, path, aside.near), rows), path

    def only_moved(self, path):
        """Whether a path is this take's own, moved and turned as a whole."""
        rows = slice(len(path.headings))
        turns = path.headings - self.path.headings[rows]
        moves = path.places - rotated(turning(turns, self.ground.up), self.path.places[rows].T).T
        return max(np.ptp(turns), np.ptp(moves, axis=0).max()) < RIGID


def eased(curve, distances, fps):
    """Places (frames, 3) and headings (frames,) at distances along a curve, what turns suddenly being eased."""
    places, headings = curve.at(distances)
    margin = int(4 * EASED * fps) + 1
    padded = np.pad(headings, margin, mode="reflect", reflect_type="odd")
    return places, scipy.ndimage.gaussian_filter1d(padded, EASED * fps)[margin:-margin]


def path_beside(aside, places, headings, world, first):
    """The Path, in the armature or the world, of a figure beside places and headings of a curve, that faces about `first`."""
    places = places + rotated(turning(headings), aside.places.T).T
    headings = aside.turned + side_of(world) * headings
    headings -= 2 * np.pi * np.rint((headings[0] - first) / (2 * np.pi))
    return Path((places - world[:3, 3]) @ np.linalg.inv(world[:3, :3]).T, headings)


def side_of(world):
    """Which way an armature turns that turns left in the world: a mirrored one turns the other way."""
    return -1.0 if np.linalg.det(world[:3, :3]) < 0 else 1.0


def spread(gone, frames):
    """How far along a take is (frames,), from how far it is at even moments."""
    if len(gone) < 2 or np.any(np.diff(gone) < 0):
        raise Refusal(f"progress: {len(gone)} number(s) that do not go up from the start of the path to its end")
    known = scipy.interpolate.PchipInterpolator(np.linspace(0.0, frames - 1.0, len(gone)), gone)
    return known(np.arange(frames, dtype=np.float64))


def whole_roots(clip, skeleton):
    """The clip with all channels of location and rotation of what carries the figure, at what they hold where it lacks some."""
    roots = Ground([clip], skeleton).roots
    if roots and not roots[0].owner and not roots[0].rotation:
        raise Refusal("the object travels and its rotation is not keyed, so that it cannot turn along a path; key it")
    located = {channel.owner for channel in clip.channels if channel.kind == "LOCATION"}
    moving = moving_owners([clip])
    bones = (
        [
            bone
            for bone in skeleton.bones
            if bone.name in located
            and not bone.connected
            and (bone.parent < 0 or bone.name in moving and not carried(skeleton, bone, moving))
        ]
        if skeleton
        else []
    )
    needed = [
        channel
        for bone in bones
        for channel in (
            *(Channel(bone.path + ".location", index, "LOCATION", bone.name) for index in range(3)),
            *(Channel(bone.rotation_path, index, bone.mode, bone.name) for index in range(len(bone.rotation))),
        )
    ]
    return clip.with_channels(needed, [skeleton.held(channel) for channel in needed])


def world_of(ground, skeleton):
    """The 4 x 4 matrix from what the figure is carried in to the world."""
    if skeleton is None or not ground.roots[0].owner:
        return np.eye(4)
    world = np.array(skeleton.world, dtype=np.float64)
    square = world[:3, :3].T @ world[:3, :3]
    if np.abs(square - np.eye(3) * square[0, 0]).max() > UNEVEN * square[0, 0]:
        raise Refusal("the armature is not scaled alike along all axes; apply its scale before bending its path")
    return world
