# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet on a new path: every plant goes where the path takes it at one instant, and stays there (Gleicher 2001, section 5).

The path moves the figure as a whole, so that where its legs are need not be worked out anew: they are turned and moved with
it, and the foot lock takes it from there. Where the object itself travels that happens in the world, else in the armature.
"""

import copy
from dataclasses import replace

import numpy as np

from ..body.body import Body
from ..body.contacts import bridged, check_contacts
from ..ik.foot_solver import Solver
from ..motion.ground import UP, turning
from ..numeric.matrix import matrices, product, turned
from ..numeric.smoothing import runs

BRIDGED = 0.05  # seconds: contacts that come closer where a cycle jumps back are one
LEGS_ONLY = {f"{side}_{segment}": "" for side in ("left", "right") for segment in ("upper_arm", "lower_arm", "hand")}


class WalkingFeet:
    """The legs of a take, and when its feet are planted; so many seconds `longer` than the contacts say, at both ends."""

    def __init__(self, clip, skeleton, ground, contacts, longer=0.0):
        self.clip, self.skeleton, self.ground = clip, skeleton.corrected(LEGS_ONLY), ground
        self.object = None if ground.roots[0].owner else ground.roots[0]
        body = self.body(clip.values)
        if self.object:
            body = in_world(body, *self._object(clip.values))
        self.contacts = check_contacts(contacts, clip) or body.contacts
        self.starts = [rows.start for rows in body.stretches]
        self.downs = {point: down(intervals, clip, round(longer * clip.fps)) for point, intervals in self.contacts.items()}

    def body(self, values):
        """The figure on the spot, from its values (rows, channels)."""
        kept = [column for column, channel in enumerate(self.clip.channels) if channel.owner or not self.object]
        channels = tuple(self.clip.channels[column] for column in kept)
        return Body(replace(self.clip, values=values[:, kept], channels=channels), self.skeleton)

    def planted(self, body, clip, rows, path, grip, slope=None):
        """The clip with its feet planted as a Grip says; it shows the body at `rows`, moved along a path.

        On a slope, feet are planted as on level ground, and then lifted onto it.
        """
        here = at(body, rows)
        there = in_world(here, *self._object(clip.values)) if self.object else self._moved(here, path)
        for these in (here, there):
            these.clip, these.stretches = clip, self._uncut(rows)
        contacts, level, onto = self.contacts_at(clip, rows), there, None
        if slope is not None:
            level = placed(there, there.axes, there.heads - there.up[:, None] * (path.places @ there.up))
            level.clip, level.stretches = there.clip, there.stretches
            ends = [end for end in level.ends if end.endswith("foot")]
            onto = slope.onto(level.level({end: level.downs(end, contacts) for end in ends}) or 0.0)
        _, _, pose = Solver(level, contacts, "LOCKED", grip, onto=onto).settled(level)
        if not self.object:
            return there.clip_of(pose.turns, pose.shift, {}, pose.moves)
        axes = np.moveaxis(self._object(clip.values)[0], -1, 0)
        shift, *moves = (np.linalg.solve(axes, way.T[..., None])[..., 0].T for way in (pose.shift, *pose.moves.values()))
        return here.clip_of(pose.turns, shift, {}, dict(zip(pose.moves, moves)))

    def contacts_at(self, clip, rows):
        """When points are planted in a clip that shows these rows of the take."""
        rows = rows % self.clip.frames
        return {
            point: [
                [clip.first_frame + first, clip.first_frame + last]
                for first, last in bridged(runs(planted[rows]), BRIDGED * clip.fps)
            ]
            for point, planted in self.downs.items()
        }

    def _object(self, values):
        """Where the object is: axes (3, 3, rows), scale included, and places (3, rows)."""
        world = np.array(self.skeleton.world)[:3, :3]
        axes = np.moveaxis(matrices(self.object.turn(values)[:, :, 0]), 0, -1)
        return axes * np.linalg.norm(world, axis=0)[:, None], self.object.place(values).T

    def _moved(self, body, path):
        """The body with the bones that the figure is carried by turned and moved."""
        turns = np.moveaxis(matrices(turning(path.headings, self.ground.up)), 0, -1)
        roots = {body.skeleton.index(root.owner) for root in self.ground.roots}
        carried = [index for index in range(len(body.heads)) if roots.intersection(body.skeleton.chain(index))]
        axes, heads = body.axes.copy(), body.heads.copy()
        axes[carried], heads[carried] = product(turns, axes[carried]), turned(turns, heads[carried]) + path.places.T
        return placed(body, axes, heads)

    def _uncut(self, rows):
        """Slices of the rows between the cuts of the take."""
        rows = rows % self.clip.frames
        cuts = 1 + np.flatnonzero(np.isin(rows[1:], self.starts) & (np.diff(rows) == 1))
        return [slice(int(first), int(end)) for first, end in zip([0, *cuts], [*cuts, len(rows)])]


def down(intervals, clip, more=0):
    """When a point is planted, (frames,), and so many frames more before and after."""
    planted = np.zeros(clip.frames, dtype=bool)
    for first, last in intervals:
        planted[max(0, first - clip.first_frame - more) : last - clip.first_frame + 1 + more] = True
    return planted


def at(body, rows):
    return placed(body, body.axes[..., rows], body.heads[..., rows])


def in_world(body, axes, places):
    """The body of an object with such axes and places, in the world."""
    result = placed(body, product(axes, body.axes), turned(axes, body.heads) + places)
    result.figure = copy.copy(body.figure)
    result.figure.world, result.up, result.leg = np.eye(4), np.array(UP), body.figure.leg
    return result


def placed(body, axes, heads):
    """The body with its bones elsewhere."""
    result = copy.copy(body)
    result.axes, result.heads = axes, heads
    result.posed = np.moveaxis(axes, -1, 0), np.moveaxis(heads, -1, 0)
    return result
