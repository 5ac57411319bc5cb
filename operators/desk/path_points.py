# SPDX-License-Identifier: GPL-3.0-or-later
"""A path's points on the ground, dragged in the viewport while the figure follows, in Pose Mode as in any other.

They lie on the path, and it goes exactly as far as one is pulled. An arrow at its start turns all of it, one at its end how it
ends. A double click on the path adds a point, one on a point takes it away.
"""

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Matrix, Vector

from ...core.numeric.refusal import Refusal
from ...core.paths.curve import samples
from ...core.paths.edit import ends, faced, handles, pulled_to, turned, with_handles
from ...core.paths.fit import MOST
from ...core.techniques.figure.path import PATH
from ..bridge.curves import curve_named, path_of, put_control
from ..draw.handlers import ViewportDrawing
from ..draw.inset import draw
from ..live import preview

FEWEST, NEAR = 4, 14  # points; pixels
POINT, ARROW, BRIGHT, LINE = (1.0, 0.62, 0.2), (0.35, 0.75, 0.95), (1.0, 1.0, 1.0), (1.0, 0.62, 0.2, 0.9)
ROUND = np.linspace(0.0, 2.0 * np.pi, 25)
DISC = [(0.17 * np.cos(a), 0.17 * np.sin(a), 0.0) for pair in zip(ROUND, ROUND[1:]) for a in pair]
DISC = [corner for index in range(0, len(DISC), 2) for corner in ((0.0, 0.0, 0.0), DISC[index], DISC[index + 1])]
SHAFT = [(0.45, -0.05, 0), (0.45, 0.05, 0), (0.8, 0.05, 0), (0.45, -0.05, 0), (0.8, 0.05, 0), (0.8, -0.05, 0)]
AHEAD = [*SHAFT, (0.8, -0.17, 0), (0.8, 0.17, 0), (1.1, 0.0, 0)]  # an arrow along X


def control_shown(context):
    """The curve of the path that is previewed and its control points (points, 3), or None for both."""
    if preview.shown(context, PATH.name) is None:
        return None, None
    try:
        curve = curve_named(context.window_manager.motion_signal.path.curve)
        control = np.array(path_of(curve).get("control", ()))
    except Refusal:  # none is chosen, or it is gone
        return None, None
    return (curve, control) if len(control) >= FEWEST else (None, None)


def way(control):
    """Points (points, 3) along the path of control points."""
    return samples(len(control))[1] @ control


def on_ground(context, x, y, height):
    """The point of the ground at a height under the mouse, or None where the eye does not meet it."""
    region, view = context.region, context.region_data
    start = np.array(view3d_utils.region_2d_to_origin_3d(region, view, (x, y)))
    ahead = np.array(view3d_utils.region_2d_to_vector_3d(region, view, (x, y)))
    if abs(ahead[2]) < 1e-6 or view.is_perspective and (height - start[2]) / ahead[2] <= 0.0:
        return None
    return start + (height - start[2]) / ahead[2] * ahead


class MOTION_SIGNAL_GT_path_point(bpy.types.Gizmo):
    """A point of the path: drag it over the ground"""

    bl_idname = "MOTION_SIGNAL_GT_path_point"
    __slots__ = ("kind", "index", "begun", "shape")

    def setup(self):
        self.kind, self.index = "POINT", 0

    def draw(self, context):
        self.draw_custom_shape(self.shape)

    def draw_select(self, context, select_id):
        self.draw_custom_shape(self.shape, select_id=select_id)

    def invoke(self, context, event):
        self.begun = control_shown(context)[1]
        return {"RUNNING_MODAL"}

    def modal(self, context, event, tweak):
        curve, control = control_shown(context)
        if curve is None or event.type != "MOUSEMOVE":
            return {"RUNNING_MODAL"}
        place = on_ground(context, event.mouse_region_x, event.mouse_region_y, control[self.index, 2])
        if place is not None:
            put_control(curve, PULLS[self.kind](self.begun, self.index, place))
            context.view_layer.update()  # and by that the figure follows
        return {"RUNNING_MODAL"}

    def exit(self, context, cancel):
        curve, _ = control_shown(context)
        if cancel and curve is not None and self.begun is not None:
            put_control(curve, self.begun)
            context.view_layer.update()
        elif not cancel:
            preview.push_undo(context, "Drag Path")


