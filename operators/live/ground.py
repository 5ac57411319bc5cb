# SPDX-License-Identifier: GPL-3.0-or-later
"""While a figure is previewed on a mesh, what is done to the mesh shows on the figure."""

import bpy

from ...core.numeric.refusal import Refusal
from . import preview
from .at_hand import AtHand

_following = []


@bpy.app.handlers.persistent
def follow_ground(scene, depsgraph):
    """Show the figure on its ground anew when that was moved or changed."""
    current = preview.session()
    if _following or current is None or not current.after or AtHand.rack is None:
        return
    grounds = [bpy.data.objects.get(name) for name in {step.scope.ground for step in AtHand.rack.steps if step.scope.ground}]
    changed = [
        ground
        for ground in grounds
        if ground and any(update.id.original in (ground, ground.data) for update in depsgraph.updates)
    ]
    if not changed:
        return
    _following.extend(changed)
    try:
        for ground in changed:
            current.open.stack.run.grounds.forget(ground.name)
        preview.show_rack(bpy.context)
    except Refusal as error:
        preview.notify(bpy.context.window_manager.motion_signal, str(error))
    finally:
        _following.clear()


def register():
    bpy.app.handlers.depsgraph_update_post.append(follow_ground)


def unregister():
    bpy.app.handlers.depsgraph_update_post.remove(follow_ground)
