# SPDX-License-Identifier: GPL-3.0-or-later
"""The blend space in the Graph Editor: cycles as named points on a plane, triangles between them, and a point to drag."""

from itertools import count

import bpy
import numpy as np

from ...core.declare.scope import ScopeParams
from ...core.motion.cycle import pace
from ...core.numeric.refusal import Refusal
from ...core.numeric.triangles import Triangles
from ...core.retargeting.foreign import Brought
from ...core.techniques.several_takes.network import NETWORK
from ..bridge.refuse import refusing
from ..bridge.scope import gather
from ..bridge.takes import Takes
from ..desk.choose import ChoosesAction
from ..draw.handlers import Drawing, in_graph
from ..draw.inset import MARGIN, SIZE, draw_inset
from ..live import preview
from ..settings.lists import index_name, put_records, records_of
from ..settings.properties import to_params

LARGE, MOST = 3.0, 0.75  # times as large as other pictures; of the editor, at most
AROUND, NEAR, SMALL, WIDE = 0.25, 12, 9, 16  # of the points' extent around them; pixels
APART = 0.25  # from other cycles, where one is put that was not given a place
LINE, POINT, CHOSEN, PUCK = (1.0, 1.0, 1.0, 0.35), (0.35, 0.75, 0.95, 1.0), (1.0, 1.0, 1.0, 1.0), (1.0, 0.62, 0.2, 1.0)

TAKE = "this take"  # what the one is called that has no action of its own


def settings_of(context):
    return context.window_manager.motion_signal.network


def is_shown(context):
    """The pad is there while its step is open and has points."""
    return preview.shown(context, NETWORK.name) is not None and len(settings_of(context).points_rows) > 0


def places_of(settings):
    return np.array([(row.x, row.y) for row in settings.points_rows]).reshape(-1, 2)


def bounds(settings):
    """Lower and upper corner of the plane that is shown: all points, with room around them."""
    points = places_of(settings)
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = (low + high) / 2, max((high - low).max() / 2, 0.5) * (1 + 2 * AROUND)
    return middle - half, middle + half


def draw_pad():
    context = bpy.context
    if not is_shown(context):
        return
    settings = settings_of(context)
    points, (low, high) = places_of(settings), bounds(settings)
    lines = []
    try:
        for corners in Triangles(points).corners:
            lines.append((LINE, points[[*corners, corners[0]]]))
    except Refusal:  # not yet three points that make a triangle
        pass
    chosen = getattr(settings, index_name("points"))
    dots = [(CHOSEN if index == chosen else POINT, [point], SMALL) for index, point in enumerate(points)]
    puck = np.clip((settings.puck_x, settings.puck_y), low, high)
    names = [(row.action or TAKE, point) for row, point in zip(settings.points_rows, points)]
    dots.append((PUCK, [puck], WIDE))
    words = "Blend Space: drag the orange point; Ctrl-click adds a cycle"
    draw_inset(words, low, high, lines=lines, dots=dots, names=names, size=pad_size(context))


def pad_size(context):
    """How large the pad is, in pixels: as large as the editor lets it be."""
    pixel = context.preferences.system.ui_scale
    return max(SIZE, min(LARGE * SIZE, MOST * min(context.region.width, context.region.height) / pixel))


def place_at(context, x, y, plane=None):
    """The place of the plane under the mouse, or None beside the pad; and how much of it one pixel is.

    `plane` are the corners that are shown, as they were when a drag began.
    """
    pixel = context.preferences.system.ui_scale
    size = pad_size(context) * pixel
    left, bottom = context.region.width - size - MARGIN * pixel, (MARGIN + 20) * pixel
    low, high = plane or bounds(settings_of(context))
    across, up = (x - left) / size, (y - bottom) / size
    inside = 0.0 <= across <= 1.0 and 0.0 <= up <= 1.0
    return (low + (high - low) * (across, up) if inside else None), (high - low)[0] / size


class MOTION_SIGNAL_OT_pad_drag(bpy.types.Operator):
    """Drag the orange point to blend, or a cycle to another place"""

    bl_idname = "motion_signal.pad_drag"
    bl_label = "Drag in the Blend Space"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        return in_graph(context) and is_shown(context)

    def invoke(self, context, event):
        place, unit = place_at(context, event.mouse_region_x, event.mouse_region_y)
        if place is None:
            return {"PASS_THROUGH"}
        settings = settings_of(context)
        if event.ctrl:
            bpy.ops.motion_signal.network_point_add("INVOKE_DEFAULT", x=place[0], y=place[1])
            return {"FINISHED"}
        gaps = np.linalg.norm(places_of(settings) - place, axis=1) / unit
        puck = np.linalg.norm(np.array((settings.puck_x, settings.puck_y)) - place) / unit
        self.row = int(gaps.argmin()) if gaps.min() < NEAR < puck else -1
        self.plane = bounds(settings)
        self.start = (settings.puck_x, settings.puck_y) if self.row < 0 else places_of(settings)[self.row]
        if self.row >= 0:
            setattr(settings, index_name("points"), self.row)
        self.move(context, place)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type in ("ESC", "RIGHTMOUSE"):
            self.move(context, self.start)
            return {"CANCELLED"}
        released = event.type == "LEFTMOUSE" and event.value == "RELEASE"
        if released or event.type == "MOUSEMOVE":
            place = place_at(context, event.mouse_region_x, event.mouse_region_y, self.plane)[0]
            if place is not None:
                self.move(context, place)
        if released:
            return {"FINISHED"}
        return {"RUNNING_MODAL"}

    def move(self, context, place):
        settings = settings_of(context)
        if self.row >= 0:
            points = records_of(settings, NETWORK, "points")
            points[self.row] = {**points[self.row], "x": round(float(place[0]), 4), "y": round(float(place[1]), 4)}
            put_records(settings, NETWORK, "points", points)
        else:
            with preview.paused():
                settings.puck_x = place[0]
            settings.puck_y = place[1]
        preview.redraw()


