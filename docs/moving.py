# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the moving pictures that README and pages show: what each technique does to a walk, before and after side by side.

    make pictures

Needs what the window tests need, and ffmpeg. Figures are drawn by Blender's Workbench.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "tests" / "gui"))

from window import Window  # noqa: E402

SIZE, FRAMES, EVERY, RATE = (
    (300, 300),
    36,
    2,
    12,
)  # pixels of one side; pictures, frames from one to the next, pictures a second
LARGEST, ALTOGETHER = 1_000_000, 12_000_000  # bytes
LOUD = [1, 1, 1, 1, 1, 1.7, 1.7, 1.4]
RAISED = [{"frame": 36, "bones": {name: {"rotation": [0.0, 0.0, -1.1]} for name in ("upper_arm.L", "upper_arm.R")}}]
POINTS = [{"action": "Stroll", "x": 0, "y": 0}, {"action": "Brisk", "x": 1, "y": 0}, {"action": "Walk loop", "x": 0.5, "y": 1}]

# By technique: what comes first, what it is called with, and whether the camera stays where it is.
SHOWN = {
    "equalize": ("", {"preset": "exaggerate"}, False),
    "waveshape": ("", {"preset": "press"}, False),
    "displace": (
        "",
        {"displacement_keys": json.dumps(RAISED)},
        False,
    ),
    "timewarp": ("", {"moves": "[[25, 25], [45, 65]]"}, False),
    "blend": ("others()", {"takes": json.dumps([{}, {"action": "Brisk"}])}, False),
    "join": ("others()", {"take": "Brisk"}, False),
    "lock": ("sliding()", {}, False),
    "path": ("bend()", {"curve": "Way", "ends": "FILL"}, True),
    "cycle": ("", {"find": "SEARCH"}, False),
    "harmonics": ("loops()", {"gains": "[1, 1.8, 0.2]"}, False),
    "network": ("loops()", {"points": json.dumps(POINTS), "puck_x": 0.8, "puck_y": 0.1, "repeats": 4}, False),
    "speed": ("others()", {"takes": json.dumps([{}, {"action": "Brisk"}, {"action": "Stroll"}]), "speed": 1.8}, False),
    "wavelet_blend": ("others()", {"take": "Brisk"}, False),
    "avatar": ("", {"scale": 0.6}, False),
    "cartoon": ("", {"strength": 1.2}, False),
    "automate": ("", {"automation": json.dumps([{"band": 5, "keys": [[10, 1.0], [60, 2.4]]}])}, False),
    "style": ("", {"preset": "tired"}, False),
    "reduce": ("", {}, False),
}

