# SPDX-License-Identifier: GPL-3.0-or-later
"""Features: what a body does, whichever skeleton it has, wherever it is and whichever way it faces.

Head, hands and feet are seen from the hips and from the way that these face; lengths are in legs. Velocities of these are their
differences, and what the hips themselves do is how fast they get on, rise and turn. That is
little enough to be kept for every thirtieth of a second of a library, and enough to tell motions apart (compare Krueger et
al., Fast Local and Global Similarity Searches, SCA 2010).
"""

import numpy as np

from ..body.contacts import feet, stand
from ..body.figure import Legs
from ..body.roles import find_roles
from ..body.roles_by_shape import SIDES
from ..body.upright import on_its_ground
from ..motion.ground import travelling
from ..motion.leading import leading_rows
from ..motion.skeleton import sub_skeleton
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal

RATE = 30.0  # rows a second
LENGTHS = 1024  # steps in a leg, and as many in a leg a second: what is kept is whole numbers
TRUNK = 0.5  # legs: how far along the trunk its direction is looked at
PLACES = ("pelvis", "trunk", "head", *(f"{side}_{part}" for part in ("hand", "foot") for side in SIDES))
# How high the hips are above the ground, and how far to the left, to the back and up from them each place is.
COLUMNS = ("pelvis_z", *(f"{place}_{axis}" for place in PLACES[1:] for axis in "xyz"), "step_x", "step_y", "turn")
POSE = len(COLUMNS) - 3
# Where parts of the body are taken to be that a figure has not got, in legs: as those of who stands.
ABSENT = {"head": (0.0, 0.0, 0.75), "left_hand": (0.35, 0.0, -0.1), "right_hand": (-0.35, 0.0, -0.1)}
PLANTED = {"left_foot": 1, "right_foot": 2}
AIR = 4  # the mark of rows in which no foot is on the ground
CLEAR = 0.03  # legs: feet that all are higher above the ground, and none planted, are in the air


@frozen
class Features:
    """What is known of a take: values (rows, columns) in legs and seconds, marks (rows,), and which frames the rows are of."""

    values: np.ndarray
    marks: np.ndarray
    fps: float
    first_frame: int  # of the first row
    leg: float  # metres

    @property
    def rows(self):
        return len(self.values)

    def frame(self, row):
        """The frame that is nearest to a row."""
        return self.first_frame + round(float(row) * self.fps / RATE)

    def row(self, frame):
        """The row, whole or between two, that a frame is at."""
        return (frame - self.first_frame) * RATE / self.fps

    def between(self, first, last):
        """The features of some frames only, or a Refusal where there are none."""
        start, end = (int(np.clip(round(self.row(frame)), 0, self.rows - 1)) for frame in (first, last))
        if last < self.first_frame or first > self.frame(self.rows - 1) or last < first:
            raise Refusal(
                f"frames: {first} to {last} is outside the motion, which goes from "
                f"{self.first_frame} to {self.frame(self.rows - 1)}"
            )
        part = slice(start, end + 1)
        return Features(self.values[part], self.marks[part], self.fps, self.frame(start), self.leg)


def features_of(clip, skeleton):
    """The features of a take, or a Refusal where there is no body with feet. Poses before the motion are left out."""
    clip.check()
    skeleton = on_its_ground(skeleton, clip)
    roles, leading = find_roles(skeleton), leading_rows(clip, skeleton)
    clip = clip.with_values(clip.values[leading:])
    figure = Legs(skeleton, roles)
    points, hips, axes, head = body_places(clip, skeleton, figure, roles)
    contacts, ground = stand(clip, figure, points, hips)
    moments = np.arange(int((clip.frames - 1) * RATE / clip.fps + 1e-6) + 1) * clip.fps / RATE
    places = {"trunk": hips + TRUNK * figure.leg * axes[:, :, 2], "head": head}
    places |= {f"{side}_hand": place_of(points, figure, f"{side}_hand") for side in SIDES}
    places |= {f"{side}_foot": sole_of(points, figure, side) for side in SIDES}
    values = seen(places, hips, heading(axes), ground, figure.leg, moments, clip.fps)
    marks = marked(feet(contacts, clip.fps), moments + clip.first_frame)
    lowest = np.interp(moments, np.arange(clip.frames), points[:, figure.on_foot, 2].min(axis=1) - ground)
    marks[(lowest > CLEAR * figure.leg) & (marks == 0)] |= AIR
    return Features(values, marks, clip.fps, clip.first_frame + leading, float(figure.leg))


