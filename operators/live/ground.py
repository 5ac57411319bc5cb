# SPDX-License-Identifier: GPL-3.0-or-later
"""While a figure is previewed on a mesh, or pinned to objects, what is done to these shows on the figure."""

import bpy

from ...core.numeric.refusal import Refusal
from ...core.recipes.references import references
from . import preview
from .at_hand import AtHand

_following = []


@bpy.app.handlers.persistent
def follow_ground(scene, depsgraph):
    """Show the figure anew when its ground, or what it is pinned to, was moved or changed."""
    current = preview.session()
    if _following or current is None or not current.after or AtHand.rack is None:
        return
    names = {name for step in AtHand.rack.steps for name in (step.scope.ground, *references(step)["object"]) if name}
    subjects = [bpy.data.objects.get(name) for name in names]
    changed = [
        subject
        for subject in subjects
        if subject and any(update.id.original in (subject, subject.data) for update in depsgraph.updates)
    ]
    if not changed:
        return
    _following.extend(changed)
    try:
        for subject in changed:
            current.open.stack.run.grounds.forget(subject.name)
            current.open.stack.run.targets.forget(subject.name)
        preview.show_rack(bpy.context)
    except Refusal as error:
        preview.notify(bpy.context.window_manager.motion_signal, str(error))
    finally:
        _following.clear()


def register():
    bpy.app.handlers.depsgraph_update_post.append(follow_ground)


def unregister():
    bpy.app.handlers.depsgraph_update_post.remove(follow_ground)
