# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel: where a figure goes on the ground, as heading and speed, apart from how it moves on the way; and back.

Two walks in different directions have nothing in common as positions, and much as steps: so far ahead, so far aside, so
much turned. What travels is the object, or else the bone that carries the figure; other bones that move freely in the
world, such as the handles of feet, are seen from the place and heading of that one.
"""

import numpy as np

from ..numeric import rotation
from ..numeric.frozen import frozen
from .chart import components, rotation_groups
from .orientations import as_quaternions
from .skeleton import sub_skeleton

UP = (0.0, 0.0, 1.0)
MOVES = 1e-6  # less than this over a whole take is standing still
OVER = np.cos(np.radians(60.0))  # half a tilt: what is tilted by more than 120 degrees faces nowhere


class Ground:
    """The ground under takes of the same channels: takes a clip off its path, and puts one back on a path."""

    def __init__(self, clips, skeleton=None):
        self.roots = travelling(clips, skeleton)
        self.up = np.array(UP if skeleton is None or (self.roots and not self.roots[0].owner) else skeleton.up)
        standing = skeleton.standing_turn if self.roots and self.roots[0].owner else np.eye(3)
        self.standing = quaternion(standing)[:, None, None]

    def taken_off(self, values):
        """The values of a clip as if on the spot and facing -Y, or as at rest if no more is known; and its path."""
        if not self.roots:
            return values, Path(np.zeros((len(values), 3)), np.zeros(len(values)))
        place = self.roots[0].place(values)
        turns = rotation.multiply(self.roots[0].turn(values), self.standing)
        headings = headings_of(turns[:, :, 0], self.up)
        path = Path(place - np.outer(place @ self.up, self.up), headings)
        return self.seen_from(values, path), path

    def seen_from(self, values, path):
        """The values of a clip as seen by who goes along a path."""
        return self._moved(values, values, -path.headings, path.places, 0.0)

    def put_on(self, values, path, near):
        """Such values carried along a path; angles stay close to those of `near` (frames, channels)."""
        return self._moved(values, near, path.headings, 0.0, path.places)

    def _moved(self, values, near, angles, away_from, towards):
        """Every root moved from one place to another, and turned about the up axis in between."""
        result = np.array(values, order="F")
        spin = rotation.exp(self.up[:, None] * angles)
        for root in self.roots:
            place = rotated(spin, (root.place(values) - away_from).T).T + towards
            result[:, root.location] = (place - root.head) @ np.linalg.inv(root.along).T
            if root.rotation:
                turned = rotation.multiply(spin[:, :, None], root.turn(values))
                result[:, root.rotation] = root.channels(turned, components(near, [root.rotation]))
        return result

    def travellers(self, skeleton):
        """The indices of the bones that travel: all that hang on what does, or all where the object does or nothing."""
        if not self.roots or not self.roots[0].owner:
            return list(range(len(skeleton.bones)))
        names = set().union(*(skeleton.below(root.owner) for root in self.roots))
        return [index for index, bone in enumerate(skeleton.bones) if bone.name in names]

    @property
    def columns(self):
        """The channels that say where the figure is."""
        return [column for root in self.roots for column in (*root.location, *root.rotation)]


def headings_of(turns, up):
    """Which way turns (4, frames) face, in radians about the up axis, counting whole turns.

    Who goes head over heels faces the same way after it. While a body is upside down its heading goes evenly from the one
    before to the one after: there it swings round within a moment, which way depends on how many frames there are.
    """
    along = up @ turns[1:]
    angles, known = 2.0 * np.arctan2(along, turns[0]), np.hypot(turns[0], along) > OVER
    if known.all() or not known.any():
        return np.unwrap(angles)
    rows = np.arange(len(angles))
    return np.interp(rows, rows[known], np.unwrap(angles[known]))


@frozen
class Path:
    """Places on the ground (frames, 3) and headings in radians (frames,), counting whole turns."""

    places: np.ndarray
    headings: np.ndarray

    def steps(self, up=UP):
        """From each frame to the next: how far, as seen by who goes there (frames - 1, 3), and how far turned."""
        middle = 0.5 * (self.headings[1:] + self.headings[:-1])
        return rotated(turning(-middle, up), np.diff(self.places, axis=0).T).T, np.diff(self.headings)


def walked(place, heading, steps, turns, up=UP):
    """The path from a place and heading that such steps lead along."""
    headings = heading + np.concatenate([[0.0], np.cumsum(turns)])
    ahead = rotated(turning(0.5 * (headings[1:] + headings[:-1]), up), steps.T).T
    return Path(place + np.concatenate([np.zeros((1, 3)), np.cumsum(ahead, axis=0)]), headings)


def mixed_path(paths, shares, up=UP):
    """The path whose every step and turn is the weighted sum of those of paths of one length; shares are (paths, frames).

    It starts between the starts of the paths.
    """
    first = paths[0]
    places, headings = (
        np.array([start(path) for path in paths]) for start in (lambda path: path.places[0], lambda path: path.headings[0])
    )
    apart = (headings - headings[0] + np.pi) % (2 * np.pi) - np.pi
    steps, turns = zip(*(path.steps(up) for path in paths))
    between = 0.5 * (shares[:, 1:] + shares[:, :-1])
    return walked(
        first.places[0] + shares[:, 0] @ (places - places[0]),
        first.headings[0] + shares[:, 0] @ apart,
        np.einsum("pf,pfc->fc", between, steps),
        np.einsum("pf,pf->f", between, turns),
        up,
    )


def laid(path, row, place, heading, up=UP):
    """A path turned and moved so that a row of it is at a place and has a heading."""
    turn = heading - path.headings[row]
    places = rotated(turning(np.array([turn]), up), (path.places - path.places[row]).T).T
    return Path(places + place, path.headings + turn)


@frozen
class Root:
    """Something that moves freely: the columns of its location and rotation, and how it stands at rest."""

    owner: str
    location: list
    rotation: list
    mode: str
    head: np.ndarray
    axes: np.ndarray
    along: np.ndarray  # the axes that its location counts along

    def place(self, values):
        """Where it is, (frames, 3), in the armature or the world."""
        return self.head + values[:, self.location] @ self.along.T

    def turn(self, values):
        """How it is turned from rest, (4, frames, 1), about the axes of the armature or the world."""
        if not self.rotation:
            return np.broadcast_to(np.array([1.0, 0.0, 0.0, 0.0])[:, None, None], (4, len(values), 1))
        q = rotation.normalized(as_quaternions(self.mode, components(values, [self.rotation])))[0]
        return sandwiched(self._rest_turn(), q * rotation.lifted(q))

    def channels(self, turned, near):
        """Such turns back in the bone's own axes and mode, (frames, components), close to `near`."""
        q = sandwiched(rotation.conjugate(self._rest_turn()), turned)
        if self.mode == "QUATERNION":
            return (q * np.where(np.sum(q * near) < 0, -1.0, 1.0))[:, :, 0].T
        back = rotation.to_axis_angle(q, near) if self.mode == "AXIS_ANGLE" else rotation.to_euler(q, self.mode, near)
        return back[:, :, 0].T

    def _rest_turn(self):
        return quaternion(self.axes)[:, None, None]


