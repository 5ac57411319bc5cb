# SPDX-License-Identifier: GPL-3.0-or-later
"""Layout only: nothing computed, nothing written."""

import bpy

from . import (
    blend,
    body,
    cycles,
    displacement,
    equalizer,
    join,
    menus,
    path,
    preferences,
    recipe,
    scope,
    shaper,
    speed,
    style,
    timewarp,
)

CLASSES = (
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
    *recipe.CLASSES,
    *scope.CLASSES,
    *menus.CLASSES,
    *preferences.CLASSES,
)


def register():
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    menus.register()


def unregister():
    menus.unregister()
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)
