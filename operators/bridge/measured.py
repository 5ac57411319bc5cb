# SPDX-License-Identifier: GPL-3.0-or-later
"""Measured where it shows: the bones of a control rig that deform, as Blender evaluates them, carried by their controls.

Core knows no constraints. A bone that they lead is given to it as one that hangs on the control that carries it and moves
against that just as it was seen to, frame by frame: channels of its own that are read, go along with every technique, and are
never written. What moves a foot is its handle, the control that the rig has for it.
"""

import hashlib
import json
from contextlib import contextmanager
from dataclasses import replace

import bpy
import numpy as np

from ...core.body.body import LIMBS
from ...core.body.more_feet import sides_in
from ...core.body.roles import MORE, find_roles
from ...core.body.roles_by_shape import SIDES
from ...core.motion.clip import MEASURED, Channel, Clip
from ...core.motion.ground import quaternion
from ...core.motion.skeleton import Bone, Skeleton
from ...core.numeric.frozen import frozen
from .actions import channel_of, channelbag, key_count
from .armatures import as_bone, skeleton_of
from .assign import assign
from .deforming import body_parts
from .kept_texts import kept
from .rig import Rig
from .unanimated import noted

CONTROLS = ("body_control", *(f"{side}_{end}_control" for end in ("foot", "hand") for side in SIDES))
KEPT_CONTROLS = "motion_signal_controls"  # of an armature: what the animator says of its controls
CARRIED = " (carried)"  # what a control that constraints lead hangs on, which is measured
KEPT = 6  # takes
SCALED = 1e-6  # of its size: what a control is scaled by that counts
_seen = {}  # matrices of bones by frame, by what they were seen of


@frozen
class Model:
    """A rig as core sees it: its skeleton, and of which bones the motion is measured, {name: name of the Blender bone}."""

    skeleton: Skeleton
    measured: tuple

    def clip(self, owner, action, slot, first, last, fps):
        """What measured bones do against what carries them while an action is played, as a clip of their own; or None."""
        return self.against(evaluated(owner, action, slot, first, last), first, fps) if self.measured else None

    def against(self, matrices, first, fps):
        """The same, of matrices as they were seen."""
        channels, rows, posed = [], [], {}
        for bone in self.skeleton.bones:
            above = self.skeleton.bones[bone.parent] if bone.parent >= 0 else None
            parent = posed[above.name] if above else np.eye(4)
            if bone.name in self.measured:
                posed[bone.name] = place = plain(matrices[bone.name])
                base = parent @ np.linalg.inv(above.rest) @ bone.rest if above else bone.rest
                local = np.linalg.inv(base) @ place  # what scales the parent moves the bone, but does not turn it
                turn = np.linalg.inv(plain(base)) @ place
                channels += channels_of(bone)
                rows += [
                    *np.broadcast_to(local, place.shape)[:, :3, 3].T,
                    *turns_of(np.broadcast_to(turn, place.shape)[:, :3, :3]),
                ]
            else:
                own = matrices[bone.name]
                posed[bone.name] = parent @ np.linalg.inv(matrices[above.name]) @ own if above else own
        return Clip(np.array(rows).T, tuple(channels), fps, first)


def handles_of(model):
    """Names of the controls that carry a body and its feet and hands: they travel together, whatever of them is keyed."""
    return frozenset(bone.handle for bone in model.skeleton.bones if bone.handle) if model else frozenset()


def measured_clip(model, *take):
    """What measured bones do in a take; None where nothing is measured."""
    return model.clip(*take) if model else None


def channels_of(bone):
    return [
        *(Channel(f"{bone.path}.location", index, "LOCATION", bone.name) for index in range(3)),
        *(Channel(f"{bone.path}.rotation_quaternion", index, "QUATERNION", bone.name) for index in range(4)),
    ]


def turns_of(axes):
    """Rotation matrices (frames, 3, 3) as quaternions (4, frames) that do not flip."""
    q = np.array([quaternion(each) for each in axes])
    signs = np.cumprod(np.where(np.sum(q[1:] * q[:-1], axis=1) < 0, -1.0, 1.0))
    q[1:] *= signs[:, None]
    return q.T


def plain(matrices):
    """Matrices (..., 4, 4) without scale and shear: the length of a bone and the plane that its X is in stay."""
    result = np.array(matrices, dtype=np.float64)
    along = result[..., :3, 1] / np.linalg.norm(result[..., :3, 1], axis=-1, keepdims=True)
    aside = result[..., :3, 0] - np.sum(result[..., :3, 0] * along, axis=-1, keepdims=True) * along
    aside = aside / np.linalg.norm(aside, axis=-1, keepdims=True)
    result[..., :3, :3] = np.stack([aside, along, np.cross(aside, along)], axis=-1)
    return result


