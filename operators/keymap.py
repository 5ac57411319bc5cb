# SPDX-License-Identifier: GPL-3.0-or-later
"""Esc ends a preview, wherever the animator is looking; the mouse drags what stands in the Graph Editor's lanes."""

import bpy

from .lanes import MOTION_SIGNAL_OT_lane_drag
from .pad import MOTION_SIGNAL_OT_pad_drag
from .preview import MOTION_SIGNAL_OT_preview_end

# Those of all regions of an editor: its sidebar, where the faders are, and its list of channels too.
EDITORS = (("Graph Editor Generic", "GRAPH_EDITOR"), ("3D View Generic", "VIEW_3D"),
           ("Dopesheet Generic", "DOPESHEET_EDITOR"))
_items = []


def register():
    configuration = bpy.context.window_manager.keyconfigs.addon
    if configuration is None:  # there are no keys without a window
        return
    for name, space in EDITORS:
        keymap = configuration.keymaps.new(name=name, space_type=space)
        _items.append((keymap, keymap.keymap_items.new(MOTION_SIGNAL_OT_preview_end.bl_idname, "ESC", "PRESS")))
    keymap = configuration.keymaps.new(name="Graph Editor", space_type="GRAPH_EDITOR")
    for name in (MOTION_SIGNAL_OT_lane_drag.bl_idname, MOTION_SIGNAL_OT_pad_drag.bl_idname):
        _items.append((keymap, keymap.keymap_items.new(name, "LEFTMOUSE", "PRESS", head=True, any=True)))


def unregister():
    for keymap, item in _items:
        keymap.keymap_items.remove(item)
    _items.clear()
