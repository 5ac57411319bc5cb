# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion of the body onto the controls that an animator keys: body and feet by IK, arms as is wished, all else turned.

How the bones that deform are to be is known. Every control follows the bone that it turns; what carries it was seen once
(Carrying): so its own motion is what is left of the one in the other, over all frames at once.
"""

import numpy as np

from ...core.motion.clip import Channel, Clip
from ...core.numeric import rotation
from ...core.numeric.matrix import between, matrices, product
from ...core.numeric.vectors import cross, dot, length, unit
from ...core.retargeting.carry import components
from ...core.retargeting.forward_knees import risen

BENT = np.sin(np.radians(3.0))  # of an upper against the whole limb: how far it is bent for that alone to tell which way
ASIDE = np.radians(135.0)  # how far from its bone's own way a knee may bend; beyond that it bends backwards


def controls_clip(plan, owner, clip, body):
    """The clip of a plan's controls that has the bones of a body that deform move as in a clip of them."""
    axes, heads = (np.moveaxis(each, 0, -1) for each in body.posed(clip))
    wanted = {bone.name: (axes[index], heads[index]) for index, bone in enumerate(body.bones)}
    rests = {bone.name: np.array(bone.matrix_local) for bone in owner.data.bones}
    posed = placed(plan, wanted, rests, np.zeros((3, clip.frames)))
    shift = wanted[plan.pelvis][1] - followed(plan, posed, plan.pelvis, rests)[1]
    knees = [each for each in plan.followers if each.knee]
    shift = shift + risen([(*(wanted[bone][1] for bone in each.about), ahead(each, wanted, rests)) for each in knees], clip.fps)
    posed = placed(plan, wanted, rests, shift)
    channels, rows = [], []
    for each in plan.followers:
        pose, (_, _, turn, move) = owner.pose.bones[each.control], posed[each.control]
        path = pose.path_from_id()
        if each.moved:
            channels += [Channel(f"{path}.location", axis, "LOCATION", each.control) for axis in range(3)]
            rows.append(move)
        if each.turned:
            mode = pose.rotation_mode
            name = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode, "rotation_euler")
            values = components(mode, turn)
            channels += [Channel(f"{path}.{name}", axis, mode, each.control) for axis in range(len(values))]
            rows.append(values)
    return Clip(np.asfortranarray(np.concatenate(rows).T), tuple(channels), clip.fps, clip.first_frame)


def placed(plan, wanted, rests, shift):
    """Every follower's axes and place, and its own turn and move in what carries it, {control: (axes, place, turn, move)}; the
    body's is shifted."""
    posed = {}
    for each in plan.followers:
        axes, place = carried(plan, posed, each.control, shift.shape[1])
        goal, where = goal_of(each, wanted, rests)
        where = where + shift if each.control == plan.mover else where
        inverse = axes.transpose(1, 0, 2)
        turn = product(inverse, goal) if each.turned else np.broadcast_to(np.eye(3)[:, :, None], axes.shape)
        along = product(axes, plan.along[each.control][:, :, None]).transpose(1, 0, 2)
        move = np.einsum("ijf,jf->if", along, where - place) if each.moved else np.zeros_like(place)
        own = product(axes, turn)
        posed[each.control] = own, where if each.moved else place, turn, move
    return posed


def carried(plan, posed, name, frames):
    """Axes and place of a control before its own motion, from those of the controls that are keyed and carry it."""
    seen_so = plan.carrying
    rest = seen_so.rest[seen_so.bones[name]]
    turner, mover = (seen_so.innermost(table, name, posed) for table in (seen_so.turns, seen_so.moves))
    axes = np.broadcast_to(rest[:3, :3, None], (3, 3, frames))
    place = np.broadcast_to(rest[:3, 3, None], (3, frames))
    if turner:
        before = seen_so.rest[seen_so.bones[turner]]
        axes = product(posed[turner][0], (before[:3, :3].T @ rest[:3, :3])[:, :, None])
    if mover:
        before = seen_so.rest[seen_so.bones[mover]]
        arm = before[:3, :3].T @ (rest[:3, 3] - before[:3, 3])
        place = posed[mover][1] + np.einsum("ijf,j->if", posed[mover][0], arm)
    return axes, place


def followed(plan, posed, bone, rests):
    """Where a bone that deforms is, with controls so."""
    return carried(plan, posed, bone, next(iter(posed.values()))[1].shape[1])


def goal_of(each, wanted, rests):
    """Axes and place that a control is to have: as it lies to its bone at rest, or as a pole ahead of a knee."""
    axes, place = wanted[each.bone]
    bone, control = rests[each.bone], rests[each.control]
    inside = bone[:3, :3].T @ control[:3, :3]
    arm = bone[:3, :3].T @ (control[:3, 3] - bone[:3, 3])
    goal = product(axes / length(axes), inside[:, :, None])
    for count, other in enumerate(each.others, 2):
        own = product(wanted[other][0] / length(wanted[other][0]), (rests[other][:3, :3].T @ control[:3, :3])[:, :, None])
        goal = product(np.moveaxis(matrices(rotation.exp(rotation.log(between(goal, own)) / count)), 0, -1), goal)
    if not each.about:
        return goal, place + np.einsum("ijf,j->if", axes / length(axes), arm)
    return goal, pole_place(each, wanted, rests)


def pole_place(each, wanted, rests):
    """Where a pole is to be: ahead of the knee or elbow as far as at rest, in the plane in which the limb is bent."""
    root, middle, tip = (wanted[bone][1] for bone in each.about)
    limb, usual = unit(tip - root), ahead(each, wanted, rests)
    bend = middle - root
    aside = np.arctan2(dot(bend, cross(limb, usual)), dot(bend, usual))
    sine = length(bend - limb * dot(bend, limb)) / np.maximum(length(bend), 1e-12)
    part = np.clip(sine / BENT, 0.0, 1.0)
    angle = part * part * (3.0 - 2.0 * part) * turned_to(aside)
    return middle + (np.cos(angle) * usual + np.sin(angle) * cross(limb, usual)) * np.linalg.norm(away(each, rests))


def ahead(each, wanted, rests):
    """The way (3, frames) of a limb's pole from it, straight across it, as it is at rest."""
    (first, _, third), off = (rests[bone][:3, 3] for bone in each.about), away(each, rests)
    line = (third - first) / np.linalg.norm(third - first)
    across = off - (off @ line) * line
    axes = wanted[each.about[0]][0]
    usual = np.einsum("ijf,j->if", axes / length(axes), rests[each.about[0]][:3, :3].T @ (across / np.linalg.norm(across)))
    limb = unit(wanted[each.about[2]][1] - wanted[each.about[0]][1])
    return unit(usual - limb * dot(usual, limb))


def away(each, rests):
    """From the knee or elbow of a limb to its pole, at rest."""
    return rests[each.control][:3, 3] - rests[each.about[1]][:3, 3]


def turned_to(aside):
    """How far a knee is turned aside that bends so far aside, in radians: as far, but the nearer to backwards the less, as a
    knee that bends backwards is not turned about but straight."""
    return np.sign(aside) * np.minimum(np.abs(aside), (np.pi - np.abs(aside)) * ASIDE / (np.pi - ASIDE))
