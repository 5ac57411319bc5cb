# SPDX-License-Identifier: GPL-3.0-or-later
"""Knees over feet that are held: they change smoothly, whatever the capture's noise, and at the borders of an edit."""

import numpy as np
import scipy
from motion_signal.bench.make_moods import clip_of
from motion_signal.core.body.body import Body
from motion_signal.core.body.walking_figure import FIGURE, walk
from motion_signal.core.ik.calm_joints import CalmJoint
from motion_signal.core.ik.hinge import hinges_of, within_stretches
from motion_signal.core.ik.limb_reach import Span
from motion_signal.core.ik.planted_feet import PlantedFeet
from scipy.spatial.transform import Rotation

FPS = 120.0


def walking(frames=361):
    motion = walk(frames, FPS)
    clip = clip_of(motion.rotations, motion.location)
    return type(clip)(clip.values, clip.channels, FPS, clip.first_frame)


def knee(clip, side=".L"):
    """How far a knee is bent, in degrees; below zero past straight."""
    axes, heads = FIGURE.posed(clip)
    hip, middle, ankle = (heads[:, FIGURE.index(name + side)] for name in ("thigh", "shin", "foot"))
    normal = np.einsum("fij,fi->fj", axes[:, FIGURE.index("thigh" + side)], np.cross(middle - hip, ankle - middle))
    size = np.degrees(np.arctan2(np.linalg.norm(normal, axis=1), ((middle - hip) * (ankle - middle)).sum(axis=1)))
    return size * np.sign(normal @ normal[np.argmax(size)])


def turned(clip, bone, angles):
    """A clip with a bone turned about its X axis."""
    columns = [column for column, channel in enumerate(clip.channels) if channel.owner == bone and channel.kind == "QUATERNION"]
    values, more = np.array(clip.values), Rotation.from_rotvec(np.outer(angles, [1.0, 0.0, 0.0]))
    values[:, columns] = (Rotation.from_quat(values[:, columns], scalar_first=True) * more).as_quat(scalar_first=True)
    return clip.with_values(values)


def test_a_nearly_straight_leg_over_a_still_foot_does_not_shake_its_knee():
    body = Body(walking(), FIGURE)
    hinge = hinges_of(body, within_stretches(body))["left_foot"]
    span = Span(hinge, hinge.bend(body))
    noise = np.random.default_rng(3).normal(size=(3, body.clip.frames))
    noise *= 2e-4 * body.leg
    goal = body.tip("left_foot")[0] + noise
    plain = span.reached(body.root("left_foot"), goal)
    calm = span.reached(body.root("left_foot"), goal, CalmJoint(np.zeros(body.clip.frames, dtype=bool), FPS, [], 6e-4))

    def tremble(reached):
        turn = Rotation.from_quat(np.moveaxis(reached.lower, 0, -1), scalar_first=True)
        swing = Rotation.from_quat(np.moveaxis(reached.upper, 0, -1), scalar_first=True)
        return np.sqrt(np.mean(np.diff((swing.inv() * turn).as_rotvec(), axis=0) ** 2))

    assert tremble(calm) < 0.3 * tremble(plain)
    assert calm.missing.max() < 2e-3 * body.leg and calm.missing.mean() < 3e-4 * body.leg


def test_a_knee_past_straight_in_the_take_goes_through_straight_where_an_edit_begins():
    take = walking()
    take = turned(take, "shin.L", np.radians(knee(take).min() + 8.0) * np.ones(take.frames))
    assert -9.0 < knee(take).min() < -5.0
    start = int(np.argmin(knee(take)))
    rise = np.clip((np.arange(take.frames) - start) / 30.0, 0.0, 1.0)
    edit = turned(take, "thigh.L", -0.5 * rise * rise * (3.0 - 2.0 * rise))
    result = PlantedFeet(take, FIGURE)(edit)
    assert (result.values[: start + 1] == edit.values[: start + 1]).all()
    near = scipy.ndimage.maximum_filter1d(np.abs(np.diff(knee(take))), 7)
    assert (np.abs(np.diff(knee(result))) < near + 5.0).all()
