# SPDX-License-Identifier: GPL-3.0-or-later
"""Where objects and bones of other figures are, frame by frame, for pins to hold on to."""

import bpy
import numpy as np

from ...core.numeric.refusal import Refusal


class Targets:
    """Matrices in the world by the name of an object and a bone of it: what stands still is read at once, what moves is played,
    once until it is forgotten."""

    def __init__(self, owner):
        """`owner()` gives the figure that is pinned, then as now."""
        self.owner, self.seen, self.numbers = owner, {}, {}

    def __call__(self, name, bone, first, last):
        """Matrices (frames, 4, 4) from first to last frame, or a Refusal."""
        subject = target_named(name, bone, self.owner())
        key = (name, bone)
        before, known = self.seen.get(key, (first, np.zeros((0, 4, 4))))
        if not before <= first <= last < before + len(known):
            low = min(first, before) if len(known) else first
            high = max(last, before + len(known) - 1) if len(known) else last
            before, known = self.seen[key] = low, played(subject, bone, low, high)
        return known[first - before : last - before + 1]

    def forget(self, name):
        """Look anew when it is asked for again."""
        self.seen = {key: known for key, known in self.seen.items() if key[0] != name}
        self.numbers[name] = self.number(name) + 1

    def number(self, name):
        """How often it was forgotten."""
        return self.numbers.get(name, 0)


def target_named(name, bone, owner):
    subject = bpy.data.objects.get(name)
    if subject is None:
        raise Refusal(f"target: there is no object {name}; it may have been deleted")
    if subject == owner:
        raise Refusal(f"target: {name} is the figure itself; leave the object empty and name the bone")
    if bone and (subject.type != "ARMATURE" or bone not in subject.pose.bones):
        raise Refusal(f"target: {name} has no bone {bone}")
    return subject


def played(subject, bone, first, last):
    """Matrices (frames, 4, 4) of an object or its bone in the world; one that is in no scene is taken into this one."""
    scene = bpy.context.scene
    visiting = subject.name not in bpy.context.view_layer.objects
    if visiting:
        scene.collection.objects.link(subject)
    frame = scene.frame_current, scene.frame_subframe
    try:
        if stands_still(subject, bone):
            bpy.context.view_layer.update()
            return np.repeat(seen(subject, bone)[None], last - first + 1, axis=0)
        result = np.empty((last - first + 1, 4, 4))
        for row, at in enumerate(range(first, last + 1)):
            scene.frame_set(at)
            result[row] = seen(subject, bone)
        return result
    finally:
        if (scene.frame_current, scene.frame_subframe) != frame:
            scene.frame_set(frame[0], subframe=frame[1])
        if visiting:
            scene.collection.objects.unlink(subject)


def seen(subject, bone):
    shown = subject.evaluated_get(bpy.context.evaluated_depsgraph_get())
    world = np.array(shown.matrix_world, dtype=np.float64)
    return world @ np.array(shown.pose.bones[bone].matrix, dtype=np.float64) if bone else world


def stands_still(subject, bone):
    """Whether nothing animates an object, nor what it hangs on."""
    while subject is not None:
        moved = subject.constraints or subject.parent_type not in ("OBJECT", "VERTEX", "ARMATURE")
        if moved or bone or is_animated(subject) or subject.rigid_body:
            return False
        subject = subject.parent
    return True


def is_animated(subject):
    data = subject.animation_data
    return bool(data and (data.action or data.drivers or data.nla_tracks))
