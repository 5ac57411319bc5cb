# SPDX-License-Identifier: GPL-3.0-or-later
"""All of a take that planting needs and no edit changes: when feet stand, how joints bend, and how fast they turn."""

import copy
from functools import cached_property

import numpy as np

from ..body.contacts import LEG
from ..body.roles import led
from ..motion.posing import local
from ..motion.skeleton import columns_of, sub_skeleton
from ..numeric.matrix import matrices, steps_of
from ..numeric.refusal import Refusal
from ..numeric.rotation import ROTATION_SIZES, shortest
from ..numeric.smoothing import runs
from ..numeric.vectors import SMALL
from .finer_rows import FinerRows
from .give_way import Trunk
from .hinge import hinges_of, within_stretches
from .pose import UNCHANGED, joint_steps, near, turning, wide
from .stance import feet_of, pieces
from .steady_joints import SteadyJoints

LYING, UPRIGHT = 0.5, 0.8  # cosines: what is less along the world's up lies, what is more along the body's own stands
KNEE = 1.2  # times what a take turns a knee around there: no more when the take itself is locked
LASTING = 0.1  # seconds that frames do not change for that to be meant


class PlantingSource:
    """The body in a take, on finer rows if they are `wanted`; contacts are found unless they are given, by frames.

    `original` is the clip that the take was made from, if it is itself an edit: what turns too fast is held against that.
    """

    def __init__(self, take, contacts, hands=True, beside=None, finer=True, original=None):
        self.take, self.finer = on_its_ground(take), FinerRows(take, finer)
        self.body = body = self.finer.body(self.take)
        self.fps, self.metre = body.clip.fps, LEG / body.leg
        self.rows = self.finer.held(within_stretches(take))
        ends, self.moving = free(take, beside)
        given = self.finer.contacts(contacts, take.clip.first_frame) if contacts else None
        self.feet = feet_of(body, given, self.rows, ends, hands)
        first = self.finer.body(self.take.again(original)) if original else None
        self.hinges = hinges_of(body, self.rows, ends, first, self.finer.frame)
        self.frame_hinges = {end: hinge.at_frames(self.finer) for end, hinge in self.hinges.items()}
        self.arms = {end: hinge for end, hinge in self.frame_hinges.items() if end not in self.feet}
        self.starts = [stretch.start for stretch in body.stretches[1:]]
        self.lone = ~self.rows | np.append(True, ~self.rows[:-1])  # where a step begins or ends in a pose between cuts
        self.bones = sorted({bone for end in self.feet for bone in body.skeleton.chain(body.bones(end)[-1])})
        self.used = sorted({*self.bones, *body.hips.values(), *(bone for end in self.feet for bone in body.carrying(end))})
        self.below = self._below_feet()
        self.carrying = [bone for bone in self.bones if not any(bone in limb for limb in body.limbs.values())]
        self.original = original
        bodies = [body, first] if original else [body]
        times = self.finer.times
        turned = {end: [joint_steps(each, end, times=times) for each in bodies] for end in self.feet if end in body.limbs}
        self.steps = {end: self._around(steps) for end, steps in turned.items()}
        self.knees = {end: KNEE * wide(np.where(self.lone, 0.0, own[1]), self.fps) for end, (own, *_) in turned.items()}
        self.carried = self._around(turning(each, self.carrying, times) for each in bodies)
        self.toes = self._around(self.toe_steps(each.frames.clip) for each in bodies)

    @property
    def stands(self):
        """Whether a foot stands anywhere."""
        return self.rows.any() and any(foot.planted.any() for end, foot in self.feet.items() if end.endswith("foot"))

    @property
    def holds(self):
        """Whether a foot or a hand stands anywhere."""
        return self.rows.any() and any(foot.planted.any() for foot in self.feet.values())

    def refuse_legs(self):
        """Say why no foot could be kept planted."""
        feet = [end for end in self.feet if end.endswith("foot")]
        if not feet:
            raise Refusal("there is no foot on a leg that may be bent")
        if all(end in self.hinges and self.hinges[end].stiff for end in feet):
            raise Refusal("the legs never move by themselves in the take, as if they were welded to the body")

    def toe_steps(self, clip):
        """How far toes turn from row to row, (toes, rows)."""
        if not self.below:
            return np.zeros((0, self.finer.count))
        whole, columns = self.take.whole, columns_of(clip)
        turns = [local(whole.bones[whole.index(name)], clip.values, columns)[0] for name in self.below]
        steps = [steps_of(np.broadcast_to(turn, (3, 3, clip.frames))) for turn in turns]
        return self.finer.held(np.array(steps)) / self.finer.times

    def unchanged(self, body):
        """Frames at which legs, and what they hang on, are as in the take: for a while, or where the motion begins or ends."""
        return as_in_take(self.take, body, self.bones)

    @cached_property
    def lone_edges(self):
        """Rows at which a pose that stands alone begins or ends: what an edit does goes on over any other cut."""
        return [start for start in self.starts if not (self.rows[start] and self.rows[start - 1])]

    @cached_property
    def feet_of_edits(self):
        """The feet as edits have them, which stand on over all other cuts but those at which they jump."""
        return {end: foot.over_cuts(self.lone_edges) for end, foot in self.feet.items()}

    def holding_back(self, edit):
        """A function that gives the edit with so much left (frames,) of what it does to legs and what they hang on."""
        names = [self.body.skeleton.bones[bone].name for bone in self.bones]
        trunk = Trunk(self.take.clip, edit, sub_skeleton(self.take.whole, [*names, *self.below]), whole=True)
        return lambda left: trunk.clip(self.take.whole, 1.0 - left)

    def steadied(self, clip):
        """A clip without flips of what belongs to no leg, or, where nothing stands, of anything."""
        return self._others(clip)[0]

    @cached_property
    def _others(self):
        whole, legs = self.take.whole, {self.body.skeleton.bones[bone].name for bone in self.bones} | set(self.below)
        own = legs if self.holds else set()
        turning = {channel.owner for channel in self.take.clip.channels if channel.kind in ROTATION_SIZES}
        names = [bone.name for bone in whole.bones if bone.name in turning - own and not bone.led]
        return SteadyJoints(self.take.clip, whole, names, self.finer.at_frames(self.rows), self.original)

    def _below_feet(self):
        """The names of bones below the feet, which go along with what is held back."""
        whole, bones = self.take.whole, self.body.skeleton.bones
        names = [bones[self.body.ends[end]].name for end in self.feet if end.endswith("foot")]
        return [name for foot in names for name in whole.below(foot) if name != foot and not led(whole, name)]

    def _around(self, all_steps):
        return [np.where(self.lone, steps, near(np.where(self.lone, 0.0, steps))) for steps in all_steps]


