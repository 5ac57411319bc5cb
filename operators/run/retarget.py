# SPDX-License-Identifier: GPL-3.0-or-later
"""A take of another figure onto an armature object: a new action, on its bones or on the controls of its rig."""

import json
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np

from ...core.body.unit import guessed_unit
from ...core.files.bvh_take import load, sized, take_of
from ...core.keys.per_curve import fewest_keys
from ...core.motion.clip import Clip
from ...core.motion.resample import resampled
from ...core.numeric.frozen import frozen
from ...core.numeric.refusal import Refusal
from ...core.retargeting.bone_map import BoneMap, named_map
from ...core.retargeting.foreign import Foreign
from ...core.retargeting.retarget import Retarget
from ..bridge.armatures import skeleton_of
from ..bridge.assign import assign
from ..bridge.deforming import deforming
from ..bridge.keyframes import dense_keys, new_curve, set_keys, set_straight_keys
from ..bridge.levers import Levers
from ..bridge.provenance import PLANTED, judged_by, original
from ..bridge.takes import foreign_take
from ..rigs.kept_plans import plan_for
from ..rigs.onto_controls import controls_clip
from ..rigs.plan import put

MADE_OF = "motion_signal_retargeted"  # in a result: the take, the figure and the map that it was made of


@frozen
class Retargeted:
    """What came of a take: its action, and what is said of it."""

    action: bpy.types.Action
    words: str


@frozen
class Made:
    """A take on an armature object: the clip of its bones or controls, switches with their values, and what carried it."""

    clip: Clip
    switches: dict
    carry: Retarget


def retarget_onto(take, owner, params, arms="FK", few=False, millimetres=1.0, name=""):
    """A new action for an armature object with a Foreign take on it; the object plays it. If it is refused, nothing is made."""
    made = carried_onto(take, owner, params, arms)
    return written(bpy.data.actions.new(f"{name or take.figure} on {owner.name}"), owner, made, take, few, millimetres)


def carried_onto(take, owner, params, arms="FK"):
    """What becomes of a Foreign take on an armature object; nothing is changed of that."""
    skeleton = skeleton_of(owner)
    if skeleton is None:
        raise Refusal(f"{owner.name} is no armature: select the one that the take is to be on")
    body = deforming(owner, skeleton) if skeleton.led else skeleton
    own = own_clip(owner, skeleton, take.clip.fps)
    carry = Retarget(take.skeleton, body, named_map(params.map), take.clip, own, take.contacts)
    clip = carry(take.clip, params.plant, params.hands, params.travel)
    switches = {}
    if skeleton.led:
        plan = plan_for(owner, list(carry.names), arms, skeleton)
        clip, switches = controls_clip(plan, owner, clip, body), plan.switches
    return Made(clip, switches, carry)


def own_clip(owner, skeleton, fps):
    """What an armature object plays of its own, which tells how its soles lie; None of a rig, and of what was retargeted."""
    played = owner.animation_data.action if owner.animation_data else None
    if played is None or skeleton.led or MADE_OF in original(played):
        return None
    try:
        return foreign_take(owner, played, fps).clip
    except Refusal:  # it has no keys that move it, and tells nothing
        return None


def written(action, owner, made, take, few, millimetres):
    """Write a clip and switches into a new action, and give it to its owner."""
    clip, switches, carry = made.clip, made.switches, made.carry
    slot = action.slots.new(id_type=owner.id_type, name=owner.name)
    data = owner.animation_data or owner.animation_data_create()
    bag = channelbag_for(action, slot)
    levers = Levers(owner) if few else None
    frames = np.arange(clip.first_frame, clip.last_frame + 1, dtype=np.float32)
    pairs = np.column_stack([frames, frames])
    for channel, values in zip(clip.channels, clip.values.T):
        curve = new_curve(bag, channel)
        if few:
            rows, slopes = fewest_keys(values, levers.tolerance(channel, values, millimetres))
            set_keys(curve, dense_keys(frames[rows], values[rows], slopes))
        else:
            pairs[:, 1] = values
            set_straight_keys(curve, pairs)
    for path, value in switches.items():
        curve = bag.fcurves.new(path, index=0)
        set_straight_keys(curve, np.array([[clip.first_frame, value]], dtype=np.float32))
        curve.keyframe_points[0].interpolation = "CONSTANT"
        put(owner, path, value)
    if carry.footing and any(carry.footing[0].values()):
        action[PLANTED] = json.dumps(in_time(carry.footing[0], take.clip, clip))
    action[MADE_OF] = json.dumps({"figure": take.figure, "map": carry.names})
    action.use_fake_user = True
    assign(owner, action, slot.handle) if data.action else give(data, action, slot)
    owner.update_tag()
    led = f" by {len({channel.owner for channel in clip.channels})} controls" if switches else ""
    return Retargeted(
        action, f"{len(carry.pairs)} bones follow {take.figure}{led}, frames {clip.first_frame}-{clip.last_frame}"
    )