def travelling(clips, skeleton):
    """What moves freely in the world in some of the clips, what carries the figure first; empty if nothing does."""
    channels, moving = clips[0].channels, moving_owners(clips)
    located, turned = located_owners(channels), turned_owners(channels)
    free = {"": (np.zeros(3), np.eye(3), np.eye(3))} if "" in located and "" in moving else {}
    if not free and skeleton is not None:
        along = moving | {bone.handle for bone in skeleton.bones} if moving else moving
        free = {
            bone.name: before_it_moves(skeleton, bone.name, clips[0])
            for bone in skeleton.bones
            if bone.name in located and bone.name in along and not carried(skeleton, bone, moving)
        }
    order = sorted(free, key=lambda name: -len(skeleton.below(name)) if skeleton else 0)
    return [Root(name, located[name], *turned.get(name, ([], "")), *free[name]) for name in order]


def moving_owners(clips):
    """Owners of channels that are not the same all the time."""
    return {clip.channels[column].owner for clip in clips for column in np.flatnonzero(np.ptp(clip.values, axis=0) > MOVES)}


def before_it_moves(skeleton, name, clip):
    """A bone's head, its axes, and the axes that its location counts along, on bones that hold still in whatever pose."""
    chain = sub_skeleton(skeleton, {name})
    axes, along, head = chain.parented(chain.index(name), *chain.posed(clip.with_values(clip.values[:1])))
    axes, along, head = (
        np.array(values, dtype=np.float64).reshape(shape) for values, shape in ((axes, (3, 3)), (along, (3, 3)), (head, 3))
    )
    return head, axes / np.linalg.norm(axes, axis=0), along


def located_owners(channels):
    """The columns of the location of every owner that has one whole."""
    found = {}
    for column, channel in enumerate(channels):
        if channel.kind == "LOCATION":
            found.setdefault((channel.owner, channel.path), {})[channel.index] = column
    return {owner: [columns[index] for index in range(3)] for (owner, _), columns in found.items() if len(columns) == 3}


def turned_owners(channels):
    """The columns and the mode of the rotation of every owner that has one whole."""
    return {
        channels[columns[0]].owner: (columns, mode) for mode, members in rotation_groups(channels)[0] for columns in members
    }


def carried(skeleton, bone, moving):
    """Whether a bone hangs on one that moves."""
    while bone.parent >= 0:
        bone = skeleton.bones[bone.parent]
        if bone.name in moving:
            return True
    return False


def turning(angles, up=UP):
    """Turns about the up axis, (4, frames)."""
    return rotation.exp(np.multiply.outer(np.asarray(up, dtype=np.float64), angles))


def rotated(q, vectors):
    """Vectors (3, ...) turned by quaternions (4, ...)."""
    return sandwiched(q, np.concatenate([np.zeros_like(vectors[:1]), vectors]))[1:]


def sandwiched(q, inner):
    return rotation.multiply(rotation.multiply(q, inner), rotation.conjugate(q))


def quaternion(axes):
    """A rotation matrix as a quaternion (4,): the one that turns the axes there, found from its largest component."""
    (a, b, c), (d, e, f), (g, h, i) = axes
    rows = np.array(
        [
            [1 + a + e + i, h - f, c - g, d - b],
            [h - f, 1 + a - e - i, b + d, c + g],
            [c - g, b + d, 1 - a + e - i, f + h],
            [d - b, c + g, f + h, 1 - a - e + i],
        ]
    )
    best = rows[np.argmax(np.diag(rows))]
    return best / np.linalg.norm(best)
