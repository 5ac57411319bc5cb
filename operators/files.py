# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion files in and out, with Blender's own importers and exporters: .blend, .bvh, .fbx, .glb."""

import os
import re
import tempfile
from pathlib import Path

import bpy
import numpy as np
from bpy_extras.io_utils import axis_conversion

from .actions import channel_of, channelbag
from .keys import attribute
from .takes import FPS

UPRIGHT = axis_conversion(from_forward="Y", from_up="Z", to_forward="-Z", to_up="Y").to_4x4()  # as BVH stands, Y up


def load(path):
    """Open a motion file in an empty Blender, or a ValueError that says what is wrong with it."""
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise ValueError(f"{path}: cannot read {path.suffix or 'a file without an ending'}; can read {', '.join(READERS)}")
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file")
    start_empty()
    try:
        reader(path)
    except RuntimeError as error:
        raise ValueError(f"{path}: cannot be read ({first_line(error)})") from None
    fit_scene()


def put_aside(paths, folder):
    """The motions of other files, each in a library in a folder, its action named after its file; gives the libraries."""
    libraries = []
    for path in paths:
        load(path)
        render, actions = bpy.context.scene.render, {}
        for subject in animated_objects():
            action = subject.animation_data.action
            action.name = f"{path.stem} {subject.name}" if actions else path.stem
            action[FPS] = render.fps / render.fps_base
            actions[action.name] = action
        libraries.append(Path(folder) / f"{len(libraries)}.blend")
        bpy.data.libraries.write(str(libraries[-1]), set(actions.values()))
    return libraries


def bring(libraries):
    """Add the motions that were put aside to what is loaded."""
    for library in libraries:
        with bpy.data.libraries.load(str(library)) as (there, here):
            here.actions = list(there.actions)


def start_empty():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def save(path, subjects):
    """Write what is loaded; the file appears under its name only when it is whole."""
    writer = WRITERS[path.suffix.lower()]
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}")
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".motion_signal_") as folder:
        part = Path(folder) / path.name
        try:
            writer(part, subjects)
            os.replace(part, path)
        except (RuntimeError, OSError) as error:
            raise ValueError(f"{path}: cannot be written ({first_line(error)})") from None


def check_ending(path):
    if path.suffix.lower() not in WRITERS:
        raise ValueError(f"{path}: cannot write {path.suffix or 'a file without an ending'}; can write {', '.join(WRITERS)}")


def animated_objects(name=""):
    """The objects of the file that have a motion: armatures if there are any, else everything with an action."""
    if name:
        subject = bpy.data.objects.get(name)
        if subject is None:
            raise ValueError(f"object: there is no {name}; there are {', '.join(bpy.data.objects.keys())}")
        return [subject]
    for subject in bpy.context.scene.objects:
        take_from_nla(subject)
    moving = [subject for subject in bpy.context.scene.objects if subject.animation_data and subject.animation_data.action]
    if not moving:
        raise ValueError("there is no animated object in the file")
    return [subject for subject in moving if subject.type == "ARMATURE"] or moving


def take_from_nla(subject):
    """A file's only take may lie in an NLA strip (glTF import puts it there): make it the action at hand."""
    data = subject.animation_data
    if not data or data.action or not data.nla_tracks:
        return
    strip = next((strip for track in data.nla_tracks for strip in track.strips if strip.action), None)
    if strip:
        action, slot = strip.action, strip.action_slot
        for track in list(data.nla_tracks):
            data.nla_tracks.remove(track)
        data.action = action
        data.action_slot = slot


def fit_scene():
    """Exporters write the scene's frames: make them the motion's."""
    ranges = [tuple(action.frame_range) for action in bpy.data.actions if action.layers]
    if ranges:
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = round(min(low for low, _ in ranges)), round(max(high for _, high in ranges))


def read_bvh(path):
    check_bvh(path)
    bpy.ops.import_anim.bvh(filepath=str(path), update_scene_fps=True, update_scene_duration=True, use_fps_scale=False)