def model_of(owner, action, slot):
    """The rig of an armature object that plays an action, as core sees it; None for what is no armature."""
    skeleton = skeleton_of(owner)
    if skeleton is None or not skeleton.led:
        return skeleton and Model(skeleton, ())
    keyed = keyed_bones(owner, action, slot)
    with playing(owner, action, slot):
        bpy.context.scene.frame_set(round(sum(action.frame_range) / 2))
        rig = Rig(owner, owner.evaluated_get(bpy.context.evaluated_depsgraph_get()), keyed)
    roles = body_parts(owner, skeleton)
    if not rig.led & {each for name in (*roles.values(), *keyed) for each in rig.way(name)}:
        return Model(skeleton, ())
    return Builder(rig, skeleton, roles, controls_of(owner.data)).model


def controls_of(armature):
    """What the animator has said of the controls of a rig, {role: bone}; bones that are gone are forgotten."""
    try:
        held = json.loads(kept(armature, KEPT_CONTROLS) or "{}")
    except json.JSONDecodeError:
        return {}
    return {role: bone for role, bone in held.items() if role in CONTROLS and bone in armature.bones}


def found_controls(owner):
    """The controls that a rig is found to have as it stands, {role: bone}, whatever the animator says of them."""
    skeleton, data = skeleton_of(owner), owner.animation_data
    keyed = keyed_bones(owner, data.action, data.action_slot) if data and data.action else ()
    roles = body_parts(owner, skeleton)
    builder = Builder(Rig(owner, owner, keyed), skeleton, dict(roles), {})
    ends = {"body_control": "pelvis"} | {role: role.removesuffix("_control") for role in CONTROLS[1:]}
    return {role: builder.handles.get(bone, bone) for role, end in ends.items() if (bone := builder.roles.get(end))}


def keyed_bones(owner, action, slot):
    bag = channelbag(action, slot)
    owners = {channel_of(curve.data_path, 0, owner).owner for curve in (bag.fcurves if bag else ()) if key_count(curve)}
    return {name for name in owners if name and name in owner.pose.bones}


class Builder:
    """Puts together the skeleton of a rig that core sees."""

    def __init__(self, rig, skeleton, roles, given):
        """`roles` are bones by the parts of the body that they are, `given` controls that the animator names."""
        self.rig, self.skeleton, self.given = rig, skeleton, given
        self.bones, self.measured, self.held = {}, [], noted(rig.owner)
        self.roles, self.handles, self.turning = roles, {}, set()
        self._find_handles()
        self.fixed = {*rig.keyed, *self.handles.values(), *self.turning}
        self.scaled = any(abs(size - 1.0) > SCALED for name in self.fixed for size in rig.poses[name].scale)
        for name in (*self.roles.values(), *self.handles.values(), *sorted(rig.keyed)):
            self._add(name)
        order = list(self.bones)
        bones = tuple(
            replace(bone, parent=order.index(parent) if parent else -1, **self._handle(bone.name))
            for bone, parent in self.bones.values()
        )
        known = {role: self.roles.get(role, "") for role in find_roles(Skeleton(())).table()}
        legs = {role: bone for role, bone in self.roles.items() if role not in known}
        further = ", ".join(bone for role, bone in legs.items() if role.endswith("_foot"))
        self.model = Model(Skeleton(bones, skeleton.world, {**known, MORE: further}, legs), tuple(self.measured))

    def _handle(self, name):
        handle = self.handles.get(name, "")
        return {"handle": handle, "turned": not handle or self.rig.turns(handle, name)}

    def _find_handles(self):
        """Controls for feet, hands and pelvis; limbs that controls turn are those controls."""
        rig, roles = self.rig, self.roles
        trunk = rig.carriers(roles["pelvis"]) if "pelvis" in roles else []
        for chain in ([f"{side}_{part}" for part in parts] for side in sides_in(roles) for parts in LIMBS.values()):
            if not all(role in roles for role in chain):
                continue
            bones, given = [roles[role] for role in chain], self.given.get(f"{chain[2]}_control")
            controls = (given,) if given else rig.limb(*bones, trunk)
            if len(controls) == 3:
                roles |= dict(zip(chain, controls))
                self.turning.update(controls)
            elif len(controls) == 1 and controls[0] != bones[2]:
                self.handles[bones[2]] = controls[0]
        if "pelvis" in roles and roles["pelvis"] in rig.led | self._above_led(roles["pelvis"]):
            mover = rig.mover(roles["pelvis"], [roles[f"{side}_foot"] for side in SIDES if f"{side}_foot" in roles])
            mover = self.given.get("body_control", mover)
            if mover and mover != roles["pelvis"]:
                self.handles[roles["pelvis"]] = mover

    def _above_led(self, name):
        return {name} if any(each in self.rig.led for each in self.rig.way(name)) else set()

    def _add(self, name):
        """A bone and what it hangs on; the name that it has there."""
        if name in self.bones:
            return name
        rig = self.rig
        if name in self.fixed:
            parent = self._before(name) if name in rig.led else self._parent(name)
            self.bones[name] = (self._real(name), parent)
        elif name in rig.led or name in self.handles or name in self.roles.values() and self._above_led(name):
            self._measure(name, name, self._carrier(name))
        else:
            parent = self._parent(name)
            self.bones[name] = (self._real(name), parent)
        return name

    def _parent(self, name):
        parent = self.rig.poses[name].parent
        return self._add(parent.name) if parent else ""

    def _before(self, name):
        """A measured bone that stands where a control would that constraints lead, if it were not moved itself."""
        self._measure(name + CARRIED, name, self._carrier(name))
        return name + CARRIED

    def _carrier(self, name):
        return next((self._add(each) for each in self.rig.way(name)[1:] if each in self.fixed), "")

    def _measure(self, name, bone, parent):
        rest = self.rig.owner.data.bones[bone]
        self.bones[name] = (
            Bone(
                name,
                -1,
                np.array(rest.matrix_local),
                rest.length,
                False,
                "QUATERNION",
                f'{MEASURED}"{name}"]',
                inherit_scale="NONE" if self.scaled else "FULL",
            ),
            parent,
        )
        self.measured.append(name)

    def _real(self, name):
        pose = self.rig.poses[name]
        return replace(as_bone(pose.bone, pose, {}, (), self.held), led=False)


