# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH in and out as Blender's own importer and exporter do it, which go frame by frame; here all frames go at once.

What Blender makes of a file is Blender's: its importer reads the skeleton with one frame, and the curves are filled after it.
What a rig does that curves alone do not say goes out through Blender's exporter.
"""

import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np

from ...core.body.t_pose import leading_t_pose
from ...core.files import bvh
from ...core.files.bvh_bones import bone_names
from ...core.files.bvh_take import clip_of, load, take_of
from ...core.numeric.refusal import Refusal
from ..bridge.actions import channel_of, channelbag
from ..bridge.armatures import remember_rests, rests_of, skeleton_of
from ..bridge.keyframes import LINEAR
from .bvh_export import UPRIGHT, write_curves


def read_bvh(path, without_t_pose=False):
    """Read a BVH file that is whole, as Blender's importer does."""
    motion = load(path)
    if without_t_pose:
        motion = replace(motion, values=motion.values[leading_t_pose(*take_of(motion)) :])
    with rests_at_import() as rests:
        import_first_frame(path.name, motion)
    rig, names, (clip, skeleton) = bpy.context.object, bone_names(motion.joints), take_of(motion)
    remember_rests(rig.data, skeleton)
    if len(rests_of(rig.data)) < len(names):  # far from the middle bones rest in Blender as single precision lets them
        clip = clip_of(motion, np.array([rests[name] for name in names]))
    fill_curves(rig, clip)


def import_first_frame(name, motion):
    """Let Blender make everything but the frames: it reads a copy that has one and says that it has all."""
    row = " ".join(map(repr, first_row(motion)))
    text = bvh.opening_text(motion.hierarchy, len(motion.values), repr(motion.frame_time)) + row + "\n"
    with tempfile.TemporaryDirectory(prefix="motion_signal_") as folder:
        copy = Path(folder) / name
        copy.write_text(text, encoding="utf-8")
        bpy.ops.import_anim.bvh(filepath=str(copy), update_scene_fps=True, update_scene_duration=True, use_fps_scale=False)


def first_row(motion):
    """The first frame's numbers, with those about axes that a hinge lacks."""
    row = motion.values[0].tolist()
    return [
        number
        for joint in motion.joints
        for number in row[joint.first : joint.first + len(joint.channels)]
        + [0.0] * (len(joint.all_channels) - len(joint.channels))
    ]


@contextmanager
def rests_at_import():
    """The rest axes by bone that the importer reckons with, before it turns the figure to stand as figures do in Blender."""
    rests, others = {}, set(bpy.data.objects.keys())

    def listen(*_):
        figure = bpy.context.view_layer.objects.active
        if figure and figure.name not in others and figure.mode == "OBJECT" and not rests:
            rests.update((bone.name, np.array(bone.matrix_local)[:3, :3]) for bone in figure.data.bones)

    bpy.app.handlers.depsgraph_update_post.append(listen)
    try:
        yield rests
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(listen)


def fill_curves(rig, clip):
    """Give the curves that the importer made all frames."""
    action = rig.animation_data.action
    curves = {
        (curve.data_path, curve.array_index): curve for curve in channelbag(action, rig.animation_data.action_slot).fcurves
    }
    pairs = np.empty((clip.frames, 2), dtype=np.float32)
    pairs[:, 0] = np.arange(clip.first_frame, clip.last_frame + 1)
    straight = np.full(clip.frames, LINEAR, dtype=np.uint8)
    for channel, pairs[:, 1] in zip(clip.channels, clip.values.T):
        points = curves[channel.path, channel.index].keyframe_points
        points.add(clip.frames - len(points))
        points.foreach_set("co", pairs.ravel())
        points.foreach_set("interpolation", straight)
    action.update_tag(refresh={"TIME"})


def write_bvh(path, subjects):
    """Write the motion of one armature as Blender's exporter does."""
    if len(subjects) != 1 or subjects[0].type != "ARMATURE":
        raise Refusal(f"{path.name}: BVH holds one armature, and there are {len(subjects)} animated objects")
    rig = subjects[0]
    first, last = (round(frame) for frame in rig.animation_data.action.frame_range)
    skeleton = skeleton_of(rig)
    write = write_curves if posed_by_curves(rig, skeleton) else export
    write(path, rig, skeleton, first, last, loose_bones_move(rig))


def posed_by_curves(rig, skeleton):
    """Whether the curves of the action alone say how each bone stands to its parent."""
    data, bag = rig.animation_data, channelbag(rig.animation_data.action, rig.animation_data.action_slot)
    steered = data.drivers or rig.data.animation_data or any(len(bone.constraints) for bone in rig.pose.bones)
    switched = bag is None or any(curve.data_path.endswith(".rotation_mode") for curve in bag.fcurves)
    usual = rig.data.pose_position == "POSE" and skeleton.bones and all(bone.usual for bone in skeleton.bones)
    return bool(usual) and not (len(data.nla_tracks) or steered or switched)


def export(path, rig, skeleton, first, last, loose):
    """Let Blender write it, frame by frame."""
    turn(rig.data, UPRIGHT)
    try:
        with bpy.context.temp_override(object=rig, active_object=rig):
            bpy.ops.export_anim.bvh(filepath=str(path), frame_start=first, frame_end=last, root_transform_only=not loose)
    finally:
        turn(rig.data, UPRIGHT.inverted())


def turn(armature, matrix):
    armature.transform(matrix)
    armature.update_tag()


def loose_bones_move(rig):
    """Whether bones that hang on others are keyed in place, as after squash and stretch."""
    bag = channelbag(rig.animation_data.action, rig.animation_data.action_slot)
    placed = [curve.data_path for curve in (bag.fcurves if bag else ()) if curve.data_path.endswith(".location")]
    moved = {channel_of(path, 0, rig).owner for path in placed}
    return any(bone.parent for bone in rig.pose.bones if bone.name in moved)
