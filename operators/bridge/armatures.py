# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures as core's Skeleton, and bone selection across Blender versions."""

import json
import math

import bpy
import numpy as np

from ...core.body.roles import MORE, Roles
from ...core.motion.skeleton import Bone, Skeleton
from .actions import rotation_name
from .kept_texts import kept
from .unanimated import noted

CORRECTIONS = "motion_signal_body_parts"
ROLES = (*Roles().table(), MORE)
FREE = 180.0  # degrees: no limit
SINGLE = 4e-6  # of the size of a figure: what single precision may leave of a rest, step after step
_file = {}  # the skeleton of the file that was read last, with rests that armatures hold in single precision


def skeleton_of(owner):
    """The skeleton of an armature object, or None for anything else."""
    if not isinstance(owner, bpy.types.Object) or owner.type != "ARMATURE":
        return None
    ties = ties_of(owner)
    order = parents_first(owner.data.bones, ties)
    if len(order) < len(owner.data.bones):  # bones tied in a ring, which hang on nothing
        ties, order = {}, parents_first(owner.data.bones, {})
    indices = {bone.name: index for index, bone in enumerate(order)}
    driven, held = driven_paths(owner), noted(owner)
    exact = rests_of(owner.data)
    bones = tuple(
        as_bone(bone, owner.pose.bones[bone.name], indices, driven, held, ties.get(bone.name), exact.get(bone.name))
        for bone in order
    )
    return Skeleton(bones, tuple(map(tuple, owner.matrix_world)), corrections_of(owner.data))


def remember_rests(armature, skeleton):
    """Keep how bones rest in the file that an armature was just read from, until another is read: a nearly straight leg turns
    by hundredths of a degree for the last digit of single precision."""
    _file.clear()
    _file[armature.session_uid] = skeleton


def skeleton_of_file(armature):
    """The skeleton of the file that an armature was just read from, None where another was read since, or none."""
    return _file.get(armature.session_uid)


def rests_of(armature):
    """What the file of an armature says of its bones at rest, {name: Bone}, as far as that is still so."""
    skeleton = skeleton_of_file(armature)
    kept = {bone.name: bone for bone in skeleton.bones} if skeleton else {}
    size = max((np.abs(bone.rest[:3, 3]).max() for bone in kept.values()), default=0.0)
    return {name: bone for name, bone in kept.items() if name in armature.bones and as_read(armature.bones[name], bone, size)}


def as_read(bone, exact, size):
    """Whether a bone rests as in its file, but for what single precision leaves."""
    apart = np.abs(np.array(bone.matrix_local) - exact.rest)
    apart[:3, 3] /= max(size, exact.length)
    return apart.max() < SINGLE and abs(bone.length - exact.length) < SINGLE * max(size, exact.length)


def corrections_of(armature):
    """What the animator has said of an armature, {role: bone name or nothing}; bones that are gone are forgotten."""
    try:
        held = json.loads(kept(armature, CORRECTIONS) or "{}")
    except json.JSONDecodeError:
        return {}
    more = ", ".join(foot for foot in Roles(more_feet=held.get(MORE) or "").further if foot in armature.bones)
    single = {role: bone for role, bone in held.items() if role in ROLES[:-1] and (not bone or bone in armature.bones)}
    return {**single, MORE: more} if MORE in held else single


def ties_of(owner):
    """Bones that one Armature constraint ties to one other bone, as rigs do that switch parents, {name: that bone's name}.

    They are where they would be as its children. What is keyed to switch them is not seen: what holds now counts.
    """
    ties = {}
    for pose in owner.pose.bones:
        if pose.parent is None and [constraint.type for constraint in acting(pose)] == ["ARMATURE"]:
            targets = [entry for entry in acting(pose)[0].targets if entry.target and entry.weight > 0.0]
            if len(targets) == 1 and targets[0].target == owner and targets[0].subtarget in owner.pose.bones:
                ties[pose.name] = targets[0].subtarget
    return ties


def acting(pose):
    return [constraint for constraint in pose.constraints if constraint.enabled and constraint.influence > 0.0]


def driven_paths(owner):
    return tuple(curve.data_path for curve in owner.animation_data.drivers) if owner.animation_data else ()


def parents_first(bones, ties):
    tied = {}
    for name, tie in ties.items():
        tied.setdefault(tie, []).append(bones[name])
    order, waiting = [], [bone for bone in bones if bone.parent is None and bone.name not in ties]
    while waiting:
        bone = waiting.pop()
        order.append(bone)
        waiting.extend((*bone.children, *tied.get(bone.name, ())))
    return order


def as_bone(bone, pose, indices, driven, held, tie=None, exact=None):
    """A bone; `held` is what channels hold apart from the result that is played now, `exact` the bone in its file."""
    mode, path, rotation = pose.rotation_mode, pose.path_from_id(), rotation_name(pose)

    def stands(name):
        return tuple(held.get((f"{path}.{name}", index), value) for index, value in enumerate(getattr(pose, name)))

    parent = tie or (bone.parent.name if bone.parent else "")
    driving = [name for name in driven if name.startswith(path + ".") and not (tie and ".constraints[" in name)]
    led = bool(driving) or tie is None and bool(acting(pose))
    return Bone(
        name=bone.name,
        parent=indices.get(parent, -1),
        rest=exact.rest if exact else np.array(bone.matrix_local),
        length=exact.length if exact else bone.length,
        connected=bone.use_connect,
        mode=mode,
        path=path,
        location=stands("location"),
        rotation=stands(rotation),
        scale=stands("scale"),
        inherit_scale=bone.inherit_scale,
        inherit_rotation=bone.use_inherit_rotation,
        local_location=bone.use_local_location,
        plain=bone.use_inherit_rotation and bone.use_local_location and not pose.constraints,
        led=led,
        limits=rotation_limits(pose),
    )


def rotation_limits(pose):
    """What Limit Rotation constraints and IK limits allow a bone, in degrees for X, Y and Z, or nothing if they say nothing."""
    limits = [-FREE, FREE] * 3
    for index, axis in enumerate("xyz"):
        pairs = [
            (getattr(constraint, f"min_{axis}"), getattr(constraint, f"max_{axis}"))
            for constraint in pose.constraints
            if constraint.type == "LIMIT_ROTATION"
            and constraint.enabled
            and constraint.owner_space == "LOCAL"
            and getattr(constraint, f"use_limit_{axis}")
        ]
        if getattr(pose, f"use_ik_limit_{axis}"):
            pairs.append((getattr(pose, f"ik_min_{axis}"), getattr(pose, f"ik_max_{axis}")))
        for low, high in pairs:
            limits[2 * index] = max(limits[2 * index], math.degrees(low))
            limits[2 * index + 1] = min(limits[2 * index + 1], math.degrees(high))
    return () if limits == [-FREE, FREE] * 3 else tuple(limits)


def selected_bones(owner):
    """Names of the selected bones; the flag moved from Bone to PoseBone in Blender 5.0."""
    return {pose.name for pose in owner.pose.bones if (pose.select if hasattr(pose, "select") else pose.bone.select)}
