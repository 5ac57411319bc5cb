# SPDX-License-Identifier: GPL-3.0-or-later
"""Esc pauses a preview, wherever the animator is looking; the mouse drags what stands in the Graph Editor's lanes, X deletes it
there, I keeps a pose while one poses over a take, or pins a bone, and U held shows the motion as it was."""

import bpy

from ..desk.path_points import MOTION_SIGNAL_OT_path_point
from ..desk.pins import MOTION_SIGNAL_OT_pin_press
from ..draw.before_key import MOTION_SIGNAL_OT_before_hold
from ..draw.lanes import MOTION_SIGNAL_OT_lane_delete, MOTION_SIGNAL_OT_lane_drag
from ..live.preview import MOTION_SIGNAL_OT_preview_pause
from .displace import MOTION_SIGNAL_OT_displace_key_press
from .network import MOTION_SIGNAL_OT_pad_drag

KEYING = (("Pose", "EMPTY"), ("Object Mode", "EMPTY"), ("Graph Editor", "GRAPH_EDITOR"), ("Dopesheet", "DOPESHEET_EDITOR"))
BEFORE = "U"  # as it was, unchanged: Blender uses it nowhere that a preview shows
_items = []


def register():
    configuration = bpy.context.window_manager.keyconfigs.addon
    if configuration is None:  # there are no keys without a window
        return
    # Blender's own Esc, which stops playback, is in this one too: that of all regions, sidebars and lists of channels as well.
    keymap = configuration.keymaps.new(name="Frames")
    _items.append((keymap, keymap.keymap_items.new(MOTION_SIGNAL_OT_preview_pause.bl_idname, "ESC", "PRESS")))
    _items.append((keymap, keymap.keymap_items.new(MOTION_SIGNAL_OT_before_hold.bl_idname, BEFORE, "PRESS")))
    for name, space in KEYING:
        keymap = configuration.keymaps.new(name=name, space_type=space)
        for key in (MOTION_SIGNAL_OT_displace_key_press, MOTION_SIGNAL_OT_pin_press):
            _items.append((keymap, keymap.keymap_items.new(key.bl_idname, "I", "PRESS")))
    keymap = configuration.keymaps.new(name="3D View", space_type="VIEW_3D")
    double = keymap.keymap_items.new(MOTION_SIGNAL_OT_path_point.bl_idname, "LEFTMOUSE", "DOUBLE_CLICK", head=True)
    _items.append((keymap, double))
    keymap = configuration.keymaps.new(name="Graph Editor", space_type="GRAPH_EDITOR")
    for name in (MOTION_SIGNAL_OT_lane_drag.bl_idname, MOTION_SIGNAL_OT_pad_drag.bl_idname):
        _items.append((keymap, keymap.keymap_items.new(name, "LEFTMOUSE", "PRESS", head=True, any=True)))
    for key in ("X", "DEL"):
        _items.append((keymap, keymap.keymap_items.new(MOTION_SIGNAL_OT_lane_delete.bl_idname, key, "PRESS", head=True)))


def unregister():
    for keymap, item in _items:
        keymap.keymap_items.remove(item)
    _items.clear()
