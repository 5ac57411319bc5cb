# SPDX-License-Identifier: GPL-3.0-or-later
"""Every control rig with a motion keyed on it that tests and the table of rigs put on stage, by name."""

import bpy
import built_rigs
import control_rigs
import numpy as np
from control_rigs import RIGIFY, about, key
from mathutils import Matrix, Vector

STRIDES = 3
LOWER = 0.06  # metres that a body is lower whose legs are to reach the ground without stretching
TROT = {"forefoot_ik.L": 0.0, "hind_foot_ik.R": 0.0, "forefoot_ik.R": 0.5, "hind_foot_ik.L": 0.5}
PACE = {"front_foot_ik.L": 0.0, "foot_ik.R": 0.0, "front_foot_ik.R": 0.5, "foot_ik.L": 0.5}


def human():
    """Rigify's human, legs IK, few Bezier keys."""
    rig = control_rigs.rigify()
    return rig, control_rigs.walk(rig, STRIDES), RIGIFY.balls


def basic():
    """Rigify's basic human."""
    rig = control_rigs.rigify("basic")
    return rig, control_rigs.walk(rig, STRIDES), RIGIFY.balls


def on_twos():
    """The walk with all keys held on twos."""
    rig, take, balls = human()
    frames = np.arange(1, int(take.frame_range[1]), 2)
    for curve in curves_of(take):
        points = curve.keyframe_points
        if len(points) > 1:
            values = [curve.evaluate(frame) for frame in frames]
            points.clear()
            points.add(len(frames))
            points.foreach_set("co", np.column_stack([frames, values]).astype(np.float32).ravel())
            for point in points:
                point.interpolation = "CONSTANT"
            curve.update()
    return rig, take, balls


def turned_by_fk():
    """The walk with legs that are turned: FK controls keyed on every frame as the IK legs stand, which do not stretch."""
    rig, take, balls = human()
    frames = range(1, int(take.frame_range[1]) + 1)
    for pose in rig.pose.bones:
        pose.ik_stretch = 0.0
    lower(rig, take, RIGIFY.torso, LOWER)
    chains = [[name.format(s=side) for name in RIGIFY.legs[:3]] for side in RIGIFY.sides]
    shown = [[name.format(s=side) for name in RIGIFY.shown[:3]] for side in RIGIFY.sides]
    seen = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        seen[frame] = {name: rig.pose.bones[name].matrix.copy() for names in shown for name in names}
    for side in RIGIFY.sides:
        control_rigs.switch(rig, RIGIFY.leg_switch.format(s=side), 1.0)
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        for level in range(3):
            for chain, names in zip(chains, shown):
                rig.pose.bones[chain[level]].matrix = seen[frame][names[level]]
            bpy.context.view_layer.update()
        for name in (name for chain in chains for name in chain):
            rig.pose.bones[name].keyframe_insert("rotation_quaternion", frame=frame, group=name)
    for name in (name for chain in chains for name in chain):
        rig.pose.bones[name].location, rig.pose.bones[name].scale = (0.0,) * 3, (1.0,) * 3
    for curve in [each for each in curves_of(take) if "_ik." in each.data_path]:
        bag_of(take).fcurves.remove(curve)
    return rig, take, balls


def lower(rig, take, bone, offset):
    """Move the keys of a bone's place down."""
    for axis, shift in enumerate(control_rigs.along(rig, bone, (0.0, 0.0, -offset))):
        for curve in curves_of(take):
            if (curve.data_path, curve.array_index) == (f'pose.bones["{bone}"].location', axis):
                for point in curve.keyframe_points:
                    for place in (point.co, point.handle_left, point.handle_right):
                        place[1] += shift
                curve.update()


def torso_not_turned():
    """The walk without a key on the rotation of the torso."""
    rig = control_rigs.rigify()
    return rig, control_rigs.walk(rig, STRIDES, turn_torso=False), RIGIFY.balls


def axis_not_keyed():
    """The walk without keys on the sideways location of torso and feet."""
    rig, take, balls = human()
    for curve in [each for each in curves_of(take) if each.data_path.endswith(".location") and each.array_index == 0]:
        bag_of(take).fcurves.remove(curve)
    return rig, take, balls


def scaled_and_turned():
    """The walk of an object that is smaller, stands elsewhere and looks elsewhere."""
    rig, take, balls = human()
    rig.scale, rig.rotation_euler, rig.location = (0.5,) * 3, (0.0, 0.0, 1.0), (3.0, -2.0, 0.0)
    bpy.context.view_layer.update()
    return rig, take, balls


def dense():
    """The walk with a key on every frame of every curve, as a bake gives it."""
    rig, take, balls = human()
    frames = np.arange(1, int(take.frame_range[1]) + 1)
    for curve in curves_of(take):
        points = curve.keyframe_points
        if len(points) > 1:
            values = [curve.evaluate(frame) for frame in frames]
            points.clear()
            points.add(len(frames))
            points.foreach_set("co", np.column_stack([frames, values]).astype(np.float32).ravel())
            curve.update()
    return rig, take, balls


