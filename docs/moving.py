# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the moving pictures that README and pages show: what each technique does to a walk, before and after side by side.

    make pictures

Needs Blender as a Python module and Pillow, and no window.
"""

import json
import math
import sys
from pathlib import Path

import bpy
import numpy as np
from mannequin import ellipsoids, picture
from mathutils import Euler, Matrix
from PIL import Image

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "bench"))

from demo import load_package  # noqa: E402

SIZE, PICTURES, EVERY, LASTS = 240, 30, 2, 83  # pixels of a side; how many, frames from one to the next, milliseconds
LARGEST, ALTOGETHER = 1_000_000, 12_000_000  # bytes
BEFORE, AFTER = np.array((0.55, 0.68, 0.92)), np.array((1.0, 0.58, 0.18))
SIDE, ABOVE = (Euler((1.38, 0.0, 0.9)), 5.2), (Euler((1.05, 0.0, 0.9)), 12.0)  # how the eye is turned, and metres away
RAISED = [{"frame": 36, "bones": {name: {"rotation": [0.0, 0.0, -63.0]} for name in ("upper_arm.L", "upper_arm.R")}}]
HELD = [
    {"bone": f"hand.{side}", "first": 14, "last": 46, "target_bone": "hips", "hold": "PLACE", "x": x, "y": 0.1, "z": 0.02}
    for side, x in (("L", 0.17), ("R", -0.17))
]
POINTS = [{"action": "Stroll", "x": 0, "y": 0}, {"action": "Brisk", "x": 1, "y": 0}, {"action": "Walk", "x": 0.5, "y": 1}]
BEGIN = {"join": 84}  # frames that are passed over, where what a technique does comes late
BENDS = (0.0, 0.0, 1.6, 1.6, -1.6, -1.6)  # metres aside


def walk(name, speed=1.3):
    """A walk of six seconds, on a figure that is then active."""
    bpy.ops.motion_signal.add_figure(speed=speed)
    bpy.context.object.animation_data.action.name = name
    bpy.context.object.animation_data.action.use_fake_user = True


def walks():
    for name, speed in (("Stroll", 0.8), ("Brisk", 1.8), ("Walk", 1.3)):
        walk(name, speed)


def child():
    """A walk on a figure, and beside it one with short legs and arms, which is then active, with a walk of its own."""
    walk("Walk")
    bpy.ops.object.mode_set(mode="OBJECT")
    walk("Own", 0.8)
    bpy.ops.object.mode_set(mode="EDIT")
    short = {"thigh": 0.6, "shin": 0.6, "upper_arm": 0.7, "forearm": 0.7}
    for bone in bpy.context.object.data.edit_bones:
        factor = next((each for name, each in short.items() if bone.name.startswith(name)), 1.0)
        move = (factor - 1.0) * (bone.tail - bone.head)
        for below in bone.children_recursive:
            below.head, below.tail = (below.head if below.use_connect else below.head + move), below.tail + move
        bone.tail = bone.tail + move
    bpy.ops.object.mode_set(mode="OBJECT")
    lowest = min(bone.tail_local.z for bone in bpy.context.object.data.bones)
    bpy.context.object.data.transform(Matrix.Translation((0.0, 0.0, -lowest)))


def loops():
    for name, speed in (("Stroll", 0.8), ("Brisk", 1.8), ("Walk", 1.3)):
        walk(f"{name} take", speed)
        bpy.ops.motion_signal.cycle(find="SEARCH", path="STRAIGHT", result=name)


def sliding():
    walk("Walk")
    bpy.ops.motion_signal.equalize(preset="exaggerate", feet="FREE")


def shaken():
    """A walk that trembles, a bone of which is elsewhere in some frames."""
    walk("Walk")
    draw, figure = np.random.default_rng(1), bpy.context.object
    for curve in figure.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        if "rotation" in curve.data_path:
            for key in curve.keyframe_points:
                key.co.y += draw.normal(0.0, 0.012)
                if '"forearm.L"' in curve.data_path and curve.array_index == 1 and round(key.co.x) % 20 == 5:
                    key.co.y += 0.5
            curve.update()


def rounding():
    walk("Walk", 1.9)
    circle = [[1.5 - 1.5 * math.cos(turn), -1.5 * math.sin(turn), 0.0] for turn in np.linspace(0.0, 5.5, 16)]
    bpy.ops.motion_signal.path(path=json.dumps({"points": circle}))


STOPPING = json.dumps([{"along": 3.0, "speed": 0.0, "wait": 0.5}])
ROUND = json.dumps({"points": [[1.5 - 1.5 * math.cos(a), -1.5 * math.sin(a), 0.0] for a in np.linspace(0.0, 4.0, 24)]})


def posed():
    """Two poses of the walk, a second and a half apart, and a walk to take life from."""
    walk("Brisk", 1.8)
    walk("Walk")
    figure = bpy.context.object
    for curve in figure.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        values = {frame: curve.evaluate(frame) for frame in (1, 37, 73)}
        curve.keyframe_points.clear()
        for frame, value in values.items():
            curve.keyframe_points.insert(frame, value)
        curve.update()


def reaches():
    """Someone who stands and reaches low with the right hand, and the same high; the low one is at hand."""
    walk("Walk")
    figure = bpy.context.object
    for name, swing, lean in (("High", -150.0, -8.0), ("Low", -35.0, 25.0)):
        figure.animation_data.action = bpy.data.actions.new(name)
        figure.animation_data.action.use_fake_user = True
        for frame, much in ((1, 0.0), (8, 0.0), (26, 1.0), (34, 1.0), (54, 0.0), (60, 0.0)):
            for bone in figure.pose.bones:
                angles = {"upper_arm.R": (swing, 0.0, 0.0), "upper_arm.L": (8.0, 0.0, 0.0), "chest": (lean, 0.0, 0.0)}
                rest = bone.bone.matrix_local.to_3x3()
                turn = Euler(np.radians(angles.get(bone.name, (0.0, 0.0, 0.0))) * much).to_matrix()
                bone.rotation_quaternion = (rest.inverted() @ turn @ rest).to_quaternion()
                bone.location = (0.0, -0.02 * much if bone.name == "hips" else 0.0, 0.0)
                bone.keyframe_insert("rotation_quaternion", frame=frame)
            figure.pose.bones["hips"].keyframe_insert("location", frame=frame)


def bent():
    walk("Walk")
    bpy.ops.motion_signal.path_create(control_points=len(BENDS))
    curve = bpy.data.objects[bpy.context.window_manager.motion_signal.path.curve]
    bpy.ops.motion_signal.preview_end()
    curve.name = "Way"
    for point, aside in zip(curve.data.splines[0].points, BENDS):
        point.co.x += aside


# By technique: how the take is made, what the technique is called with, and from where it is seen.
SHOWN = {
    "clean": (shaken, {}, SIDE),
    "life": (posed, {"take": "Brisk", "slowest": 0.5}, SIDE),
    "equalize": (walks, {"preset": "exaggerate"}, SIDE),
    "waveshape": (walks, {"preset": "press"}, SIDE),
    "displace": (walks, {"displacement_keys": json.dumps(RAISED)}, SIDE),
    "music": (walks, {"tempo": 130.0, "slowest": 0.6, "fastest": 1.6}, SIDE),
    "fit_length": (walks, {"seconds": 8.0}, SIDE),
    "timewarp": (walks, {"moves": "[[25, 25], [45, 65]]"}, SIDE),
    "blend": (walks, {"takes": json.dumps([{}, {"action": "Brisk"}])}, SIDE),
    "between": (
        reaches,
        {"takes": json.dumps([{"action": "High"}]), "by_reach": True, "reach": 0.6},
        SIDE,
    ),
    "join": (walks, {"take": "Brisk"}, SIDE),
    "lock": (sliding, {}, SIDE),
    "path": (bent, {"curve": "Way"}, ABOVE),
    "locomotion": (walks, {"path": ROUND, "speed_keys": STOPPING, "takes": json.dumps([{"action": "Brisk"}])}, ABOVE),
    "pins": (walks, {"pins": json.dumps(HELD)}, SIDE),
    "cycle": (walks, {"find": "SEARCH", "repeats": 6}, SIDE),
    "harmonics": (loops, {"gains": "[1, 1.7, 0.2]"}, SIDE),
    "network": (loops, {"points": json.dumps(POINTS), "puck_x": 0.8, "puck_y": 0.1, "repeats": 4}, SIDE),
    "speed": (walks, {"takes": json.dumps([{}, {"action": "Brisk"}]), "speed": 1.7}, SIDE),
    "wavelet_blend": (walks, {"take": "Brisk", "amount": 1.0, "events": "ANCHORS", "anchors": "[[10, 10], [60, 50]]"}, SIDE),
    "avatar": (walks, {"scale": 0.6}, SIDE),
    "cartoon": (walks, {"strength": 1.2}, SIDE),
    "automate": (walks, {"automation": json.dumps([{"band": 5, "keys": [[10, 1.0], [60, 2.4]]}])}, SIDE),
    "style": (walks, {"preset": "tired"}, SIDE),
    "weight": (rounding, {"banking": 1.0}, SIDE),
    "reduce": (walks, {}, SIDE),
    "retarget": (child, {"source": "Walking Figure"}, SIDE),
}


def main(techniques):
    package = load_package("motion_signal")
    package.register()
    try:
        for technique in techniques:
            path = make(technique)
            print(path.name, path.stat().st_size, flush=True)
    finally:
        package.unregister()
    sizes = [path.stat().st_size for path in DOCS.glob("*_moving.webp")]
    if max(sizes) > LARGEST or sum(sizes) > ALTOGETHER:
        sys.exit(f"{sum(sizes)} bytes in all, up to {max(sizes)} each: more than {ALTOGETHER} and {LARGEST}")


def make(technique):
    """Make the picture of a technique, and say where it is."""
    prepare, called, view = SHOWN[technique]
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    prepare()
    before = bpy.context.object.animation_data.action
    getattr(bpy.ops.motion_signal, technique)(**called)
    figure = bpy.context.object
    after, slot = figure.animation_data.action, figure.animation_data.action_slot.identifier
    sides = []
    for action, color in ((before, BEFORE), (after, AFTER)):
        figure.animation_data.action = action
        figure.animation_data.action_slot = action.slots[slot]
        scale = called.get("scale", 1.0) if action == after else 1.0
        figure.data.transform(Matrix.Scale(scale, 4))
        sides.append(pictures(figure, action, color, view, scale, BEGIN.get(technique, 0)))
    images = [Image.fromarray((255 * np.hstack(pair)).astype(np.uint8)) for pair in zip(*sides)]
    path = DOCS / f"{technique}_moving.webp"
    images[0].save(path, save_all=True, append_images=images[1:], duration=LASTS, loop=0, quality=60, method=6)
    return path


def pictures(figure, action, color, view, scale, begin):
    """The pictures of a figure with an action: the eye goes along with it, or stays where it sees all of the way."""
    start, end = (round(frame) for frame in action.frame_range)
    many = 2 * PICTURES if view is ABOVE else PICTURES
    poses = [pose_at(figure, start + (begin + index * EVERY) % max(EVERY, end - start + 1)) for index in range(many)]
    hips = np.array([pose[0, :3, 3] for pose in poses])
    steady = np.stack([np.polyval(np.polyfit(np.arange(many), hips[:, axis], 1), np.arange(many)) for axis in (0, 1)], axis=1)
    targets = np.column_stack([steady, np.full(many, 0.85)]) if view is SIDE else np.tile((0.0, -3.6, 0.5), (many, 1))
    turn, away = np.array(view[0].to_matrix(), dtype=np.float64), view[1]
    names, lengths = figure.pose.bones.keys(), [bone.length for bone in figure.data.bones]
    return [
        picture(ellipsoids(names, lengths, pose, scale), target + away * turn[:, 2], turn, SIZE, color)
        for pose, target in zip(poses, targets)
    ]


def pose_at(figure, frame):
    """Where the bones are at a frame, (bones, 4, 4)."""
    bpy.context.scene.frame_set(frame)
    return np.array([figure.matrix_world @ bone.matrix for bone in figure.pose.bones])


if __name__ == "__main__":
    main(sys.argv[1:] or list(SHOWN))
