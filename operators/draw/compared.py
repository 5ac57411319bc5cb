# SPDX-License-Identifier: GPL-3.0-or-later
"""Another version of the take beside the figure, as a translucent skeleton that goes along with it."""

import bpy
import numpy as np

from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ..bridge.provenance import FINGERPRINT
from ..bridge.scope import active_object, gather
from .handlers import ViewportDrawing
from .poses import poses_of, shown_bones
from .see_both import draw_octahedra

COLOR = (0.45, 0.9, 0.5, 0.45)
WAY = 0.5  # metres: who gets less far stays, and is stood beside along the world's X
_kept = {}


def compared(context):
    """What is compared with the active figure: its poses, the bones that are drawn, and to which side; or None."""
    subject, name = active_object(context), context.window_manager.motion_signal_see_both.compared
    action = bpy.data.actions.get(name)
    if action is None or getattr(subject, "type", "") != "ARMATURE":
        return None
    asked = subject.session_uid, action.session_uid, action.get(FINGERPRINT, ""), tuple(action.frame_range)
    if _kept.get("asked") != asked:
        _kept.update(asked=asked, drawn=read(context, subject, name))
    return _kept["drawn"]


def read(context, subject, name):
    try:
        scope = gather(context, ScopeParams(action=name), subject)
        clip, skeleton = scope.read().clip, scope.skeleton
    except Refusal:  # what cannot be read cannot be compared
        return None
    if skeleton.led:
        return None
    poses = poses_of(clip, skeleton)
    return poses, shown_bones(subject, poses.names), side_of(poses, np.array(subject.matrix_world)[:3, :3])


def side_of(poses, world):
    """The level direction across the way that a figure goes, in the world."""
    on = world @ (poses.heads[-1].mean(axis=0) - poses.heads[0].mean(axis=0))
    length = np.linalg.norm(on[:2])
    return np.array((on[1], -on[0], 0.0)) / -length if length > WAY else np.array((1.0, 0.0, 0.0))


def draw_compared():
    context = bpy.context
    view = context.window_manager.motion_signal_see_both
    found = compared(context) if view.compared and context.space_data.overlay.show_overlays else None
    if found is None:
        return
    import gpu

    poses, bones, side = found
    with gpu.matrix.push_pop():
        gpu.matrix.translate(tuple(view.aside * side))
        gpu.matrix.multiply_matrix(context.object.matrix_world)
        gpu.state.blend_set("ALPHA")
        gpu.state.depth_test_set("LESS_EQUAL")
        draw_octahedra(poses, bones, context.scene.frame_current, COLOR)
        gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("NONE")


@bpy.app.handlers.persistent
def forget(*_):
    _kept.clear()


DRAWING = ViewportDrawing(draw_compared)


def register():
    bpy.app.handlers.load_post.append(forget)
    DRAWING.register()


def unregister():
    DRAWING.unregister()
    forget()
    bpy.app.handlers.load_post.remove(forget)