def body_places(clip, skeleton, figure, roles):
    """Where a body is in the world: points of the figure, hips, the axes of these (left, back, up; as columns), and head."""
    pelvis = roles.pelvis or skeleton.bones[0].name
    body = sub_skeleton(skeleton, {pelvis, roles.head} - {""})
    index = body.index(pelvis)
    world, carrying = np.array(skeleton.world), travelling([clip], None)
    from_rest = np.linalg.inv(body.bones[index].rest[:3, :3]) @ skeleton.standing_axes
    axes, heads = (np.concatenate(each) for each in zip(*body.in_stretches(clip)))
    turned = world[:3, :3] @ axes[:, index] @ from_rest
    heads = heads @ world[:3, :3].T + world[:3, 3]
    if carrying:  # the object itself is keyed
        heads = figure.carried(heads, carrying[0], clip)
        ahead = figure.carried(
            np.moveaxis(axes[:, index] @ from_rest, 2, 1) @ world[:3, :3].T + world[:3, 3], carrying[0], clip
        )
        none = figure.carried(np.broadcast_to(world[:3, 3], (clip.frames, 1, 3)), carrying[0], clip)
        turned = np.moveaxis(ahead - none, 2, 1)
    points, hips = figure.places(clip)
    turned = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    return points, hips, turned, heads[:, body.index(roles.head)] if roles.head else None


def heading(axes):
    """Which way hips with such axes (frames, 3, 3) face: their turn about up, without what they lean."""
    return 2.0 * np.arctan2(axes[:, 1, 0] - axes[:, 0, 1], 1.0 + np.trace(axes, axis1=1, axis2=2))


def place_of(points, figure, name):
    return points[:, figure.points.index(name)] if name in figure.points else None


def sole_of(points, figure, side):
    """The middle of a sole."""
    both = [
        points[:, figure.points.index(f"{side}_{point}")] for point in ("heel", "toe") if f"{side}_{point}" in figure.points
    ]
    return np.mean(both, axis=0) if both else points[:, figure.on_foot].mean(axis=1)


def seen(places, hips, facing, ground, leg, moments, fps):
    """Values (moments, columns) of places (frames, 3) as seen from the hips; what is missing is where it hangs."""
    turning = np.exp(-1j * np.unwrap(facing))
    way = hips[:, 0] + 1j * hips[:, 1]
    columns = [(hips[:, 2] - ground) / leg]
    for name in PLACES[1:]:
        place = places[name]
        if place is None:
            columns += [np.full(len(hips), value) for value in ABSENT[name]]
            continue
        across = (place[:, 0] + 1j * place[:, 1] - way) * turning / leg
        columns += [across.real, across.imag, (place[:, 2] - hips[:, 2]) / leg]
    frames = np.arange(len(hips))
    pose = np.stack([np.interp(moments, frames, column) for column in columns], axis=1)
    return np.concatenate([pose, travel(way / leg, np.unwrap(facing), moments)], axis=1).astype(np.float32)


def travel(way, facing, moments):
    """How fast hips get on, left and back as they face, and turn, (moments, 3), from where they are (frames,)."""
    frames = np.arange(len(way))
    at = np.interp(moments, frames, way.real) + 1j * np.interp(moments, frames, way.imag)
    turned = np.interp(moments, frames, facing)
    if len(moments) < 2:
        return np.zeros((len(moments), 3))
    steps = np.gradient(at) * RATE * np.exp(-1j * turned)
    return np.stack([steps.real, steps.imag, np.gradient(turned) * RATE], axis=1)


def marked(planted, moments):
    """Which feet are planted at moments, in frames, as the sum of their marks."""
    marks = np.zeros(len(moments), np.uint8)
    for foot, intervals in planted.items():
        for first, last in intervals:
            marks[(moments >= first - 0.5) & (moments <= last + 0.5)] |= PLANTED[foot]
    return marks


def packed(features):
    """Features as bytes: values as whole numbers, then marks."""
    whole = np.clip(np.rint(features.values * LENGTHS), -32767, 32767).astype("<i2")
    return whole.tobytes() + features.marks.tobytes()


def unpacked(data, fps, first_frame, leg):
    """Features from bytes."""
    rows = len(data) // (2 * len(COLUMNS) + 1)
    split = rows * 2 * len(COLUMNS)
    values = np.frombuffer(data, "<i2", rows * len(COLUMNS)).reshape(rows, len(COLUMNS)).astype(np.float32) / LENGTHS
    return Features(values, np.frombuffer(data, np.uint8, rows, split), fps, first_frame, leg)
