# SPDX-License-Identifier: GPL-3.0-or-later
"""Lanes: strips along the top of the Graph Editor whose marks and bars are dragged in time with the mouse.

Any technique may have one. A lane says which bars it shows now and what happens when one is moved; drawing, finding the
bar under the mouse and dragging it are the same for all.
"""

from collections.abc import Callable

import bpy
import numpy as np

from ...core.numeric.frozen import frozen
from ..live import preview
from .handlers import Drawing, in_graph

TOP, HEIGHT, GRIP, HALF = 26, 20, 5, 6  # pixels: below the time line, a lane, the end of a bar, half a mark
ON_CHOSEN = (0.0, 0.0, 0.0, 0.9)
BACK, WORDS, CHOSEN = (0.10, 0.10, 0.10, 0.75), (1.0, 1.0, 1.0, 0.75), (1.0, 1.0, 1.0, 1.0)


@frozen
class LaneBar:
    """A stretch of frames in a lane, or a mark where first and last are the same."""

    first: float
    last: float
    color: tuple
    chosen: bool = False
    words: str = ""  # written on it, where there is room


@frozen
class Lane:
    """`bars(context)`: what it shows, nothing if it is not shown. `move(context, index, first, last)`: one was
    dragged; False where it cannot go. `remove(context, index)`: it is to go. `done(context)`: it was let go, or is gone.
    A label may be a function of the context too."""

    label: str | Callable
    bars: Callable
    move: Callable
    choose: Callable
    remove: Callable
    done: Callable = lambda context: None


_lanes = []


def add_lane(lane):
    _lanes.append(lane)


def remove_lane(lane):
    _lanes.remove(lane)


def shown_lanes(context):
    """The lanes that have something to show, with it, from the top."""
    found = [(lane, lane.bars(context)) for lane in _lanes]
    return [(lane, bars) for lane, bars in found if bars]


def lane_span(context, row):
    """Bottom and top of a lane in pixels of the region."""
    pixel = context.preferences.system.ui_scale
    top = context.region.height - (TOP + row * (HEIGHT + 2)) * pixel
    return top - HEIGHT * pixel, top


def draw_lanes():
    context = bpy.context
    rows = shown_lanes(context)
    if not rows:
        return
    import blf
    import gpu

    pixel = context.preferences.system.ui_scale
    gpu.state.blend_set("ALPHA")
    for row, (lane, bars) in enumerate(rows):
        bottom, top = lane_span(context, row)
        fill(BACK, [box(0, bottom, context.region.width, top)])
        for bar in bars:
            fill(CHOSEN if bar.chosen else bar.color, [outline(context, bar, bottom + 3 * pixel, top - 3 * pixel)])
        blf.size(0, 11 * pixel)
        for bar in bars:
            draw_words(context, bar, bottom + 6 * pixel)
        blf.color(0, *WORDS)
        blf.position(0, 44 * pixel, bottom + 6 * pixel, 0)
        blf.draw(0, label_of(context, lane))
    gpu.state.blend_set("NONE")


def label_of(context, lane):
    return lane.label(context) if callable(lane.label) else lane.label


def draw_words(context, bar, height):
    """What is written on a bar, in its middle, if it is long enough."""
    import blf

    left, right = (pixel_of(context, frame) for frame in (bar.first, bar.last))
    width = blf.dimensions(0, bar.words)[0] if bar.words else 0.0
    if 0.0 < width < right - left:
        blf.color(0, *(ON_CHOSEN if bar.chosen else WORDS))
        blf.position(0, (left + right - width) / 2, height, 0)
        blf.draw(0, bar.words)


def fill(color, shapes):
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    shader.uniform_float("color", color)
    points = np.concatenate(shapes).astype(np.float32)
    batch_for_shader(shader, "TRIS", {"pos": points}).draw(shader)


def box(left, bottom, right, top):
    return np.array([(left, bottom), (right, bottom), (right, top), (left, bottom), (right, top), (left, top)])


def outline(context, bar, bottom, top):
    """Two triangles: a bar, or the diamond of a mark."""
    left, right = (pixel_of(context, frame) for frame in (bar.first, bar.last))
    if bar.first != bar.last:
        return box(left, bottom, right, top)
    middle, half = (bottom + top) / 2, HALF * context.preferences.system.ui_scale
    return np.array(
        [
            (left - half, middle),
            (left, bottom),
            (left + half, middle),
            (left - half, middle),
            (left + half, middle),
            (left, top),
        ]
    )