def on_its_ground(body):
    """The body on the ground that it stands on: a figure that lies at rest, and goes about lying, has it where its feet are.

    Files in which Z is up are read as if Y were, and lie in the scene as a whole.
    """
    if not body.whole.standing:
        return body
    feet = [bone for end, bone in body.ends.items() if end.endswith("foot")]
    rest, mean = np.array(body.whole.standing)[:, 2], (body.heads[body.mover] - body.heads[feet].mean(axis=0)).mean(axis=1)
    mean = mean / max(np.linalg.norm(mean), SMALL)
    if max(rest @ body.up, mean @ body.up) > LYING or rest @ mean < UPRIGHT:
        return body
    result, world = copy.copy(body), body.figure.world
    result.up = np.where(np.abs(rest) == np.abs(rest).max(), np.sign(rest), 0.0)
    ahead = world[:3, :3] @ result.up
    turn = matrices(shortest((ahead / np.linalg.norm(ahead))[:, None], np.array([[0.0], [0.0], [1.0]])))[0]
    result.figure = copy.copy(body.figure)
    result.figure.world = np.block([[turn @ world[:3, :3], (turn @ world[:3, 3])[:, None]], [world[3:]]])
    for seen in ("places", "contacts"):
        result.__dict__.pop(seen, None)
    return result


def as_in_take(take, body, bones):
    """Frames at which bones are as in the take, for a while, or where the motion begins or ends, (frames,)."""
    away = np.max([np.abs(body.heads[bone] - take.heads[bone]).max(axis=0) for bone in bones], axis=0)
    turned = np.max([np.abs(body.axes[bone] - take.axes[bone]).max(axis=(0, 1)) for bone in bones], axis=0)
    same, starts = (away < UNCHANGED * take.leg) & (turned < UNCHANGED), [rows.start for rows in take.stretches[1:]]
    for first, last in (piece for run in runs(same) for piece in pieces(run, starts)):
        lasting = last + 1 - first >= max(3, LASTING * take.clip.fps)
        same[first : last + 1] = lasting or first in starts or last + 1 in starts
    return same


def free(body, beside):
    """Feet and hands whose limbs may be bent, and whether the pelvis may be shifted: what is beside the clip stays."""
    channels = beside.channels if beside else ()
    turning = {channel.owner for channel in channels if channel.kind in ROTATION_SIZES}
    moving = {channel.owner for channel in channels if channel.kind == "LOCATION"}
    names = {end: {body.skeleton.bones[body.handles.get(bone, bone)].name for bone in body.bones(end)} for end in body.ends}
    ends = [end for end, own in names.items() if not own & turning and not (end in body.controls and own & moving)]
    ends = [end for end in ends if body.skeleton.bones[body.ends[end]].turned]
    return ends, body.skeleton.bones[body.mover].name not in moving
