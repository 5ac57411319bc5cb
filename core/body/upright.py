# SPDX-License-Identifier: GPL-3.0-or-later
"""Upright: which way a figure's own left, back and up are at rest, told by its legs: it may lie there, or face anywhere.

Legs hang down from the hips, one on each side. What is measured along these directions does not change when the rest pose is
turned or moved as a whole. Files in which Z is up are read as if Y were: all of such a take lies in the scene, and the ground
is where its feet are. A rest pose that does not stand is no witness where the take keeps to another axis of its file, and one
that does is none where the take walks, or goes about, across another. In no file the first axis points up, and who is upside
down stands on hands.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from ..motion.ground import located_owners
from ..motion.posing import posed_at
from ..numeric import scipy
from ..numeric.refusal import Refusal
from .roles import find_roles, same_roles

SIDES, LEG = ("left", "right"), ("upper_leg", "foot")
CLEAR = 0.05  # of a leg: hips closer together do not tell a side
LYING, UPRIGHT = 0.5, 0.8  # cosines: what is less along the world's up lies, what is more along the body's own stands
ABOUT = 0.3  # of a leg: as far nobody is carried up and down who lies
LOOKS = 64  # frames of a take that tell which way up it is


@lru_cache(maxsize=16)
def stood(skeleton):
    """The skeleton with what is known of how it stands."""
    table = known_roles(skeleton)
    joints = {
        (side, segment): skeleton.bones[skeleton.index(table[f"{side}_{segment}"])].rest[:3, 3]
        for side in SIDES
        for segment in LEG
        if table.get(f"{side}_{segment}")
    }
    axes = axes_by_legs(joints) if len(joints) == 4 else None
    if axes is None:
        return skeleton
    standing = replace(skeleton, standing=tuple(map(tuple, axes.tolist())))
    same_roles(standing, skeleton)
    return standing


def known_roles(skeleton):
    """Which bones are which parts of the body; nothing where that is refused."""
    try:
        return find_roles(skeleton).table()
    except Refusal:  # said where the body is asked for
        return {}


def on_its_ground(skeleton, clip):
    """The skeleton in a world in which a take stands that lies as a whole; the same where it stands, or nobody can tell."""
    skeleton = skeleton if skeleton is None or skeleton.standing else stood(skeleton)
    turn = lying_turn(skeleton, clip)
    if turn is None:
        return skeleton
    return in_turned_world(skeleton, turn)


def in_turned_world(skeleton, turn):
    """The same skeleton in a world that is turned (3, 3)."""
    world = np.array(skeleton.world)
    world[:3] = turn @ world[:3]
    result = replace(skeleton, world=tuple(map(tuple, world.tolist())))
    same_roles(result, skeleton)
    return result


def lying_turn(skeleton, clip):
    """The turn (3, 3) of the world that puts a take on its feet that lies as a whole, at rest too; None for others."""
    if skeleton is None or "" in located_owners(clip.channels):
        return None
    table, world = known_roles(skeleton), np.array(skeleton.world)[:3, :3]
    if not all(table.get(f"{side}_{segment}") for side in SIDES for segment in LEG) or skeleton.flat:
        return None
    rest = np.array(skeleton.standing)[:, 2] if skeleton.standing else np.zeros(3)
    hips, feet = ([skeleton.index(table[f"{side}_{segment}"]) for side in SIDES] for segment in LEG)
    heads = posed_at(skeleton, clip, slice(None, None, max(1, clip.frames // LOOKS)))[1]
    ups = (heads[:, hips] - heads[:, feet]).mean(axis=1)
    mean = ups.mean(axis=0) / max(size(ups.mean(axis=0)), 1e-12)
    axis = np.where(np.abs(mean) == np.abs(mean).max(), np.sign(mean), 0.0)
    steady = np.median(ups @ axis / np.maximum(np.linalg.norm(ups, axis=1), 1e-12)) > UPRIGHT and mean @ skeleton.up > -LYING
    if axis[0] or mean @ skeleton.up > LYING or not (steady or rest @ mean > UPRIGHT):
        return None
    leg = np.linalg.norm(ups, axis=1).max()
    goes = steady and (strides(heads[:, feet], axis, leg) or goes_about(heads[:, hips], heads[:, feet], axis, skeleton.up, leg))
    if rest @ skeleton.up > UPRIGHT and not goes:
        return None
    return scipy.spatial.transform.Rotation.align_vectors([[0.0, 0.0, 1.0]], [world @ axis])[0].as_matrix()


def strides(feet, axis, leg):
    """Whether feet (frames, 2, 3) go far across an axis, one past the other: who lies along it does not walk."""
    across = np.linalg.svd(axis[None])[2][1:]
    middle, apart = feet.mean(axis=1) @ across.T, (feet[:, 0] - feet[:, 1]) @ across.T
    way = np.linalg.svd(middle - middle.mean(axis=0), full_matrices=False)[2][0]
    return np.ptp(middle @ way) > leg and np.ptp(apart @ way) > 0.5 * leg


def goes_about(hips, feet, axis, up, leg):
    """Whether hips and feet (frames, 2, 3) both go far along the world's up, and the lower foot not nearly as far along an
    axis: who lies along it stays on the ground, or leaves it with one end."""
    along = [spread(points.mean(axis=1) @ up) for points in (hips, feet)]
    return min(along) > max(ABOUT * leg, 2.0 * spread((feet @ axis).min(axis=1)))


def spread(values):
    """How far apart values are, but for the tenth at either end."""
    return np.subtract(*np.percentile(values, [90.0, 10.0]))


def axes_by_legs(joints):
    """Left, back and up as columns (3, 3) from where legs begin and end, or None where they do not tell."""
    legs = [joints[side, "upper_leg"] - joints[side, "foot"] for side in SIDES]
    left, up = joints["left", "upper_leg"] - joints["right", "upper_leg"], sum(leg / max(size(leg), 1e-12) for leg in legs)
    if size(left) < CLEAR * max(map(size, legs)) or size(up) < 1.0:
        return None
    left = left / size(left)
    up = up - (up @ left) * left
    up = up / size(up)
    return np.stack([left, np.cross(up, left), up], axis=1)


def size(vector):
    return float(np.linalg.norm(vector))
