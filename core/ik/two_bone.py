# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-bone inverse kinematics for all frames of a take at once: legs and arms that reach where they are told.

The knee opens or closes about its own hinge until the leg is as long as it must be, then the whole leg swings the short
way to its goal, so that whatever twist the take has is kept, and a goal that is already reached changes nothing. A straight
leg bends about the hinge that the knee has in the rest of the take. Points and vectors are (3, frames).
"""

import numpy as np

from ..numeric import rotation
from ..numeric.rotation import shortest
from ..numeric.vectors import SMALL, cross, dot, length, turned, unit

SOFT = 0.003  # of a limb's length: where it begins to resist being pulled straight
STEADY = 0.02  # sine of the bend below which a knee's own hinge is no longer trusted


def two_bone(joints, hinge, start, goal, stretches=(), slack=0.0, pole=None):
    """Bend a limb so that it reaches from start to goal.

    `joints` are the places of hip, knee and ankle in the take, `hinge` the unit axis that the knee bends about. Within
    `stretches`, slices of frames, the knee moves no faster than it ever does in the take, as far as the goal may be missed
    for that: by `slack`, (frames,). `pole` is a place that the knee is turned towards. The result are the turns (4, frames)
    of upper and lower bone from where they were, and the place that the ankle reaches: the goal, or the nearest point that
    the limb can be stretched to.
    """
    hip, knee, ankle = joints
    upper, lower, reach = knee - hip, ankle - knee, goal - start
    way, there = unit(reach), np.all((start == hip) & (goal == ankle), axis=0)
    angle = bending(upper, lower, hinge, reachable(joints, length(reach)), stretches, slack)
    bend = rotation.exp(hinge * np.where(there, 0.0, angle))
    leg = upper + turned(bend, lower)
    swing = shortest(unit(leg), way)
    if pole is not None:
        swing = rotation.multiply(towards_pole(turned(swing, upper), way, pole - start), swing)
    return swing, rotation.multiply(swing, bend), start + way * length(leg)


def reachable(joints, distance):
    """Distances that a limb can span: as they are until it is nearly straight, or as straight as it was; then ever less."""
    hip, knee, ankle = joints
    longest = length(knee - hip) + length(ankle - knee)
    easy = np.maximum((1.0 - SOFT) * longest, length(ankle - hip))
    room = np.maximum(longest - easy, SMALL)
    beyond = np.maximum(distance - easy, 0.0)
    return np.minimum(distance, easy) - room * np.expm1(-beyond / room)


def bending(upper, lower, hinge, distance, stretches=(), slack=0.0):
    """How far the knee must turn about its hinge for the ankle to come to a distance from the hip."""
    aside = dot(lower, hinge)
    sides = np.maximum(length(upper) * np.sqrt(np.maximum(dot(lower, lower) - aside * aside, 0.0)), SMALL)
    wanted = 0.5 * (distance * distance - dot(upper, upper) - dot(lower, lower)) / sides
    before = np.arctan2(dot(hinge, cross(upper, lower)), dot(upper, lower))
    after = np.arccos(np.clip(wanted, -1.0, 1.0))
    for rows in stretches:
        if rows.stop - rows.start > 1:
            slower = no_faster(after[rows], np.abs(np.diff(before[rows])).max())
            change = slower - after[rows]
            miss = np.abs(change) * (sides * np.sin(after))[rows] / distance[rows]
            after[rows] += change * np.minimum(1.0, np.broadcast_to(slack, distance.shape)[rows] / np.maximum(miss, SMALL))
    return after - before


def no_faster(angles, step):
    """Angles whose steps from frame to frame are no larger than a step, changed only around those that are.

    The middle between the highest such curve that is nowhere above them and the lowest that is nowhere below.
    """
    if np.abs(np.diff(angles)).max() <= step:
        return angles
    ramp = step * np.arange(len(angles))
    above, below = (
        pick(slope + pick.accumulate(angles - slope), (pick.accumulate((angles + slope)[::-1])[::-1] - slope))
        for pick, slope in ((np.minimum, ramp), (np.maximum, -ramp))
    )
    return 0.5 * (above + below)


def hinges(joints, axes):
    """The unit axis (3, frames) that a knee bends about at every frame, at right angles to the upper bone.

    Where the limb is bent it is the limb's own; the straighter it is, the more it is the mean of the take, which is carried
    along by the upper bone's `axes` (3, 3, frames).
    """
    hip, knee, ankle = joints
    upper = unit(knee - hip)
    bent = cross(upper, unit(ankle - knee))
    mean = np.einsum("ijf,if->j", axes, bent)
    if np.linalg.norm(mean) < SMALL * bent.shape[1]:  # straight all the time: about the bone's X axis, as knees are built
        mean = np.array([1.0, 0.0, 0.0])
    usual = unit(np.einsum("ijf,j->if", axes, mean / np.linalg.norm(mean)))
    axis = bent * np.where(dot(bent, usual) < 0.0, -1.0, 1.0) + STEADY * usual  # a knee bent backwards has the same hinge
    return unit(axis - upper * dot(axis, upper))


def towards_pole(upper, way, pole):
    """Turns about the way from start to goal that bring the knee onto the side of the pole."""
    knee, wanted = (side - way * dot(side, way) for side in (upper, pole))
    angle = np.arctan2(dot(way, cross(knee, wanted)), dot(knee, wanted))
    return rotation.exp(way * np.where(length(wanted) > SMALL, angle, 0.0))
