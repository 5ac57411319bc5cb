# SPDX-License-Identifier: GPL-3.0-or-later
"""Upright: which way a figure's own left, back and up are at rest, told by its legs: it may lie there, or face anywhere.

Legs hang down from the hips, one on each side. What is measured along these directions does not change when the rest pose is
turned or moved as a whole.
"""

from dataclasses import replace

import numpy as np

from ..numeric.refusal import Refusal
from .roles import find_roles, same_roles

SIDES = ("left", "right")
CLEAR = 0.05  # of a leg: hips closer together do not tell a side


def stood(skeleton):
    """The skeleton with what is known of how it stands."""
    try:
        table = find_roles(skeleton).table()
    except Refusal:  # said where the body is asked for
        return skeleton
    joints = {
        (side, segment): skeleton.bones[skeleton.index(table[f"{side}_{segment}"])].rest[:3, 3]
        for side in SIDES
        for segment in ("upper_leg", "foot")
        if table[f"{side}_{segment}"]
    }
    axes = axes_by_legs(joints) if len(joints) == 4 else None
    if axes is None:
        return skeleton
    standing = replace(skeleton, standing=tuple(map(tuple, axes.tolist())))
    same_roles(standing, skeleton)
    return standing


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