def check_bvh(path):
    """Blender's importer takes a file cut in the middle for a shorter one: count what should be there."""
    text = path.read_text(encoding="utf-8", errors="replace")
    head, found, motion = text.partition("MOTION")
    frames = re.search(r"Frames:\s*(\d+)", motion)
    rate = re.search(r"Frame Time:\s*([-+.\deE]+)\s*\n", motion)
    if not head.lstrip().startswith("HIERARCHY") or not found or not frames or not rate:
        raise ValueError(f"{path}: it is no whole BVH file")
    channels = sum(int(count) for count in re.findall(r"CHANNELS\s+(\d+)", head))
    numbers = motion[rate.end():].split()
    there, said = len(numbers) / max(channels, 1), int(frames[1])
    if there < said:
        raise ValueError(f"{path}: it is cut short, {there:.1f} of {said} frames are there")
    try:
        if float(rate[1]) <= 0:
            raise ValueError
        list(map(float, numbers))
    except ValueError:
        raise ValueError(f"{path}: its motion holds something that is no number") from None


def read_fbx(path):
    bpy.ops.import_scene.fbx(filepath=str(path), anim_offset=0.0)  # a frame late, else, each time it is read


def read_glb(path):
    """glTF counts seconds, not frames: if its keys fall between frames, read it again at the rate that they have."""
    bpy.ops.import_scene.gltf(filepath=str(path))
    spacing = key_spacing()
    if 0 < spacing < 0.99:
        rate = round(bpy.context.scene.render.fps / spacing)
        start_empty()
        bpy.context.scene.render.fps = rate
        bpy.ops.import_scene.gltf(filepath=str(path))


def key_spacing():
    """How many frames the keys of the most densely keyed curve are apart, 0 without any."""
    bags = [bag for action in bpy.data.actions for layer in action.layers for strip in layer.strips
            for bag in strip.channelbags]
    times = [attribute(curve.keyframe_points, "co", np.float32, 2)[::2] for bag in bags for curve in bag.fcurves]
    return min((np.median(np.diff(row)) for row in times if len(row) > 2), default=0.0)


def read_blend(path):
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)


def write_bvh(path, subjects):
    if len(subjects) != 1 or subjects[0].type != "ARMATURE":
        raise ValueError(f"{path.name}: BVH holds one armature, and there are {len(subjects)} animated objects")
    select(subjects)
    rig = subjects[0]
    first, last = (round(frame) for frame in rig.animation_data.action.frame_range)
    turn(rig.data, UPRIGHT)
    try:
        bpy.ops.export_anim.bvh(filepath=str(path), frame_start=first, frame_end=last,
                                root_transform_only=not loose_bones_move(rig))
    finally:
        turn(rig.data, UPRIGHT.inverted())


def turn(armature, matrix):
    armature.transform(matrix)
    armature.update_tag()


def loose_bones_move(rig):
    """Whether bones that hang on others are keyed in place, as after squash and stretch."""
    bag = channelbag(rig.animation_data.action, rig.animation_data.action_slot)
    placed = [curve.data_path for curve in bag.fcurves if curve.data_path.endswith(".location")]
    moved = {channel_of(path, 0, rig).owner for path in placed}
    return any(bone.parent for bone in rig.pose.bones if bone.name in moved)


def write_fbx(path, subjects):
    bpy.ops.export_scene.fbx(filepath=str(path), bake_anim_use_nla_strips=False, bake_anim_use_all_actions=False,
                             bake_anim_simplify_factor=0.0, add_leaf_bones=False)


def write_glb(path, subjects):
    bpy.ops.export_scene.gltf(filepath=str(path), export_animation_mode="ACTIVE_ACTIONS", export_force_sampling=True)


def write_blend(path, subjects):
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)


READERS = {".bvh": read_bvh, ".fbx": read_fbx, ".glb": read_glb, ".gltf": read_glb, ".blend": read_blend}
WRITERS = {".bvh": write_bvh, ".fbx": write_fbx, ".glb": write_glb, ".blend": write_blend}


def select(subjects):
    for subject in bpy.context.view_layer.objects:
        subject.select_set(subject in subjects)
    bpy.context.view_layer.objects.active = subjects[0]


def first_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith("Location:")]
    return lines[-1] if lines else type(error).__name__