def auto_rig():
    """A rig built as Auto-Rig Pro's."""
    rig = built_rigs.build(built_rigs.AUTO_RIG)
    return rig, control_rigs.walk(rig, STRIDES, names=control_rigs.AUTO_RIG), control_rigs.AUTO_RIG.balls


def mixamo():
    """A rig built as Mixamo's control rig."""
    rig = built_rigs.build(built_rigs.MIXAMO)
    return rig, control_rigs.walk(rig, STRIDES, names=control_rigs.MIXAMO), control_rigs.MIXAMO.balls


def horse():
    """Rigify's horse in a keyed trot."""
    rig = control_rigs.rigify("horse")
    return rig, trot(rig, TROT), tuple(f"DEF-{name}_hoof.{side}" for name in "fr" for side in "LR")


def quadruped():
    """Rigify's basic quadruped in a keyed trot."""
    rig = control_rigs.rigify("quadruped")
    return rig, trot(rig, PACE, 0.6), tuple(f"DEF-{name}toe.{side}" for name in ("", "front_") for side in "LR")


def trot(rig, feet, stride=1.6, strides=4, period=20, stance=0.5):
    """Key a trot along -Y on the controls of an animal's body and feet."""
    (rig.animation_data or rig.animation_data_create()).action = None
    for count in range(-1, strides + 1):
        for foot, phase in feet.items():
            strike = 1 + (count + phase) * period
            off, ahead = strike + stance * period, -stride * (count + phase) - stance * stride / 2
            for frame in (strike, off):
                if frame >= 1:
                    key(rig, foot, frame, (0.0, ahead, 0.0), (0.0, 0.0, 0.0))
            if (off + strike + period) / 2 >= 1:
                key(
                    rig,
                    foot,
                    (off + strike + period) / 2,
                    (0.0, ahead - stride / 2, 0.12 * stride),
                    about(rig, foot, (1, 0, 0), 0.4),
                )
    for step in range(2 * strides + 1):
        frame = 1 + step * period / 2
        key(rig, "torso", frame, (0.0, -stride * step / 2, -0.04 * stride), (0.0, 0.0, 0.0))
        key(rig, "torso", frame + period / 4, (0.0, -stride * (step + 0.5) / 2, 0.0), about(rig, "torso", (1, 0, 0), 0.04))
    action = rig.animation_data.action
    action.name = "Trot"
    return action


def baked(path):
    """A recorded walk brought onto the controls of Rigify's human on every frame: body, feet and how they stand."""
    import rigs

    rig = control_rigs.rigify()
    actor = rigs.import_take(path, global_scale=0.056444)
    first, last = (int(frame) for frame in actor.animation_data.action.frame_range)
    bones = {"torso": "Hips", "foot_ik.L": "LeftFoot", "foot_ik.R": "RightFoot"}
    rest = {name: actor.matrix_world @ actor.data.bones[bone].matrix_local for name, bone in bones.items()}
    heads = {name: rig.data.bones[name].head_local for name in bones}
    (rig.animation_data or rig.animation_data_create()).action = None
    standing = {name: each.translation for name, each in rest.items()}
    legs = [there["torso"].z - there["foot_ik.L"].z for there in (heads, standing)]
    size, seen = legs[0] / legs[1], []
    for frame in range(first + 1, last + 1):
        bpy.context.scene.frame_set(frame)
        seen.append({name: actor.matrix_world @ actor.pose.bones[bone].matrix for name, bone in bones.items()})
    ground = min(there[foot].translation.z for there in seen for foot in ("foot_ik.L", "foot_ik.R"))
    start = seen[0]["torso"].translation * Vector((1, 1, 0)) + Vector((0, 0, ground))
    bpy.context.view_layer.objects.active = rig
    for side in RIGIFY.sides:
        control_rigs.switch(rig, RIGIFY.switches[0].format(s=side), 1.0)
    for frame, there in enumerate(seen, first + 1):
        for name in bones:
            turn = there[name].to_3x3().normalized() @ rest[name].to_3x3().normalized().inverted()
            place = size * (there[name].translation - start) + Vector((0, 0, heads["foot_ik.L"].z))
            rig.pose.bones[name].matrix = (
                Matrix.Translation(place) @ (turn @ rig.data.bones[name].matrix_local.to_3x3()).to_4x4()
            )
        bpy.context.view_layer.update()
        for name in bones:
            for channel in ("location", "rotation_quaternion"):
                rig.pose.bones[name].keyframe_insert(channel, frame=frame, group=name)
    bpy.data.objects.remove(actor)
    rig.animation_data.action.name = "Baked"
    return rig, rig.animation_data.action, RIGIFY.balls


def bag_of(action):
    return action.layers[0].strips[0].channelbags[0]


def curves_of(action):
    return list(bag_of(action).fcurves)


STAGED = {
    "Rigify human": human,
    "basic human": basic,
    "on twos": on_twos,
    "every frame": dense,
    "FK legs": turned_by_fk,
    "torso not turned": torso_not_turned,
    "axis not keyed": axis_not_keyed,
    "object scaled": scaled_and_turned,
    "Auto-Rig-like": auto_rig,
    "Mixamo-like": mixamo,
    "Rigify horse": horse,
    "basic quadruped": quadruped,
}
