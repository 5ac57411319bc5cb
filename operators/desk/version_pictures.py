# SPDX-License-Identifier: GPL-3.0-or-later
"""Thumbnails of versions: three poses of a stick figure, drawn once for each between two redraws."""

import bpy
import numpy as np

from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ..batch.thumbnail import joints_of, main_direction, travelled
from ..bridge.provenance import FINGERPRINT
from ..bridge.scope import gather
from ..live import preview

SIZE, LINE, MARGIN = 96, 2.2, 0.06  # pixels, pixels, of the picture
MOMENTS, STRENGTHS, APART = (0.3, 0.5, 0.7), (0.4, 1.0, 0.4), 0.3  # of the take; of a figure's height from pose to pose
COLORS = {False: (0.62, 0.75, 0.95), True: (1.0, 0.66, 0.3)}  # a take, a result
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


def drawn(joints, tips, color, way=None):
    """Lines from joints to tips (poses, lines, 3) as pixels; `way` is the level direction that is to the right, if given."""
    lines = np.stack([joints, tips], axis=2)
    track, height = lines[..., :2].mean(axis=(1, 2)), np.ptp(lines[..., 2])
    way = travelled(track, height) if way is None else way
    way = main_direction((lines[..., :2] - track[:, None, None]).reshape(-1, 2)) if way is None else way
    across = (lines[..., :2] - track[:, None, None]) @ way + APART * height * (np.arange(len(lines)) - 1)[:, None, None]
    flat = np.stack([across, lines[..., 2]], axis=3)
    low, extent = flat.min(axis=(0, 1, 2)), np.ptp(flat.reshape(-1, 2), axis=0).max()
    scale = SIZE * (1 - 2 * MARGIN) / max(extent, 1e-9)
    middle = 0.5 * (SIZE - scale * np.ptp(flat[..., 0]))
    places = (flat - low) * scale + (middle, SIZE * MARGIN)
    picture = np.zeros((SIZE, SIZE, 4), dtype=np.float32)
    for pose, strength in zip(places, STRENGTHS):
        picture[..., 3] = np.maximum(picture[..., 3], strength * covered(pose))
    picture[..., :3] = picture[..., 3:] * np.float32(color)  # Blender wants it so
    return picture


def covered(pose):
    """How far each pixel is covered by the lines (lines, 2, 2) of a pose, 0 to 1."""
    x, y = np.meshgrid(np.arange(SIZE) + 0.5, np.arange(SIZE) + 0.5)
    points = np.stack([x, y], axis=2)[:, :, None]
    start, along = pose[:, 0], pose[:, 1] - pose[:, 0]
    share = np.clip(((points - start) * along).sum(axis=3) / np.maximum((along**2).sum(axis=1), 1e-9), 0.0, 1.0)
    gap = np.linalg.norm(points - start - share[..., None] * along, axis=3).min(axis=2)
    return np.clip(LINE + 0.5 - gap, 0.0, 1.0)


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
