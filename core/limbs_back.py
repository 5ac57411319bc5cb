# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs brought back to where feet and hands were, however far that bends them.

An arm that hangs straight does not tell which way its elbow bends, and what it seems to tell changes from frame to frame.
Bent by a lot about such a hinge the elbow would jump around; so here the hinge is the one of the whole take unless the arm is
clearly bent, and goes over from the one to the other without a jump. Arrays have the frames last.
"""

import numpy as np

from . import rotation
from .ik import SMALL, cross, dot, two_bone, unit
from .reach import inside, moved

STEADY = 0.15  # sine of the bend from which a limb's own hinge counts more than that of the take


def brought_back(body, holds):
    """The clip with limbs, and controls, where they are to be."""
    controls = {end: hold for end, hold in holds.items() if end in body.controls}
    if controls:
        body = body.again(moved(body, controls))
    turns = {}
    for end, hold in holds.items():
        if end in body.limbs:
            turns |= bent(body, end, hold)
    return body.clip_of(turns, np.zeros((3, body.clip.frames)), {}) if turns else body.clip


def bent(body, end, hold):
    """The turns of a limb's bones, in their own spaces, that bring its end where it is to be and turn that as it is to be."""
    joints, axes = body.joints(end), body.axes_of(end)
    upper, lower, _ = two_bone(joints, steady_hinge(joints, axes[0]), joints[0], joints[2] + hold.moves)
    turns = upper, lower, rotation.exp(hold.turns)
    before = np.eye(4)[0][:, None], upper, lower
    return {bone: inside(rotation.multiply(rotation.conjugate(carried), turn), basis)
            for bone, turn, carried, basis in zip(body.limbs[end], turns, before, axes)}


def steady_hinge(joints, axes):
    """The unit axis (3, frames) that a limb bends about, at right angles to its upper bone, which has these axes."""
    root, middle, tip = joints
    along = unit(middle - root)
    own = cross(along, unit(tip - middle))
    mean = np.einsum("ijf,if->j", axes, own)
    mean = mean / np.linalg.norm(mean) if np.linalg.norm(mean) > SMALL * own.shape[1] else np.array([1.0, 0.0, 0.0])
    usual = unit(np.einsum("ijf,j->if", axes, mean))
    axis = own * dot(unit(own), usual) + STEADY * usual  # the less they agree the less the limb's own counts
    return unit(axis - along * dot(axis, along))
