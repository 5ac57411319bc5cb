# SPDX-License-Identifier: GPL-3.0-or-later
"""Layout only: nothing computed, nothing written."""

import bpy

from . import (
    between,
    blend,
    body,
    clean,
    cycles,
    displacement,
    equalizer,
    fit_length,
    join,
    library,
    life,
    locomotion,
    menus,
    music,
    path,
    pins,
    preferences,
    rack,
    rack_menus,
    reduce,
    retarget,
    rig,
    see_both,
    shaper,
    speed,
    style,
    timewarp,
    versions,
    weight,
)

CLASSES = (
    *rack_menus.CLASSES,
    *rack.CLASSES,
    *clean.CLASSES,
    *equalizer.CLASSES,
    *shaper.CLASSES,
    *displacement.CLASSES,
    *life.CLASSES,
    *timewarp.CLASSES,
    *fit_length.CLASSES,
    *music.CLASSES,
    *blend.CLASSES,
    *between.CLASSES,
    *join.CLASSES,
    *body.CLASSES,
    *rig.CLASSES,
    *retarget.CLASSES,
    *path.CLASSES,
    *pins.CLASSES,
    *locomotion.CLASSES,
    *cycles.CLASSES,
    *speed.CLASSES,
    *style.CLASSES,
    *reduce.CLASSES,
    *menus.CLASSES,
    *preferences.CLASSES,
    *see_both.CLASSES,
    *versions.CLASSES,
    *weight.CLASSES,
    *library.CLASSES,
)
DRAWN = (menus, see_both)  # into Blender's own menus and headers


def register():
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    for module in DRAWN:
        module.register()


def unregister():
    for module in reversed(DRAWN):
        module.unregister()
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)