class MOTION_SIGNAL_OT_network_point_add(ChoosesAction, bpy.types.Operator):
    """Add a cycle to the plane"""

    bl_idname = "motion_signal.network_point_add"
    bl_label = "Add Cycle"

    x: bpy.props.FloatProperty(name="X", options={"SKIP_SAVE"}, description="Where the cycle lies, from left to right")
    y: bpy.props.FloatProperty(name="Y", options={"SKIP_SAVE"}, description="Where the cycle lies, from bottom to top")
    mirror: bpy.props.BoolProperty(name="Mirror", options={"SKIP_SAVE"}, description="Exchange left and right")

    def invoke(self, context, event):
        if not (self.properties.is_property_set("x") or self.properties.is_property_set("y")):
            self.x, self.y = free_place(places_of(settings_of(context)))
        return super().invoke(context, event)

    def execute(self, context):
        settings = settings_of(context)
        points = records_of(settings, NETWORK, "points")
        point = {"action": self.action, "x": round(self.x, 4), "y": round(self.y, 4)}
        points.append(point | ({"mirror": True} if self.mirror else {}))
        put_records(settings, NETWORK, "points", points, len(points) - 1)
        return {"FINISHED"}


def free_place(points):
    """The first place of a strip of triangles that none of the points (points, 2) stands on or near."""
    strip = ((step / 2, step % 2) for step in count())
    return next(place for place in strip if (np.abs(points - place).max(axis=1) >= APART).all())


class MOTION_SIGNAL_OT_network_place(bpy.types.Operator):
    """Place every cycle by what it does: how it turns from left to right, how fast it goes upwards"""

    bl_idname = "motion_signal.network_place"
    bl_label = "Place by Speed and Turn"
    bl_options = {"INTERNAL"}

    @refusing
    def execute(self, context):
        settings = settings_of(context)
        points = records_of(settings, NETWORK, "points")
        current = preview.session()
        subject = bpy.data.objects[current.subject] if current else context.object
        scope = gather(context, to_params(ScopeParams, settings_of_scope(context)), subject)
        own, skeleton = scope.read().clip, scope.skeleton
        takes = Brought(Takes(lambda: scope.owner, scope.fps, scope.model), skeleton, own)
        for point in points:
            if point.get("superpose") or point.get("network"):
                continue
            speed, turn = pace(takes[point["action"]] if point.get("action") else own, skeleton)
            point["x"], point["y"] = round(turn / 90.0 * (1 if point.get("mirror") else -1), 3), round(speed, 3)
        put_records(settings, NETWORK, "points", points)
        return {"FINISHED"}


def settings_of_scope(context):
    return context.window_manager.motion_signal.scope


class MOTION_SIGNAL_OT_network_puck_key(bpy.types.Operator):
    """Key the place in the blend space at the current frame, or take its keys away"""

    bl_idname = "motion_signal.network_puck_key"
    bl_label = "Key Place"
    bl_options = {"INTERNAL"}

    clear: bpy.props.BoolProperty(options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        return "Take the keys away" if properties.clear else "Key the place in the blend space, at the current frame"

    def execute(self, context):
        settings = settings_of(context)
        frame = context.scene.frame_current
        keys = [] if self.clear else [key for key in records_of(settings, NETWORK, "puck_keys") if key.get("frame", 1) != frame]
        if not self.clear:
            keys.append({"frame": frame, "x": round(settings.puck_x, 4), "y": round(settings.puck_y, 4)})
        put_records(settings, NETWORK, "puck_keys", sorted(keys, key=lambda key: key.get("frame", 1)))
        return {"FINISHED"}


CLASSES = (
    MOTION_SIGNAL_OT_pad_drag,
    MOTION_SIGNAL_OT_network_point_add,
    MOTION_SIGNAL_OT_network_place,
    MOTION_SIGNAL_OT_network_puck_key,
)
DRAWING = Drawing((draw_pad, "POST_PIXEL"))
register = DRAWING.register
unregister = DRAWING.unregister