def evaluated(owner, action, slot, first, last):
    """Matrices (frames, 4, 4) of all bones in the armature as Blender shows an action, by name; seen once."""
    key = (owner.name_full, first, last, looks(owner, action, slot))
    if key not in _seen:
        while len(_seen) >= KEPT:
            del _seen[next(iter(_seen))]
        _seen[key] = seen(owner, action, slot, first, last)
    return _seen[key]


def seen(owner, action, slot, first, last):
    """The matrices of all bones, and of what controls hang on that constraints lead: their own motion taken off."""
    names = [*owner.pose.bones.keys(), *(name + CARRIED for name in led_controls(owner, action, slot))]
    found = {name: np.empty((last - first + 1, 4, 4)) for name in names}
    look(found, range(first, last + 1), first, owner, action, slot)
    return found


def seen_again(known, rows, owner, action, slot, first):
    """The same where only some rows (frames,) are to be looked at, and the others are as they are `known`."""
    found = {name: matrices.copy() for name, matrices in known.items()}
    look(found, first + np.flatnonzero(rows), first, owner, action, slot)
    return found


def led_controls(owner, action, slot):
    keyed = keyed_bones(owner, action, slot)
    return [pose.name for pose in owner.pose.bones if pose.name in keyed or pose.constraints and pose.custom_shape]


def look(found, frames, first, owner, action, slot):
    """Fill in what is found at some frames."""
    frames = [int(frame) for frame in frames]
    matrices = np.empty((len(frames), len(owner.pose.bones), 4, 4), dtype=np.float32)
    bases = {name.removesuffix(CARRIED): [] for name in found if name.endswith(CARRIED)}
    with playing(owner, action, slot):
        for row, at in zip(matrices, frames):
            bpy.context.scene.frame_set(at)
            posed = owner.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
            posed.foreach_get("matrix", row.ravel())
            for name, basis in bases.items():
                basis.append(np.array(posed[name].matrix_basis))
    if not frames:
        return
    rows = np.array(frames) - first
    for name, matrix in zip(owner.pose.bones.keys(), matrices.transpose(1, 0, 3, 2).astype(np.float64)):
        found[name][rows] = matrix
        if name in bases:
            found[name + CARRIED][rows] = matrix @ np.linalg.inv(bases[name])


@contextmanager
def playing(owner, action, slot):
    """While an owner plays an action, whatever it has; after that it has that again, and the scene its frame."""
    scene, data = bpy.context.scene, owner.animation_data
    frame, before, handle = (scene.frame_current, scene.frame_subframe), data.action, data.action_slot_handle
    try:
        if before != action:
            assign(owner, action, slot.handle)
        yield
    finally:
        if before != action:
            assign(owner, before, handle)
        scene.frame_set(frame[0], subframe=frame[1])


def looks(owner, action, slot):
    """A digest of all that an action plays on a rig, and of what the rig holds besides."""
    digest = hashlib.blake2b(digest_size=16)
    for curve in channelbag(action, slot).fcurves:
        points = np.empty((3, 2 * len(curve.keyframe_points)), dtype=np.float32)
        for row, name in zip(points, ("co", "handle_left", "handle_right")):
            curve.keyframe_points.foreach_get(name, row)
        shapes = np.empty(len(curve.keyframe_points), dtype=np.uint8)
        curve.keyframe_points.foreach_get("interpolation", shapes)
        digest.update(f"{curve.data_path}[{curve.array_index}]{curve.mute}{len(curve.modifiers)}".encode())
        digest.update(points.tobytes() + shapes.tobytes())
    keyed = keyed_bones(owner, action, slot)
    for pose in owner.pose.bones:
        held = () if pose.name in keyed else (*pose.location, *pose.rotation_quaternion, *pose.rotation_euler, *pose.scale)
        held += tuple(value for _, value in pose.items() if isinstance(value, (int, float, bool)))
        digest.update(repr((pose.name, held, len(pose.constraints))).encode())
    return digest.digest()
