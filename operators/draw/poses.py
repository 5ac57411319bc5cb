# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the bones of a figure are in every frame of a clip, worked out once for each clip that is looked at."""

import bpy
import numpy as np

from ...core.motion.skeleton import sub_skeleton

KEPT = 6  # clips
_known = []  # (clip, skeleton, poses), the last first


class Poses:
    """Axes (frames, bones, 3, 3) and heads (frames, bones, 3) in the armature, in single precision, and how long bones are."""

    def __init__(self, clip, skeleton):
        axes, heads = skeleton.posed(clip)
        self.axes, self.heads = (np.ascontiguousarray(each, dtype=np.float32) for each in (axes, heads))
        self.names = [bone.name for bone in skeleton.bones]
        self.lengths = np.array([bone.length for bone in skeleton.bones], dtype=np.float32)
        self.first_frame, self.frames = clip.first_frame, clip.frames

    def row(self, frame):
        """The row of a frame; before the first and after the last there are no others."""
        return min(max(0, round(frame) - self.first_frame), self.frames - 1)


def poses_of(clip, skeleton, names=None):
    """The poses of a clip, of all bones or of those that are named and what they hang on."""
    asked = frozenset(names) if names else None
    for entry in _known:
        if entry[0] is clip and entry[1] is skeleton and entry[2] == asked:
            return entry[3]
    _known.insert(0, (clip, skeleton, asked, Poses(clip, sub_skeleton(skeleton, asked) if asked else skeleton)))
    del _known[KEPT:]
    return _known[0][3]


def shown_bones(owner, names):
    """Places of the bones that an armature object shows, and that have a size to be seen."""
    visible = {bone.name for bone in owner.data.bones if not bone.hide and in_view(bone)}
    return [index for index, name in enumerate(names) if name in visible]


def in_view(bone):
    return not len(bone.collections) or any(collection.is_visible_effectively for collection in bone.collections)


@bpy.app.handlers.persistent
def forget(*_):
    _known.clear()


def register():
    bpy.app.handlers.load_post.append(forget)


def unregister():
    forget()
    bpy.app.handlers.load_post.remove(forget)
