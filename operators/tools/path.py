# SPDX-License-Identifier: GPL-3.0-or-later
"""The path's tools: a curve object made from a take, followed live while it is edited, and changed by single buttons."""

import bpy
import numpy as np

from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.paths.edit import ended, mirrored, straightened
from ...core.paths.fit import fit, fit_together
from ...core.techniques.figure.path import PATH, TOLERANCE
from ...core.techniques.several_takes.locomotion import LOCOMOTION
from ..bridge.curves import curve_named, make_curve, own_path, path_of, put_control
from ..bridge.refuse import refusing
from ..bridge.scope import gather
from ..live import preview
from ..settings.properties import to_params

HANDY = (5, 7)  # control points that an animator bends a path by: even a straight one has some between its ends


class MOTION_SIGNAL_OT_path_create(bpy.types.Operator):
    """Make a curve of the way that the figure goes, or that all selected ones go on the whole, to be edited like any other"""

    bl_idname = "motion_signal.path_create"
    bl_label = "Path from Take"
    bl_options = {"REGISTER", "UNDO"}

    control_points: bpy.props.IntProperty(
        name="Control Points",
        default=0,
        min=0,
        max=32,
        description="How many points the curve has; 0 for 5 to 7, as few of these as stay within the tolerance of the way",
    )
    tolerance: bpy.props.FloatProperty(
        name="Tolerance",
        default=TOLERANCE,
        min=0.001,
        max=100.0,
        subtype="DISTANCE",
        unit="LENGTH",
        description="How far the curve may be from the way that the figure goes",
    )

    @refusing
    def execute(self, context):
        settings = context.window_manager.motion_signal
        preview.stop(context, PATH)
        params = to_params(ScopeParams, settings.scope)
        scope = gather(context, params)
        others = [
            gather(context, params, subject)
            for subject in context.selected_objects or ()
            if subject.type == "ARMATURE" and subject != context.object and subject.animation_data
        ]
        chosen = {"points": self.control_points} if self.control_points else {"tolerance": self.tolerance, "among": HANDY}
        takes = [(each.read().clip, each.skeleton) for each in (scope, *others)]
        control, progress = fit_together(takes, **chosen) if others else (fit(*takes[0], **chosen), ())
        curve = make_curve(context, f"{scope.action.name} path", control, progress)
        settings.path.curve = curve.name  # and by that the figure follows it
        self.report({"INFO"}, f"{curve.name}: {len(control)} points")
        return {"FINISHED"}


class MOTION_SIGNAL_OT_path_shape(bpy.types.Operator):
    """Change the curve as a whole"""

    bl_idname = "motion_signal.path_shape"
    bl_label = "Change Path"
    bl_options = {"REGISTER", "UNDO"}

    shape: bpy.props.EnumProperty(
        name="Shape",
        items=(
            ("STRAIGHT", "Straighten", "Make the path straight, as long as it is"),
            ("MIRROR", "Mirror", "Turn right wherever the path turned left"),
            ("END", "End at Cursor", "Lead the path to the 3D cursor, facing the way that the cursor's Y axis points"),
            ("RESET", "Reset", "Give the path back the way of the take"),
        ),
    )

    @classmethod
    def description(cls, context, properties):
        return cls.bl_rna.properties["shape"].enum_items[properties.shape].description

    @refusing
    def execute(self, context):
        curve = curve_named(context.window_manager.motion_signal.path.curve)
        control = np.array(path_of(curve).get("control", ()))
        if not len(control):
            raise Refusal(f"curve: {curve.name} is not of the kind that a path from a take is")
        put_control(curve, SHAPES[self.shape](context, curve, control))
        follow_curve(context.scene)
        return {"FINISHED"}


def at_cursor(context, curve, control):
    cursor = context.scene.cursor.matrix
    return ended(control, (cursor[0][3], cursor[1][3]), float(np.arctan2(cursor[1][1], cursor[0][1])))


def back(context, curve, control):
    own = own_path(curve).get("control")
    if own is None:
        raise Refusal(f"curve: {curve.name} was not made from a take")
    return own


SHAPES = {
    "STRAIGHT": lambda context, curve, control: straightened(control),
    "MIRROR": lambda context, curve, control: mirrored(control),
    "END": at_cursor,
    "RESET": back,
}
ALONG = {technique.name: technique for technique in (PATH, LOCOMOTION)}  # techniques that go along a curve
_shown = {}  # the path that the preview shows now, by the name of its curve


@bpy.app.handlers.persistent
def follow_curve(scene, *_):
    """While a step that goes along a curve is previewed, what is done to that curve shows on the figure."""
    context = bpy.context
    settings = getattr(context.window_manager, "motion_signal", None)
    current = preview.session()
    if settings is None or current is None or current.technique not in ALONG or not current.after:
        return
    name = getattr(settings, current.technique).curve
    try:
        path = path_of(curve_named(name)) if name else None
    except Refusal:
        return
    if name and _shown.get(name) != path:
        _shown.clear()
        _shown[name] = path
        preview.touched(context, ALONG[current.technique])


CLASSES = (MOTION_SIGNAL_OT_path_create, MOTION_SIGNAL_OT_path_shape)


HANDLERS = ("depsgraph_update_post", "frame_change_post")  # a frame change takes other changes along, telling of itself only


def register():
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).append(follow_curve)


def unregister():
    _shown.clear()
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).remove(follow_curve)