def pixel_of(context, frame):
    return context.region.view2d.view_to_region(frame, 0.0, clip=False)[0]


def frame_at(context, x):
    return context.region.view2d.region_to_view(x, 0.0)[0]


@frozen
class HeldBar:
    """What the mouse has hold of: a bar of a lane, and which of its ends move."""

    lane: Lane
    index: int
    bar: LaneBar
    ends: tuple  # whether the first and the last frame move

    def moved(self, frames):
        first, last = (round(frame + frames * moves) for frame, moves in zip((self.bar.first, self.bar.last), self.ends))
        return (first, last) if first <= last else (last, first)


def grip_at(context, x, y):
    """The grip under the mouse, or None; the nearest where marks lie close."""
    pixel = context.preferences.system.ui_scale
    lane, bars = lane_at(context, y)
    if lane is None:
        return None
    gap, index = min((distance(context, bar, x), index) for index, bar in enumerate(bars))
    return HeldBar(lane, index, bars[index], ends_at(context, bars[index], x, GRIP * pixel)) if gap <= HALF * pixel else None


def lane_at(context, y):
    """The lane at a height of the region and its bars, or None and nothing."""
    for row, (lane, bars) in enumerate(shown_lanes(context)):
        bottom, top = lane_span(context, row)
        if bottom <= y <= top:
            return lane, bars
    return None, []


def distance(context, bar, x):
    left, right = (pixel_of(context, frame) for frame in (bar.first, bar.last))
    return max(left - x, x - right, 0.0)


def ends_at(context, bar, x, grip):
    left, right = (pixel_of(context, frame) for frame in (bar.first, bar.last))
    if bar.first == bar.last:
        return (True, True)
    grip = min(grip, (right - left) / 3)
    return (True, False) if x - left < grip else (False, True) if right - x < grip else (True, True)


class MOTION_SIGNAL_OT_lane_drag(bpy.types.Operator):
    """Drag a mark or a bar in time"""

    bl_idname = "motion_signal.lane_drag"
    bl_label = "Drag in Time"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        return in_graph(context)

    def invoke(self, context, event):
        self.grip = grip_at(context, event.mouse_region_x, event.mouse_region_y)
        if self.grip is None:
            return {"PASS_THROUGH"}
        self.start = frame_at(context, event.mouse_region_x)
        self.shown = self.grip.moved(0)
        self.grip.lane.choose(context, self.grip.index)
        context.window_manager.modal_handler_add(self)
        preview.redraw()
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type in ("ESC", "RIGHTMOUSE"):
            self.show(context, self.grip.moved(0))
            return {"CANCELLED"}
        released = event.type == "LEFTMOUSE" and event.value == "RELEASE"
        if released or event.type == "MOUSEMOVE":  # the mouse is let go where it is, even if that was not drawn any more
            self.show(context, self.grip.moved(frame_at(context, event.mouse_region_x) - self.start))
        if released:
            self.grip.lane.done(context)
            return {"FINISHED"}
        return {"RUNNING_MODAL"}

    def show(self, context, span):
        if span != self.shown and self.grip.lane.move(context, self.grip.index, *span) is not False:
            self.shown = span
        preview.redraw()


class MOTION_SIGNAL_OT_lane_delete(bpy.types.Operator):
    """Delete the chosen mark or bar of the lane under the mouse"""

    bl_idname = "motion_signal.lane_delete"
    bl_label = "Delete in Lane"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        return in_graph(context)

    def invoke(self, context, event):
        """Over a lane nothing else is deleted: the keys below it are the take's."""
        lane, bars = lane_at(context, event.mouse_region_y)
        if lane is None:
            return {"PASS_THROUGH"}
        chosen = next((index for index, bar in enumerate(bars) if bar.chosen), None)
        if chosen is None:
            self.report({"INFO"}, f"Nothing is chosen in {label_of(context, lane)}: click it to choose it")
            return {"CANCELLED"}
        lane.remove(context, chosen)
        lane.done(context)
        preview.redraw()
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_lane_drag, MOTION_SIGNAL_OT_lane_delete)
DRAWING = Drawing((draw_lanes, "POST_PIXEL"))
register = DRAWING.register
unregister = DRAWING.unregister
