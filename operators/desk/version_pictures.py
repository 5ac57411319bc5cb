# SPDX-License-Identifier: GPL-3.0-or-later
"""Thumbnails of versions: three poses of a stick figure, drawn once for each between two redraws."""

import bpy
import numpy as np

from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ..batch.thumbnail import joints_of
from ..bridge.provenance import FINGERPRINT
from ..bridge.scope import gather
from ..library.stick_pictures import COLORS, MOMENTS, SIZE, drawn
from ..live import preview

_pictures = {}  # Blender's collection of previews, once there is one
_waiting = []  # what is still to be drawn, as (object, action)


def picture_of(subject, action, made):
    """The number of an action's icon; 0 until it is drawn."""
    name = f"{action.session_uid} {action.get(FINGERPRINT, '')}"
    if picture_named(name):
        return picture_named(name)
    asked = subject.name, action.name, name, made
    if asked not in _waiting and not bpy.app.background:
        _waiting.append(asked)
        if not bpy.app.timers.is_registered(draw_next):
            bpy.app.timers.register(draw_next, first_interval=0.02)
    return 0


def picture_named(name):
    """The number of the icon that is kept under a name; 0 if there is none."""
    collection = _pictures.get("versions")
    return collection[name].icon_id if collection is not None and name in collection else 0


def draw_next():
    """Draw one picture; again until there is none left."""
    subject, action, name, made = _waiting.pop(0)
    if bpy.data.objects.get(subject) and bpy.data.actions.get(action):
        keep_picture(name, pixels_of(bpy.context, bpy.data.objects[subject], action, made))
        preview.redraw()
    return 0.01 if _waiting else None


def keep_picture(name, pixels):
    """Keep a picture (SIZE, SIZE, 4) under a name; the number of its icon."""
    import bpy.utils.previews

    if "versions" not in _pictures:
        _pictures["versions"] = bpy.utils.previews.new()
    if name not in _pictures["versions"]:
        entry = _pictures["versions"].new(name)
        entry.image_size = entry.icon_size = SIZE, SIZE
        entry.image_pixels_float = entry.icon_pixels_float = pixels.ravel().tolist()
    return _pictures["versions"][name].icon_id


def pixels_of(context, subject, name, made):
    """A picture (SIZE, SIZE, 4), from the bottom up; an empty one of what cannot be drawn."""
    try:
        scope = gather(context, ScopeParams(action=name), subject)
        clip, skeleton = scope.read().clip, scope.skeleton
    except Refusal:
        return np.zeros((SIZE, SIZE, 4), dtype=np.float32)
    if skeleton is None or skeleton.led:
        return np.zeros((SIZE, SIZE, 4), dtype=np.float32)
    rows = np.array([int(moment * (clip.frames - 1)) for moment in MOMENTS])
    return drawn(*joints_of(clip, skeleton, rows), COLORS[made])


@bpy.app.handlers.persistent
def forget(*_):
    _waiting.clear()
    if "versions" in _pictures:
        import bpy.utils.previews

        bpy.utils.previews.remove(_pictures.pop("versions"))


def register():
    bpy.app.handlers.load_post.append(forget)


def unregister():
    if bpy.app.timers.is_registered(draw_next):
        bpy.app.timers.unregister(draw_next)
    bpy.app.handlers.load_post.remove(forget)
    forget()
