# SPDX-License-Identifier: GPL-3.0-or-later
"""Layout only: nothing computed, nothing written."""

import bpy

from . import blend, body, cycles, displacement, equalizer, join, path, rack, rack_menus, reduce, shaper, speed, style, timewarp

CLASSES = (
    *rack_menus.CLASSES,
    *rack.CLASSES,
    *equalizer.CLASSES,
    *shaper.CLASSES,
    *displacement.CLASSES,
    *timewarp.CLASSES,
    *blend.CLASSES,
    *join.CLASSES,
    *body.CLASSES,
    *path.CLASSES,
    *cycles.CLASSES,
    *speed.CLASSES,
    *style.CLASSES,
    *reduce.CLASSES,
)


def register():
    for kind in CLASSES:
        bpy.utils.register_class(kind)


def unregister():
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)
