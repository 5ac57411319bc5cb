# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's curve widget for the shaper: the widget and the points in the settings follow each other.

Blender shows a curve only where it belongs to some data, so that a hidden node group holds one. It has no user, and so is
not saved with the file. Nothing tells when the widget is dragged: every drawing of the panel looks, and a timer settles.
Undo brings back an older widget, but the settings are no part of undo: there the widget follows.
"""

import json

import bpy

from . import preview

GROUP, NODE = ".Motion Signal Shape", "Shape"
STRAIGHT = ((0.0, 0.0), (1.0, 1.0))
_known = [STRAIGHT]  # what both sides last agreed on


def curve_node(context):
    """The node whose curve the panel shows, or None while it is being made; both sides are settled if they differ."""
    node = find_node()
    if node is None or widget_points(node) != _known[0] or settings_points(context) != _known[0]:
        if not bpy.app.timers.is_registered(settle):
            bpy.app.timers.register(settle, first_interval=0.0)
    return node


def find_node():
    group = bpy.data.node_groups.get(GROUP)
    return group.nodes.get(NODE) if group else None


def settle():
    context = bpy.context
    node = find_node() or make_node()
    wanted = settings_points(context)
    if wanted != _known[0] or widget_points(node) == wanted:
        write_widget(node, wanted)
    else:
        drawn = widget_points(node)
        context.window_manager.motion_signal.waveshape.points = "" if drawn == STRAIGHT else json.dumps(drawn)
    _known[0] = settings_points(context)
    preview.redraw()


def make_node():
    group = bpy.data.node_groups.new(GROUP, "ShaderNodeTree")
    node = group.nodes.new("ShaderNodeFloatCurve")
    node.name = NODE
    return node


def settings_points(context):
    try:
        points = json.loads(context.window_manager.motion_signal.waveshape.points or "[]")
        return rounded(points) or STRAIGHT
    except (ValueError, TypeError):  # text that is no curve is refused where it is used
        return STRAIGHT


def widget_points(node):
    return rounded(point.location for point in node.mapping.curves[0].points)


def rounded(points):
    return tuple((round(float(x), 4), round(float(y), 4)) for x, y in points)


def write_widget(node, wanted):
    curve = node.mapping.curves[0]
    while len(curve.points) > max(2, len(wanted)):
        curve.points.remove(curve.points[-1])
    while len(curve.points) < len(wanted):
        curve.points.new(1.0, 1.0)
    for point, place in zip(curve.points, wanted):
        point.location = place
    node.mapping.update()


@bpy.app.handlers.persistent
def follow_settings(*_):
    _known[0] = None


HANDLERS = ("undo_post", "redo_post", "load_post")


def register():
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).append(follow_settings)


def unregister():
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).remove(follow_settings)
    if bpy.app.timers.is_registered(settle):
        bpy.app.timers.unregister(settle)
