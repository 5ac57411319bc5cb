# SPDX-License-Identifier: GPL-3.0-or-later
"""The walking figure: an armature with a take to try every technique on, without looking for one first."""

from itertools import count

import bpy
import numpy as np
from mathutils import Vector

from ...core.body import walking_figure as gait
from ...core.motion.clip import Channel
from ...core.numeric import rotation
from ...core.numeric.refusal import Refusal
from ..bridge.keyframes import LINEAR, new_curve
from ..bridge.refuse import refusing

NAME = "Walking Figure"
COLORS = {".L": "THEME01", ".R": "THEME04"}  # red and blue
LEG = "thigh.L"  # is selected, so that curves show
WIDE, STEP = 0.5, 1.0  # metres: room around the figure's way, from place to place
LOW, VAST = 0.1, 20.0  # metres: what is lower is ground to walk on, what is wider is all around
ROTATION_PATHS = {"QUATERNION": "rotation_quaternion", "XYZ": "rotation_euler"}


def create_figure(context, speed=1.3, seconds=6.0, rotation_mode="QUATERNION"):
    """Add an armature that walks from the 3D cursor, or beside what is there, a key a frame, and fit the scene's frames to it.

    It is in Pose Mode with a leg selected, whose curves the Graph Editor shows.
    """
    if rotation_mode not in ROTATION_PATHS:
        raise Refusal(f"rotation_mode must be one of {', '.join(ROTATION_PATHS)}, not {rotation_mode}")
    scene = context.scene
    fps = scene.render.fps / scene.render.fps_base
    motion = gait.walk(round(seconds * fps), fps, speed)
    figure = add_armature(context, rotation_mode, free_place(context, gait.joints(motion)[0][:, 0]))
    frames = np.arange(len(motion.location)) + scene.frame_start
    animate(figure, motion, frames, rotation_mode)
    scene.frame_end = int(frames[-1])
    scene.frame_set(scene.frame_start)
    bpy.ops.object.mode_set(mode="POSE")
    select_alone(figure, LEG)
    show_curves(context)
    return figure


class MOTION_SIGNAL_OT_add_figure(bpy.types.Operator):
    """Add a figure that walks, to try the techniques on"""

    bl_idname = "motion_signal.add_figure"
    bl_label = "Walking Figure"
    bl_options = {"REGISTER", "UNDO"}

    speed: bpy.props.FloatProperty(
        name="Speed",
        description="How fast it walks, in metres a second",
        default=1.3,
        min=gait.SPEEDS[0],
        max=gait.SPEEDS[1],
        step=10,
    )
    seconds: bpy.props.FloatProperty(
        name="Duration",
        description="How long it walks, in seconds",
        default=6.0,
        min=0.5,
        max=600.0,
        soft_max=60.0,
        step=100,
        precision=1,
    )
    rotation_mode: bpy.props.EnumProperty(
        name="Rotation Mode",
        description="How the rotations of the bones are keyed",
        items=(
            ("QUATERNION", "Quaternion", "Four curves a bone, no gimbal lock"),
            ("XYZ", "XYZ Euler", "Three curves a bone, in degrees"),
        ),
    )

    @classmethod
    def poll(cls, context):
        return context.mode in ("OBJECT", "POSE")

    @refusing
    def execute(self, context):
        create_figure(context, self.speed, self.seconds, self.rotation_mode)
        return {"FINISHED"}


def menu_entry(self, context):
    """The figure's line in the Add menu of the 3D viewport."""
    self.layout.operator(MOTION_SIGNAL_OT_add_figure.bl_idname, icon="ARMATURE_DATA")


CLASSES = (MOTION_SIGNAL_OT_add_figure,)


def register():
    """Add the menu entry; the classes are registered with those of the other modules."""
    bpy.types.VIEW3D_MT_add.append(menu_entry)


def unregister():
    bpy.types.VIEW3D_MT_add.remove(menu_entry)


