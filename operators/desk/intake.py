# SPDX-License-Identifier: GPL-3.0-or-later
"""Taking a take in: what one would want to set right before working on it, each with a click. The take stays as it is."""

import json
from dataclasses import replace

import bpy
from mathutils import Matrix

from ...core.body.intake import intake_of
from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ..bridge.actions import channelbag
from ..bridge.kept_texts import keep, kept
from ..bridge.provenance import original
from ..bridge.refuse import refusing
from ..bridge.scope import active_object, gather
from ..live import preview
from ..live.summary import worked_out
from ..run.recipe import last_frame
from .versions import action_at_hand

SEEN = "motion_signal_taken_in"  # of an object: names of the takes about which nothing more is to be said
NEAR = 0.01  # of a size that is right


def take_of(subject):
    """The take of an object that may be taken in, or None."""
    action = action_at_hand(subject)
    return original(action) if action and getattr(subject, "type", "") == "ARMATURE" else None


def seen_in(subject):
    try:
        names = json.loads(kept(subject, SEEN) or "[]")
    except json.JSONDecodeError:
        return []
    return names if isinstance(names, list) else []


def found(context):
    """What was found out about the active object's take, or None while that is not known or nobody wants to know."""
    subject = active_object(context)
    take = take_of(subject) if subject else None
    if take is None or take.name in seen_in(subject):
        return None
    world = tuple(round(value, 6) for row in subject.matrix_world.to_3x3() for value in row)
    key = ("intake", subject.name, take.session_uid, tuple(take.frame_range), world, context.scene.render.fps)
    return worked_out(key, lambda name=subject.name: look_at(bpy.data.objects.get(name)))


def look_at(subject):
    """Look at an object's take; None where there is nothing to look at."""
    take = take_of(subject) if subject else None
    if take is None:
        return None
    try:
        scope = gather(bpy.context, ScopeParams(action=take.name), subject)
        clip = scope.read().clip
        intake = intake_of(clip, scope.skeleton)
    except Refusal:  # the rack says why
        return None
    captured = 2 * max(len(curve.keyframe_points) for curve in scope.curves) > clip.frames
    return intake if captured else replace(intake, rate=None)  # a few poses have the rate that they were keyed at


def remarks(context, intake):
    """What is to be said, in words, with what a click on it does: nothing where all is well."""
    scene, subject = context.scene, active_object(context)
    first, last = round(take_of(subject).frame_range[0]), last_frame(action_at_hand(subject))
    if intake.turn:
        yield "STAND", "Lies in the scene: stand it up", "CON_ROTLIKE"
    if abs(intake.scale - 1.0) > NEAR:
        yield "SCALE", f"{intake.height:.2g} m tall: scale {intake.scale:.2g}", "FULLSCREEN_EXIT"
    if intake.leading and scene.frame_start < first + intake.leading:
        frames = f"Frame {first} is" if intake.leading == 1 else f"Frames {first}-{first + intake.leading - 1} are"
        yield "START", f"{frames} a T-pose: leave out", "ARMATURE_DATA"
    if intake.rate:
        yield "RATE", f"Moves like {intake.rate} fps: set it", "TIME"
    if scene.frame_end < last and not scene.use_preview_range:
        yield "END", f"Goes on to frame {last}: set it", "NEXT_KEYFRAME"
    if not intake.feet:
        yield "PARTS", "No feet found: say which they are", "ERROR"


def scale_figure(context):
    """The object becomes so small or large that its figure is of human size; its action is as it was."""
    subject = context.object
    intake = look_at(subject)
    if intake is None or abs(intake.scale - 1.0) <= NEAR:
        raise Refusal(f"{subject.name} is of human size")
    refuse_keyed(subject, ("location", "scale"), "scale it")
    subject.scale = subject.scale * intake.scale
    context.view_layer.update()


def stand_up(context):
    """The object is turned so that its figure, which lies as a whole, stands; its action is as it was."""
    subject = context.object
    intake = look_at(subject)
    if intake is None or not intake.turn:
        raise Refusal(f"{subject.name} does not lie")
    refuse_keyed(subject, ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle"), "turn it")
    subject.matrix_world = Matrix(intake.turn).to_4x4() @ subject.matrix_world
    context.view_layer.update()


def refuse_keyed(subject, paths, what):
    """Refuse to place an object that its own keys move."""
    bag = channelbag(subject.animation_data.action, subject.animation_data.action_slot)
    own = next((curve.data_path for curve in bag.fcurves if curve.data_path in paths), "")
    if own:
        raise Refusal(f"{own}: {subject.name} is moved by keys of its own; {what} where it was exported from")


def leave_out(context):
    """The scene begins with the motion."""
    intake, take = look_at(context.object), take_of(context.object)
    if intake is None or not intake.leading:
        raise Refusal(f"{context.object.name} begins with its motion")
    context.scene.frame_start = round(take.frame_range[0]) + intake.leading
    context.scene.frame_current = max(context.scene.frame_current, context.scene.frame_start)


def set_rate(context):
    intake = look_at(context.object)
    if intake is None or not intake.rate:
        raise Refusal(f"{context.object.name} moves as fast as one does at this rate")
    context.scene.render.fps, context.scene.render.fps_base = intake.rate, 1.0


def show_all(context):
    """The scene ends with what the object plays, be it the take or a result of another length."""
    scene, last = context.scene, last_frame(action_at_hand(context.object))
    if scene.frame_end >= last:
        raise Refusal(f"the scene ends at frame {scene.frame_end}, and not before {context.object.name}")
    scene.frame_end = last


def dismiss(context):
    take = take_of(context.object)
    keep(context.object, SEEN, json.dumps(sorted({*seen_in(context.object), take.name})))


DOES = {"STAND": stand_up, "SCALE": scale_figure, "START": leave_out, "RATE": set_rate, "END": show_all, "SEEN": dismiss}


class MOTION_SIGNAL_OT_intake(bpy.types.Operator):
    """Set this right. The take itself stays as it is"""

    bl_idname = "motion_signal.intake"
    bl_label = "Take In"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    what: bpy.props.EnumProperty(
        name="What",
        options={"SKIP_SAVE"},
        items=(
            ("STAND", "Stand Up", "Turn the object so that its figure stands: the file has another axis for up"),
            ("SCALE", "Scale", "Scale the object so that its figure is of human size, and millimetres are true"),
            ("START", "Leave Out", "Let the scene begin after the poses that are no part of the motion"),
            ("RATE", "Rate", "Give the scene the rate that the take moves like"),
            ("END", "Scene's End", "Let the scene go on until the take ends"),
            ("SEEN", "Done", "Say nothing more about this take"),
        ),
    )

    @classmethod
    def poll(cls, context):
        return take_of(context.object) is not None if context.object else False

    @classmethod
    def description(cls, context, properties):
        return cls.bl_rna.properties["what"].enum_items[properties.what].description

    @refusing
    def execute(self, context):
        live = preview.session() is not None
        preview.end()
        DOES[self.what](context)
        if live:
            preview.resume(context)
        preview.redraw()


CLASSES = (MOTION_SIGNAL_OT_intake,)