def towards(start, place):
    return float(np.arctan2(*(place - start)[1::-1]))


PULLS = {
    "POINT": pulled_to,
    "START": lambda control, index, place: turned(control, towards(control[0], place) - ends(control)[0]),
    "END": lambda control, index, place: faced(control, towards(control[-1], place)),
}


class MOTION_SIGNAL_GGT_path_points(bpy.types.GizmoGroup):
    bl_idname = "MOTION_SIGNAL_GGT_path_points"
    bl_label = "Points of the Path"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context):
        return control_shown(context)[0] is not None

    def setup(self, context):
        for kind, shape in (("START", AHEAD), ("END", AHEAD), *[("POINT", DISC)] * MOST):
            gizmo = self.gizmos.new(MOTION_SIGNAL_GT_path_point.bl_idname)
            gizmo.kind, gizmo.shape = kind, gizmo.new_custom_shape("TRIS", shape)
            gizmo.color, gizmo.alpha = POINT if kind == "POINT" else ARROW, 0.9
            gizmo.color_highlight, gizmo.alpha_highlight = BRIGHT, 1.0
            gizmo.use_draw_modal = True
        self.draw_prepare(context)

    def draw_prepare(self, context):
        _, control = control_shown(context)
        if control is None:
            return
        places, headings = handles(control), ends(control)
        arrows = {"START": (places[0], headings[0], 0), "END": (places[-1], headings[1], len(places) - 1)}
        points = iter(range(MOST))
        for gizmo in self.gizmos:
            index = next(points) if gizmo.kind == "POINT" else 0
            gizmo.hide = index >= len(places)
            if gizmo.hide:
                continue
            place, heading, gizmo.index = arrows[gizmo.kind] if gizmo.kind in arrows else (places[index], 0.0, index)
            gizmo.matrix_basis = Matrix.Translation(Vector(place)) @ Matrix.Rotation(heading, 4, "Z")


class MOTION_SIGNAL_OT_path_point(bpy.types.Operator):
    """Add a point to the path under the mouse, or take the point under it away"""

    bl_idname = "motion_signal.path_point"
    bl_label = "Add or Remove Path Point"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        area = context.area
        return bool(area and area.type == "VIEW_3D" and context.region.type == "WINDOW" and control_shown(context)[0])

    def invoke(self, context, event):
        curve, control = control_shown(context)
        mouse = np.array((event.mouse_region_x, event.mouse_region_y))
        if (pixels_to(context, handles(control), mouse) < NEAR).any():
            count = max(FEWEST, len(control) - 1)
        elif (pixels_to(context, way(control), mouse) < NEAR).any():
            count = min(MOST, len(control) + 1)
        else:
            return {"PASS_THROUGH"}
        put_control(curve, with_handles(control, count))
        context.view_layer.update()
        preview.push_undo(context, self.bl_label)
        preview.redraw()
        return {"FINISHED"}


def pixels_to(context, points, mouse):
    """How far points (points, 3) are from the mouse on the screen."""
    seen = [view3d_utils.location_3d_to_region_2d(context.region, context.region_data, point) for point in points]
    return np.array([np.inf if place is None else np.linalg.norm(np.array(place) - mouse) for place in seen])


def draw_way():
    """The path itself, over everything."""
    _, control = control_shown(bpy.context)
    if control is not None and bpy.context.space_data.show_gizmo:
        draw("LINE_STRIP", LINE, way(control))


CLASSES = (MOTION_SIGNAL_GT_path_point, MOTION_SIGNAL_GGT_path_points, MOTION_SIGNAL_OT_path_point)
DRAWING = ViewportDrawing(draw_way)


def is_curve(self, thing):
    return thing.type == "CURVE"


def use_curve(self, context):
    """A curve was picked: go along it."""
    if self.motion_signal_curve:
        self.motion_signal.path.curve = self.motion_signal_curve.name


def register():
    bpy.types.WindowManager.motion_signal_curve = bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Use Curve",
        description="Curve object to go along: pick it in the viewport",
        poll=is_curve,
        update=use_curve,
    )
    DRAWING.register()


def unregister():
    DRAWING.unregister()
    del bpy.types.WindowManager.motion_signal_curve