PREPARE = """
import math
import bmesh
import mathutils
import numpy as np

def fresh():
    if bpy.context.object and bpy.context.object.mode != 'OBJECT':
        bpy.ops.object.mode_set(mode='OBJECT')
    for things in (bpy.data.objects, bpy.data.actions, bpy.data.meshes, bpy.data.cameras):
        for thing in list(things):
            things.remove(thing)
    scene = bpy.context.scene
    scene.frame_start = 1
    bpy.ops.motion_signal.add_figure(seconds=6.0)
    bpy.context.object.animation_data.action.name = 'Walk'
    return scene, bpy.context.object

def walk(speed, name, figure):
    bpy.ops.motion_signal.add_figure(seconds=6.0, speed=speed)
    other = bpy.context.object
    other.animation_data.action.name, other.animation_data.action.use_fake_user = name, True
    bpy.ops.object.mode_set(mode='OBJECT')
    bpy.data.objects.remove(other)
    bpy.context.view_layer.objects.active = figure
    figure.select_set(True)

def others():
    figure = bpy.context.object
    walk(0.8, 'Stroll', figure)
    walk(1.9, 'Brisk', figure)

def loops():
    others()
    figure = bpy.context.object
    for name in ('Stroll', 'Brisk', 'Walk'):
        figure.animation_data.action = bpy.data.actions[name]
        figure.animation_data.action_slot = bpy.data.actions[name].slots[0]
        bpy.data.actions[name].use_fake_user = True
        made = name if name != 'Walk' else 'Walk loop'
        bpy.ops.motion_signal.cycle(find='SEARCH', path='STRAIGHT', result=made + ' cycle')
        if name != 'Walk':
            bpy.data.actions[name].name = name + ' take'
        figure.animation_data.action.name = made

def sliding():
    bpy.ops.motion_signal.equalize(gains=str(LOUD), feet='FREE')

def bend():
    bpy.ops.motion_signal.path_create('EXEC_DEFAULT', control_points=6)
    curve = bpy.data.objects[bpy.context.window_manager.motion_signal.path.curve]
    bpy.ops.motion_signal.preview_end()
    curve.name = 'Way'
    for point, aside in zip(curve.data.splines[0].points, (0, 0, 1.6, 1.6, -1.6, -1.6)):
        point.co.x += aside

def body(figure, color):
    mesh = bpy.data.meshes.new('Body')
    shape, groups = bmesh.new(), []
    for bone in figure.data.bones:
        width = {'head': 0.5}.get(bone.name, 0.22) * bone.length + 0.022
        depth = width * (0.8 if bone.name.startswith(('spine', 'chest', 'hips')) else 1.0)
        matrix = bone.matrix_local @ mathutils.Matrix.Translation((0, bone.length / 2, 0)) @ mathutils.Matrix.Diagonal(
            (width, bone.length * 0.56, depth, 1))
        made = bmesh.ops.create_uvsphere(shape, u_segments=16, v_segments=10, radius=1.0, matrix=matrix)
        groups += [bone.name] * len(made['verts'])
    shape.to_mesh(mesh)
    for face in mesh.polygons:
        face.use_smooth = True
    thing = bpy.data.objects.new('Body', mesh)
    for name in figure.data.bones.keys():
        thing.vertex_groups.new(name=name).add([i for i, group in enumerate(groups) if group == name], 1.0, 'REPLACE')
    thing.parent = figure
    thing.modifiers.new('Armature', 'ARMATURE').object = figure
    thing.color = color
    bpy.context.collection.objects.link(thing)
    return thing

def ground():
    for start in (0, 1):
        mesh = bpy.data.meshes.new('Ground')
        shape = bmesh.new()
        for x in range(-12, 12):
            for y in range(-30, 12):
                if (x + y) % 2 == start:
                    corners = [shape.verts.new((x + dx, y + dy, 0)) for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 1))]
                    shape.faces.new(corners)
        shape.to_mesh(mesh)
        thing = bpy.data.objects.new('Ground', mesh)
        thing.color = (0.30, 0.32, 0.35, 1) if start else (0.36, 0.38, 0.41, 1)
        bpy.context.collection.objects.link(thing)

def look(scene):
    scene.render.engine = 'BLENDER_WORKBENCH'
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = *size, 100
    scene.render.image_settings.file_format = 'PNG'
    shading = scene.display.shading
    shading.light, shading.color_type, shading.show_shadows, shading.show_cavity = 'STUDIO', 'OBJECT', True, False
    shading.background_type, shading.background_color = 'VIEWPORT', (0.20, 0.21, 0.23)
    scene.display.render_aa = '8'
    camera = bpy.data.objects.new('Camera', bpy.data.cameras.new('Camera'))
    camera.data.lens = 50
    scene.collection.objects.link(camera)
    scene.camera = camera
    return camera

def hips_at(scene, figure, frames):
    found = []
    for frame in frames:
        scene.frame_set(frame)
        found.append(figure.matrix_world @ figure.pose.bones['hips'].head)
    return np.array(found)

def take_pictures(scene, camera, figure, frames, folder, stays, centre):
    hips = hips_at(scene, figure, frames)
    steady = [np.polyval(np.polyfit(range(len(hips)), hips[:, axis], 1), range(len(hips))) for axis in (0, 1)]
    turn = mathutils.Euler((math.radians(62 if stays else 78), 0, math.radians(52))).to_quaternion()
    away = 10.5 if stays else 4.6
    for index, frame in enumerate(frames):
        scene.frame_set(frame)
        target = mathutils.Vector(centre) if stays else mathutils.Vector((steady[0][index], steady[1][index], 0.85))
        camera.rotation_mode, camera.rotation_quaternion = 'QUATERNION', turn
        camera.location = target + turn @ mathutils.Vector((0, 0, away))
        scene.render.filepath = f'{folder}/{index:03d}.png'
        bpy.ops.render.render(write_still=True)
"""
MAKE = (
    PREPARE
    + """
scene, figure = fresh()
if first:
    eval(first)
figure = bpy.context.object
before = figure.animation_data.action
before.use_fake_user = True
slot = figure.animation_data.action_slot.identifier
getattr(bpy.ops.motion_signal, technique)(**called)
after = figure.animation_data.action
assert after != before, technique
if figure.mode != 'OBJECT':
    bpy.ops.object.mode_set(mode='OBJECT')
ground()
camera = look(scene)
thing = body(figure, (0.55, 0.66, 0.85, 1))
for name in ('Way',):
    if name in bpy.data.objects:
        bpy.data.objects[name].hide_render = True
for action, color, folder in ((before, (0.55, 0.66, 0.85, 1), folders[0]), (after, (1.0, 0.55, 0.16, 1), folders[1])):
    figure.animation_data.action = action
    figure.animation_data.action_slot = action.slots[slot]
    thing.color = color
    start, end = (round(frame) for frame in action.frame_range)
    frames = [start + (index * every) % max(1, end - start) for index in range(count)]
    take_pictures(scene, camera, figure, frames, folder, stays, (0.0, -4.0, 0.4))
result = [before.name, after.name]
"""
)


def main(target, techniques):
    with Window() as window:
        for technique in techniques:
            first, called, stays = SHOWN[technique]
            with tempfile.TemporaryDirectory() as folder:
                folders = [Path(folder, side) for side in ("before", "after")]
                for each in folders:
                    each.mkdir()
                values = {"technique": technique, "first": first, "called": called, "stays": stays, "LOUD": LOUD}
                count = 2 * FRAMES if stays else FRAMES
                numbers = {"size": SIZE, "every": EVERY, "count": count, "folders": list(map(str, folders))}
                window.run(MAKE, timeout=300, **values, **numbers)
                path = joined(folders, target / f"{technique}_moving.webp")
            print(path.name, path.stat().st_size, flush=True)
    sizes = [path.stat().st_size for path in target.glob("*_moving.webp")]
    if max(sizes) > LARGEST or sum(sizes) > ALTOGETHER:
        sys.exit(f"{sum(sizes)} bytes in all, up to {max(sizes)} each: more than {ALTOGETHER} and {LARGEST}")


def joined(folders, path):
    """Before and after side by side as one small picture that moves for ever."""
    inputs = [each for folder in folders for each in ("-framerate", str(RATE), "-i", f"{folder}/%03d.png")]
    options = ["-loop", "0", "-c:v", "libwebp_anim", "-quality", "55", "-compression_level", "6", "-an"]
    command = ["ffmpeg", "-loglevel", "error", "-y", *inputs, "-filter_complex", "hstack=inputs=2", *options, str(path)]
    subprocess.run(command, check=True)
    return path


if __name__ == "__main__":
    main(DOCS, sys.argv[1:] or list(SHOWN))