def in_time(contacts, take, clip):
    """Contacts of a take in a clip that is the same, faster or slower."""
    pace = (clip.frames - 1) / max(take.frames - 1, 1)
    return {
        point: [[clip.first_frame + round(pace * (frame - take.first_frame)) for frame in interval] for interval in intervals]
        for point, intervals in contacts.items()
    }


def give(data, action, slot):
    data.action = action
    data.action_slot = slot


def channelbag_for(action, slot):
    """The channelbag of a new action, made."""
    layer = action.layers.new("Layer")
    return layer.strips.new(type="KEYFRAME").channelbag(slot, ensure=True)


def take_of_object(subject, fps, action=None):
    """The take that an armature object plays, or another action of its, with its skeleton."""
    played = action or (subject.animation_data.action if subject.animation_data else None)
    if played is None:
        raise Refusal(f"{subject.name} has no action, and so no take to bring over")
    take = foreign_take(subject, played, fps)
    return replace(take, contacts=judged_by(played, take.clip) or None)


def take_of_bvh(path, fps=None):
    """The take of a BVH file with its skeleton, at a frame rate if one is wanted."""
    clip, skeleton = take_of(load(path))
    skeleton = sized(skeleton, guessed_unit(skeleton)[0])
    if fps and abs(clip.fps - fps) > 1e-3 * fps:
        rows = np.arange(int((clip.frames - 1) * fps / clip.fps + 1e-6) + 1) * (clip.fps / fps)
        clip = replace(resampled(clip, rows), fps=fps)
    return Foreign(clip, skeleton, Path(path).stem)


def take_of_file(path, fps):
    """The take of a motion file, of which nothing stays in this one."""
    path = Path(path)
    if not path.is_file():
        raise Refusal(f"{path}: there is no such file")
    if path.suffix.lower() == ".bvh":
        return take_of_bvh(path, fps)
    if path.suffix.lower() not in IMPORTERS:
        raise Refusal(f"{path.name}: cannot take a motion from it; can from .bvh, {', '.join(IMPORTERS)}")
    before = {kind: set(getattr(bpy.data, kind)) for kind in KINDS}
    try:
        IMPORTERS[path.suffix.lower()](path)
        figures = [subject for subject in set(bpy.data.objects) - before["objects"] if subject.type == "ARMATURE"]
        if len(figures) != 1:
            raise Refusal(f"{path.name}: there are {len(figures)} armatures in it; import it, and choose one to retarget from")
        actions = [action for action in set(bpy.data.actions) - before["actions"]]
        played = figures[0].animation_data.action if figures[0].animation_data else None
        return replace(take_of_object(figures[0], fps, played or next(iter(actions), None)), figure=path.stem)
    except (RuntimeError, KeyError) as error:
        raise Refusal(f"{path.name}: cannot be read ({str(error).strip().splitlines()[0]})") from None
    finally:
        for kind in KINDS:
            for thing in set(getattr(bpy.data, kind)) - before[kind]:
                getattr(bpy.data, kind).remove(thing)


KINDS = ("objects", "actions", "armatures", "meshes", "materials", "images")
IMPORTERS = {
    ".fbx": lambda path: bpy.ops.import_scene.fbx(filepath=str(path)),
    ".glb": lambda path: bpy.ops.import_scene.gltf(filepath=str(path)),
    ".gltf": lambda path: bpy.ops.import_scene.gltf(filepath=str(path)),
}


def found_map(source, target):
    """Which bones of an armature object follow which of another's, {bone: bone}."""
    return Retarget(*(body_of(subject) for subject in (source, target)), BoneMap()).names


def body_of(subject):
    """The skeleton that shows of an armature object: what deforms of a control rig."""
    skeleton = skeleton_of(subject)
    if skeleton is None:
        raise Refusal(f"{subject.name} is no armature")
    return deforming(subject, skeleton) if skeleton.led else skeleton