def free_place(context, way):
    """The 3D cursor, or the first place to its left where nothing stands in the way (frames, 3) that the figure goes."""
    cursor = np.array(context.scene.cursor.location)
    context.view_layer.update()  # it may still list what was just removed
    shown = [thing for thing in context.view_layer.objects if thing.visible_get()]
    boxes = [box for box in map(box_of, shown) if box[1][2] > cursor[2] + LOW and np.ptp(box, axis=0).max() < VAST]
    low, high = way.min(axis=0)[:2] - WIDE + cursor[:2], way.max(axis=0)[:2] + WIDE + cursor[:2]
    for step in count():
        beside = np.array([step * STEP, 0.0])
        if not any((box[0][:2] < high + beside).all() and (box[1][:2] > low + beside).all() for box in boxes):
            return cursor + (*beside, 0.0)


def box_of(thing):
    """Lower and upper corner of an object in the world."""
    corners = np.array([thing.matrix_world @ Vector(corner) for corner in thing.bound_box])
    return corners.min(axis=0), corners.max(axis=0)


def select_alone(figure, name):
    for pose in figure.pose.bones:
        bone = pose if hasattr(pose, "select") else pose.bone  # the flag moved to the pose in Blender 5.0
        bone.select = pose.name == name
    figure.data.bones.active = figure.data.bones[name]


def show_curves(context):
    """Fit what Graph Editors show to the curves of what is selected."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            region = next((region for region in area.regions if region.type == "WINDOW"), None)
            if area.type == "GRAPH_EDITOR" and region:
                with context.temp_override(window=window, area=area, region=region):
                    bpy.ops.graph.view_all()


def add_armature(context, rotation_mode, place):
    """Build the bones at a place; the armature is then selected alone and active."""
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    armature = bpy.data.armatures.new(NAME)
    figure = bpy.data.objects.new(NAME, armature)
    figure.location = place
    context.collection.objects.link(figure)
    for other in context.selected_objects:
        other.select_set(False)
    figure.select_set(True)
    context.view_layer.objects.active = figure
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in gait.FIGURE.bones:
        add_bone(armature.edit_bones, bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in figure.pose.bones:
        bone.rotation_mode = rotation_mode
        bone.bone.color.palette = COLORS.get(bone.name[-2:], "DEFAULT")
    return figure


def add_bone(edit_bones, bone):
    edit_bone = edit_bones.new(bone.name)
    edit_bone.head = bone.rest[:3, 3]
    edit_bone.tail = bone.rest[:3, 3] + bone.length * bone.rest[:3, 1]
    edit_bone.align_roll(bone.rest[:3, 2])
    if bone.parent >= 0:
        edit_bone.parent = edit_bones[gait.NAMES[bone.parent]]
        edit_bone.use_connect = bone.connected


def animate(figure, motion, frames, rotation_mode):
    """Give the figure an action of its own with the walk in it."""
    action = bpy.data.actions.new(NAME)
    slot = action.slots.new(id_type=figure.id_type, name=figure.name)
    bag = action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)
    animation = figure.animation_data_create()
    animation.action, animation.action_slot = action, slot
    rotations = motion.rotations.transpose(2, 0, 1)
    if rotation_mode != "QUATERNION":
        rotations = rotation.to_euler(rotations, rotation_mode, np.zeros((3, *rotations.shape[1:])))
    key(bag, frames, gait.FIGURE.bones[0], "location", motion.location.T)
    for index, bone in enumerate(gait.FIGURE.bones):
        key(bag, frames, bone, ROTATION_PATHS[rotation_mode], rotations[:, :, index])


def key(bag, frames, bone, name, rows):
    """Key one property of a bone from rows (components, frames), straight from frame to frame."""
    pairs = np.stack([frames, frames], axis=1).astype(np.float32)
    for index, row in enumerate(rows):
        curve = new_curve(bag, Channel(f"{bone.path}.{name}", index, owner=bone.name))
        pairs[:, 1] = row
        curve.keyframe_points.add(len(frames))
        curve.keyframe_points.foreach_set("co", pairs.ravel())
        curve.keyframe_points.foreach_set("interpolation", np.full(len(frames), LINEAR, dtype=np.uint8))
        curve.update()
