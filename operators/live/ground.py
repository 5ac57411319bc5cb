# SPDX-License-Identifier: GPL-3.0-or-later
"""While a figure is previewed on a mesh, what is done to the mesh shows on the figure."""

import bpy

from . import preview

_following = []


@bpy.app.handlers.persistent
def follow_ground(scene, depsgraph):
    """Show the figure on its ground anew when that was moved or changed."""
    context, current = bpy.context, preview.session()
    settings = getattr(context.window_manager, "motion_signal", None)
    if _following or settings is None or current is None or not current.after or not settings.scope.ground:
        return
    ground = bpy.data.objects.get(settings.scope.ground)
    if ground is None or not any(update.id.original in (ground, ground.data) for update in depsgraph.updates):
        return
    _following.append(ground.name)
    try:
        current.surroundings.grounds.forget(ground.name)
        current.resumes = True
        preview.touched(context, current.technique)
    finally:
        _following.clear()


def register():
    bpy.app.handlers.depsgraph_update_post.append(follow_ground)


def unregister():
    bpy.app.handlers.depsgraph_update_post.remove(follow_ground)
