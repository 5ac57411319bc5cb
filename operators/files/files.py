# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion files in and out, with Blender's own importers and exporters or as they would: .blend, .bvh, .fbx, .glb."""

import json
from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np

from ...core.motion.compatible import rest_of
from ...core.numeric.refusal import Refusal
from ...core.retargeting.skeleton_text import skeleton_text
from ..bridge.armatures import skeleton_of
from ..bridge.keyframes import attribute
from ..bridge.takes import FIGURE, FPS, REST
from . import whole_files
from .bvh import read_bvh, write_bvh
from .kinds import READABLE, WRITABLE, check_readable
from .whole_files import first_line


def load(path, without_t_pose=False):
    """Open a motion file in an empty Blender, or a Refusal that says what is wrong with it. A .bvh file may be read without
    the frames in a T-pose at its start."""
    check_readable(path)
    if not path.is_file():
        raise Refusal(f"{path}: there is no such file")
    start_empty()
    try:
        READERS[path.suffix.lower()](path, *([True] if without_t_pose and path.suffix.lower() == ".bvh" else []))
    except RuntimeError as error:
        raise Refusal(f"{path}: cannot be read ({first_line(error)})") from None
    fit_scene()


def put_aside(paths, folder):
    """The motions of other files, and curves, meshes and empties of .blend files, in a library each; gives the libraries.

    Actions are named after their file.
    """
    libraries = []
    for path in paths:
        load(path)
        render, actions = bpy.context.scene.render, {}
        others = {subject for subject in bpy.data.objects if subject.type in ("CURVE", "MESH", "EMPTY")}
        for subject in animated_objects() if not others else moving():
            action = subject.animation_data.action
            action.name = f"{path.stem} {subject.name}" if actions else path.stem
            action[FPS] = render.fps / render.fps_base
            if subject.type == "ARMATURE":
                action[REST] = json.dumps(rest_of(skeleton_of(subject)))
                action[FIGURE] = skeleton_text(skeleton_of(subject), path.stem)
            actions[action.name] = action
        libraries.append(Path(folder) / f"{len(libraries)}.blend")
        bpy.data.libraries.write(str(libraries[-1]), {*actions.values(), *others})
    return libraries


def held_in(libraries):
    """Names of the actions and of the objects in libraries, {"action": names, "curve": ..., "mesh": ..., "object": ...}."""
    found = {"action": set(), "curve": set(), "mesh": set(), "object": set()}
    for library in libraries:
        with bpy.data.libraries.load(str(library)) as (there, _):
            found["action"].update(there.actions)
            found["curve"].update(there.objects)
            found["mesh"].update(there.objects)
            found["object"].update(there.objects)
    return found


def bring(libraries):
    """Add what was put aside to what is loaded, under the names that it had: what is loaded makes room."""
    for library in libraries:
        with bpy.data.libraries.load(str(library)) as (there, here):
            here.actions, here.objects = list(there.actions), list(there.objects)
            names = list(there.actions)
        for name, action in zip(names, here.actions):
            if action.name != name:
                bpy.data.actions[name].name = f"{name} take"
                action.name = name
        for subject in here.objects:
            bpy.context.scene.collection.objects.link(subject)


@contextmanager
def sized(subjects, unit):
    """Have objects in the size that they have in metres while something is done to them: BVH files do not say their unit."""
    before = [tuple(subject.scale) for subject in subjects]
    for subject in subjects:
        subject.scale = [unit * size for size in subject.scale]
    bpy.context.view_layer.update()
    try:
        yield
    finally:
        for subject, size in zip(subjects, before):
            subject.scale = size
        bpy.context.view_layer.update()


def start_empty():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def save(path, subjects):
    """Write what is loaded; the file appears under its name only when it is whole."""
    if not path.parent.is_dir():
        raise Refusal(f"{path}: there is no folder {path.parent}")
    with whole(path, subjects):
        pass


def whole(path, subjects):
    """Write what is loaded into a file beside a path, which takes its name when the block ends well."""
    return whole_files.whole(path, lambda unfinished: WRITERS[path.suffix.lower()](unfinished, subjects))


def animated_objects(name=""):
    """The objects of the file that have a motion: armatures if there are any, else everything with an action."""
    if name:
        subject = bpy.data.objects.get(name)
        if subject is None:
            raise Refusal(f"object: there is no {name}; there are {', '.join(bpy.data.objects.keys())}")
        take_from_nla(subject)
        return [subject]
    found = moving()
    if not found:
        raise Refusal("there is no animated object in the file")
    return found


def moving():
    for subject in bpy.context.scene.objects:
        take_from_nla(subject)
    found = [subject for subject in bpy.context.scene.objects if subject.animation_data and subject.animation_data.action]
    return [subject for subject in found if subject.type == "ARMATURE"] or found


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
    bags = [
        bag for action in bpy.data.actions for layer in action.layers for strip in layer.strips for bag in strip.channelbags
    ]
    times = [attribute(curve.keyframe_points, "co", np.float32, 2)[::2] for bag in bags for curve in bag.fcurves]
    return min((np.median(np.diff(row)) for row in times if len(row) > 2), default=0.0)


def read_blend(path):
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False, use_scripts=False)  # whatever the preferences allow


def write_fbx(path, subjects):
    bpy.ops.export_scene.fbx(
        filepath=str(path),
        bake_anim_use_nla_strips=False,
        bake_anim_use_all_actions=False,
        bake_anim_simplify_factor=0.0,
        add_leaf_bones=False,
    )


def write_glb(path, subjects):
    bpy.ops.export_scene.gltf(filepath=str(path), export_animation_mode="ACTIVE_ACTIONS", export_force_sampling=True)


def write_blend(path, subjects):
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)


READERS = dict(zip(READABLE, (read_bvh, read_fbx, read_glb, read_glb, read_blend)))
WRITERS = dict(zip(WRITABLE, (write_bvh, write_fbx, write_glb, write_blend)))
